package api

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/internal/wire/chatapi"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
)

var startLine = fmt.Sprintf(`{"start": {"template": %q, "request": %s, "options": {"no_ids": true}}}`, template1, request1)

func TestLinesAreAnsweredWhileTheyCome(t *testing.T) {
	d := serve(t, nil)
	for protocol, client := range map[string]*http.Client{
		"HTTP/1.1": {Transport: &http.Transport{DisableKeepAlives: true}},
		"HTTP/2":   httpClient(t),
	} {
		t.Run(protocol, func(t *testing.T) {
			in, out := io.Pipe()
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.url+linesPath, in)
			must(t, err)
			sent := make(chan error, 1)
			firstSeen, seen := context.WithCancel(t.Context())
			go func() {
				defer out.Close()
				_, err := fmt.Fprintf(out, "%s\n\n%s\n", startLine, line("Let me look"))
				<-firstSeen.Done() // the second piece is sent after the answer to the first
				for piece := range strings.SplitSeq(strings.TrimPrefix(output1, "Let me look"), "") {
					_, err = fmt.Fprintln(out, line(piece))
				}
				sent <- err
			}()
			res, err := client.Do(req)
			must(t, err)
			defer res.Body.Close()
			defer seen()
			if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != linesType {
				t.Errorf("%d %s", res.StatusCode, res.Header)
			}
			var chunks []string
			var result *dragomanv1.ParseResponse
			for lines := bufio.NewScanner(res.Body); lines.Scan(); {
				var m dragomanv1.ParseStreamResponse
				must(t, jsonCodec{}.Unmarshal(lines.Bytes(), &m))
				if m.Chunk != nil {
					chunks = append(chunks, m.Chunk.Text)
				}
				if strings.Contains(m.GetChunk().GetText(), "Let me look") {
					seen()
				}
				result = m.Result
			}
			if result == nil {
				t.Fatalf("no result after %q", chunks)
			}
			must(t, <-sent)
			same(t, result.Message.Text, message1)
			joined(t, chunks, result)
		})
	}
}

func line(text string) string {
	quoted, _ := json.Marshal(text)
	return `{"text": ` + string(quoted) + `}`
}

