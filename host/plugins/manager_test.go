package plugins

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/host/plugins/manifest"
	"github.com/dragoman-project/dragoman/host/plugins/rundir"
)

// alive reports whether a process exists and is not a zombie.
func alive(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return syscall.Kill(pid, 0) == nil && !os.IsNotExist(err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

func TestMatchingStartsNothing(t *testing.T) {
	b, h := one(t, Options{}, nil)
	if claims := b.Match(facts("t")); len(claims) != 1 || claims[0].Describe().Name != "rogue" {
		t.Errorf("matched %v", claims)
	}
	if d := h.Describe(); d.Version != "1.0.0" || d.Priority != manifest.DefaultPriority || d.Match != "true" {
		t.Errorf("described as %+v", d)
	}
	if s := b.state("rogue"); s.Condition != Idle || s.Starts != 0 {
		t.Errorf("state %+v", s)
	}
}

func TestTheFirstPlanStartsTheProcessAndLaterOnesUseIt(t *testing.T) {
	b, h := one(t, Options{}, nil)
	first := pid(t, h)
	if second := pid(t, h); first != second {
		t.Errorf("process %d, then %d", first, second)
	}
	if s := b.state("rogue"); s.Condition != Serving || s.Starts != 1 || s.PID != first || s.Sessions != 0 {
		t.Errorf("state %+v", s)
	}
}

func TestManyCallersShareOneStart(t *testing.T) {
	b, h := one(t, Options{}, nil)
	done := make(chan error)
	for range 20 {
		go func() { _, err := h.Plan(t.Context(), input()); done <- err }()
	}
	for range 20 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if s := b.state("rogue"); s.Starts != 1 {
		t.Errorf("started %d times", s.Starts)
	}
}

func TestClaimsAreSortedByPriority(t *testing.T) {
	b := newBench(t, Options{})
	for name, more := range map[string]string{
		"b": "match: source contains \"messages\"\n", "a": "match: name == \"t\"\n", "high": "match: \"true\"\npriority: 200\n", "not": "match: name == \"other\"\n",
	} {
		b.install(name, "name: "+name+"\nversion: 1.0.0\nprotocol: 1\n"+more, nil)
	}
	b.load()
	var names []string
	for _, h := range b.Match(facts("t")) {
		names = append(names, h.Describe().Name)
	}
	if got := strings.Join(names, " "); got != "high a b" {
		t.Errorf("the claims are %s", got)
	}
	if c := b.Conflicts(); len(c) != 1 || !strings.Contains(c[0], "handlers a and b claim it at priority 100; a is asked first") {
		t.Errorf("the conflicts are %q", c)
	}
	b.load()
	if c := b.Conflicts(); len(c) != 0 {
		t.Errorf("after loading again the conflicts are %q", c)
	}
}

func TestClaimsOnATemplateFollowThePlugins(t *testing.T) {
	b := newBench(t, Options{})
	about := facts("t")
	for n, name := range []string{"a", "b", "c"} {
		b.install(name, "name: "+name+"\nversion: 1.0.0\nprotocol: 1\nmatch: name == \"t\"\n", nil)
		b.load()
		for range 2 {
			if claims := b.Match(about); len(claims) != n+1 {
				t.Errorf("with %d plugins there are %d claims", n+1, len(claims))
			}
		}
	}
}

func TestOneProcessServesSeveralHandlers(t *testing.T) {
	b := newBench(t, Options{})
	b.install("two", `{name: two, version: 1.0.0, protocol: 1, options: {Handlers: [x, y]}, handlers: [{name: x, match: "true"}, {name: y, match: "true", priority: 5}]}`, nil)
	b.load()
	if x, y := pid(t, b.handler("x")), pid(t, b.handler("y")); x != y {
		t.Errorf("processes %d and %d", x, y)
	}
	if s := b.state("two"); len(s.Handlers) != 2 || s.Handlers[1].Priority != 5 {
		t.Errorf("state %+v", s)
	}
}

func TestFaultyManifestsAreRefusedWithEveryFault(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	b.install("good", "", nil)
	for name, text := range map[string]string{
		"unknown-key":  "name: a\nversion: 1.0.0\nprotocol: 1\nmatch: \"true\"\nmathc: x\n",
		"empty":        "",
		"no-such-file": "name: a\nversion: 1.0.0\nprotocol: 1\nmatch: \"true\"\n",
		"many":         "name: A b\nprotocol: 2\nexecutable: ../x\nsha256: abc\n",
		"predicate":    "name: p\nversion: 1.0.0\nprotocol: 1\nexecutable: good\nmatch: sauce contains \"x\"\n",
		"twice":        "name: good\nversion: 1.0.0\nprotocol: 1\nexecutable: good\nmatch: \"true\"\n",
	} {
		b.manifest(name, text+"# ", nil)
	}
	err := b.Load(b.dir)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"unknown-key.yaml: ", "line 5", `unknown key "mathc"`,
		"empty.yaml: empty; ",
		"no-such-file: no such file",
		`many.yaml: name: expected lower-case`, "many.yaml: version: missing", "many.yaml: protocol: expected 1, found 2", "many.yaml: executable: ", "many.yaml: sha256: ", "many.yaml: match: missing",
		"predicate.yaml: match of p: 1:1: unknown name sauce",
		"twice.yaml: handler good is already provided by ",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing from\n%v", want, err)
		}
	}
	pid(t, b.handler("good"))
	refused := 0
	for _, s := range b.Status() {
		if s.Condition == Refused && s.Fault != "" {
			refused++
		}
	}
	if refused != 6 {
		t.Errorf("%d plugins are refused in %+v", refused, b.Status())
	}
}

