package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/session"
)

var (
	rewrites   = flag.Int("rewrites", 160, "rewrites of the rules in each style")
	rewriteP99 = flag.Duration("rewrite-p99", 0, "fail if the 99th percentile of the time until a rewrite is in force exceeds this; 0: never")
)

// hostsOfEach is the number of hosts whose rules are rewritten concurrently in each style; a rewrite mostly waits.
const hostsOfEach = 8

// TestRewritesAreNeverTornAndTheLastIsInForce rewrites the rules of hosts in every style, each time under a running session,
// and waits until a new session follows them.
func TestRewritesAreNeverTornAndTheLastIsInForce(t *testing.T) {
	for _, s := range styles {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			var took histogram
			var mu sync.Mutex
			var wg sync.WaitGroup
			for w := range hostsOfEach {
				wg.Go(func() {
					r := newRewriter(t, s, w)
					for i := range (*rewrites + hostsOfEach - 1) / hostsOfEach {
						d, err := r.rewrite(i)
						if err != nil {
							t.Errorf("host %d, rewrite %d: %v", w, i, err)
							return
						}
						mu.Lock()
						took.add(d)
						mu.Unlock()
					}
				})
			}
			wg.Wait()
			t.Logf("from the write to new sessions: %v", &took)
			if p99 := took.quantile(0.99); *rewriteP99 > 0 && p99 > *rewriteP99 {
				t.Errorf("the 99th percentile is %v, want at most %v", p99, *rewriteP99)
			}
		})
	}
}

// rewriter rewrites the rules of one host.
type rewriter struct {
	style
	host    *host.Host
	path    string
	request *chat.Request
	wrote   map[string]int // the number of each content, by its hash
}

func newRewriter(t *testing.T, s style, number int) *rewriter {
	r := &rewriter{style: s, path: filepath.Join(t.TempDir(), fmt.Sprintf("rules-%d.yaml", number)), wrote: map[string]int{}}
	if err := rename(r.path, r.content(-1)); err != nil {
		t.Fatal(err)
	}
	cfg := config.Default()
	cfg.Workarounds.File = r.path
	h, err := host.New(context.Background(), host.Options{Config: cfg})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	r.host = h
	if r.request, err = chat.ParseRequest([]byte(request)); err != nil {
		t.Fatal(err)
	}
	return r
}

// content returns a file of two rules that belong together. Its first half is a valid file, too, with the first rule alone.
func (r *rewriter) content(i int) string {
	rule := `  - name: %[1]s-of-thoughts
    because: the stress test changes it
    when: name == "chatml-json"
    set: {reasoning: {mode: tag_based, %[1]s: "<%[2]s%[3]d>"}}
`
	text := "version: 1\nworkarounds:\n" + fmt.Sprintf(rule, "start", "", i) + strings.Repeat("# "+strings.Repeat("-", 200)+"\n", 20) + fmt.Sprintf(rule, "end", "/", i)
	r.wrote[hashOf(text)] = i
	return text
}

// patience is the limit for a rewrite to take effect.
const patience = 30 * time.Second

// rewrite writes other rules while a session runs, and returns the time until a new session follows them.
func (r *rewriter) rewrite(i int) (time.Duration, error) {
	running, err := r.session()
	if err != nil {
		return 0, err
	}
	if _, err := running.Feed(fmt.Appendf(nil, "<%d>a</", i-1)); err != nil {
		return 0, err
	}
	text := r.content(i)
	if err := r.write(r.path, text); err != nil {
		return 0, err
	}
	written := time.Now()
	for want := hashOf(text); r.host.Snapshot().Rules.Hash() != want; time.Sleep(time.Millisecond) {
		if time.Since(written) > patience {
			return 0, fmt.Errorf("not in force after %v: %+v", patience, r.host.Sources())
		}
	}
	fresh, err := r.session()
	took := time.Since(written)
	if err != nil {
		return 0, err
	}
	if err := r.inOrder(r.host.History()); err != nil {
		return 0, err
	}
	if err := finish(running, fmt.Sprintf("%d>b", i-1)); err != nil {
		return 0, fmt.Errorf("the running session: %w", err)
	}
	if err := finish(fresh, fmt.Sprintf("<%d>a</%d>b", i, i)); err != nil {
		return 0, fmt.Errorf("the new session: %w", err)
	}
	return took, nil
}

// inOrder returns an error if a content was in force that was never written, or again after a newer one; history begins with the
// newest.
func (r *rewriter) inOrder(history []host.SnapshotInfo) error {
	newest := len(r.wrote)
	for _, s := range history {
		number, ok := r.wrote[s.RulesHash]
		if !ok {
			return fmt.Errorf("a content was in force that was never written: %+v", s)
		}
		if number > newest {
			return fmt.Errorf("content %d was in force again after a newer one: %+v", newest, history)
		}
		newest = number
	}
	return nil
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func (r *rewriter) session() (*host.Session, error) {
	planned, err := r.host.Plan(context.Background(), "chatml-json", r.request)
	if err != nil {
		return nil, err
	}
	return planned.Session(context.Background(), session.Options{}), nil
}

// finish ends an output that must give the reasoning "a" and the content "b".
func finish(s *host.Session, rest string) error {
	if _, err := s.Feed([]byte(rest)); err != nil {
		return err
	}
	r, err := s.Finish(false)
	if err != nil {
		return err
	}
	if m := r.Message; m.ReasoningContent != "a" || m.Content.Text == nil || *m.Content.Text != "b" {
		return fmt.Errorf("got %+v", m)
	}
	return nil
}
