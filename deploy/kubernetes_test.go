// Package deploy_test runs the daemon with the settings of the manifests, on folders written as the kubelet writes them.
package deploy_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/dragoman-project/dragoman/client"
	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/host/api/metrics"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/session"
)

func TestUpdatesOfConfigMapsReachARunningDaemon(t *testing.T) {
	shared.Slow(t)
	rules := func(marker string) string {
		return `{version: 1, workarounds: [{name: plans, because: the test changes it, when: 'name == "chatml-json"',
			set: {reasoning: {mode: tag_based, start: "<` + marker + `>", end: "</` + marker + `>"}}}]}`
	}
	p := start(t)
	t.Run("rules", func(t *testing.T) {
		running, err := p.as(t, "secret").ParseStream(t.Context(), "chatml-json", question)
		must(t, err)
		must(t, running.Send("<plan>a</pl"))
		p.publish(t, "workarounds", map[string]string{"workarounds.yaml": rules("plan")})
		eventually(t, "sessions follow the new rules", func() bool { return p.reads(t, "<plan>a</plan>b") == "b" })
		must(t, running.Send("an>b"))
		must(t, running.CloseSend())
		for _, err := range running.Chunks() {
			must(t, err)
		}
		if got := content(running.Result()); got != "<plan>a</plan>b" {
			t.Errorf("the running session became %q, expected it to go on under the old rules", got)
		}
	})
	t.Run("rules with a fault", func(t *testing.T) {
		p.publish(t, "workarounds", map[string]string{"workarounds.yaml": "version: ["})
		eventually(t, "the metrics report it", func() bool { return p.refuses(t, "workarounds") })
		if got := p.reads(t, "<plan>a</plan>b"); got != "b" {
			t.Errorf("the output becomes %q, expected the last good rules to stay", got)
		}
		p.publish(t, "workarounds", map[string]string{"workarounds.yaml": rules("idea")})
		eventually(t, "sessions follow the repaired rules", func() bool { return p.reads(t, "<idea>a</idea>b") == "b" })
	})
	t.Run("templates", func(t *testing.T) {
		prompt := func(name string) string {
			plan, err := p.as(t, "secret").Plan(t.Context(), name, question)
			if err != nil {
				return "none"
			}
			return plan.Prompt
		}
		p.publish(t, "templates", map[string]string{"one.jinja": "1: {{ messages[0].content }}", "two.jinja": "2: {{ messages[0].content }}"})
		eventually(t, "both exist", func() bool { return prompt("one") == "1: Hi" && prompt("two") == "2: Hi" })
		p.publish(t, "templates", map[string]string{"two.jinja": "two: {{ messages[0].content }}"})
		eventually(t, "one is gone and the other has changed", func() bool { return prompt("one") == "none" && prompt("two") == "two: Hi" })
		p.publish(t, "templates", nil)
		eventually(t, "both are gone", func() bool { return prompt("one") == "none" && prompt("two") == "none" })
	})
	t.Run("tokens", func(t *testing.T) {
		accepted := func(token string) bool {
			_, err := p.as(t, token).Plan(t.Context(), "chatml-json", question)
			return err == nil
		}
		p.publish(t, "tokens", map[string]string{"tokens": "secret\nother mine\n"})
		eventually(t, "both tokens are accepted", func() bool { return accepted("other") && accepted("secret") })
		p.publish(t, "tokens", map[string]string{"tokens": "other mine\n"})
		eventually(t, "the old token is rejected", func() bool { return accepted("other") && !accepted("secret") })
	})
	t.Run("settings", func(t *testing.T) {
		if status, _ := p.get(t, "/metrics"); status != http.StatusOK {
			t.Errorf("the metrics answer %d, expected them to be public", status)
		}
		p.publish(t, "config", map[string]string{"dragoman.yaml": strings.Replace(p.settings, "metrics: {public: true}", "", 1)})
		eventually(t, "the metrics need a token", func() bool {
			status, _ := p.get(t, "/metrics")
			return status == http.StatusUnauthorized
		})
	})
}

var question = map[string]any{"messages": []any{map[string]any{"role": "user", "content": "Hi"}}}

// pod is a daemon in this process, configured like that of the deployment.
type pod struct {
	address  string
	settings string
	volumes  string // the folder that is /etc/dragoman there
}

// start writes the volumes of the deployment, with a token as the Secret, and starts the daemon.
func start(t *testing.T) *pod {
	t.Helper()
	p := &pod{volumes: t.TempDir()}
	run, err := os.MkdirTemp("", "run") // sockets want short paths
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(run)) })
	volumes := configMaps(t)
	p.settings = strings.NewReplacer("/etc/dragoman", p.volumes, "/run/dragoman", run, "/var/lib/dragoman", filepath.Join(run, "state"), `":8080"`, "127.0.0.1:0").Replace(volumes["config"]["dragoman.yaml"])
	volumes["config"]["dragoman.yaml"] = p.settings
	volumes["tokens"] = map[string]string{"tokens": "secret\n"}
	rules, err := os.ReadFile("../workarounds.yaml")
	must(t, err)
	volumes["workarounds"] = map[string]string{"workarounds.yaml": string(rules)}
	for name, files := range volumes {
		must(t, os.Mkdir(filepath.Join(p.volumes, name), 0o755))
		p.publish(t, name, files)
	}
	p.serve(t, filepath.Join(p.volumes, "config", "dragoman.yaml"))
	return p
}

