package chat

import (
	"slices"

	"github.com/dragoman-project/dragoman/internal/cache"
)

// ToolCache holds the tools of recent requests, since most requests of a client have the tools of the one before. Tools are
// recognised by their text, before it is read. A ToolCache is safe for concurrent use. The zero value is an empty cache of 32 MiB.
type ToolCache struct {
	read cache.Cache[cache.Key, []Tool]
}

// ParseRequest is like ParseRequestWith. Requests whose tools have the same text share the memory of these tools, which must not be
// changed.
func (c *ToolCache) ParseRequest(data []byte, defaults Policies) (*Request, error) {
	from, to := toolsIn(data)
	if from == to {
		return ParseRequestWith(data, defaults)
	}
	tools, err := c.tools(data[from:to])
	if err == nil {
		// With an empty list in place of the tools, which are one valid value, the text is valid if and only if it is with them.
		in := wireRequest{known: tools}
		r := new(Request)
		if err := unmarshal(r, slices.Concat(data[:from], []byte("[]"), data[to:]), in.reader(defaults)); err == nil {
			return r, nil
		}
	}
	return ParseRequestWith(data, defaults) // which finds where the fault is
}

// Stats returns what the cache has done and what it holds.
func (c *ToolCache) Stats() cache.Stats { return c.read.Stats() }

// tools returns the tools of a text.
func (c *ToolCache) tools(text []byte) ([]Tool, error) {
	tools, err := c.read.Get(cache.KeyOf(text), func() ([]Tool, int, error) {
		v, err := document(text)
		if err != nil {
			return nil, 0, err
		}
		tools, err := each(readTool)(v)
		size := len(text)
		for _, t := range tools {
			size += 2*len(t.Raw) + t.Parameters.Size()
		}
		return tools, size, err
	})
	return slices.Clone(tools), err
}

// toolsIn returns where the array "tools" of an object stands in its text. It looks at quotes and brackets alone: the places mean
// something only if the text is JSON. They are equal if there is no such array.
func toolsIn(text []byte) (from, to int) {
	at := afterBlanks(text, 0)
	if at == len(text) || text[at] != '{' {
		return 0, 0
	}
	for {
		name := afterBlanks(text, at+1)
		if name == len(text) || text[name] != '"' {
			return 0, 0
		}
		colon := afterString(text, name)
		value := afterBlanks(text, afterBlanks(text, colon)+1)
		at = afterValue(text, value)
		if at < len(text) && string(text[name:colon]) == `"tools"` && text[value] == '[' {
			return value, at
		}
		if at = afterBlanks(text, at); at == len(text) || text[at] != ',' {
			return 0, 0
		}
	}
}

// afterBlanks returns the place of the first byte from at on that is not white space.
func afterBlanks(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r') {
		at++
	}
	return min(at, len(text))
}

// afterString returns the place behind the string that begins at at.
func afterString(text []byte, at int) int {
	for at++; at < len(text) && text[at] != '"'; at++ {
		if text[at] == '\\' {
			at++
		}
	}
	return min(at+1, len(text))
}

// afterValue returns the place behind the value that begins at at.
func afterValue(text []byte, at int) int {
	for depth := 0; at < len(text); at++ {
		switch text[at] {
		case '"':
			at = afterString(text, at) - 1
			if depth == 0 {
				return at + 1
			}
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth <= 0 {
				return at + 1 + min(depth, 0)
			}
		case ',':
			if depth == 0 {
				return at
			}
		}
	}
	return len(text)
}
