package recorder

import (
	"bytes"
	"regexp"
	"slices"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-project/dragoman/internal/ordered"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// Redacted takes the place of texts in requests.
const Redacted = "[redacted]"

// redaction is what recordings must not contain. The zero value redacts nothing.
type redaction struct {
	roles    []string   // of messages, whose contents and calls go
	members  [][]string // paths of members of requests; * is any member
	patterns []*regexp.Regexp
}

// apply redacts a recording.
//
// Texts of the request make room for a placeholder. In what the model wrote each byte is masked by one of its kind, so that every
// offset stays true, and what was well formed stays so. The prompt repeats the request in the words of the template, where roles
// and members cannot be found again: its tail goes as a whole.
func (d *redaction) apply(r *Recording) error {
	if len(d.roles)+len(d.members) > 0 {
		r.PromptTail = ""
	}
	if len(d.roles)+len(d.members)+len(d.patterns) == 0 {
		return nil
	}
	request, err := d.request(r.Request)
	if err != nil {
		return err
	}
	r.Request, r.PromptTail = request, d.text(r.PromptTail)
	begun := []byte(r.GenerationPrompt)
	d.mask(begun)
	r.GenerationPrompt = string(begun)
	d.mask(r.Output)
	d.report(r.Report)
	return nil
}

// report redacts what a report quotes.
func (d *redaction) report(r *chat.Report) {
	r.Faults, r.UnknownTools, r.Notes = slices.Clone(r.Faults), slices.Clone(r.UnknownTools), slices.Clone(r.Notes)
	for i := range r.Faults {
		r.Faults[i].Message = d.text(r.Faults[i].Message)
	}
	for _, texts := range [][]string{r.UnknownTools, r.Notes} {
		for i := range texts {
			texts[i] = d.text(texts[i])
		}
	}
}

// text returns a text with the placeholder for what a pattern matches.
func (d *redaction) text(s string) string {
	for _, p := range d.patterns {
		s = p.ReplaceAllLiteralString(s, Redacted)
	}
	return s
}

// mask masks what a pattern matches.
func (d *redaction) mask(text []byte) {
	for _, p := range d.patterns {
		for _, at := range p.FindAllIndex(text, -1) {
			escaped := at[0] > 0 && text[at[0]-1] == '\\'
			for i := at[0]; i < at[1]; i++ {
				switch c := text[i]; {
				case escaped, c < 0x80 && bytes.IndexByte([]byte("\\\"'{}[]()<>,:=/|"), c) >= 0, unicode.IsSpace(rune(c)):
				case c >= '0' && c <= '9':
					text[i] = '1' // a number may not begin with 0
				default:
					text[i] = 'x'
				}
				escaped = text[i] == '\\' && !escaped
			}
		}
	}
}

// request returns a request, redacted. The order of its members is kept.
func (d *redaction) request(text []byte) ([]byte, error) {
	v, err := ordered.ParseWith(text, ordered.Options{Tolerant: true})
	if err != nil {
		return nil, err
	}
	return d.append(nil, v, within{paths: d.members, root: true}), nil
}

// within is what is known of a value in a request.
type within struct {
	paths   [][]string // what is left of the paths that may lead to redacted members below it
	root    bool       // it is the request
	message bool       // it is a message, or the list of them
	hidden  bool
}

// plumbing are the members of a hidden message that stay, because templates and the reader of requests need them.
var plumbing = []string{"role", "type", "id", "tool_call_id"}

// append appends a value, redacted.
func (d *redaction) append(dst []byte, v *ordered.Value, in within) []byte {
	switch v.Kind() {
	case ordered.String:
		if in.hidden {
			return append(dst, `"`+Redacted+`"`...)
		}
		return d.appendText(dst, v)
	case ordered.Number:
		if in.hidden {
			return append(dst, '0')
		}
	case ordered.Array:
		dst = append(dst, '[')
		for i, item := range v.Items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = d.append(dst, item, in)
		}
		return append(dst, ']')
	case ordered.Object:
		return d.appendObject(dst, v, in)
	}
	return append(dst, v.Raw()...)
}

func (d *redaction) appendText(dst []byte, v *ordered.Value) []byte {
	was := v.Text()
	if is := d.text(was); is != was {
		quoted, err := jsontext.AppendQuote(dst, is)
		if err == nil {
			return quoted
		}
	}
	return append(dst, v.Raw()...)
}

func (d *redaction) appendObject(dst []byte, v *ordered.Value, in within) []byte {
	hides := in.message && slices.Contains(d.roles, v.Get("role").Text())
	dst = append(dst, '{')
	first := true
	for name, member := range v.Members() {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		below := within{hidden: (in.hidden || hides) && !slices.Contains(plumbing, name), message: in.root && name == "messages"}
		for _, path := range in.paths {
			if path[0] != name && path[0] != "*" {
				continue
			}
			if len(path) == 1 {
				below.hidden = true
			} else {
				below.paths = append(below.paths, path[1:])
			}
		}
		dst, _ = jsontext.AppendQuote(dst, name) // a name that was read can be written
		dst = append(dst, ':')
		if below.hidden && name == "arguments" && member.Kind() == ordered.String {
			dst = append(dst, `"{}"`...) // what templates expect there is JSON
			continue
		}
		dst = d.append(dst, member, below)
	}
	return append(dst, '}')
}
