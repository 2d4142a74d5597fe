package syntax

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nikolalohinski/gonja/v2/config"
	"github.com/nikolalohinski/gonja/v2/nodes"
	"github.com/nikolalohinski/gonja/v2/parser"
	"github.com/nikolalohinski/gonja/v2/tokens"

	"github.com/dragoman-project/dragoman/internal/shared"
)

// unread are tags that nest as ours do and parse nothing.
type unread struct{}

// closers lists the tags that divide or end a block. A set has a body if it has no value.
var closers = map[string][]string{
	"if": endIfBranch, "elif": endIfBranch, "else": {"endif", "endfor"}, "for": endForBody, "macro": endMacro, "set": endSet,
	"call": endCall, "filter": endFilter, "with": endWith, "generation": endGeneration,
}

// Get implements gonja's parser.ControlStructureGetter.
func (unread) Get(name string) (parser.ControlStructureParser, bool) {
	return func(g, args *parser.Parser) (nodes.ControlStructure, error) {
		if name == "set" && assigns(args.Stream()) {
			return &tagReader{}, nil
		}
		for tag := name; closers[tag] != nil; {
			w, _, err := g.WrapUntil(closers[tag]...)
			if err != nil {
				return nil, err
			}
			if tag = w.EndTag; tag[:3] == "end" {
				break
			}
		}
		return &tagReader{}, nil
	}, true
}

// assigns reports whether a set tag has a value.
func assigns(s *tokens.Stream) bool {
	for ; !s.End(); s.Next() {
		if s.Current().Type == tokens.Assign {
			return true
		}
	}
	return false
}

// BenchmarkGonjaAlone measures the share of gonja's parser in BenchmarkCompile, without our tags, and what its lexer would cost,
// which is not used.
func BenchmarkGonjaAlone(b *testing.B) {
	files, err := filepath.Glob("../testdata/*.jinja")
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"google-gemma-4-31B-it.jinja", "openai-gpt-oss-120b.jinja"} {
		files = append(files, shared.Dir(b, "templates", name))
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		s := scan(Normalize(string(source)))
		all := slices.Clone(s.tokens[:s.read])
		b.Run(filepath.Base(file)+"/parser", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := parser.NewParser("", tokens.NewStream(all), config.New(), nothing{}, unread{}).Parse(); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(filepath.Base(file)+"/lexer", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				tokens.LexAll(string(source), config.New())
			}
		})
	}
}
