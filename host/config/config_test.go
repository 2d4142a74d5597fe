package config

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/pflag"
)

// load loads a configuration from texts; file, environ and flags may be empty.
func load(t *testing.T, file string, environ []string, args ...string) (*Config, error) {
	t.Helper()
	s := Sources{Environ: environ}
	if file != "" {
		s.File, s.Data = "host.yaml", []byte(file)
	}
	s.Flags = pflag.NewFlagSet("host", pflag.ContinueOnError)
	AddFlags(s.Flags)
	if err := s.Flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return Load(s)
}

func TestWithoutSourcesTheDefaultsAreInForce(t *testing.T) {
	for name, s := range map[string]Sources{
		"no source":     {},
		"an empty file": {File: "host.yaml", Data: []byte("")},
		"comments only": {File: "host.yaml", Data: []byte("# limits:\n")},
		"empty section": {File: "host.yaml", Data: []byte("limits:\nlog: {level: }\n")},
	} {
		got, err := Load(s)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(Default(), got, cmpopts.IgnoreUnexported(Config{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if err := Default().Validate(); err != nil {
		t.Errorf("the defaults are not valid: %v", err)
	}
}

func TestTheZeroValueIsFilledWithDefaults(t *testing.T) {
	for _, c := range []*Config{nil, {}} {
		if diff := cmp.Diff(Default(), c.Filled(), cmpopts.IgnoreUnexported(Config{})); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	c := (&Config{Limits: Limits{Sessions: 3}}).Filled()
	if c.Limits.Sessions != 3 || c.Limits.OutputBytes != Default().Limits.OutputBytes {
		t.Errorf("Filled changed a set value or left a zero one: %+v", c.Limits)
	}
}

func TestLaterSourcesWinKeyByKey(t *testing.T) {
	file := "limits:\n  output_bytes: 1\n  body_bytes: 2\n  sessions: 3\nlog: {level: debug}\n"
	env := []string{"DRAGOMAN_LIMITS_BODY_BYTES=20", "DRAGOMAN_LIMITS_SESSIONS=30", "PATH=/bin", "DRAGOMAN_CONFIG=host.yaml"}
	c, err := load(t, file, env, "--limits-sessions=300")
	if err != nil {
		t.Fatal(err)
	}
	want := Default().Limits
	want.OutputBytes, want.BodyBytes, want.Sessions = 1, 20, 300
	if c.Limits != want {
		t.Errorf("limits %+v, expected %+v", c.Limits, want)
	}
	for key, origin := range map[string]string{
		"limits.output_bytes": "host.yaml:2:17",
		"limits.body_bytes":   "DRAGOMAN_LIMITS_BODY_BYTES",
		"limits.sessions":     "--limits-sessions",
		"limits.session_time": "default",
		"log.level":           "host.yaml:5:14",
	} {
		if got := c.Origin(key).String(); got != origin {
			t.Errorf("origin of %s is %q, expected %q", key, got, origin)
		}
	}
}

func TestAMappingIsReplacedAsAWhole(t *testing.T) {
	file := "templates:\n  handlers: {model-0.5.jinja: a, other: b}\n"
	fromFile, err := load(t, file, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"model-0.5.jinja": "a", "other": "b"}, fromFile.Templates.Handlers); diff != "" {
		t.Errorf("from the file (-want +got):\n%s", diff)
	}
	fromEnv, err := load(t, file, []string{"DRAGOMAN_TEMPLATES_HANDLERS=model-0.6=c,third=d"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"model-0.6": "c", "third": "d"}, fromEnv.Templates.Handlers); diff != "" {
		t.Errorf("from the environment over the file (-want +got):\n%s", diff)
	}
}

func TestFlagsOfListsCanBeGivenSeveralTimes(t *testing.T) {
	c, err := load(t, "", nil, "--engine=http://a", "--engine=http://b,https://c")
	if err != nil || strings.Join(c.Engines.URLs, " ") != "http://a http://b https://c" {
		t.Errorf("%q, %v", c.Engines.URLs, err)
	}
}

func TestEnginesAreChecked(t *testing.T) {
	for file, want := range map[string]string{
		"listen: {origins: ['https://app.example/']}":                    "listen.origins: invalid origin \"https://app.example/\"",
		"listen: {origins: [app.example]}":                               "listen.origins: invalid origin \"app.example\"",
		"listen: {origins: ['*']}":                                       "listen.origins: every web page could use the daemon",
		"limits: {key_tokens_per_minute: -1}":                            "limits.key_tokens_per_minute: invalid limit -1",
		"engines: {urls: ['127.0.0.1:8000']}":                            "engines.urls: invalid URL",
		"engines: {secrets: [a, '']}":                                    "engines.secrets: a secret is empty",
		"engines: {models: {m: {name: x}}}":                              "engines.models.m.name: unknown key; expected one of model, template, engine",
		"engines: {urls: ['http://a'], models: {m: {engine: http://b}}}": "engines.models.m.engine: \"http://b\" is none of engines.urls",
	} {
		if _, err := load(t, file, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestEveryFieldCanBeSetFromEverySource(t *testing.T) {
	texts := map[string]string{
		"map[string]string": "one=two",
		"string":            "text", "int": "77", "float64": "0.5", "bool": "true", "time.Duration": "77s", "[]string": "one,two",
		"map[string]map[string]string": "{mine: {malformed: error}}",
	}
	special := map[string]string{
		"listen.address": "127.0.0.1:9", "listen.socket_mode": "0640", "tracing.endpoint": "http://127.0.0.1:4318", "debug.address": "127.0.0.1:6060", "listen.origins": "https://app.example",
		"engines.urls": "http://127.0.0.1:8000", "engines.models": "{mine: {model: theirs}}",
	}
	for _, f := range Fields() {
		text := texts[f.typ.String()]
		if s, ok := special[f.Key]; ok {
			text = s
		}
		if f.oneOf != nil {
			text = f.oneOf[len(f.oneOf)-1]
		}
		yamlText := text
		switch f.typ.Kind() {
		case reflect.Map:
			if f.typ.Elem().Kind() == reflect.String {
				yamlText = "{" + strings.ReplaceAll(text, "=", ": ") + "}"
			}
		case reflect.Slice:
			yamlText = "[" + text + "]"
		case reflect.String:
			yamlText = "'" + text + "'"
		}
		section, key, _ := strings.Cut(f.Key, ".")
		pair := "" // a certificate needs its key
		switch f.Key {
		case "listen.cert":
			pair = "listen.key"
		case "listen.key":
			pair = "listen.cert"
		}
		env := []string{f.Env + "=" + text}
		args := []string{"--" + f.Flag + "=" + text}
		file := section + ":\n  " + key + ": " + yamlText + "\n"
		if pair != "" {
			other := strings.TrimPrefix(pair, "listen.")
			env = append(env, "DRAGOMAN_LISTEN_"+strings.ToUpper(other)+"=x")
			args = append(args, "--listen-"+other+"=x")
			file += "  " + other + ": x\n"
		}
		fromFile, err1 := load(t, file, nil)
		fromEnv, err2 := load(t, "", env)
		fromFlag, err3 := load(t, "", nil, args...)
		if err1 != nil || err2 != nil || err3 != nil {
			t.Errorf("%s: %v, %v, %v", f.Key, err1, err2, err3)
			continue
		}
		for source, c := range map[string]*Config{"file": fromFile, "environment": fromEnv, "flag": fromFlag} {
			if f.value(c).IsZero() || reflect.DeepEqual(f.value(c).Interface(), f.value(Default()).Interface()) {
				t.Errorf("%s was not set by the %s", f.Key, source)
			}
			if got := c.Origin(f.Key).Source; got != source {
				t.Errorf("%s came from %q, expected %q", f.Key, got, source)
			}
			if !reflect.DeepEqual(f.value(c).Interface(), f.value(fromFile).Interface()) {
				t.Errorf("%s is %v from the %s and %v from the file", f.Key, f.value(c), source, f.value(fromFile))
			}
		}
	}
}

func TestEveryFieldHasHelpAndAReloadClass(t *testing.T) {
	for _, f := range Fields() {
		if f.Help == "" {
			t.Errorf("%s has no help", f.Key)
		}
		if f.Reload != Live && f.Reload != Restart {
			t.Errorf("%s has the reload class %q", f.Key, f.Reload)
		}
	}
}

func TestFaultsNameThePositionAndWhatWasExpected(t *testing.T) {
	tests := []struct {
		name, file string
		env, args  []string
		want       []string
	}{
		{name: "unknown key", file: "limits:\n  output_byte: 3\n",
			want: []string{`host.yaml:2:3: unknown key "limits.output_byte"; expected one of bodies_bytes, body_bytes, `}},
		{name: "unknown section", file: "log: {level: info}\nlimit: {}\n",
			want: []string{`host.yaml:2:1: unknown key "limit"; expected one of auth, canary, debug, `}},
		{name: "scalar over a section", file: "limits: 3\n",
			want: []string{`host.yaml:1:9: limits is "3"; expected a mapping with the keys bodies_bytes`}},
		{name: "section over a scalar", file: "log:\n  level: {a: b}\n",
			want: []string{`host.yaml:2:10: log.level is a mapping; expected a text`}},
		{name: "a list as document", file: "- a\n", want: []string{`host.yaml:1:1: the document is a list; expected a mapping with the keys auth,`}},
		{name: "wrong types, all at once", file: "limits:\n  sessions: many\n  session_idle: 5\nlisten: {insecure: perhaps, address: 8080}\n",
			want: []string{
				`host.yaml:2:13: limits.sessions is "many"; expected a whole number`,
				`host.yaml:4:20: listen.insecure is "perhaps"; expected true or false`,
				`host.yaml:4:38: listen.address is "8080"; expected a text`,
			}},
		{name: "twice", file: "log:\n  level: info\n  level: warn\n", want: []string{`host.yaml:3:3: duplicate key log.level`}},
		{name: "two documents", file: "log: {level: info}\n---\nlog: {level: warn}\n", want: []string{`host.yaml:2:1: more than one document; expected one`}},
		{name: "a second document that is no YAML", file: "log: {level: info}\n---\nlog: [\n", want: []string{"host.yaml:3:1: invalid YAML: did not find expected"}},
		{name: "no YAML", file: "log: {level: info\n", want: []string{"host.yaml:1:1: invalid YAML: did not find expected"}},
		{name: "no YAML, in a line that the library does not tell", file: "log: \x01\n", want: []string{"host.yaml:1:1: invalid YAML: control characters"}},
		{name: "a value out of range", file: "limits: {sessions: -1}\n", want: []string{`host.yaml:1:20: limits.sessions: invalid limit -1; expected more than zero`}},
		{name: "a word out of range", args: []string{"--log-level=loud"}, want: []string{`--log-level: log.level: unknown value "loud"; expected one of debug, info, warn, error`}},
		{name: "faults of one's own and of a key that is none, all at once", file: "limits: {sessions: 0}\nlog: {levl: info, format: xml}\n",
			want: []string{`host.yaml:1:20: limits.sessions: invalid limit 0`, `host.yaml:2:7: unknown key "log.levl"`, `host.yaml:2:27: log.format: unknown value "xml"; expected one of text, json`}},
		{name: "policies of a template", file: "parsing:\n  templates:\n    a.b:\n      malformed: drop\n      unknown: error\n",
			want: []string{
				`host.yaml:4:7: parsing.templates.a.b.malformed: unknown value "drop"; expected one of deliver, error`,
				`host.yaml:5:7: parsing.templates.a.b.unknown: unknown policy; expected one of call_in_reasoning, malformed, truncated_call, unclosed_reasoning, unknown_tool`,
			}},
		{name: "a mode without quotes", file: "listen: {socket_mode: 0660}\n", want: []string{`host.yaml:1:23: listen.socket_mode is "0660"; expected a text in quotes`}},
		{name: "a mode that is none", args: []string{"--listen-socket-mode=rw"}, want: []string{`--listen-socket-mode: listen.socket_mode: invalid mode "rw"`}},
		{name: "faults shown to everyone", args: []string{"--debug-address=:6060"}, want: []string{`--debug-address: debug.address: invalid address ":6060"`}},
		{name: "traces to nowhere", args: []string{"--tracing-endpoint=collector:4318"}, want: []string{`--tracing-endpoint: tracing.endpoint: invalid URL "collector:4318"`}},
		{name: "more than all", args: []string{"--tracing-sample=1.5"}, want: []string{`--tracing-sample: tracing.sample: invalid share 1.5`}},
		{name: "environment, wrong type", env: []string{"DRAGOMAN_LIMITS_SESSIONS=many"}, want: []string{`DRAGOMAN_LIMITS_SESSIONS: "many" is not a whole number`}},
		{name: "environment, nothing", env: []string{"DRAGOMAN_LIMITS_SESSIONS="}, want: []string{`DRAGOMAN_LIMITS_SESSIONS: "" is not a whole number`}},
		{name: "environment, unknown", env: []string{"DRAGOMAN_LIMIT=3"}, want: []string{`DRAGOMAN_LIMIT: unknown setting`}},
		{name: "flag, no mapping", args: []string{"--handler=model"}, want: []string{`--handler: "model" is not a mapping of texts; expected key=value`}},
		{name: "a template without a handler", file: "templates: {handlers: {model: }}\n", want: []string{`host.yaml:1:23: templates.handlers: "model" has no handler: name one, such as autoparser`}},
		{name: "flag, wrong type", args: []string{"--shutdown-grace=soon"}, want: []string{`--shutdown-grace: "soon" is not a duration such as 30s or 5m`}},
		{name: "faults of all sources together", file: "x: 1\n", env: []string{"DRAGOMAN_Y=1"}, args: []string{"--shutdown-grace=z"},
			want: []string{`host.yaml:1:1: unknown key "x"`, "DRAGOMAN_Y: unknown setting", "--shutdown-grace"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := load(t, tt.file, tt.env, tt.args...)
			if err == nil {
				t.Fatalf("no error; the configuration is %+v", c)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error:\n%v\nexpected one with:\n%s", err, want)
				}
			}
		})
	}
}

func TestVariablesSetByPlatformsAreIgnored(t *testing.T) {
	_, err := load(t, "", []string{
		"DRAGOMAN_SERVICE_HOST=10.0.0.1", "DRAGOMAN_SERVICE_PORT=80", "DRAGOMAN_SERVICE_PORT_HTTP=80", "DRAGOMAN_PORT=tcp://10.0.0.1:80",
		"DRAGOMAN_PORT_80_TCP=tcp://10.0.0.1:80", "DRAGOMAN_PORT_80_TCP_ADDR=10.0.0.1", "DRAGOMAN_API_SERVICE_HOST=10.0.0.2",
	})
	if err != nil {
		t.Error(err)
	}
}

func TestPoliciesOfATemplateOverrideTheGeneralOnes(t *testing.T) {
	c, err := load(t, "parsing:\n  unknown_tool: content\n  templates:\n    mine.v1: {malformed: error, unknown_tool: error}\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	for template, want := range map[string]chat.Policies{
		"other":   {UnknownTool: chat.UnknownContent},
		"mine.v1": {UnknownTool: chat.UnknownError, Malformed: chat.MalformedError},
	} {
		if got := c.Parsing.For(template); got != want {
			t.Errorf("%s: %+v, expected %+v", template, got, want)
		}
	}
	if got := (Parsing{}).For("any"); got != (chat.Policies{}) {
		t.Errorf("without any: %+v", got)
	}
}

// TestEveryPolicyCanBeSet checks that the configuration knows the same names as requests do.
func TestEveryPolicyCanBeSet(t *testing.T) {
	for _, f := range Fields() {
		name, ok := strings.CutPrefix(f.Key, "parsing.")
		if !ok || f.oneOf == nil {
			continue
		}
		for _, value := range f.oneOf {
			p := Parsing{Templates: map[string]map[string]string{"any": {name: value}}}
			var want chat.Policies
			if err := want.UnmarshalJSON(fmt.Appendf(nil, "{%q: %q}", name, value)); err != nil {
				t.Fatal(err)
			}
			if got := p.For("any"); got != want {
				t.Errorf("%s: %s is %+v, want %+v", name, value, got, want)
			}
		}
	}
}

func TestSettingsForAModelApplyToItsVariants(t *testing.T) {
	c, err := load(t, "parsing: {templates: {model: {malformed: error}, org/other.jinja: {malformed: error}, model/plain: {}}}\n"+
		"templates: {handlers: {model: first, model/plain.jinja: second}}\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	for template, want := range map[string]string{
		"model": "error first", "model.jinja": "error first", "model/tool_use": "error first", "model/plain": "deliver second",
		"org/other": "error ", "org": "deliver ", "models": "deliver ",
	} {
		malformed := "deliver"
		if c.Parsing.For(template).Malformed == chat.MalformedError {
			malformed = "error"
		}
		if got := malformed + " " + c.Templates.Handler(template); got != want {
			t.Errorf("%s: %q, expected %q", template, got, want)
		}
	}
}

func TestSettingsForUnknownTemplatesAreReportedWithTheirPosition(t *testing.T) {
	file := "templates:\n  handlers: {model: autoparser, qwen.2: autoparser}\nparsing:\n  templates:\n    model.jinja: {malformed: error}\n    llama: {malformed: error}\n"
	read := func(args ...string) *Config {
		t.Helper()
		c, err := load(t, file, nil, args...)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	reloaded, err := Default().Reloaded(read())
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name      string
		config    *Config
		templates []string
		want      []string
	}{
		{"two of four", read(), []string{"model/tool_use", "other"}, []string{"host.yaml:2:33: templates.handlers.qwen.2", "host.yaml:6:5: parsing.templates.llama"}},
		{"none", read(), []string{"model", "qwen.2.jinja", "llama"}, nil},
		{"after a reload", reloaded, []string{"model", "llama"}, []string{"host.yaml:2:33: templates.handlers.qwen.2"}},
		{"of a flag over the file", read("--handler=qwen.2=autoparser"), []string{"model", "llama"}, []string{"--handler: templates.handlers.qwen.2"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.config.Unmatched(tt.templates); !slices.EqualFunc(got, tt.want, strings.HasSuffix) {
				t.Errorf("got %q, expected %q", got, tt.want)
			}
		})
	}
}

func TestListeningBeyondLoopbackNeedsAToken(t *testing.T) {
	tests := []struct {
		args []string
		ok   bool
	}{
		{[]string{"--listen=127.0.0.1:0"}, true},
		{[]string{"--listen=localhost:8080"}, true},
		{[]string{"--listen=[::1]:8080"}, true},
		{[]string{"--listen=unix:/run/dragoman.sock"}, true},
		{[]string{"--listen=:8080"}, false},
		{[]string{"--listen=0.0.0.0:8080"}, false},
		{[]string{"--listen=example.com:8080"}, false},
		{[]string{"--listen=:8080", "--auth-tokens=secret"}, true},
		{[]string{"--listen=:8080", "--auth-tokens-file=keys"}, true},
		{[]string{"--listen=:8080", "--insecure"}, true},
		{[]string{"--listen=8080"}, false},
		{[]string{"--listen-cert=c.pem"}, false},
		{[]string{"--auth-tokens=a b"}, false},
	}
	for _, tt := range tests {
		if _, err := load(t, "", nil, tt.args...); (err == nil) != tt.ok {
			t.Errorf("%q: error %v, expected one: %v", tt.args, err, !tt.ok)
		}
	}
}

func TestDiffNamesWhatChangedAndWhatNeedsARestart(t *testing.T) {
	before := Default()
	after, err := load(t, "limits: {session_idle: 7s}\nlisten: {address: '127.0.0.1:1'}\nauth: {tokens: [hush]}\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range Diff(before, after) {
		got = append(got, c.Key+" "+c.Old+" → "+c.New+" "+string(c.Reload))
	}
	want := []string{
		"listen.address 127.0.0.1:8080 → 127.0.0.1:1 restart",
		"auth.tokens [] → (secret) live",
		"limits.session_idle 5m0s → 7s live",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	if got := NeedRestart(before, after); !cmp.Equal(got, []string{"listen.address"}) {
		t.Errorf("%q need a restart, expected listen.address only", got)
	}
	inForce, err := before.Reloaded(after)
	if err != nil {
		t.Fatal(err)
	}
	if inForce.Listen.Address != before.Listen.Address || inForce.Limits.SessionIdle != 7*time.Second {
		t.Errorf("after a reload %+v is in force, expected the old address and the new limit", inForce)
	}
	if got := inForce.Origin("listen.address").String(); got != "default" {
		t.Errorf("the address in force came from %q, expected default", got)
	}
}

func TestAReloadCannotOpenADaemonToEveryone(t *testing.T) {
	running, err := load(t, "listen: {address: ':8080'}\nauth: {tokens: [hush]}\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	// The next configuration is valid by itself, but its address takes effect only at the next
	// start, its tokens at once.
	next, err := load(t, "listen: {address: '127.0.0.1:8080'}\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := running.Reloaded(next); err == nil || !strings.Contains(err.Error(), "auth.tokens") {
		t.Errorf("error %v, expected one that asks for auth.tokens", err)
	}
}

func TestSecretsAreNeverPrinted(t *testing.T) {
	c, err := load(t, "", []string{"DRAGOMAN_AUTH_TOKENS=hush,hush2"})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range c.Values() {
		if strings.Contains(v.Text, "hush") {
			t.Errorf("%s is printed as %q", v.Key, v.Text)
		}
	}
}

func TestTheFileIsReadUnlessItsContentIsGiven(t *testing.T) {
	path := filepath.Join(t.TempDir(), "host.yaml")
	if _, err := Load(Sources{File: path}); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a missing file: %v, expected an error that names it", err)
	}
	if err := os.WriteFile(path, []byte("limits: {sessions: 5}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(Sources{File: path})
	if err != nil || c.Limits.Sessions != 5 {
		t.Errorf("got %+v, %v", c, err)
	}
}

func FuzzLoadNeverPanics(f *testing.F) {
	f.Add([]byte("limits: {sessions: 1}"))
	f.Add([]byte("a: &a [*a]\nlimits: *a"))
	f.Add([]byte("? [a, b]\n: c\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Load(Sources{File: "f", Data: data})
		if err == nil && c == nil {
			t.Error("neither a configuration nor an error")
		}
	})
}

// TestFlagsAreCheckedByThemselves passes flags; want is what is wrong with them regardless of the
// other sources.
func TestFlagsAreCheckedByThemselves(t *testing.T) {
	for _, test := range []struct{ flags, want string }{
		{"", ""},
		{"--limits-sessions=5", ""},
		{"--listen=0.0.0.0:80", ""}, // a file may have tokens
		{"--listen-cert=c.pem", ""}, // and the key
		{"--limits-sessions=many", `--limits-sessions: "many" is not a whole number`},
		{"--limits-sessions=0", `--limits-sessions: limits.sessions: invalid limit 0`},
		{"--log-level=loud", `--log-level: log.level: unknown value "loud"`},
	} {
		flags := pflag.NewFlagSet("host", pflag.ContinueOnError)
		AddFlags(flags)
		if err := flags.Parse(strings.Fields(test.flags)); err != nil {
			t.Fatal(err)
		}
		err := CheckFlags(flags)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", test.flags, err, test.want)
		}
	}
}
