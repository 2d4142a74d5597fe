package gateway

import (
	"strings"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// cutter ends the content of an answer at the first of the client's stops. Engines would look for them in reasoning and calls, too.
//
//	content so far: | delivered | held |      held is the beginning of a stop, and is delivered when it cannot become one
type cutter struct {
	stops []string
	held  string
	sent  int    // bytes of content that were delivered
	calls int    // calls that were delivered
	cut   bool   // a stop was found; nothing follows
	by    string // that stop, or the one that the engine has found
}

// append appends the pieces to dst as far as they are not held back.
func (c *cutter) append(dst, pieces []chat.Piece) []chat.Piece {
	if len(c.stops) == 0 {
		return append(dst, pieces...)
	}
	for _, p := range pieces {
		if c.cut {
			break
		}
		switch p.Kind {
		case chat.ContentText:
			text := c.add(string(p.Text))
			if text == "" {
				continue
			}
			p.Text = []byte(text)
			c.sent += len(text)
		case chat.CallArguments:
			dst = c.flush(dst)
			c.calls = max(c.calls, p.Call+1)
		}
		dst = append(dst, p)
	}
	return dst
}

// add returns the text to deliver after more content.
func (c *cutter) add(more string) string {
	text := c.held + more
	at := -1
	for _, stop := range c.stops {
		if i := strings.Index(text, stop); i >= 0 && (at < 0 || i < at) {
			at, c.by = i, stop
		}
	}
	if at >= 0 {
		c.cut, c.held = true, ""
		return text[:at]
	}
	keep := 0
	for _, stop := range c.stops {
		for n := min(len(stop)-1, len(text)); n > keep; n-- {
			if strings.HasSuffix(text, stop[:n]) {
				keep = n
			}
		}
	}
	c.held = text[len(text)-keep:]
	return text[:len(text)-keep]
}

// flush appends what is held back: no stop can follow.
func (c *cutter) flush(dst []chat.Piece) []chat.Piece {
	if c.held == "" {
		return dst
	}
	p := chat.Piece{Kind: chat.ContentText, Text: []byte(c.held)}
	c.sent += len(c.held)
	c.held = ""
	return append(dst, p)
}

// shorten takes from a result what was not delivered.
func (c *cutter) shorten(r *session.Result) {
	if text := r.Message.Content.Text; text != nil {
		r.Message.Content = chat.TextContent((*text)[:min(c.sent, len(*text))])
	}
	r.Message.ToolCalls = r.Message.ToolCalls[:min(c.calls, len(r.Message.ToolCalls))]
	r.FinishReason = chat.FinishStop
	if len(r.Message.ToolCalls) > 0 {
		r.FinishReason = chat.FinishToolCalls
	}
}
