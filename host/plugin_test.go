package host_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
)

// channels is a template that the gptoss plugin claims.
const channels = `{% for m in messages %}<|start|>{{ m.role }}<|message|>{{ m.content }}<|end|>{% endfor %}` +
	`{% if add_generation_prompt %}<|start|>assistant{% endif %}{# <|channel|>analysis<|message|> and <|start|>assistant #}`

func TestAKilledPluginHurtsNoSession(t *testing.T) {
	dir := buildPlugin(t, "gptoss")
	h := start(t, func(c *config.Config) { c.Plugins.Dir = dir })
	if _, err := h.PutTemplate(context.Background(), host.TemplateSource{Name: "channels", Source: channels}); err != nil {
		t.Fatal(err)
	}
	const output = `<|channel|>analysis<|message|>Where?<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city":"Oslo"}<|call|>`
	const want = `reasoning "Where?" call get_weather {"city":"Oslo"}`
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
			s := p.Session(context.Background(), host.SessionOptions{NoIDs: true})
			_, _ = s.Feed([]byte(output[:60]))
			halfway.Done()
			killed.Wait()
			_, _ = s.Feed([]byte(output[60:]))
			if r := finish(t, s); show(r.Message) != want || r.Report.Status != "complete" {
				t.Errorf("%s (%s), want %s", show(r.Message), r.Report.Status, want)
			}
		}()
	}
	halfway.Wait()
	if n := killChildren(t); n == 0 {
		t.Error("there was no process of the plugin to kill")
	}
	killed.Done()
	done.Wait()

	if got := show(parse(t, plan(t, h, "channels", request(t, weather)), output).Message); got != want {
		t.Errorf("the next plan: %s, want %s", got, want)
	}
}

// killChildren kills the processes that this one started, the plugins, and counts them.
func killChildren(t *testing.T) (n int) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	must(t, err)
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended meanwhile
		}
		after := string(data[strings.LastIndexByte(string(data), ')')+1:])
		var state string
		var parent int
		if _, err := fmt.Sscan(after, &state, &parent); err != nil || parent != os.Getpid() || state == "Z" {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil && syscall.Kill(pid, syscall.SIGKILL) == nil {
			n++
		}
	}
	return n
}
