package host_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// channels is a template that the gptoss plugin claims.
const channels = `{% for m in messages %}<|start|>{{ m.role }}<|message|>{{ m.content }}<|end|>{% endfor %}` +
	`{% if add_generation_prompt %}<|start|>assistant{% endif %}{# <|channel|>analysis<|message|> and <|start|>assistant #}`

// inChannels is an output for the template, and asked the message parsed from it.
const (
	inChannels = `<|channel|>analysis<|message|>Where?<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city":"Oslo"}<|call|>`
	asked      = `reasoning "Where?" call get_weather {"city":"Oslo"}`
)

// executables is the folder of the plugins' executables, each built once.
var executables struct {
	sync.Mutex
	dir string
}

func TestMain(m *testing.M) {
	code := m.Run()
	if executables.dir != "" {
		_ = os.RemoveAll(executables.dir)
	}
	os.Exit(code)
}

// build builds an executable and returns its path.
func build(t testing.TB, pkg string) string {
	t.Helper()
	executables.Lock()
	defer executables.Unlock()
	if executables.dir == "" {
		dir, err := os.MkdirTemp("", "plugins")
		if err != nil {
			t.Fatal(err)
		}
		executables.dir = dir
	}
	path := filepath.Join(executables.dir, filepath.Base(pkg))
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if out, err := exec.Command("go", "build", "-ldflags", "-s -w", "-o", path, pkg).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}

// install puts an executable and its manifest into a folder: the executable first, each atomically.
func install(t testing.TB, dir, executable string, manifest []byte) {
	t.Helper()
	data, err := os.ReadFile(executable)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(executable)
	for _, file := range []struct {
		name string
		data []byte
	}{{name, data}, {name + ".yaml", manifest}} {
		next := filepath.Join(dir, "."+file.name)
		if err := errors.Join(os.WriteFile(next, file.data, 0o755), os.Rename(next, filepath.Join(dir, file.name))); err != nil {
			t.Fatal(err)
		}
	}
}

