package autoparser_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/dragoman-project/dragoman"
	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/internal/shared"
)

// shippedRules returns the workarounds of the repository.
func shippedRules(t testing.TB) *workaround.Set {
	t.Helper()
	rules, err := workaround.Parse(dragoman.WorkaroundsName, dragoman.Workarounds)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// school learns recorded templates and caches the results.
type school struct {
	rules *workaround.Set
	mu    sync.Mutex
	known map[[3]string]*autoparser.Learned
}

func newSchool(t testing.TB) *school {
	return &school{rules: shippedRules(t), known: map[[3]string]*autoparser.Learned{}}
}

func (s *school) learn(t testing.TB, name, bos, eos string) *autoparser.Learned {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	key := [3]string{name, bos, eos}
	if s.known[key] == nil {
		source, err := os.ReadFile(filepath.Join(shared.Dir(t, "templates"), name))
		if err != nil {
			t.Fatal(err)
		}
		s.known[key] = learnSource(t, name, string(source), bos, eos, s.rules)
	}
	return s.known[key]
}

// learnSource opens a template and learns it.
func learnSource(t testing.TB, name, source, bos, eos string, rules *workaround.Set) *autoparser.Learned {
	t.Helper()
	template, err := autoparser.Open(name, source, bos, eos, autoparser.Options{})
	if err != nil {
		t.Fatal(err)
	}
	learned, err := autoparser.Learn(context.Background(), template, rules)
	if err != nil {
		t.Fatal(err)
	}
	return learned
}

// eachLine decodes the lines of a recorded file.
func eachLine[T any](t *testing.T, file string, do func(T)) {
	t.Helper()
	f, err := os.Open(shared.Dir(t, "cases", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var c T
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		do(c)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}
