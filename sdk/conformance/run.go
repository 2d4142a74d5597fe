package conformance

import (
	"context"
	"time"

	"github.com/dragoman-project/dragoman/sdk/handler"
)

// T is what the suite needs of a *testing.T.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Logf(format string, args ...any)
}

// Run examines a handler in a test.
func Run(t T, h handler.Handler, o Options) {
	t.Helper()
	tell(t, Check(context.Background(), h, o))
}

// maxHandshake is how long a plugin may take from its start until it has described itself.
const maxHandshake = time.Second

// RunBinary examines every handler of a plugin's executable in a test.
func RunBinary(t T, path string, o Options) {
	t.Helper()
	began := time.Now()
	b, err := Open(context.Background(), path)
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	defer b.Close()
	if took := time.Since(began); took > maxHandshake {
		t.Errorf("%s: the handshake took %v, at most %v are allowed", path, took, maxHandshake)
	}
	for _, h := range b.Handlers {
		tell(t, Check(context.Background(), h, o))
	}
}

func tell(t T, r Report) {
	t.Helper()
	for _, result := range r.Results {
		if result.Fault != "" {
			t.Errorf("%s %s: %s: %s\n%s", r.Handler, r.Version, result.Demand, result.Text, result.Fault)
		} else {
			t.Logf("%s %s: %s: %s (%v)", r.Handler, r.Version, result.Demand, result.Text, result.Took.Round(time.Millisecond))
		}
	}
}
