package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/spf13/pflag"
)

// commandLine runs a command line with no plugins beside it.
func commandLine(t *testing.T, stdin string, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(stdin), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

const weather = `Sure.
<calls>
<invoke=get_weather>
<arg=city>Paris</arg>
</invoke>
</calls>`

// TestCommandLines runs command lines and compares parts of their output, and their exit codes.
func TestCommandLines(t *testing.T) {
	shared.Slow(t)
	faulty := filepath.Join(t.TempDir(), "faulty.yaml")
	if err := os.WriteFile(faulty, []byte("version: 1\nworkarounds:\n  - title: x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	binaryFile := filepath.Join(t.TempDir(), "binary")
	if err := os.WriteFile(binaryFile, []byte("\xff\x00\xfe"), 0o600); err != nil {
		t.Fatal(err)
	}
	model := file(t, t.TempDir(), "tokenizer_config.json",
		`{"chat_template": [{"name": "default", "template": "plain"}, {"name": "tool_use", "template": "tools"}]}`)
	for _, test := range []struct {
		name, stdin, line string
		code              int
		out, errs         string
	}{
		{name: "no command", line: "", out: "Available Commands:"},
		{name: "an unknown command", line: "dance", code: exitUsage, errs: `dragoman: unknown command "dance"`},
		{name: "an unknown flag", line: "check --faster x", code: exitUsage, errs: "unknown flag: --faster\nTry 'dragoman check --help'."},
		{name: "a missing argument", line: "check", code: exitUsage,
			errs: "dragoman: expected dragoman check [flags] CASES.jsonl…, found the arguments []\nTry 'dragoman check --help'."},
		{name: "an argument too many", line: "explain a b", code: exitUsage, errs: `found the arguments ["a" "b"]`},
		{name: "a missing flag", line: "parse", code: exitUsage, errs: `required flag(s) "template" not set`},
		{name: "flags that exclude each other", line: "parse --template x --json --stream", code: exitUsage, errs: "none of the others can be"},
		{name: "an unknown subcommand", line: "plugin dance", code: exitUsage, errs: `unknown command "dance" for "dragoman plugin"`},
		{name: "a misspelt command", line: "expalin x", code: exitUsage, errs: `unknown command "expalin" for "dragoman"; did you mean explain?`},
		{name: "version", line: "version", out: "dragoman unknown (go"},
		{name: "version as a flag", line: "--version", out: "dragoman unknown (go"},
		{name: "a setting with a wrong value", line: "serve --limits-sessions many", code: exitUsage,
			errs: "dragoman: --limits-sessions: \"many\" is not a whole number\nTry 'dragoman serve --help'.\n"},
		{name: "a setting with a value that is not known", line: "config show --log-level loud", code: exitUsage, errs: `--log-level: log.level: unknown value "loud"`},
		{name: "an address that is none", line: "serve --listen nowhere", code: exitUsage, errs: `--listen: listen.address: invalid address "nowhere"`},
		{name: "settings that do not go together", line: "serve --listen 0.0.0.0:0", code: exitFailed, errs: "can be reached from other machines"},
		{name: "bench of an output", stdin: weather, line: "bench --template chatml-tagged --output -", out: "in 19 chunks of 4"},
		{name: "bench for a program", stdin: weather, line: "bench --template chatml-tagged --output - --chunk 7 --json", out: `"chunks":11`},
		{name: "bench without an output", line: "bench --template chatml-tagged --output -", code: exitFailed, errs: "the output is empty; give one"},
		{name: "bench in chunks of nothing", line: "bench --template chatml-tagged --output - --chunk 0", code: exitUsage, errs: "--chunk: expected at least 1 byte, found 0"},
		{name: "help on a command", line: "help plugin list", out: "dragoman plugin list --daemon"},
		{name: "help on what there is not", line: "help explian", code: exitUsage, errs: `unknown command "explian" for "dragoman"; did you mean explain?`},
		{name: "completion for no shell", line: "completion tcsh", code: exitUsage, errs: `unknown command "tcsh" for "dragoman completion"`},
		{name: "version for a program", line: "version --json", out: `"version":"unknown"`},
		{name: "completion", line: "completion bash", out: "bash completion"},
		{name: "completion of templates", line: "__complete explain ch", out: "chatml-json\n", errs: "ShellCompDirectiveDefault"},
		{name: "completion of a template's flag", line: "__complete parse --template ch", out: "chatml-json\n", errs: "ShellCompDirectiveDefault"},
		{name: "completion of notations", line: "__complete render x --target l", out: "lark\n", errs: "ShellCompDirectiveNoFileComp"},
		{name: "completion of settings", line: "__complete serve --log-format j", out: "json\n", errs: "ShellCompDirectiveNoFileComp"},

		{name: "explain a file", line: "explain testdata/templates/plain.jinja", out: "-- capabilities --\nyes  string_content"},
		{name: "explain an embedded template", line: "explain chatml-tagged --json", out: `{"template":"chatml-tagged","capabilities":[{"`},
		{name: "explain a variant of an embedded template", line: "explain chatml-json --variant tool_use", code: exitFailed,
			errs: "dragoman: chatml-json: embedded templates have no variants; leave out --variant, or name a model's folder\n"},
		{name: "explain the only variant of an embedded template", line: "explain chatml-json --variant default", out: "-- capabilities --"},
		{name: "explain a variant that a file has not", line: "explain testdata/templates/plain.jinja --variant tool_use", code: exitFailed,
			errs: `plain.jinja: no template named "tool_use"; choose one of ["default"] with --variant`},
		{name: "render the variant of a model", line: "render " + model + " --variant tool_use", out: "tools"},
		{name: "render the variant for requests with tools", line: "render " + model + " --tools testdata/tools.json", out: "tools"},
		{name: "render the variant without a name, whatever the request has", line: "render " + model + " --tools testdata/tools.json --variant default", out: "plain"},
		{name: "explain what is not there", line: "explain nowhere", code: exitFailed,
			errs: `nowhere: no such template; the templates are "chatml-json", "`},
		{name: "explain a folder without a template", line: "explain .", code: exitFailed, errs: "dragoman: .: no chat template found; expected a .jinja file"},
		{name: "explain what is misspelt", line: "explain chatml-jsn", code: exitFailed, errs: `chatml-jsn: no such template; did you mean "chatml-json"?`},
		{name: "explain what is empty", line: "explain /dev/null", code: exitFailed, errs: "dragoman: /dev/null: the template is empty\n"},
		{name: "explain a binary file", line: "explain " + binaryFile, code: exitFailed, errs: "binary: the template is not valid UTF-8"},
		{name: "rules that are not there", line: "explain chatml-json --workarounds nowhere.yaml", code: exitFailed, errs: "dragoman: nowhere.yaml: there is no such file"},
		{name: "plugins that are not there", line: "explain chatml-json --plugins nowhere", code: exitFailed, errs: "dragoman: --plugins: stat nowhere: no such file"},
		{name: "explain what is no template", line: "explain testdata/templates/broken.jinja", code: exitFailed, errs: "broken"},
		{name: "explain what never ends", line: "explain testdata/templates/loops.jinja", code: exitFailed, errs: "simplify the template"},

		{name: "render a greeting", line: "render testdata/templates/plain.jinja --bos <s>", out: "<s><user>Hello!</user><assistant>"},
		{name: "render a request", stdin: `{"messages":[{"role":"user","content":"Hi"}]}`,
			line: "render testdata/templates/plain.jinja --request -", out: "<user>Hi</user><assistant>"},
		{name: "render a faulty request", stdin: `{"messages":[{"role":"user","content":1}]}`, line: "render chatml-json --request -",
			code: exitFailed, errs: "dragoman: standard input: messages[0].content: expected a string, null or an array of parts, found a number"},
		{name: "render variables", stdin: `{"messages":[{"role":"x","content":"y"}]}`, line: "render testdata/templates/plain.jinja --variables -", out: "<x>y</x>"},
		{name: "render a plan", line: "render chatml-tagged --tools testdata/tools.json --json", out: `"lazy":true,"triggers":[{"type":"word"`},

		{name: "render parts that the template drops", line: "render chatml-json --request - --json",
			stdin: `{"messages":[{"role":"user","content":[{"type":"text","text":"Hi"},{"type":"image_url","image_url":{"url":"data:,"}}]}]}`,
			out:   `"notes":["the model does not see messages[0].content[1] of type \"image_url\"`},

		{name: "render in an unknown notation", line: "render chatml-json --json --target latin", code: exitUsage, errs: `unknown target "latin": expected one of gbnf,`},
		{name: "render in a notation without --json", line: "render chatml-json --target lark", code: exitUsage, errs: "--target needs --json"},
		{name: "tools that are not JSON", stdin: "[", line: "render chatml-json --tools -", code: exitFailed, errs: "dragoman: standard input: expected a JSON array of tools: "},
		{name: "tools that are not an array", stdin: "{}", line: "render chatml-json --tools -", code: exitFailed, errs: "dragoman: standard input: tools: expected an array, found an object"},
		{name: "a faulty tool", stdin: `[{"function": {}}]`, line: "render chatml-json --tools -", code: exitFailed, errs: "tools[0].function.name: expected the name of the function"},
		{name: "one input for two", line: "render chatml-json --tools - --request -", code: exitUsage, errs: "standard input can be one file only"},
		{name: "the output's input for a request", line: "parse --template chatml-json --request -", code: exitUsage, errs: "standard input is the model's output"},

		{name: "a request with a byte order mark", stdin: "\uFEFF{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}\r\n", line: "render chatml-json --request -", out: "user\nHi<"},
		{name: "tools with a byte order mark", stdin: "\uFEFF[]", line: "render chatml-json --tools -", out: "Hello!"},
		{name: "variables with a byte order mark", stdin: "\uFEFF{\"messages\":[{\"role\":\"x\",\"content\":\"y\"}]}", line: "render testdata/templates/plain.jinja --variables -", out: "<x>y</x>"},
		{name: "tools beside variables", line: "render chatml-json --variables x --tools y", code: exitUsage, errs: "[tools variables] were all set"},
		{name: "thinking beside variables", line: "render chatml-json --variables x --no-thinking", code: exitUsage, errs: "[no-thinking variables] were all set"},
		{name: "parse", stdin: weather, line: "parse --template chatml-tagged --tools testdata/tools.json", out: "content: Sure.\ncall call_"},
		{name: "parse to JSON", stdin: weather, line: "parse --template chatml-tagged --tools testdata/tools.json --json", out: `"finish_reason":"tool_calls","report":{"status":"complete"`},
		{name: "parse a stream", stdin: weather, line: "parse --template chatml-tagged --tools testdata/tools.json --stream",
			out: "{\"role\":\"assistant\"}\n{\"content\":\"Sure.\"}\n{\"tool_calls\":[{\"index\":0,"},
		{name: "parse a truncated output", stdin: "Sure", line: "parse --template chatml-tagged --truncated", out: "content: Sure\nfinished: length"},

		{name: "lint", line: "lint ../../workarounds.yaml"},
		{name: "parse more than a daemon's limit", stdin: strings.Repeat("x", 17<<20), line: "parse --template chatml-json --json", out: `"finish_reason":"stop"`},

		{name: "lint a faulty file", line: "lint " + faulty, code: exitFailed, out: faulty + ":3:5: "},
		{name: "lint nothing", line: "lint", code: exitUsage, errs: "expected a file of workarounds, or --templates"},
		{name: "lint sound templates", line: "lint --templates ../../templates"},
		{name: "lint odd templates", line: "lint --templates testdata/templates", out: "loops.jinja: note: loops:1:56: the template takes more"},
		{name: "lint odd templates to JSON", line: "lint --templates testdata/templates --json", out: `"note":true}`},
		{name: "lint a missing file", line: "lint nowhere.yaml", code: exitFailed, errs: "nowhere.yaml"},
		{name: "lint a missing folder", line: "lint --templates nowhere", code: exitFailed, errs: "dragoman: --templates: stat nowhere: no such file"},
		{name: "diff of nothing", line: "diff x.yaml", code: exitUsage, errs: "expected two files and --templates, or one file and --daemon"},
		{name: "diff of one input with itself", line: "diff - - --templates ../../templates", code: exitUsage, errs: "standard input can be one file only"},
		{name: "diff of templates in a folder and in a daemon", line: "diff x.yaml --daemon http://127.0.0.1:1 --templates ../../templates", code: exitUsage,
			errs: "[daemon templates] were all set"},
		{name: "diff of a binary file", line: "diff --daemon http://127.0.0.1:1 " + binaryFile, code: exitFailed, errs: "expected text in UTF-8"},
		{name: "a daemon that is not a URL", line: "history --daemon localhost:8080", code: exitUsage, errs: `expected http://HOST:PORT, https://HOST:PORT or unix:/path, found "localhost:8080"`},
		{name: "a daemon that does not run", line: "history --daemon http://127.0.0.1:1", code: exitFailed,
			errs: "dragoman: http://127.0.0.1:1: unavailable: dial tcp 127.0.0.1:1: connect: connection refused; start the daemon, or name another with --daemon\n"},
		{name: "a missing token file", line: "history --token-file nowhere", code: exitFailed, errs: "dragoman: --token-file: open nowhere: no such file"},
		{name: "a token that cannot be sent", line: "history --token-file " + binaryFile, code: exitFailed, errs: "dragoman: --token-file: expected a token of visible ASCII characters\n"},
		{name: "a missing plugin", line: "plugin verify nowhere", code: exitFailed, out: "no such file or directory"},
		{name: "a report that cannot be written", line: "plugin verify nowhere --junit /nowhere/x", code: exitFailed, out: "demands met", errs: "dragoman: open /nowhere/x: no such file"},
		{name: "a missing folder of plugins", line: "plugin list --plugins nowhere", code: exitFailed, errs: "dragoman: --plugins: stat nowhere: no such file"},
		{name: "no plugins", line: "plugin list --plugins testdata", errs: "No plugins found"},
		{name: "no plugins to JSON", line: "plugin list --plugins testdata --json", out: "["},

		{name: "cases that pass", line: "check --templates testdata/templates testdata/cases.jsonl", out: "3 passed, 0 failed\n"},
		{name: "cases from standard input", stdin: "{}", line: "check -", code: exitFailed, out: "FAIL -:1"},
		{name: "no cases at all", line: "check -", out: "0 passed, 0 failed\n", errs: "dragoman: no cases found in -\n"},
		{name: "a case with a misspelt member", stdin: `{"id":"a","kind":"parse","template":"chatml-json","output":"x","expct":{"content":"y"}}`, line: "check -",
			code: exitFailed, out: "FAIL -:1\n    not a case: case a: unknown field \"expct\"; did you mean \"expect\"?\n0 passed, 1 failed\n"},
		{name: "cases in a folder", line: "check testdata", code: exitFailed, out: "0 passed", errs: "dragoman: testdata: read testdata: is a directory"},
		{name: "a missing folder of templates", line: "check --templates nowhere testdata/cases.jsonl", code: exitFailed, errs: "dragoman: --templates: stat nowhere: no such file"},
		{name: "templates in a file", line: "check --templates testdata/tools.json testdata/cases.jsonl", code: exitFailed, errs: "expected a folder, testdata/tools.json is a file"},
		{name: "a negative number of splits", line: "check --splits -1 testdata/cases.jsonl", code: exitUsage, errs: "expected --splits of 0 or more"},
		{name: "cases from one input twice", line: "check - -", code: exitUsage, errs: "standard input can be one file only"},
		{name: "results for standard output", line: "check --results - testdata/cases.jsonl", code: exitUsage, errs: "--results: expected a file"},
		{name: "results in place of the cases", line: "check --results testdata/cases.jsonl testdata/cases.jsonl", code: exitFailed,
			errs: "dragoman: --results: testdata/cases.jsonl is a file of cases and would be overwritten; name another\n"},
		{name: "no workers", line: "check --workers -3 testdata/cases.jsonl", code: exitUsage, errs: "--workers of 1 or more"},
		{name: "no such cases", line: "check nowhere.jsonl", code: exitFailed, errs: "nowhere.jsonl"},
		{name: "faulty workarounds", line: "check --workarounds " + faulty + " testdata/cases.jsonl", code: exitFailed, errs: faulty + ":3:5"},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, out, errs := commandLine(t, test.stdin, strings.Fields(test.line)...)
			if code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			if !strings.Contains(out, test.out) || out != "" && test.out == "" {
				t.Errorf("printed\n%s\nwant %q", out, test.out)
			}
			if !strings.Contains(errs, test.errs) || errs != "" && test.errs == "" {
				t.Errorf("standard error is\n%s\nwant %q", errs, test.errs)
			}
		})
	}
}

// TestTheCasesOfTheManualPass runs the cases that docs/operating.md shows.
func TestTheCasesOfTheManualPass(t *testing.T) {
	shown := strings.Join(blocks(read(t, "../../docs/operating.md"), "jsonl"), "")
	code, out, errs := commandLine(t, shown, "check", "--remarks", "-")
	if code != exitOK || !strings.HasSuffix(out, "3 passed, 0 failed\n") || errs != "" {
		t.Errorf("exit code %d:\n%s%s", code, out, errs)
	}
}

// TestFailingCasesHaveReasonsAndAffectNoOthers runs cases that fail in every way.
func TestFailingCasesHaveReasonsAndAffectNoOthers(t *testing.T) {
	results := filepath.Join(t.TempDir(), "results.jsonl")
	code, out, _ := commandLine(t, "", "check", "--templates", "testdata/templates", "--results", results, "testdata/failing.jsonl")
	if code != exitFailed || !strings.HasSuffix(out, "1 passed, 6 failed\n") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	data, err := os.ReadFile(results)
	if err != nil {
		t.Fatal(err)
	}
	reasons := map[string]string{
		"wrong content":    `content: differs at byte 0`,
		"broken template":  `no plan: broken:`,
		"endless template": `no plan: loops:`,
		"no template":      `no plan: open testdata/templates/nowhere.jinja: no such file or directory`,
		"outside":          `no plan: template "../cases.jsonl": expected the name of a file in testdata/templates`,
		"bad request":      `request: messages[0].content: expected a string`,
		"plain answer":     ``,
	}
	for line := range bytes.Lines(data) {
		var result struct {
			ID, Why string
			OK      bool
		}
		if err := json.Unmarshal(line, &result); err != nil {
			t.Fatal(err)
		}
		why, known := reasons[result.ID]
		if !known || !strings.HasPrefix(result.Why, why) || result.OK != (why == "") {
			t.Errorf("%s: ok %v, because of\n%s\nwant %q", result.ID, result.OK, result.Why, why)
		}
		delete(reasons, result.ID)
	}
	if len(reasons) > 0 {
		t.Errorf("no result for %q", reasons)
	}
}

// TestEveryCommandHasAnExample checks that help texts have examples, and that flags of one name have one type.
func TestEveryCommandHasAnExample(t *testing.T) {
	names, kinds := map[string]bool{}, map[string]string{}
	for _, cmd := range all(newRoot(io.Discard)) {
		names[cmd.CommandPath()] = true
		if cmd.Short == "" || cmd.Example == "" && !cmd.HasSubCommands() {
			t.Errorf("%s has no short help or no example", cmd.CommandPath())
		}
		if cmd.Name() == "serve" || cmd.Name() == "show" {
			continue // their flags are settings
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if kind := kinds[f.Name]; kind != "" && kind != f.Value.Type() {
				t.Errorf("--%s of %s is a %s, elsewhere a %s", f.Name, cmd.CommandPath(), f.Value.Type(), kind)
			}
			kinds[f.Name] = f.Value.Type()
		})
	}
	for _, name := range []string{"serve", "explain", "render", "parse", "check", "lint", "diff", "plugin list", "version"} {
		if !names["dragoman "+name] {
			t.Errorf("no command %s", name)
		}
	}
}
