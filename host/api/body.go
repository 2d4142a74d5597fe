package api

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dragoman-project/dragoman/internal/wire/chatapi"
	"github.com/dragoman-project/dragoman/sdk/fault"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
)

// body is the body of a request, within its limits. Its errors are connect's, which connect passes on unchanged.
//
// What was read of a request, or of a message of a stream, stays in memory until it is answered, or taken: a client that sends much
// and does not finish would hold that of all others. So the bytes beyond the first few of each are shared out.
type body struct {
	io.ReadCloser
	rc      *http.ResponseController
	time    *watchdog
	before  func()       // called before reading, which may block; may be nil
	cause   func() error // why the request was cut off; nil in tests
	limit   int
	left    int  // bytes that may still come; negative: any number
	refused bool // the header announces more than limit
	ended   bool // there is no more

	shares  []share
	held    int   // bytes that were read and not taken
	tooMuch error // why no more is read
}

// share is a bound on the bytes of many bodies.
type share struct {
	used    *atomic.Int64
	limit   int
	setting string
}

// freeBytes of each request or message are not counted: small requests are answered whatever others send.
const freeBytes = 64 << 10

// hold counts bytes that were read.
func (b *body) hold(n int) {
	counted := max(0, b.held-freeBytes)
	b.held += n
	more := int64(max(0, b.held-freeBytes) - counted)
	for _, s := range b.shares { // each, since taken gives back to each
		if used := s.used.Add(more); more > 0 && used > int64(s.limit) {
			b.tooMuch = failure(&fault.Error{Code: fault.Unavailable, Message: fmt.Sprintf("requests under way have more than %d bytes together", s.limit),
				Remedy: "try again later, send less at once, or raise " + s.setting})
		}
	}
	if b.tooMuch != nil {
		b.taken() // now, as otherwise the others that are being read would be refused for it, too
	}
}

// taken gives back what is held.
func (b *body) taken() {
	counted := int64(max(0, b.held-freeBytes))
	b.held = 0
	for _, s := range b.shares {
		s.used.Add(-counted)
	}
}

func (b *body) Read(p []byte) (int, error) {
	if b.refused {
		return 0, b.tooLarge()
	}
	if b.tooMuch != nil {
		return 0, b.tooMuch
	}
	if b.left >= 0 && len(p) > b.left+1 {
		p = p[:b.left+1]
	}
	if b.before != nil {
		b.before()
	}
	b.time.begin()
	n, err := b.ReadCloser.Read(p)
	b.time.end()
	b.ended = b.ended || err != nil
	if b.left >= 0 {
		if b.left -= n; b.left < 0 {
			b.refused = true
			return 0, b.tooLarge()
		}
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = failure(b.fault())
	}
	b.hold(n)
	if b.tooMuch != nil {
		return 0, b.tooMuch
	}
	return n, err
}

// fault returns the error of an interrupted read.
func (b *body) fault() error {
	if why := new(fault.Error); b.cause != nil && errors.As(b.cause(), &why) {
		return why
	}
	return b.time.fault()
}

func (b *body) tooLarge() error {
	return failure(&fault.Error{Code: fault.LimitExceeded, Message: fmt.Sprintf("the body has more than %d bytes", b.limit),
		Remedy: "send less at once, or raise limits.body_bytes"})
}

// leaveTime is how long a request that was answered early may go on sending.
const leaveTime = 200 * time.Millisecond

// leave bounds the time in which net/http discards what was not read, before it sends the answer, or when the body is closed.
func (b *body) leave() {
	if !b.ended {
		_ = b.rc.SetReadDeadline(time.Now().Add(leaveTime)) // fails only when the stream is over
	}
}

// Close gives up the rest of the body.
func (b *body) Close() error {
	b.leave()
	return b.ReadCloser.Close()
}

// ahead is the body of a stream, read in larger pieces than the head of a message: each read of an HTTP/2 body costs a turn of
// the connection's goroutine.
type ahead struct {
	*bufio.Reader
	io.Closer
}

