package conformance

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/dragoman-project/dragoman/sdk/handler"
)

// T is the part of *testing.T that the suite uses.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Logf(format string, args ...any)
}

// Run examines a handler in a test.
func Run(t T, h handler.Handler, o Options) {
	t.Helper()
	log(t, Check(context.Background(), h, o))
}

// maxHandshake is how long a plugin may take from its start until it has described itself.
const maxHandshake = time.Second

// RunBinary examines every handler of a plugin's executable in a test.
func RunBinary(t T, path string, o Options) {
	t.Helper()
	for _, report := range CheckBinary(context.Background(), path, o) {
		log(t, report)
	}
}

// CheckBinary examines a plugin's executable: first its process, in a report with the name of the file, then each of its
// handlers.
func CheckBinary(ctx context.Context, path string, o Options) []Report {
	b, took, err := openInTime(ctx, path, o)
	if b != nil {
		defer b.Close()
	}
	reports := []Report{{Handler: filepath.Base(path), Results: []Result{handshake(took, err)}}}
	if b == nil {
		return reports
	}
	for _, h := range b.Handlers {
		x := &examination{Options: o, handler: h, open: func(ctx context.Context) (*Binary, error) { return Open(ctx, path, o) }}
		reports = append(reports, x.report(ctx))
	}
	return reports
}

// openings is how often a slow plugin is started, since the machine may be busy.
const openings = 3

func openInTime(ctx context.Context, path string, o Options) (b *Binary, took time.Duration, err error) {
	for range openings {
		if b != nil {
			b.Close()
		}
		began := time.Now()
		b, err = Open(ctx, path, o)
		if took = time.Since(began); err != nil || took <= maxHandshake {
			return b, took, err
		}
	}
	return b, took, fmt.Errorf("it took %v, after %d attempts that took too long", took.Round(time.Millisecond), openings-1)
}

func handshake(took time.Duration, err error) Result {
	r := Result{Demand: "handshake", Text: "the process starts and describes its handlers within " + maxHandshake.String(), Took: took}
	if err != nil {
		r.Fault, r.Remedy = err.Error(), "call sdk.Serve first in main; load what takes time at the first plan"
	}
	return r
}

// log logs the results of a report, faults as errors.
func log(t T, r Report) {
	t.Helper()
	for _, result := range r.Results {
		if result.Fault != "" {
			t.Errorf("%s %s: %s: %s\n%s\n→ %s", r.Handler, r.Version, result.Demand, result.Text, result.Fault, result.Remedy)
		} else {
			t.Logf("%s %s: %s: %s (%v)", r.Handler, r.Version, result.Demand, result.Text, result.Took.Round(time.Millisecond))
		}
	}
}