func TestErrorsNameTheirLine(t *testing.T) {
	d := serve(t, nil)
	tests := []struct {
		name   string
		body   string
		status int
		want   string
	}{
		{"nothing", "", 400, `"place":"start"`},
		{"no start", line("x"), 400, `"place":"start"`},
		{"start twice", startLine + "\n" + startLine, 400, `"place":"start"`},
		{"no JSON", "{", 400, `"place":"line 1"`},
		{"misspelled", startLine + "\n" + `{"txt": "a"}`, 400, `"place":"line 2"`},
		{"unknown template", `{"start": {"template": "nobody", "request": {"messages": [{"role": "user", "content": "x"}]}}}`, 404, `"code":"not_found"`},
		{"special tokens outside of the piece", startLine + "\n" + `{"text": "ab", "special": [{"start": 1, "end": 3}]}`, 400, `"place":"special[0]"`},
		{"special tokens out of order", startLine + "\n" + `{"text": "abcd", "special": [{"start": 2, "end": 3}, {"start": 1, "end": 2}]}`, 400, `"place":"special[1]"`},
		{"after an answer the error is the last line", startLine + "\n" + line("Hello there.") + "\n{", 200, `"place":"line 3"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			status, body := d.post(t, linesPath, tt.body)
			lines := strings.Split(strings.TrimSpace(body), "\n")
			if last := lines[len(lines)-1]; status != tt.status || !strings.Contains(last, tt.want) || !strings.Contains(last, `{"error":`) {
				t.Errorf("%d %s\nexpected %d and in the last line %s", status, body, tt.status, tt.want)
			}
		})
	}
}

func TestCompressedLinesAreRefused(t *testing.T) {
	d := serve(t, nil)
	if status, body := d.post(t, linesPath, startLine, "Content-Encoding", "gzip"); status != http.StatusBadRequest || !strings.Contains(body, `"place":"Content-Encoding"`) || !strings.Contains(body, "uncompressed") {
		t.Errorf("%d %s", status, body)
	}
	if status, body := d.post(t, linesPath, startLine, "Content-Encoding", "identity"); status != http.StatusOK {
		t.Errorf("uncompressed: %d %s", status, body)
	}
}

// TestAClientThatReadsLaterLearnsWhyItsLinesEnd sends everything before reading, as simple clients
// do.
func TestAClientThatReadsLaterLearnsWhyItsLinesEnd(t *testing.T) {
	d := serve(t, func(c *config.Config) { c.Limits.OutputBytes = 1000 })
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(d.url, "http://"))
	must(t, err)
	defer conn.Close()
	body := startLine + "\n" + strings.Repeat(line(strings.Repeat("x", 1000))+"\n", 20_000)
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: dragoman\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", linesPath, len(body), body)
	must(t, err)
	answer, err := io.ReadAll(conn)
	must(t, err)
	if !strings.Contains(string(answer), `"code":"limit_exceeded"`) || !strings.Contains(string(answer), "limits.output_bytes") {
		t.Errorf("the response ends with %.300s, expected the limit and a remedy", answer[max(0, len(answer)-300):])
	}
}

func TestChunksAreWrittenAsLinesInGeneral(t *testing.T) {
	out := httptest.NewRecorder()
	x := &linesExchange{w: out, rc: http.NewResponseController(out)}
	want := ""
	for _, text := range []string{`{"content":"<b> \"雨\" &\n"}`, `{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\": 1e5,"}}]}`} {
		for _, ids := range []chatapi.IDs{{}, {Known: true}, {First: 3, End: 12, Known: true}} {
			m := (&chatapi.Answer{Chunk: []byte(text), IDs: ids}).Message().(*dragomanv1.ParseStreamResponse)
			line, err := jsonCodec{}.Marshal(m)
			must(t, err)
			want += string(line) + "\n" + string(line) + "\n"
			must(t, x.send(m))
			must(t, x.chunk([]byte(text), ids))
		}
	}
	if got := out.Body.String(); got != want {
		t.Errorf("wrote %s, want %s", got, want)
	}
}

// counted counts writes and flushes.
type counted struct {
	*httptest.ResponseRecorder
	writes, flushes int
}

func (c *counted) Write(p []byte) (int, error) {
	c.writes++
	return c.ResponseRecorder.Write(p)
}

func (c *counted) Flush() { c.flushes++ }

func TestAnswersWaitUntilMoreIsRead(t *testing.T) {
	below := &counted{ResponseRecorder: httptest.NewRecorder()}
	w := &writer{ResponseWriter: below, rc: http.NewResponseController(below), time: newWatchdog(new(deadlines), func() {}), later: true}
	in := &body{ReadCloser: io.NopCloser(strings.NewReader("ab")), left: -1, time: newWatchdog(new(deadlines), func() {}), before: w.push}
	w.Header().Set("X-Before", "sent")
	for range 3 {
		_, err := io.WriteString(w, "answer ")
		must(t, err)
		w.Flush()
	}
	w.Header().Set("X-Before", "too late")
	if below.writes+below.flushes > 0 {
		t.Errorf("%d writes and %d flushes before more is read", below.writes, below.flushes)
	}
	_, err := io.ReadFull(in, make([]byte, 1))
	must(t, err)
	if below.writes != 1 || below.flushes != 1 || below.Body.String() != "answer answer answer " || below.Result().Header.Get("X-Before") != "sent" {
		t.Errorf("%d writes, %d flushes of %q with %v", below.writes, below.flushes, below.Body, below.Result().Header)
	}
	for range 2 {
		_, err := w.Write(make([]byte, maxWaiting))
		must(t, err)
		w.Flush()
	}
	if below.writes != 2 {
		t.Errorf("%d writes, although too much waits", below.writes)
	}
}
