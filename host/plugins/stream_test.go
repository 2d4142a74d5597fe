package plugins

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

// heard collects the events of a stream.
type heard struct{ content, reasoning string }

func (h *heard) take(e chat.Event) {
	switch e.Kind {
	case chat.ContentText:
		h.content += string(e.Text)
	case chat.ReasoningText:
		h.reasoning += string(e.Text)
	}
}

func openStream(t *testing.T, ctx context.Context, h handler.Handler) (handler.Stream, *heard) {
	t.Helper()
	got := new(heard)
	s, err := h.(handler.StreamHandler).OpenStream(ctx, handler.StreamInput{Token: []byte("t")}, got.take)
	if err != nil {
		t.Fatal(err)
	}
	return s, got
}

// feed feeds text byte by byte and calls between before each byte.
func feed(t *testing.T, s handler.Stream, text string, between func(i int)) {
	t.Helper()
	for i := range len(text) {
		between(i)
		if err := s.Feed([]byte(text[i : i+1])); err != nil {
			t.Fatalf("byte %d: %v", i, err)
		}
	}
}

func TestAStreamIsParsedByThePlugin(t *testing.T) {
	b, h := one(t, Options{}, map[string]any{"Plan": "stream"})
	plan, err := h.Plan(t.Context(), input())
	if err != nil || plan.Stream == nil || string(plan.Stream.Token) != "t" {
		t.Fatalf("plan %+v, %v", plan, err)
	}
	s, got := openStream(t, t.Context(), h)
	feed(t, s, "ab12c", func(int) {})
	if sessions := b.state("rogue").Sessions; sessions != 1 {
		t.Errorf("%d sessions while it runs", sessions)
	}
	result, err := s.Finish()
	if err != nil || result.Status != chat.Complete {
		t.Errorf("%+v, %v", result, err)
	}
	if *got != (heard{"abc", "12"}) {
		t.Errorf("heard %+v", *got)
	}
	eventually(t, "its session ends", func() bool { return b.state("rogue").Sessions == 0 })
}

func TestAStreamSurvivesItsProcess(t *testing.T) {
	t.Parallel()
	for how, times := range map[syscall.Signal][]int{syscall.SIGKILL: {3, 6, 8}, syscall.SIGSTOP: {3, 6}} {
		t.Run(how.String(), func(t *testing.T) {
			t.Parallel()
			b, h := one(t, Options{CallTimeout: time.Second}, nil)
			s, got := openStream(t, t.Context(), h)
			hit := func(i int) {
				if slices.Contains(times, i) {
					if err := syscall.Kill(b.state("rogue").PID, how); err != nil {
						t.Fatal(err)
					}
				}
			}
			feed(t, s, "a1b2c3d4", hit)
			hit(8)
			if _, err := s.Finish(); err != nil {
				t.Fatal(err)
			}
			if *got != (heard{"abcd", "1234"}) {
				t.Errorf("heard %+v", *got)
			}
		})
	}
}

