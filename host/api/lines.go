package api

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/dragoman-project/dragoman/internal/wire/chatapi"
	"github.com/dragoman-project/dragoman/sdk/fault"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
)

// linesPath is the path of parse streams as lines of JSON over plain HTTP.
const linesPath = "/v1/parse/stream"

const linesType = "application/x-ndjson"

// parseLines parses an output whose messages are lines. Answers are sent while the request is still being received.
func (s *chatService) parseLines(w http.ResponseWriter, r *http.Request) {
	// HTTP/2 is full duplex anyway; some HTTP/1 proxies are not, and then the answers come at the end.
	_ = http.NewResponseController(w).EnableFullDuplex()
	limit := s.host.Snapshot().Config.Limits.BodyBytes
	x := &linesExchange{on: connectionOf(r.Context()), w: w, rc: http.NewResponseController(w), in: bufio.NewScanner(r.Body), limit: limit}
	x.in.Buffer(nil, limit)
	if coding := r.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		x.fault = invalid("Content-Encoding", fmt.Sprintf("unsupported for streams of lines: %.20q", coding), "send them uncompressed")
	}
	err := s.exchange(r.Context(), x)
	if err == nil {
		return
	}
	if x.begun {
		what, _ := describe(err)
		_ = x.send(&dragomanv1.ParseStreamResponse{Error: what}) // fails only if the client is gone
	} else {
		writeError(w, err)
	}
	if r.ProtoMajor == 1 {
		drain(w, r)
	}
}

// drainTime is how long what a client still sends after the answer is discarded.
const drainTime = 5 * time.Second

// drain discards what a client is still sending: closing an HTTP/1 connection now would deprive the client of the answer.
func drain(w http.ResponseWriter, r *http.Request) {
	if b, ok := r.Body.(*body); ok {
		b.time.limit(time.Now().Add(drainTime))
	}
	if http.NewResponseController(w).Flush() == nil {
		_, _ = io.Copy(io.Discard, r.Body) // ends, one way or the other
	}
}

// writeError answers with an error, in the form of a last line.
func writeError(w http.ResponseWriter, err error) {
	what, status := describe(err)
	line, err := jsonCodec{}.Marshal(&dragomanv1.ParseStreamResponse{Error: what})
	if err != nil {
		http.Error(w, what.Message, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(line, '\n')) // fails only when the client is gone
}

type linesExchange struct {
	on    *connection
	w     http.ResponseWriter
	rc    *http.ResponseController
	in    *bufio.Scanner
	limit int
	line  int
	fault error // returned by receive
	begun bool  // the status was sent

	request chatapi.Request
	text    []byte // the last chunk; its memory is reused
}

func (x *linesExchange) receive() (*dragomanv1.ParseStreamRequest, error) {
	if x.fault != nil {
		return nil, x.fault
	}
	for x.in.Scan() && x.in.Err() == nil { // after an error, what it has is a part of a line
		x.on.receivedWhole()
		x.line++
		text := bytes.TrimSpace(x.in.Bytes())
		if len(text) == 0 {
			continue
		}
		if !x.request.DecodeLine(text) {
			if err := (jsonCodec{}).Unmarshal(text, &x.request); err != nil {
				return nil, invalid(fmt.Sprintf("line %d", x.line), err.Error(), "")
			}
		}
		return &x.request.ParseStreamRequest, nil
	}
	switch err := x.in.Err(); {
	case err == nil:
		return nil, io.EOF
	case errors.Is(err, bufio.ErrTooLong):
		return nil, &fault.Error{Code: fault.LimitExceeded, Place: fmt.Sprintf("line %d", x.line+1),
			Message: fmt.Sprintf("line longer than %d bytes", x.limit), Remedy: "send the output in smaller pieces, or raise limits.body_bytes"}
	default:
		return nil, err
	}
}

func (x *linesExchange) send(m *dragomanv1.ParseStreamResponse) error {
	line, err := jsonCodec{}.Marshal(m)
	if err != nil {
		return err
	}
	return x.write(append(line, '\n'))
}

// chunk writes what send would for a chunk.
func (x *linesExchange) chunk(text []byte, ids chatapi.IDs) error {
	x.text = append(append(x.text[:0], `{"chunk":`...), text...)
	if ids.Known {
		x.text = strconv.AppendInt(append(x.text, `,"ids":{"first":`...), int64(ids.First), 10)
		x.text = append(strconv.AppendInt(append(x.text, `,"end":`...), int64(ids.End), 10), '}')
	}
	x.text = append(x.text, "}\n"...)
	return x.write(x.text)
}

func (x *linesExchange) push() { x.on.push() }

// write writes a line, which waits as long as others are being read.
func (x *linesExchange) write(line []byte) error {
	if !x.begun {
		x.begun = true
		x.w.Header().Set("Content-Type", linesType)
		x.w.Header().Set("X-Accel-Buffering", "no") // proxies should pass lines on at once
	}
	if _, err := x.w.Write(line); err != nil {
		return err
	}
	return x.rc.Flush()
}
