package request

import (
	"github.com/dragoman-project/dragoman/internal/ordered"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// words returns the text of a content, which has no other parts: those of a message are joined, a line each.
func (c *conversation) words(v *ordered.Value) (said []byte, err error) {
	switch v.Kind() {
	case ordered.Absent, ordered.Null:
		return nil, nil
	case ordered.String:
		return []byte(v.Text()), nil
	case ordered.Array:
	default:
		return nil, v.Expected("a string or an array of parts")
	}
	for i, part := range v.Items() {
		text, is, err := textOf(part)
		if err != nil {
			return nil, err
		}
		if !is {
			return nil, part.Get("type").Expected("a part with text")
		}
		if i > 0 {
			said = append(said, '\n')
		}
		said = append(said, text...)
	}
	return said, nil
}

// textOf returns the text of a part, unless it is something else.
func textOf(part *ordered.Value) (text string, is bool, err error) {
	kind, err := needed(part, "type", `a type such as "input_text"`)
	if err != nil {
		return "", false, err
	}
	member := "text"
	switch kind {
	case "input_text", "output_text", "text", "summary_text", "reasoning_text":
	case "refusal":
		member = "refusal"
	default:
		return "", false, nil
	}
	if part.Get(member).Kind() != ordered.String {
		return "", true, part.Missing(member, "a string")
	}
	return part.Get(member).Text(), true, nil
}

// content returns a content as chats write it.
func (c *conversation) content(v *ordered.Value) ([]byte, error) {
	if v.Kind() == ordered.String {
		return v.Raw(), nil
	}
	if v.Kind() != ordered.Array {
		return nil, v.Expected("a string or an array of parts")
	}
	out := []byte{'['}
	for _, part := range v.Items() {
		text, is, err := textOf(part)
		switch {
		case err != nil:
			return nil, err
		case is:
			out = append(appendText(append(next(out), `{"type":"text","text":`...), text), '}')
		case part.Get("type").Text() == "input_image":
			if out, err = image(next(out), part); err != nil {
				return nil, err
			}
		default:
			out = append(next(out), part.Raw()...) // the plan knows what engines take
		}
	}
	return append(out, ']'), nil
}

// image appends an image as chats write it.
func image(out []byte, part *ordered.Value) ([]byte, error) {
	url := part.Get("image_url")
	if isSet(part.Get("file_id")) && !isSet(url) {
		return nil, &fault.Error{Code: fault.InvalidArgument, Place: part.Path() + ".file_id", Message: "files are not kept here", Remedy: "send the image in image_url, as a data URL"}
	}
	if url.Kind() != ordered.String {
		return nil, part.Missing("image_url", "the URL of an image")
	}
	out = append(append(out, `{"type":"image_url","image_url":{"url":`...), url.Raw()...)
	if detail := part.Get("detail"); isSet(detail) {
		out = append(append(out, `,"detail":`...), detail.Raw()...)
	}
	return append(out, "}}"...), nil
}