func TestAStreamThatDiesWithinAChunkResumesAfterWhatWasDelivered(t *testing.T) {
	_, h := one(t, Options{}, map[string]any{"Once": filepath.Join(t.TempDir(), "once")})
	s, got := openStream(t, t.Context(), h)
	for _, chunk := range []string{"ab", "c!d", "e"} {
		if err := s.Feed([]byte(chunk)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Finish(); err != nil {
		t.Fatal(err)
	}
	if got.content != "abc!de" {
		t.Errorf("heard %+v", *got)
	}
}

func TestAnOutputThatKillsEveryProcessFailsItsStreamOnly(t *testing.T) {
	t.Parallel()
	b, h := one(t, Options{}, nil)
	failed := make(chan struct{})
	var others sync.WaitGroup
	for range 10 {
		others.Go(func() {
			got := new(heard)
			s, err := h.(handler.StreamHandler).OpenStream(t.Context(), handler.StreamInput{}, got.take)
			for n := 0; err == nil; n++ {
				if err = s.Feed([]byte("x")); isClosed(failed) && err == nil {
					_, err = s.Finish()
					if len(got.content) != n+1 {
						t.Errorf("%d bytes were fed, %d delivered", n+1, len(got.content))
					}
					break
				}
			}
			if err != nil {
				t.Errorf("another stream fails: %v", err)
			}
		})
	}
	s, _ := openStream(t, t.Context(), h)
	err := s.Feed([]byte("!"))
	close(failed)
	others.Wait()
	wantError[*Unavailable](t, err, "exit status 11")
	if s := b.state("rogue"); s.Starts > maxResumptions+2 {
		t.Errorf("state %+v", s)
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestACancelledStreamReleasesItsProcess(t *testing.T) {
	b, h := one(t, Options{}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	s, _ := openStream(t, ctx, h)
	feed(t, s, "ab", func(int) {})
	cancel()
	if err := s.Feed([]byte("c")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	eventually(t, "its session ends", func() bool { return b.state("rogue").Sessions == 0 })
}

func TestAStreamFinishesOnTheGenerationItBeganWith(t *testing.T) {
	b, h := one(t, Options{}, nil)
	before := pid(t, h)
	s, got := openStream(t, t.Context(), h)
	feed(t, s, "ab", func(int) {})
	b.manifest("rogue", "name: rogue\nversion: 2.0.0\nprotocol: 1\nmatch: \"true\"\n", map[string]any{"Version": "2.0.0"})
	b.load()
	feed(t, s, "cd", func(int) {})
	if !alive(before) {
		t.Error("its process ended before it")
	}
	if _, err := s.Finish(); err != nil || got.content != "abcd" {
		t.Errorf("%v, heard %+v", err, *got)
	}
	eventually(t, "its process ends with it", func() bool { return !alive(before) })
}

func TestAStreamOfAVersionThatWasReplacedOrRemovedSurvivesItsProcess(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*bench){
		"replaced": func(b *bench) {
			b.manifest("rogue", "name: rogue\nversion: 2.0.0\nprotocol: 1\nmatch: \"true\"\n", map[string]any{"Version": "2.0.0"})
		},
		"removed": func(b *bench) {
			if err := os.Remove(filepath.Join(b.dir, "rogue.yaml")); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, h := one(t, Options{}, nil)
			s, got := openStream(t, t.Context(), h)
			feed(t, s, "a1b2", func(int) {})
			change(b)
			b.load()
			b.load() // removes unused copies
			old := b.state("rogue").Draining
			if len(old) != 1 || old[0].Version != "1.0.0" || old[0].Sessions != 1 {
				t.Fatalf("draining: %+v", old)
			}
			if err := syscall.Kill(old[0].PID, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			feed(t, s, "c3", func(int) {})
			if _, err := s.Finish(); err != nil {
				t.Fatal(err)
			}
			if *got != (heard{"abc", "123"}) {
				t.Errorf("heard %+v", *got)
			}
			eventually(t, "nothing of the old version is left", func() bool {
				for _, state := range b.Status() {
					if len(state.Draining) > 0 {
						return false
					}
				}
				return len(b.retired.list()) == 0
			})
		})
	}
}

func TestAStreamSurvivesRepeatedDeaths(t *testing.T) {
	t.Parallel()
	b, h := one(t, Options{}, nil)
	s, got := openStream(t, t.Context(), h)
	const text = "a1b2c3d4e5f6"
	feed(t, s, text, func(int) {
		if err := syscall.Kill(b.state("rogue").PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	})
	if _, err := s.Finish(); err != nil || *got != (heard{"abcdef", "123456"}) {
		t.Errorf("%v, heard %+v", err, *got)
	}
}

func TestClosingInAHurryDoesNotWaitForStreams(t *testing.T) {
	b, h := one(t, Options{}, nil)
	s, _ := openStream(t, t.Context(), h)
	feed(t, s, "ab", func(int) {})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := b.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.Feed([]byte("c")); err == nil || !strings.Contains(err.Error(), "removed") {
		t.Errorf("got %v", err)
	}
}