// installShipped installs a plugin of this repository.
func installShipped(t testing.TB, dir, name string) {
	t.Helper()
	manifest, err := os.ReadFile(filepath.Join("..", "plugins", name, name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	install(t, dir, build(t, "../plugins/"+name+"/cmd/"+name), manifest)
}

// buildPlugin installs a plugin of this repository in a folder of its own.
func buildPlugin(t testing.TB, name string) string {
	t.Helper()
	dir := t.TempDir()
	installShipped(t, dir, name)
	return dir
}

func TestSessionsFinishWhatTheyBeganWhenPluginsComeAndGo(t *testing.T) {
	shared.Slow(t)
	dir := t.TempDir()
	h := start(t, func(c *config.Config) { c.Plugins.Dir = dir })
	_, err := h.PutTemplate(t.Context(), host.TemplateSource{Name: "channels", Source: channels})
	must(t, err)
	var running []*host.Session
	var wants []string
	begin := func(handler, want string) {
		t.Helper()
		until(t, "the handler "+handler, func() bool { return plan(t, h, "channels", request(t, weather)).Handler == handler })
		s := plan(t, h, "channels", request(t, weather)).Session(t.Context(), session.Options{NoIDs: true})
		feed(t, s, inChannels[:60])
		running, wants = append(running, s), append(wants, want)
	}
	generic := show(parse(t, plan(t, h, "channels", request(t, weather)), inChannels).Message)
	if generic == asked {
		t.Fatal("the autoparser parses the output as the plugin does, so the test cannot distinguish them")
	}

	begin("autoparser", generic)
	installShipped(t, dir, "gptoss")
	begin("gptoss", asked)
	replaced, err := os.ReadFile("../plugins/gptoss/gptoss.yaml")
	must(t, err)
	install(t, dir, build(t, "../plugins/gptoss/cmd/gptoss"), append(replaced, "\noptions: {new: true}\n"...))
	generation := h.Plugins()[0].Generation
	until(t, "the new version serves", func() bool { return h.Plugins()[0].Generation > generation })
	begin("gptoss", asked)
	must(t, os.Remove(filepath.Join(dir, "gptoss.yaml")))
	begin("autoparser", generic)
	until(t, "no process is left", func() bool { return len(children(t)) == 0 })

	for i, s := range running {
		feed(t, s, inChannels[60:])
		if got := show(finish(t, s).Message); got != wants[i] {
			t.Errorf("session %d: %s, want %s", i, got, wants[i])
		}
	}
}

func TestAKilledPluginHurtsNoSession(t *testing.T) {
	dir := buildPlugin(t, "gptoss")
	h := start(t, func(c *config.Config) { c.Plugins.Dir = dir })
	if _, err := h.PutTemplate(context.Background(), host.TemplateSource{Name: "channels", Source: channels}); err != nil {
		t.Fatal(err)
	}
	p := plan(t, h, "channels", request(t, weather))
	if p.Handler != "gptoss" {
		t.Fatalf("the handler is %q, want gptoss", p.Handler)
	}

	var halfway, killed, done sync.WaitGroup
	killed.Add(1)
	for range 100 {
		halfway.Add(1)
		done.Add(1)
		go func() {
			defer done.Done()
			s := p.Session(context.Background(), session.Options{NoIDs: true})
			_, _ = s.Feed([]byte(inChannels[:60]))
			halfway.Done()
			killed.Wait()
			_, _ = s.Feed([]byte(inChannels[60:]))
			if r := finish(t, s); show(r.Message) != asked || r.Report.Status != "complete" {
				t.Errorf("%s (%s), want %s", show(r.Message), r.Report.Status, asked)
			}
		}()
	}
	halfway.Wait()
	if n := killChildren(t); n == 0 {
		t.Error("no plugin process to kill")
	}
	killed.Done()
	done.Wait()

	if got := show(parse(t, plan(t, h, "channels", request(t, weather)), inChannels).Message); got != asked {
		t.Errorf("the next plan: %s, want %s", got, asked)
	}
}

func TestAPluginThatIsDownFallsBackAsItsManifestSays(t *testing.T) {
	for _, test := range []struct{ keys, want string }{
		{"", "plugin broken does not answer: cannot start"},
		{"fallback: refuse\n", "plugin broken does not answer: cannot start"},
		{"fallback: generic\n", ""},
	} {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, "broken"), []byte("#!/bin/false\n"), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, "broken.yaml"), []byte("name: broken\nversion: 1.0.0\nprotocol: 1\nmatch: \"true\"\n"+test.keys), 0o600))
		h := start(t, func(c *config.Config) { c.Plugins.Dir = dir })
		p, err := h.Plan(context.Background(), "chatml-tagged", request(t, weather))
		switch {
		case test.want != "":
			if host.CodeOf(err) != host.Unavailable || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%q: got %v, want %s", test.keys, err, test.want)
			}
		case err != nil:
			t.Errorf("%q: %v", test.keys, err)
		case p.Handler != "autoparser" || !slices.Contains(p.Plan.Notes, "answered in place of broken, which is down"):
			t.Errorf("%q: answered by %s, with the notes %q", test.keys, p.Handler, p.Plan.Notes)
		}
	}
}

// rogueHost starts a host with the rogue plugin of package plugins and more keys in its manifest.
func rogueHost(t *testing.T, keys string, change func(*config.Config)) *host.Host {
	t.Helper()
	dir := t.TempDir()
	install(t, dir, build(t, "./plugins/testdata/rogue"), []byte("name: rogue\nversion: 1.0.0\nprotocol: 1\nmatch: \"false\"\n"+keys))
	return start(t, func(c *config.Config) {
		c.Plugins.Dir = dir
		change(c)
	})
}

func TestAPinnedTemplateUsesItsHandler(t *testing.T) {
	h := rogueHost(t, "", func(c *config.Config) {
		c.Templates.Handlers = map[string]string{"chatml-json": "rogue", "chatml-tagged.jinja": "rogue", "chatml-reasoning": "nobody"}
	})
	for _, test := range []struct{ template, want string }{
		{"chatml-json", "rogue"},
		{"chatml-tagged.jinja", "rogue"},
		{"chatml-reasoning", "unavailable: nobody: the configured handler is not provided by any plugin"},
	} {
		var got string
		p, err := h.Plan(t.Context(), test.template, request(t, weather))
		if err != nil {
			got = fmt.Sprintf("%s: %v", host.CodeOf(err), err)
		} else {
			got = p.Handler
		}
		if !strings.HasPrefix(got, test.want) {
			t.Errorf("%s is answered by %s, want %s", test.template, got, test.want)
		}
	}
	for _, info := range h.Templates(context.Background()) {
		if pinned := info.Name != "chatml-reasoning"; pinned != (info.Handler == "rogue") || pinned != (info.Error == "") {
			t.Errorf("the status says %+v", info)
		}
	}
}