func TestOnlyTheExecutableOfTheManifestRuns(t *testing.T) {
	b := newBench(t, Options{})
	manifest := "name: rogue\nversion: 1.0.0\nprotocol: 1\nmatch: \"true\"\nsha256: "
	b.install("rogue", manifest+strings.Repeat("0", 64)+"\n", nil)
	if err := b.Load(b.dir); err == nil || !strings.Contains(err.Error(), "sha256 is") {
		t.Fatalf("got %v", err)
	}
	_, sum, _ := strings.Cut(b.Load(b.dir).Error(), "sha256 is ")
	b.manifest("rogue", manifest+sum[:64]+"\n", nil)
	b.load()
	pid(t, b.handler("rogue"))
}

func TestOnDemandNothingIsCopiedBeforeItIsNeeded(t *testing.T) {
	b, h := one(t, Options{OnDemand: true}, nil)
	copies := func() int {
		all, _ := filepath.Glob(filepath.Join(b.Manager.dir.Path, rundir.CopyPrefix+"*"))
		return len(all)
	}
	if n := copies(); n != 0 {
		t.Errorf("%d copies before any is needed", n)
	}
	pid(t, h)
	if s := b.state("rogue"); copies() != 1 || len(s.SHA256) != 64 {
		t.Errorf("%d copies, state %+v", copies(), s)
	}
	b.manifest("rogue", "name: rogue\nversion: 1.0.0\nprotocol: 1\nmatch: \"true\"\nsha256: "+strings.Repeat("0", 64)+"\n", nil)
	if err := b.Load(b.dir); err == nil || !strings.Contains(err.Error(), "sha256 is") {
		t.Errorf("a wrong checksum of a new version: got %v", err)
	}
}

func TestAListStartsNothing(t *testing.T) {
	b := newBench(t, Options{})
	b.install("rogue", "", nil)
	b.manifest("broken", "name: [", nil)
	list, err := List(t.Context(), b.dir)
	if err != nil || len(list) != 2 || list[0].Condition != Idle || list[1].Condition != Refused || len(list[0].SHA256) != 64 {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestFilesThatCannotBeRunAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		mode os.FileMode
		data string
		want string
	}{
		"not executable": {0o644, "x", "chmod +x"},
		"empty":          {0o755, "", "empty"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, Options{})
			b.manifest("rogue", "", nil)
			if err := os.WriteFile(filepath.Join(b.dir, "rogue"), []byte(c.data), c.mode); err != nil {
				t.Fatal(err)
			}
			if err := b.Load(b.dir); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, expected %s", err, c.want)
			}
		})
	}
	t.Run("being written", func(t *testing.T) {
		b := newBench(t, Options{})
		b.install("rogue", "", nil)
		f, err := os.OpenFile(filepath.Join(b.dir, "rogue"), os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Load(b.dir); err == nil || !strings.Contains(err.Error(), "still being written") {
			t.Errorf("got %v", err)
		}
		f.Close()
		b.load()
		pid(t, b.handler("rogue"))
	})
	t.Run("no program", func(t *testing.T) {
		b := newBench(t, Options{})
		b.manifest("rogue", "", nil)
		if err := os.WriteFile(filepath.Join(b.dir, "rogue"), []byte("\x7fELF and then nothing"), 0o755); err != nil {
			t.Fatal(err)
		}
		b.load()
		_, err := b.handler("rogue").Plan(t.Context(), input())
		wantError[*Unavailable](t, err, "exec format error")
	})
}

func TestADirectoryThatDoesNotExistHoldsNoPlugins(t *testing.T) {
	b := newBench(t, Options{})
	if err := b.Load(filepath.Join(b.dir, "none")); err != nil || len(b.Status()) != 0 {
		t.Errorf("%v, %v", b.Status(), err)
	}
}

func TestLoadingAgainKeepsWhatDidNotChange(t *testing.T) {
	b, h := one(t, Options{}, nil)
	before := pid(t, h)
	b.load()
	if after := pid(t, b.handler("rogue")); after != before {
		t.Errorf("process %d, then %d", before, after)
	}
	b.install("rogue", "", nil) // the same bytes in a new file
	b.load()
	if after := pid(t, b.handler("rogue")); after != before {
		t.Errorf("the same content: process %d, then %d", before, after)
	}
}

