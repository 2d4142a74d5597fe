package api

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/dragoman-project/dragoman/host/config"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
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
		defer res.Body.Close()
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
		var waits net.Error
		if open := errors.As(err, &waits) && waits.Timeout(); open != (i >= many-limit) {
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

// TestAStreamThatIsCutOffEndsWithUnavailable ends a daemon while streams wait for more of their outputs.
func TestAStreamThatIsCutOffEndsWithUnavailable(t *testing.T) {
	d := serve(t, func(c *config.Config) { c.Shutdown.Grace = 20 * time.Millisecond })
	in, out := io.Pipe()
	defer out.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.url+linesPath, in)
	must(t, err)
	lines := make(chan string)
	go func() {
		_, text := do(t, req)
		lines <- text
	}()
	_, err = io.WriteString(out, startLine+"\n"+line("Hello ")+"\n")
	must(t, err)
	single := open(t, t.Context(), dragomanv1connect.NewChatServiceClient(httpClient(t), d.url, connect.WithGRPC()))
	must(t, single.Send(&dragomanv1.ParseStreamRequest{Start: start1(), Chunk: &dragomanv1.ParseStreamRequest_Text{Text: "Hello there."}}))
	many := d.parseStreams(t)
	together(t, many, first(1, template1), piece(1, "Hello there."))
	eventually(t, "three sessions", func() bool { return d.sessions.Load() == 3 })
	d.stop()
	if text := <-lines; !strings.Contains(text, `"unavailable"`) || strings.Contains(text, `"result"`) {
		t.Errorf("lines end with %s", text)
	}
	for err == nil {
		_, err = single.Receive()
	}
	if connect.CodeOf(err) != connect.CodeUnavailable {
		t.Errorf("a stream ends with %v", err)
	}
	got, failed := map[uint64]*received{}, error(nil)
	for failed == nil {
		var m *dragomanv1.ParseStreamsResponse
		if m, failed = many.Receive(); failed == nil {
			for _, r := range m.Outputs {
				if e := r.Message.GetError(); e != nil {
					got[r.Output] = &received{err: e}
				}
			}
		}
	}
	if got[1] == nil || got[1].err.Code != "unavailable" || connect.CodeOf(failed) != connect.CodeUnavailable {
		t.Errorf("the output of a shared stream ends with %v, and the stream with %v", got[1], failed)
	}
	d.logs(t, 4, `"msg":"request"`, `"code":"unavailable"`)
	if blamed := d.log.with(`"msg":"request"`, `"code":"canceled"`); len(blamed) > 0 {
		t.Errorf("the log blames the client: %s", blamed)
	}
}
