package dragoman

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// owners lists the concepts that this repository implements exactly once. For each, elsewhere matches source lines that
// would give a second implementation away; they may stand in the folders listed, and below them, alone. A second owner needs
// a decision record in docs/decisions and a row that says so.
var owners = []struct {
	concept   string
	elsewhere string   // a regular expression over one line of Go source
	in        []string // folders; "sdk/chat" covers the folders below it, too
}{
	// The conformance suite starts the binary that an author has built, and may not import the host.
	{"plugin processes", `plugin\.NewClient\(`, []string{"host/plugins", "sdk/conformance"}},
	{"batches of a shared stream", `\bsent\.Add\(`, []string{"internal/batch"}},
	{"the codes of errors in HTTP and gRPC", `\b(429|499)\b.*\b(1|8)\b|Code = "not_found"`, []string{"sdk/fault"}},
	{"messages of the daemon's API", `dragomanv1\.(Report|TokenCounts|Span|Fault|Constraint|Trigger|Plugin|PluginHandler|Source|Trial|Snapshot|TemplateChange|CaseChange|Error)\{`,
		[]string{"internal/wire/chatapi", "internal/wire/adminapi"}},
	{"bounded caches", `"container/list"|\bHits, [mM]isses\b|\b[hH]its +uint64`, []string{"internal/cache"}},
	// The API rewrites messages while it reads them; recorded cases compare texts that may break off; vocabularies are too long to
	// be in memory as a whole.
	{"ordered JSON", `jsontext\.NewDecoder\(`, []string{"internal/ordered", "host/api", "sdk/cases", "sdk/tokenizer"}},
	{"JSON paths in messages", `[pP]ointer\.Tokens\(\)`, []string{"internal/ordered"}},
	{"template values from JSON", `ordered\.Build\(`, []string{"internal/ordered", "autoparser/jinja/value", "sdk/jsonschema"}},
	{"readers of JSON Schemas", `"(\$ref|\$defs|patternProperties)"`, []string{"sdk/jsonschema", "sdk/grammar/schema"}},
	{"references within JSON Schemas", `PathUnescape\(|"~1"`, []string{"sdk/jsonschema"}},
	{"keywords of JSON Schema", `"contentEncoding"|"minItems": `, []string{"sdk/jsonschema"}},
	// One parses outputs, the other measures the machine alone.
	{"run loops", `match\.(New|Compile)\(`, []string{"sdk/session", "internal/bench"}},
	// The double of llama.cpp's parser must not share the misunderstandings of ours.
	{"GBNF", `\(.*"::="|" ::= "`, []string{"internal/cfg", "internal/llamacpp"}},
	{"notations of grammars for engines", `%llguidance|"triggered_tags"`, []string{"sdk/grammar/target"}},
	{"sets of characters", `\) [cC]omplement\(\)`, []string{"internal/cfg/charset"}},
	{"the grammar of JSON values", `"integral-part"`, []string{"sdk/grammar/rules"}},
	{"regular expressions as grammars", `syntax\.OpBeginText`, []string{"sdk/grammar/schema/pattern"}},
	{"the names of nodes and roles", `"(atomic|call-name|quoted-string|python-literals)"`, []string{"sdk/peg"}},
	{"which nodes have one kid", `shape: Loop|case peg\.Repeat, peg\.Peek`, []string{"sdk/peg"}},
	{"the proof that commitments are harmless", `Witness +string`, []string{"sdk/peg/sound"}},
	// One reads templates, the other vocabularies.
	{"the files of models", `"tokenizer_config\.json"|tokenizer\.ggml`, []string{"sdk/model", "sdk/tokenizer"}},
	{"the format GGUF", `!= "GGUF"`, []string{"internal/gguf"}},
	{"tokenizers", `byte_fallback|PrependScheme`, []string{"sdk/tokenizer"}},
	{"the turn builder", `^func .*\b([tT]olerate|[oO]mitted|[tT]houghtAnew)\(`, []string{"sdk/turn"}},
	{"the names of a dialect's fields", `"(per_call_start|value_suffix)"|"[a-z_.]*(per_call|call_id|name)_(start|suffix|prefix)"`, []string{"autoparser/dialect"}},
	{"repairs of values as they stream", `foreignWords +=|pythonWords`, []string{"sdk/peg/internal/emit"}},
	// What a handler answers, and what was made of it.
	{"plans", `^type Plan struct`, []string{"sdk/handler", "sdk/session"}},
	{"what is in force", `atomic\.Pointer\[Snapshot\]`, []string{"host/state"}},
}

func TestEachConceptHasOneOwner(t *testing.T) {
	patterns := make([]*regexp.Regexp, len(owners))
	seen := make([]bool, len(owners))
	for i, o := range owners {
		patterns[i] = regexp.MustCompile(o.elsewhere)
	}
	for path, line := range sourceLines(t) {
		for i, o := range owners {
			if !patterns[i].MatchString(line) {
				continue
			}
			if within(filepath.ToSlash(filepath.Dir(path)), o.in) {
				seen[i] = true
			} else {
				t.Errorf("%s: %q: %s belongs to %s", path, strings.TrimSpace(line), o.concept, strings.Join(o.in, ", "))
			}
		}
	}
	for i, o := range owners {
		if !seen[i] {
			t.Errorf("%s: no line of %s matches %q: the row is out of date", o.concept, strings.Join(o.in, ", "), o.elsewhere)
		}
	}
}

// sourceLines iterates over the lines of all Go files that are neither tests, nor generated, nor test data.
func sourceLines(t *testing.T) func(yield func(path, line string) bool) {
	t.Helper()
	return func(yield func(path, line string) bool) {
		err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
			switch name := entry.Name(); {
			case err != nil:
				return err
			case entry.IsDir() && (name == "testdata" || len(name) > 1 && name[0] == '.'):
				return filepath.SkipDir
			case entry.IsDir(), !strings.HasSuffix(name, ".go"), strings.HasSuffix(name, "_test.go"),
				strings.HasSuffix(name, ".pb.go"), strings.HasSuffix(name, ".connect.go"):
				return nil
			}
			source, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for line := range strings.Lines(string(source)) {
				if !yield(path, line) {
					return fs.SkipAll
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