// aheadBytes is how much of a stream is read at once. A piece of an output is a few bytes.
const aheadBytes = 512

// writer is the answer to a request, within its deadlines.
//
// The answers to a stream of one output wait until the stream would block, which is when it reads on: what arrives together is
// answered together. Reading and writing are then the work of one goroutine.
type writer struct {
	http.ResponseWriter
	rc    *http.ResponseController
	time  *watchdog
	unary bool

	later   bool          // hold back what is written
	begun   bool          // the header was written
	waiting *bytes.Buffer // what is held back; nil: nothing
	flushed bool          // what is held back shall be sent
	failed  error         // of writing what was held back
}

// maxWaiting is the size in bytes from which answers no longer wait.
const maxWaiting = 32 << 10

// buffers are memory for answers that wait. A stream has one only while it does not block.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// WriteHeader corrects statuses that blame the server for mistakes of the client, and adds an error as the body where connect
// sends a status alone.
func (w *writer) WriteHeader(status int) {
	w.begun = true
	switch {
	case w.unary && status == http.StatusTooManyRequests: // connect's status for a message that is too large
		w.ResponseWriter.WriteHeader(http.StatusRequestEntityTooLarge)
	case w.unary && status == http.StatusNotImplemented: // of an unknown compression, which the body explains
		w.ResponseWriter.WriteHeader(http.StatusUnsupportedMediaType)
	case status == http.StatusUnsupportedMediaType:
		w.explain(status, "unsupported Content-Type", "send one of "+w.Header().Get("Accept-Post")+"; streams of lines go to "+linesPath)
	case status == http.StatusMethodNotAllowed:
		w.explain(status, "method not allowed, expected POST", "send the message as the body of a POST")
	case status == http.StatusHTTPVersionNotSupported:
		w.explain(status, "streams in both directions need HTTP/2", "use HTTP/2, or send lines of JSON to "+linesPath)
	default:
		w.ResponseWriter.WriteHeader(status)
	}
}

// explain answers with an error of the client.
func (w *writer) explain(status int, message, remedy string) {
	e := &fault.Error{Code: fault.InvalidArgument, Message: message, Remedy: remedy}
	body, _ := jsonCodec{}.Marshal(&dragomanv1.ParseStreamResponse{Error: chatapi.EncodeError(e)})
	w.Header().Set("Content-Type", "application/json")
	w.ResponseWriter.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // fails only when the client is gone
}

// Write writes to the client, who has a limited time to read.
func (w *writer) Write(p []byte) (int, error) {
	if !w.later {
		return w.write(p)
	}
	if w.failed != nil {
		return 0, w.failed
	}
	if !w.begun {
		w.WriteHeader(http.StatusOK) // with the header as it is now
	}
	if w.waiting == nil {
		w.waiting = buffers.Get().(*bytes.Buffer)
	}
	return w.waiting.Write(p)
}

func (w *writer) write(p []byte) (int, error) {
	w.time.begin()
	defer w.time.end()
	return w.ResponseWriter.Write(p)
}

// Flush sends what was written.
func (w *writer) Flush() {
	if w.flushed = true; w.waiting == nil || w.waiting.Len() > maxWaiting {
		w.push()
	}
}

// push sends what waits.
func (w *writer) push() {
	if w.waiting != nil {
		_, w.failed = w.write(w.waiting.Bytes())
		w.waiting.Reset()
		buffers.Put(w.waiting)
		w.waiting = nil
	}
	if w.flushed {
		w.flushed = false
		w.time.begin()
		defer w.time.end()
		_ = w.rc.Flush() // the next write fails if the client is gone
	}
}

// finish sends what waits, and ends the supervision of writes. What is still buffered goes to the client after the handler has returned, and is bounded
// by a deadline of the connection.
func (w *writer) finish() {
	w.push()
	w.time.stop()
	if idle := w.time.deadlines.idle; idle > 0 {
		_ = w.rc.SetWriteDeadline(time.Now().Add(idle))
	}
}

// Unwrap returns the writer below, for http.ResponseController.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