func TestAPinnedHandlerThatDeclinesIsAnError(t *testing.T) {
	h := rogueHost(t, "options: {Plan: decline}\n", func(c *config.Config) {
		c.Templates.Handlers = map[string]string{"chatml-json": "rogue"}
	})
	_, err := h.Plan(t.Context(), "chatml-json", request(t, weather))
	const want = "chatml-json: the configured handler rogue declines: not my kind of template; send a request"
	if host.CodeOf(err) != host.InvalidArgument || !strings.HasPrefix(fmt.Sprint(err), want) {
		t.Errorf("pinned by the configuration: got %v, want %s", err, want)
	}
	src, _, err := h.Template(context.Background(), "chatml-tagged")
	must(t, err)
	if _, err := h.Detached(src).Plan(t.Context(), "rogue", request(t, weather)); host.CodeOf(err) != host.InvalidArgument {
		t.Errorf("named by the caller: got %v", err)
	}
	if p := plan(t, h, "chatml-tagged", request(t, weather)); p.Handler != "autoparser" {
		t.Errorf("not pinned: answered by %s", p.Handler)
	}
}

func TestPinsFollowTheConfiguration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "host.yaml")
	must(t, os.WriteFile(path, []byte("templates: {handlers: {chatml-json: nobody}}\n"), 0o644))
	load := func(data []byte) (*config.Config, error) {
		return config.Load(config.Sources{File: path, Data: data})
	}
	cfg, err := load(nil)
	must(t, err)
	h, err := host.New(t.Context(), host.Options{Config: cfg, ConfigFile: path, LoadConfig: load})
	must(t, err)
	t.Cleanup(func() { must(t, h.Close(context.Background())) })
	if _, err := h.Plan(t.Context(), "chatml-json", request(t, weather)); host.CodeOf(err) != host.Unavailable {
		t.Fatalf("at the start: %v", err)
	}
	must(t, os.WriteFile(path, []byte("templates: {handlers: {chatml-json: autoparser}}\n"), 0o644))
	until(t, "the other pin", func() bool {
		p, err := h.Plan(t.Context(), "chatml-json", request(t, weather))
		return err == nil && p.Handler == "autoparser"
	})
}

func TestAPluginThatDoesNotStartHoldsUpNoOtherReload(t *testing.T) {
	var dir string
	rules := filepath.Join(t.TempDir(), "workarounds.yaml")
	must(t, os.WriteFile(rules, []byte(rule("first")), 0o644))
	h := rogueHost(t, "", func(c *config.Config) {
		dir, c.Plugins.StartTime, c.Workarounds.File = c.Plugins.Dir, time.Hour, rules
	})
	before := h.Snapshot().Generation
	must(t, os.WriteFile(filepath.Join(dir, "rogue.yaml"), []byte("name: rogue\nversion: 2.0.0\nprotocol: 1\nmatch: \"false\"\noptions: {Start: hang}\n"), 0o600))
	until(t, "the new version is being started", func() bool { return len(children(t)) == 1 })
	must(t, os.WriteFile(rules, []byte(rule("second")), 0o644))
	until(t, "the other rules", func() bool { return h.Snapshot().Generation > before })
	if _, err := h.PutTemplate(t.Context(), host.TemplateSource{Name: "put", Source: "x"}); err != nil {
		t.Error(err)
	}
}

// killChildren kills the child processes of the test, the plugins, and returns their number.
func killChildren(t *testing.T) (n int) {
	t.Helper()
	for _, pid := range children(t) {
		if syscall.Kill(pid, syscall.SIGKILL) == nil {
			n++
		}
	}
	return n
}

// children returns the running child processes.
func children(t *testing.T) (pids []int) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	must(t, err)
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // the process has ended
		}
		after := string(data[strings.LastIndexByte(string(data), ')')+1:])
		var state string
		var parent int
		if _, err := fmt.Sscan(after, &state, &parent); err != nil || parent != os.Getpid() || state == "Z" {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
