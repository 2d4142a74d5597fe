package api

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
)

const statusPath = dragomanv1connect.AdminServiceGetStatusProcedure

// unfinished sends a part of a body, and returns when the daemon has read it, or the status of its answer. It goes on until the
// test ends, or finish is called.
func (d *daemon) unfinished(t *testing.T, token, path, part string) (status int, body string, finish func()) {
	t.Helper()
	conn := d.dialTCP(t)
	_, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n",
		path, token, len(part), part)
	must(t, err)
	must(t, conn.SetReadDeadline(time.Now().Add(3*leaveTime)))
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil { // it waits for the rest
		return 0, "", func() { _ = conn.Close() }
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(text), func() { _ = conn.Close() }
}

func TestSilentSharedStreamsTakeTheShareOfTheirKeyOnly(t *testing.T) {
	d := roles(t, func(c *config.Config) { c.Limits.Requests, c.Limits.KeySessions = 2, 3 })
	conn := d.dial(t)
	defer conn.Close()
	open := func(token string) grpc.ClientStream {
		t.Helper()
		stream, err := conn.NewStream(metadata.AppendToOutgoingContext(t.Context(), "Authorization", "Bearer "+token), bidirectional, parseStreamsPath)
		must(t, err)
		return stream
	}
	for range 10 {
		open("tenant")
	}
	eventually(t, "refusals", func() bool { return len(d.log.with(`"code":"rate_limited"`, "limits.key_sessions")) == 7 })
	for _, path := range []string{parsePath, linesPath} {
		body := map[string]string{parsePath: parseBody("hi"), linesPath: startLine}[path]
		if status, got := d.as(t, "other", path, body); status != http.StatusOK {
			t.Errorf("another key: %s: %d %s", path, status, got)
		}
	}
	if status, got := d.as(t, "tenant", linesPath, startLine); status != http.StatusTooManyRequests {
		t.Errorf("an output beside three shared streams: %d %s", status, got)
	}
	if status, got := d.as(t, "boss", statusPath, "{}"); status != http.StatusOK {
		t.Errorf("the operator: %d %s", status, got)
	}
}

func TestEachKeyHasItsShareOfRequests(t *testing.T) {
	d := roles(t, func(c *config.Config) { c.Limits.Requests, c.Limits.KeyRequests = 2, 1 })
	if status, got, _ := d.unfinished(t, "tenant", parsePath, `{"template"`); status != 0 {
		t.Fatalf("%d %s", status, got)
	}
	if status, got := d.as(t, "tenant", parsePath, parseBody("hi")); status != http.StatusTooManyRequests || !strings.Contains(got, "limits.key_requests") {
		t.Errorf("a second request of the key: %d %s", status, got)
	}
	if status, got := d.as(t, "other", parsePath, parseBody("hi")); status != http.StatusOK {
		t.Errorf("another key: %d %s", status, got)
	}
}

func TestOperatorsAndProbesAreAnsweredWhateverClientsDo(t *testing.T) {
	d := roles(t, func(c *config.Config) { c.Limits.Requests = 1 })
	if status, got, _ := d.unfinished(t, "tenant", parsePath, `{"template"`); status != 0 {
		t.Fatalf("%d %s", status, got)
	}
	if status, got := d.as(t, "boss", parsePath, parseBody("hi")); status != http.StatusServiceUnavailable {
		t.Errorf("a request beyond limits.requests: %d %s", status, got)
	}
	for _, path := range []string{statusPath, dragomanv1connect.WorkaroundServiceListWorkaroundsProcedure, dragomanv1connect.SnapshotServiceListSnapshotsProcedure} {
		if status, got := d.as(t, "boss", path, "{}"); status != http.StatusOK {
			t.Errorf("%s: %d %s", path, status, got)
		}
	}
	for _, path := range []string{healthPath, readyPath, metricsPath} {
		if status, got := d.get(t, path, "Authorization", "Bearer boss"); status != http.StatusOK {
			t.Errorf("%s: %d %s", path, status, got)
		}
	}
}