// serve runs the daemon with a file of settings until the test ends.
func (p *pod) serve(t *testing.T, file string) {
	t.Helper()
	load := func(content []byte) (*config.Config, error) {
		cfg, err := config.Load(config.Sources{File: file, Data: content})
		if err == nil {
			cfg.Shutdown.Delay = 0 // no load balancer has to notice
		}
		return cfg, err
	}
	cfg, err := load(nil)
	must(t, err)
	secrets, err := api.NewSecrets(cfg)
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	counts := metrics.New("v0.0.0-test")
	h, err := host.New(ctx, host.Options{Config: cfg, LoadConfig: load, ConfigFile: file, Files: secrets.Files(), Observer: counts})
	must(t, err)
	l, err := api.Listen(ctx, cfg.Listen)
	must(t, err)
	ended := make(chan error, 1)
	go func() { ended <- api.New(h, api.Options{Secrets: secrets, Metrics: counts}).Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		must(t, errors.Join(<-ended, h.Close(context.Background())))
	})
	p.address = "http://" + l.Addr().String()
}

// configMaps returns the files in the config maps of the manifests, by the names of their volumes.
func configMaps(t *testing.T) map[string]map[string]string {
	t.Helper()
	data, err := os.ReadFile("kubernetes/config.yaml")
	must(t, err)
	all := map[string]map[string]string{}
	for d := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var m struct {
			Metadata struct{ Name string }
			Data     map[string]string
		}
		err := d.Decode(&m)
		if errors.Is(err, io.EOF) {
			return all
		}
		must(t, err)
		all[strings.TrimPrefix(m.Metadata.Name, "dragoman-")] = m.Data
	}
}

// publish replaces the files of a volume in the steps of the kubelet: it writes a new folder named after the time, renames the
// link ..data to it, links new files, removes the links of files that are gone, and removes the old folder.
func (p *pod) publish(t *testing.T, volume string, files map[string]string) {
	t.Helper()
	dir := filepath.Join(p.volumes, volume)
	data := filepath.Join(dir, "..data")
	old, _ := os.Readlink(data)
	next, err := os.MkdirTemp(dir, time.Now().UTC().Format("..2006_01_02_15_04_05."))
	must(t, err)
	must(t, os.Chmod(next, 0o755))
	for name, content := range files {
		must(t, os.WriteFile(filepath.Join(next, name), []byte(content), 0o644))
	}
	must(t, os.Symlink(filepath.Base(next), data+"_tmp"))
	must(t, os.Rename(data+"_tmp", data))
	shown, err := filepath.Glob(filepath.Join(dir, "[^.]*"))
	must(t, err)
	fresh := maps.Clone(files)
	for _, path := range shown {
		if _, ok := files[filepath.Base(path)]; !ok {
			must(t, os.Remove(path))
		}
		delete(fresh, filepath.Base(path))
	}
	for name := range fresh {
		must(t, os.Symlink(filepath.Join("..data", name), filepath.Join(dir, name)))
	}
	if old != "" {
		must(t, os.RemoveAll(filepath.Join(dir, old)))
	}
}

// as returns a client with a token.
func (p *pod) as(t *testing.T, token string) *client.Client {
	c := client.New(p.address, client.Options{Token: token})
	t.Cleanup(c.Close)
	return c
}

// reads parses an output and returns its content.
func (p *pod) reads(t *testing.T, output string) string {
	t.Helper()
	r, err := p.as(t, "secret").Parse(t.Context(), "chatml-json", question, output)
	must(t, err)
	return content(r)
}

func content(r *session.Result) string {
	if r.Message.Content.Text == nil {
		return ""
	}
	return *r.Message.Content.Text
}

// refuses reports whether, by the metrics, the current content of a source is refused.
func (p *pod) refuses(t *testing.T, source string) bool {
	t.Helper()
	_, text := p.get(t, "/metrics")
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "dragoman_source_last_reload_successful{") && strings.Contains(line, `source="`+source+`"`) {
			return strings.HasSuffix(line, " 0\n")
		}
	}
	t.Fatalf("the metrics have no source %s", source)
	return false
}

func (p *pod) get(t *testing.T, path string) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.address+path, nil)
	must(t, err)
	response, err := http.DefaultClient.Do(request)
	must(t, err)
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	must(t, err)
	return response.StatusCode, string(data)
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("timed out waiting until %s", what)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
