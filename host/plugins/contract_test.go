package plugins

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
)

func TestPluginsOfTwoMajorVersionsRunSideBySide(t *testing.T) {
	var asked atomic.Int64
	both := supported()
	both[2] = func(ctx context.Context, conn *grpc.ClientConn, hostVersion string) ([]remote, error) {
		asked.Add(1)
		return first(ctx, conn, hostVersion)
	}
	b := newBench(t, Options{contracts: both})
	b.install("present", "", nil)
	b.install("future", "name: future\nversion: 1.0.0\nprotocol: 2\nmatch: \"true\"\n", map[string]any{"Future": true, "Handlers": []string{"future"}})
	b.load()
	if present, future := pid(t, b.handler("present")), pid(t, b.handler("future")); present == future || asked.Load() != 1 {
		t.Errorf("processes %d and %d, and the second version was asked %d times", present, future, asked.Load())
	}
	if s := b.state("future"); s.Protocol != 2 {
		t.Errorf("state %+v", s)
	}

	b.manifest("future", "name: future\nversion: 1.0.0\nprotocol: 1\nmatch: \"true\"\n", map[string]any{"Future": true, "Handlers": []string{"future"}})
	if err := b.Load(b.dir); err == nil || !strings.Contains(err.Error(), "incompatible API version with plugin. Plugin version: 2") {
		t.Errorf("a manifest of another version than the process: got %v", err)
	}
	b.manifest("future", "name: future\nversion: 1.0.0\nprotocol: 3\nmatch: \"true\"\n", nil)
	if err := b.Load(b.dir); err == nil || !strings.Contains(err.Error(), "protocol: expected 1 or 2, found 3") {
		t.Errorf("an unsupported version: got %v", err)
	}
}