// TestUnfinishedBodiesAreBounded sends bodies that do not end, until no more are accepted.
func TestUnfinishedBodiesAreBounded(t *testing.T) {
	part := `{"` + strings.Repeat("x", 400<<10)
	for path := range map[string]bool{parsePath: true, linesPath: true} {
		for setting, keys := range map[string][]string{"limits.key_bodies_bytes": {"tenant"}, "limits.bodies_bytes": {"tenant", "other", "third"}} {
			t.Run(path+" "+setting, func(t *testing.T) {
				d := roles(t, func(c *config.Config) {
					c.Limits.BodyBytes, c.Limits.KeyBodiesBytes, c.Limits.BodiesBytes = 500<<10, 1000<<10, 1700<<10
				})
				const many = 9
				var answers [many]string
				var ends [many]func()
				var sent sync.WaitGroup
				for i := range many {
					sent.Go(func() { _, answers[i], ends[i] = d.unfinished(t, keys[i%len(keys)], path, part) })
				}
				sent.Wait()
				eventually(t, "most to be refused", func() bool {
					kept := many - len(d.log.with(`"msg":"request"`, `"code":"unavailable"`))
					return kept >= 2 && kept <= 5
				})
				if !slices.ContainsFunc(answers[:], func(body string) bool { return strings.Contains(body, setting) }) {
					t.Errorf("no answer names %s: %q", setting, answers)
				}
				for _, token := range []string{keys[0], "boss"} {
					if status, got := d.as(t, token, parsePath, parseBody("hi")); status != http.StatusOK {
						t.Errorf("a small request meanwhile: %d %s", status, got)
					}
				}
				if setting == "limits.key_bodies_bytes" {
					if status, got, _ := d.unfinished(t, "other", path, part); status != 0 {
						t.Errorf("another key: %d %s", status, got)
					}
				}
				for _, end := range ends {
					end()
				}
				eventually(t, "room", func() bool {
					status, _, finish := d.unfinished(t, keys[0], path, part)
					finish()
					return status == 0
				})
			})
		}
	}
}

// TestWholeMessagesAreNotHeld sends more on one stream than may be held at once.
func TestWholeMessagesAreNotHeld(t *testing.T) {
	d := serve(t, func(c *config.Config) {
		c.Limits.BodyBytes, c.Limits.BodiesBytes, c.Limits.KeyBodiesBytes = 300<<10, 300<<10, 300<<10
	})
	lines := startLine + strings.Repeat("\n"+line(strings.Repeat("x", 200<<10)), 10)
	if status, got := d.post(t, linesPath, lines); status != http.StatusOK || !strings.Contains(got, `"result"`) {
		t.Errorf("lines: %d %.300s", status, got)
	}
	stream := d.parseStreams(t)
	together(t, stream, first(1, template1))
	for range 10 {
		together(t, stream, piece(1, strings.Repeat("x", 200<<10)))
	}
	together(t, stream, ending(1))
	got := map[uint64]*received{}
	receiveUntil(t, stream, got, func() bool { return got[1] != nil && got[1].over() })
	if got[1].err != nil {
		t.Errorf("a shared stream: %v", got[1].err)
	}
}

func TestConnectionsWithoutAnAcceptedRequestAreBounded(t *testing.T) {
	const limit, many = 5, 20
	d := roles(t, func(c *config.Config) { c.Limits.Connections = limit })
	var conns []net.Conn
	used := d.dialTCP(t) // it brings a request first, and is not among those that go
	ask := func() (int, error) {
		_, err := fmt.Fprintf(used, "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer tenant\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}", listPath)
		must(t, err)
		res, err := http.ReadResponse(bufio.NewReader(used), nil)
		if err != nil {
			return 0, err
		}
		_, err = io.Copy(io.Discard, res.Body)
		return res.StatusCode, err
	}
	if status, err := ask(); status != http.StatusOK {
		t.Fatal(status, err)
	}
	for range many {
		conn := d.dialTCP(t)
		_, err := io.WriteString(conn, "POST ")
		must(t, err)
		conns = append(conns, conn)
	}
	for i, conn := range conns {
		must(t, conn.SetReadDeadline(time.Now().Add(100*time.Millisecond)))
		_, err := conn.Read(make([]byte, 1))
		waits, _ := err.(net.Error)
		if open := waits != nil && waits.Timeout(); open != (i >= many-limit) {
			t.Errorf("connection %d of %d: %v", i+1, many, err)
		}
	}
	if status, err := ask(); status != http.StatusOK {
		t.Errorf("the connection with requests: %d, %v", status, err)
	}
	if status, err := d.as(t, "tenant", listPath, "{}"); status != http.StatusOK {
		t.Errorf("a new connection: %d, %v", status, err)
	}
}
