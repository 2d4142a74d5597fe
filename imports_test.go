package dragoman

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/dragoman-project/dragoman/"

// layers lists, for each part of the repository, the parts that it may import. The longest prefix of a package's path decides,
// and covers the packages below it.
var layers = []struct {
	pkg string
	may []string
}{
	{"sdk/jsonschema", []string{}},
	{"sdk/chat", []string{"sdk/chat", "sdk/jsonschema"}},
	{"sdk/peg", []string{"sdk/peg", "sdk/chat", "sdk/jsonschema"}},
	{"sdk/grammar", []string{"sdk/grammar", "sdk/peg", "sdk/chat", "sdk/jsonschema", "internal/cfg"}},
	{"sdk/handler", []string{"sdk/chat", "sdk/jsonschema", "sdk/peg", "sdk/grammar"}},
	{"sdk/model", []string{}},
	{"sdk/tokenizer", []string{"sdk/tokenizer"}},
	{"sdk/session", []string{"sdk/chat", "sdk/peg", "sdk/grammar", "sdk/handler", "sdk/jsonschema", "sdk/tokenizer"}},
	{"sdk/proto", []string{"sdk/proto"}},
	{"sdk", []string{"sdk", "internal/wire"}},
	{"internal/cfg", []string{"internal/cfg"}},             // grammars of any kind: packages that write grammars import it, nothing else
	{"internal/shared", []string{"autoparser/workaround"}}, // for tests only
	{"internal/wire", []string{"internal/wire", "sdk/chat", "sdk/jsonschema", "sdk/peg", "sdk/grammar", "sdk/handler", "sdk/proto"}},
	{"internal/wire/chatapi", []string{"sdk"}},
	{"internal/wire/adminapi", []string{"host", "sdk", "internal/wire/chatapi"}},
	{"autoparser", []string{"autoparser", "sdk/chat", "sdk/peg", "sdk/grammar", "sdk/handler", "sdk/jsonschema", "sdk/session", "sdk/turn"}},
	{"autoparser/jinja", []string{"autoparser/jinja"}},
	{"autoparser/jinja/failure", []string{}},
	{"autoparser/jinja/meter", []string{"autoparser/jinja/failure"}},
	{"autoparser/jinja/pystr", []string{}},
	{"autoparser/jinja/value", []string{"autoparser/jinja/failure", "autoparser/jinja/meter", "autoparser/jinja/pystr"}},
	{"autoparser/jinja/format", []string{"autoparser/jinja/failure", "autoparser/jinja/meter", "autoparser/jinja/value"}},
	{"autoparser/jinja/syntax", []string{"autoparser/jinja/failure", "autoparser/jinja/meter", "autoparser/jinja/pystr", "autoparser/jinja/value"}},
	{"autoparser/jinja/scope", []string{"autoparser/jinja/syntax"}},
	{"autoparser/jinja/library", []string{"autoparser/jinja/failure", "autoparser/jinja/format", "autoparser/jinja/meter", "autoparser/jinja/pystr", "autoparser/jinja/value"}},
	{"autoparser/jinja/library/filters", []string{"autoparser/jinja/failure", "autoparser/jinja/format", "autoparser/jinja/library", "autoparser/jinja/pystr", "autoparser/jinja/value"}},
	{"autoparser/jinja/library/methods", []string{"autoparser/jinja/failure", "autoparser/jinja/format", "autoparser/jinja/library", "autoparser/jinja/pystr", "autoparser/jinja/value"}},
	{"autoparser/jinja/library/standard", []string{"autoparser/jinja/failure", "autoparser/jinja/format", "autoparser/jinja/library", "autoparser/jinja/pystr", "autoparser/jinja/value"}},
	// A Go program that takes a handler in process must not get what serves it in another: only sdk itself imports gRPC.
	{"plugins", []string{"sdk/chat", "sdk/grammar", "sdk/handler", "sdk/peg", "sdk/jsonschema", "sdk/turn"}},
	{"plugins/*/cmd", []string{"plugins", "sdk"}},
	{"internal/bench", []string{"sdk"}},
	{"client", []string{"client", "sdk", "internal/wire/chatapi"}},
	{"", []string{"autoparser", "sdk"}},
	{"host", []string{"", "host", "autoparser", "sdk", "internal/wire"}},
	{"host/check", []string{"sdk"}},
	{"host/config", []string{"sdk/chat"}},
	{"host/watch", []string{}},
	{"host/suggest", []string{"autoparser", "sdk"}},
	{"host/recorder", []string{"host/config", "internal/wire", "sdk"}},
	{"host/state", []string{"", "host/config", "host/plugins", "host/watch", "autoparser", "sdk"}},
	{"host/trial", []string{"host/check", "host/plugins", "host/state", "autoparser", "sdk"}},
	{"gateway", []string{"gateway", "host", "sdk"}},
	{"gateway/engine", []string{"gateway/engine", "sdk"}},
	{"workbench", []string{"", "workbench", "gateway", "host", "autoparser", "sdk", "internal/wire"}},
	{"cmd/host", []string{"", "cmd/host", "gateway", "host", "autoparser", "sdk", "workbench", "internal/bench", "internal/wire/adminapi"}},
	{"cmd/host/hub", []string{"sdk/model"}},
	{"soak", []string{"client", "host", "sdk"}},
	{"soak/plugin", []string{"sdk"}},
}

