package openai

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/dragoman-project/dragoman/gateway"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// The gateway's own headers.
const (
	overheadHeader = "Dragoman-Overhead-Ms"
	warningsHeader = "Dragoman-Warnings"
)

// chat answers a chat request.
func (s *service) chat(w http.ResponseWriter, r *http.Request) error {
	begun := time.Now()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	received := time.Now()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	a, err := s.gateway.Plan(ctx, body)
	if err != nil {
		return err
	}
	api.Received(ctx)
	api.Note(ctx, api.Facts{Template: a.Template, Handler: a.Handler})
	if a.IncludeUsage && !a.Stream {
		return fault.Invalid("stream_options", "only allowed with stream: true")
	}
	release, err := api.Outputs(ctx, a.Choices-1)
	if err != nil {
		return err
	}
	defer release()
	c := &completion{Answer: a, w: w, cancel: cancel, response: chat.Response{ID: "chatcmpl-" + rand.Text(), Created: begun, Model: a.Model}}
	waited, err := c.begin(ctx)
	defer c.close()
	if err != nil {
		return err
	}
	overhead := time.Since(received) - waited
	api.Note(ctx, api.Facts{FirstToken: time.Since(begun), Overhead: overhead})
	c.head(overhead)
	if err = c.deliver(); err == nil {
		c.note(ctx)
	}
	return err
}

// completion is an answer being delivered.
type completion struct {
	*gateway.Answer
	w        http.ResponseWriter
	response chat.Response
	outputs  []*gateway.Output  // one for each choice
	cancel   context.CancelFunc // ends all of them
}

// begin begins the outputs, and returns how long engines were waited for.
func (c *completion) begin(ctx context.Context) (waited time.Duration, err error) {
	c.outputs = make([]*gateway.Output, c.Choices)
	waits := make([]time.Duration, c.Choices)
	var all errgroup.Group
	for i := range c.outputs {
		all.Go(func() (err error) {
			if c.outputs[i], err = c.Begin(ctx, c.response.ID, &waits[i]); err != nil {
				c.cancel()
			}
			return err
		})
	}
	err = all.Wait()
	return slices.Max(waits), err
}

// close gives up what has not ended.
func (c *completion) close() {
	for _, o := range c.outputs {
		if o != nil {
			o.Close()
		}
	}
}

// head sets the gateway's headers.
func (c *completion) head(overhead time.Duration) {
	c.w.Header().Set(overheadHeader, strconv.FormatFloat(float64(overhead.Microseconds())/1000, 'f', -1, 64))
	var warnings []string
	for _, o := range c.outputs {
		for _, text := range o.Warnings() {
			if text = plain(text); !slices.Contains(warnings, text) {
				warnings = append(warnings, text)
			}
		}
	}
	if len(warnings) > 0 {
		const most = 2000 // bytes, which all clients accept
		text := strings.Join(warnings, "; ")
		c.w.Header().Set(warningsHeader, text[:min(len(text), most)])
	}
}

// plain returns a text with what a header cannot contain replaced.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, text)
}

// deliver sends the answer.
func (c *completion) deliver() error {
	if c.Stream {
		return c.stream()
	}
	var all errgroup.Group
	for _, o := range c.outputs {
		all.Go(func() error {
			var pieces []chat.Piece
			for {
				var err error
				if pieces, err = o.Next(pieces[:0]); errors.Is(err, io.EOF) {
					return nil
				} else if err != nil {
					c.cancel()
					return err
				}
			}
		})
	}
	if err := all.Wait(); err != nil {
		return err
	}
	answer := chat.Envelope[choice]{ID: c.response.ID, Object: "chat.completion", Created: c.response.Created.Unix(), Model: c.Model}
	for i, o := range c.outputs {
		answer.Choices = append(answer.Choices, choice{Index: i, Message: o.Result().Message, FinishReason: c.reason(o)})
	}
	return writeJSON(c.w, http.StatusOK, struct {
		chat.Envelope[choice]
		Usage *usage `json:"usage,omitempty"`
	}{answer, count(c.outputs)})
}

// choice is a chat.Choice with the members that some clients expect.
type choice struct {
	Index        int               `json:"index"`
	Message      chat.Message      `json:"message"`
	Logprobs     *struct{}         `json:"logprobs"`
	FinishReason chat.FinishReason `json:"finish_reason"`
}

// reason returns why an output has finished: "stop" also after the call of the function that the client named, as OpenAI does.
func (c *completion) reason(o *gateway.Output) chat.FinishReason {
	reason := o.Result().FinishReason
	if reason == chat.FinishToolCalls && c.Request().ToolChoice.Mode == chat.ToolNamed {
		return chat.FinishStop
	}
	return reason
}

// note adds what is known at the end to the record of the request.
func (c *completion) note(ctx context.Context) {
	facts := api.Facts{Report: c.outputs[0].Result().Report}
	if u := count(c.outputs); u != nil {
		facts.PromptTokens, facts.CompletionTokens = u.PromptTokens, u.CompletionTokens
	}
	api.Note(ctx, facts)
}

// fail sends an error within a stream.
func (c *completion) fail(err error) {
	known := new(fault.Error)
	if !errors.As(err, &known) {
		known = &fault.Error{Code: fault.Internal, Message: fmt.Sprint(err)}
	}
	_ = c.event(describe(known)) // fails only when the client is gone
}
