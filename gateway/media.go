package gateway

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/internal/ordered"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// Images and other parts go to an engine beside the prompt. What stands for them in the prompt differs:
//
//	the engine's own mark:     part → text with a placeholder ─template→ prompt ─engine→ its mark in place of the placeholder
//	what the template writes:  part → {"type": "image"}       ─template→ prompt with <|image_pad|> or the like
//
// A placeholder is a keyed hash of the part, so that prompts stay the same from turn to turn, and no client can write one.

// attachments are the parts of a request that are not text, in the order of the prompt.
type attachments struct {
	media  []engine.Media
	places []string // in the request
	marked bool     // the prompt has placeholders
}

// attach takes the parts that are not text from messages, and leaves in their places what the engines of the route need. The given
// messages are not changed. Places whose engines need something else leave the route.
func (g *Gateway) attach(messages []chat.Message, r *route) ([]chat.Message, *attachments, error) {
	a := new(attachments)
	for i, m := range messages {
		if !slices.ContainsFunc(m.Content.Parts, func(p chat.Part) bool { return !isText(p) }) {
			continue
		}
		if a.media == nil {
			messages = slices.Clone(messages)
		}
		parts := slices.Clone(m.Content.Parts)
		messages[i].Content.Parts = parts
		for j, p := range parts {
			if isText(p) {
				continue
			}
			at := ordered.IndexPath(ordered.MemberPath(ordered.IndexPath("messages", i), "content"), j)
			one, err := readMedia(at, p)
			if err != nil {
				return nil, nil, err
			}
			if err := a.choose(r, one.Kind, at); err != nil {
				return nil, nil, err
			}
			parts[j], one.Placeholder = g.stand(one, a.marked)
			a.media, a.places = append(a.media, one), append(a.places, at)
		}
	}
	return messages, a, nil
}

func isText(p chat.Part) bool { return p.Type == "text" || p.Type == "refusal" }

// choose keeps the places of a route whose engines take media of a kind, all in the same way.
func (a *attachments) choose(r *route, kind, at string) error {
	var able []place
	for _, p := range r.places {
		d := p.engine.Describe()
		if _, takes := d.Media[kind]; takes && (a.media == nil && len(able) == 0 || d.Media[kind] == a.marked) {
			a.marked = d.Media[kind]
			able = append(able, p)
		}
	}
	if len(able) == 0 {
		return fault.Invalid(at+".type", fmt.Sprintf("the engine of this model, %s, takes no %s beside a raw prompt; leave it out", r.places[0].engine.Describe().Kind, kind))
	}
	r.places = able
	return nil
}

// stand returns what stands for media in a message, and its placeholder, if it has one.
func (g *Gateway) stand(m engine.Media, marked bool) (chat.Part, string) {
	if !marked {
		return chat.Part{Type: m.Kind, Raw: json.RawMessage(`{"type":"` + m.Kind + `"}`)}, ""
	}
	hash := hmac.New(sha256.New, g.mediaKey[:])
	_, _ = hash.Write([]byte(m.Data)) // never fails
	text := "attached-" + hex.EncodeToString(hash.Sum(nil))
	return chat.Part{Type: "text", Text: text, Raw: json.RawMessage(`{"type":"text","text":"` + text + `"}`)}, text
}

// readMedia reads a part that is not text.
func readMedia(at string, p chat.Part) (m engine.Media, err error) {
	v, err := ordered.Parse(p.Raw)
	if err != nil {
		return m, err // it was JSON before
	}
	member := p.Type
	switch p.Type {
	case "image_url", "image":
		m.Kind = "image"
		url := v.Get(p.Type)
		if url.Kind() == ordered.Object {
			member, url = member+".url", url.Get("url")
		}
		var data string
		var ok bool
		if data, ok = strings.CutPrefix(url.Text(), "data:"); !ok {
			return m, fault.Invalid(at+"."+member, "expected a URL with the image in it, such as data:image/png;base64,…; the gateway fetches nothing")
		}
		if m.Type, m.Data, ok = strings.Cut(data, ";base64,"); !ok {
			return m, fault.Invalid(at+"."+member, "expected its data in base64, as in data:image/png;base64,…")
		}
	case "input_audio":
		m.Kind, member = "audio", member+".data"
		m.Type, m.Data = "audio/"+v.Get(p.Type).Get("format").Text(), v.Get(p.Type).Get("data").Text()
	default:
		return m, fault.Invalid(at+".type", fmt.Sprintf("expected text, image_url or input_audio, found %q", p.Type))
	}
	if n, err := base64.StdEncoding.Decode(make([]byte, base64.StdEncoding.DecodedLen(len(m.Data))), []byte(m.Data)); err != nil || n == 0 {
		return m, fault.Invalid(at+"."+member, "its data is not base64")
	}
	return m, nil
}

// rendered checks that the prompt of an answer has all that was attached.
func (a *Answer) rendered(ctx context.Context) error {
	if len(a.attached.media) == 0 {
		return nil
	}
	missing := func(i int) error {
		return fault.Invalid(a.attached.places[i], fmt.Sprintf("the template %q does not render it, so that the model would not see it; leave it out", a.route.template))
	}
	if a.attached.marked {
		from := 0
		for i, m := range a.attached.media {
			at := strings.Index(a.planned.Prompt[from:], m.Placeholder)
			if at < 0 {
				return missing(i)
			}
			from += at + len(m.Placeholder)
		}
		return nil
	}
	without := *a.Request()
	without.Messages = slices.Clone(without.Messages)
	for i := range without.Messages {
		c := &without.Messages[i].Content
		c.Parts = slices.DeleteFunc(slices.Clone(c.Parts), func(p chat.Part) bool { return !isText(p) })
	}
	other, err := a.gateway.host.Render(ctx, a.route.template, &without)
	if err != nil {
		return err
	}
	if other.Prompt == a.planned.Prompt {
		return missing(0)
	}
	return nil
}