// leaves are packages that import nothing of this project but each other, and that all others may import.
var leaves = []string{"internal/batch", "internal/cache", "internal/ordered", "internal/work", "internal/spelling", "internal/gguf", "sdk/fault"}

// only lists the packages that may import a module.
var only = map[string][]string{
	"github.com/nikolalohinski/gonja": {"autoparser/jinja/syntax"},
	"github.com/hashicorp/go-plugin":  {"sdk", "host/plugins"},
	"github.com/fsnotify/fsnotify":    {"host/watch"},
	"github.com/knadh/koanf":          {"host/config"},
	"github.com/expr-lang/expr":       {"autoparser/workaround"},
	"github.com/spf13/cobra":          {"cmd/host"},
	"github.com/prometheus":           {"host/api/metrics"},
	"go.etcd.io/bbolt":                {"gateway/store"},
	"go.opentelemetry.io":             {"host/api", "host/api/tracing", "client"},
}

type listed struct {
	ImportPath string
	Imports    []string
}

func TestImportsGoOneWay(t *testing.T) {
	for _, p := range packages(t) {
		from := relative(p.ImportPath)
		may, ok := allowed(from)
		for _, imp := range p.Imports {
			if to, ours := strings.CutPrefix(imp, module); ours || imp+"/" == module {
				if ours && (!ok || !within(to, may)) || !ours && !within("", may) {
					t.Errorf("%s imports %s: it may import %q only", from, imp, may)
				}
			}
			checkOnly(t, from, imp)
		}
	}
}

func TestTheAutoparserDoesNoIO(t *testing.T) {
	for _, p := range packages(t) {
		if from := relative(p.ImportPath); strings.HasPrefix(from, "autoparser") {
			for _, imp := range p.Imports {
				switch imp {
				case "os", "net", "net/http", "log", "log/slog", "os/exec", "io/fs":
					t.Errorf("%s imports %s: the autoparser neither reads files nor logs", from, imp)
				}
			}
		}
	}
}

// TestEmbeddersGetNoServer holds that Go programs which import the library, and handlers of plugins, do not import what only
// a daemon needs.
func TestEmbeddersGetNoServer(t *testing.T) {
	args := []string{"list", "-deps", "."}
	for _, p := range packages(t) {
		if from := relative(p.ImportPath); covers("plugins/*", from) && !covers("plugins/*/cmd", from) {
			args = append(args, "./"+from)
		}
	}
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for _, dep := range strings.Fields(string(out)) {
		for _, server := range []string{"net", "net/http", "google.golang.org", "connectrpc.com", "github.com/hashicorp", module + "host", module + "internal/wire"} {
			if covers(server, dep) && dep != "net/url" && dep != "net/netip" {
				t.Errorf("the library imports %s", dep)
			}
		}
	}
}

// packages lists the packages of the module with their direct imports, tests excluded.
func packages(t *testing.T) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// relative returns a package's path within the module; that of the root package is "".
func relative(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, strings.TrimSuffix(module, "/")), "/")
}

func allowed(from string) (may []string, ok bool) {
	if within(from, leaves) {
		return leaves, true
	}
	best := -1
	for _, l := range layers {
		if covers(l.pkg, from) && len(l.pkg) > best {
			best, may, ok = len(l.pkg), l.may, true
		}
	}
	return slices.Concat(may, leaves), ok
}

func within(to string, may []string) bool {
	for _, m := range may {
		if m == to || m != "" && covers(m, to) {
			return true
		}
	}
	return false
}

// covers reports whether a package is at a prefix or below it; an asterisk in the prefix is one folder of any name.
func covers(prefix, pkg string) bool {
	parts := strings.SplitN(pkg, "/", strings.Count(prefix, "/")+2)
	if n := strings.Count(prefix, "/") + 1; len(parts) > n {
		parts = parts[:n]
	}
	matched, err := path.Match(prefix, strings.Join(parts, "/"))
	return err == nil && matched
}

func checkOnly(t *testing.T, from, imp string) {
	t.Helper()
	for mod, users := range only {
		if covers(mod, imp) && !within(from, users) {
			t.Errorf("%s imports %s: only %q may", from, imp, users)
		}
	}
}