func TestANewVersionTakesOverAndTheOldProcessEnds(t *testing.T) {
	b, h := one(t, Options{}, nil)
	before := pid(t, h)
	b.manifest("rogue", "name: rogue\nversion: 2.0.0\nprotocol: 1\nmatch: \"true\"\n", map[string]any{"Version": "2.0.0"})
	b.load()
	if s := b.state("rogue"); s.Condition != Serving || s.Version != "2.0.0" || s.PID == before {
		t.Errorf("state %+v", s)
	}
	eventually(t, "the old process ends", func() bool { return !alive(before) })
	if after := pid(t, h); after != b.state("rogue").PID {
		t.Errorf("a handler matched before is served by %d, the new version runs as %d", after, b.state("rogue").PID)
	}
}

func TestABadNewVersionLeavesTheOldOne(t *testing.T) {
	b, h := one(t, Options{StartTimeout: 2 * time.Second}, nil)
	before := pid(t, h)
	golden := `{"id":"g","kind":"parse","template":"t","output":"x","expect":{"content":"y"}}`
	for name, c := range map[string]struct {
		options map[string]any
		want    string
	}{
		"exits":                {map[string]any{"Start": "exit"}, "no licence found"},
		"says another version": {map[string]any{"Version": "9.9.9"}, "the manifest says version 1.0.0, the process says 9.9.9"},
		"serves another name":  {map[string]any{"Handlers": []string{"other"}}, "not served by the process"},
		"claims nonsense":      {map[string]any{"Match": "sauce ==", "Version": "1.0.1"}, "match of rogue: 1:"},
		"fails its own cases":  {map[string]any{"Cases": golden}, `fails its own golden cases: case g: content: differs at byte 0`},
	} {
		manifest := ""
		if match, ok := c.options["Match"]; ok {
			manifest = fmt.Sprintf("name: rogue\nversion: 1.0.1\nprotocol: 1\nmatch: \"%s\"\n", match)
		}
		b.manifest("rogue", manifest, c.options)
		err := b.Load(b.dir)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, expected %s", name, err, c.want)
		}
		if after := pid(t, b.handler("rogue")); after != before {
			t.Errorf("%s: process %d, then %d", name, before, after)
		}
		if s := b.state("rogue"); s.Condition != Serving || !strings.Contains(s.Fault, c.want) {
			t.Errorf("%s: state %+v", name, s)
		}
		eventually(t, "nothing of the refused version is left", func() bool { return len(childrenOf(t, os.Getpid())) == 1 })
	}
}

func TestARemovedPluginEnds(t *testing.T) {
	b, h := one(t, Options{}, nil)
	process := pid(t, h)
	if err := os.Remove(filepath.Join(b.dir, "rogue.yaml")); err != nil {
		t.Fatal(err)
	}
	b.load()
	eventually(t, "the process ends", func() bool { return !alive(process) })
	if _, ok := b.Handler("rogue"); ok || len(b.Match(facts("t"))) > 0 {
		t.Error("its handler still exists")
	}
}

func TestAfterCloseNothingIsLeft(t *testing.T) {
	b, h := one(t, Options{}, nil)
	process := pid(t, h)
	if err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if alive(process) {
		t.Error("the process is still alive")
	}
	if err := b.Load(b.dir); err == nil {
		t.Error("plugins were loaded after Close")
	}
	_, err := h.Plan(t.Context(), input())
	wantError[*Unavailable](t, err, "it was removed")
}

func TestClosingWaitsForNoNewVersion(t *testing.T) {
	b, h := one(t, Options{StartTimeout: time.Hour}, nil)
	pid(t, h)
	b.manifest("rogue", "", map[string]any{"Start": "hang"})
	loaded := make(chan error)
	go func() { loaded <- b.Load(b.dir) }()
	eventually(t, "the new version is being started", func() bool { return len(childrenOf(t, os.Getpid())) == 2 })
	if err := b.Close(context.Background()); err != nil {
		t.Error(err)
	}
	if err := <-loaded; err == nil || !strings.Contains(err.Error(), "the new version is refused") {
		t.Errorf("got %v", err)
	}
}

func TestDirectoriesOfKilledManagersAreRemoved(t *testing.T) {
	base, err := os.MkdirTemp("", "run")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(base)
	left := filepath.Join(base, rundir.RunPrefix+"1")
	if err := os.MkdirAll(filepath.Join(left, "g1"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(left, rundir.LockName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	living, err := New(Options{RunDir: base})
	if err != nil {
		t.Fatal(err)
	}
	defer living.Close(t.Context())
	second, err := New(Options{RunDir: base})
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close(t.Context())
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("the directory of a killed manager: %v", err)
	}
	for _, m := range []*Manager{living, second} {
		if info, err := os.Stat(m.dir.Path); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the directory of a running manager: %v, %v", info, err)
		}
	}
}

func TestADirectoryTooDeepForSocketsIsRefused(t *testing.T) {
	deep := filepath.Join(t.TempDir(), strings.Repeat("d", 80))
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := New(Options{RunDir: deep}); err == nil || !strings.Contains(err.Error(), "too long for sockets") {
		t.Errorf("got %v", err)
	}
}
