package suggest

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/internal/ordered"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// call is what looks like a call of one of the tools of a request, with all that is known of its shape.
type call struct {
	from, to int // where it is written, without the tags around it
	tools    dialect.Tools
}

// maxTries bounds the places of a text at which a call is looked for: each may read the text to its end.
const maxTries = 256

// callsIn returns what looks like calls in a text.
func callsIn(text string, tools []chat.Tool) (all []call) {
	tries := 0
	for at := 0; at < len(text) && tries < maxTries; {
		var c call
		found := false
		switch text[at] {
		case '{', '[':
			tries++
			c, found = objectAt(text, at, tools)
		case '<':
			tries++
			c, found = markupAt(text, at, tools)
		}
		if !found {
			at++
			continue
		}
		all = append(all, c)
		at = c.to
	}
	return all
}

// valueAt returns the JSON value that a text has at an offset, and where it ends.
func valueAt(text string, at int) (*ordered.Value, int) {
	in := json.NewDecoder(strings.NewReader(text[at:]))
	var raw json.RawMessage
	if in.Decode(&raw) != nil {
		return nil, at
	}
	v, err := ordered.ParseWith(raw, ordered.Options{Tolerant: true})
	if err != nil {
		return nil, at
	}
	return v, at + int(in.InputOffset())
}

// objectAt returns the call that is a JSON object, or the calls that are an array of them.
func objectAt(text string, at int, tools []chat.Tool) (c call, found bool) {
	v, end := valueAt(text, at)
	if v == nil {
		return c, false
	}
	c.from, c.to = at, end
	if items := v.Items(); len(items) > 0 {
		v, c.tools.JSON.ArrayWrapped = items[0], true
	}
	c.tools.Format = dialect.JSONNative
	j := &c.tools.JSON
	if shape(v, tools, j) {
		return c, true
	}
	for name, inner := range v.Members() {
		if shape(inner, tools, j) && !j.NameIsKey {
			j.FunctionField = name
			return c, true
		}
	}
	return c, false
}

// shape finds the members of an object that are the name of a tool and its arguments.
func shape(v *ordered.Value, tools []chat.Tool, j *dialect.JSON) bool {
	if v.Kind() != ordered.Object {
		return false
	}
	name, args := "", ""
	for member, value := range v.Members() {
		switch {
		case name == "" && value.Kind() == ordered.String && isTool(value.Text(), tools):
			name = member
		case args == "" && value.Kind() == ordered.Object:
			args = member
		case args == "" && value.Kind() == ordered.String && strings.HasPrefix(value.Text(), "{") && json.Valid([]byte(value.Text())):
			args, j.ArgsAreString = member, true
		}
	}
	switch {
	case name != "" && args != "":
		j.NameField, j.ArgsField, j.ParameterOrder = name, args, v.Names()
		return true
	case v.Len() == 1 && args != "" && isTool(args, tools):
		j.NameIsKey = true
		return true
	}
	return false
}

func isTool(name string, tools []chat.Tool) bool {
	return slices.ContainsFunc(tools, func(t chat.Tool) bool { return t.Name == name })
}

const (
	// maxMarkup is the longest markup before a name, and maxBehind that behind it.
	maxMarkup = 60
	maxBehind = 12
)

// markupAt returns the call whose name stands in the markup that begins at an offset: <function=NAME>.
func markupAt(text string, at int, tools []chat.Tool) (c call, found bool) {
	prefix, name, suffix, next := named(text, at, func(name string) bool { return isTool(name, tools) })
	if name == "" {
		return c, false
	}
	f := &c.tools.Function
	f.NamePrefix, f.NameSuffix = prefix, suffix
	c.from, c.to = at, next
	if v, end := valueAt(text, next); v.Kind() == ordered.Object {
		c.tools.Format = dialect.TagWithJSON
		f.Close, c.to = closing(text, end, name)
		return c, true
	}
	c.tools.Format = dialect.TagWithTagged
	argumentsAt(text, &c)
	f.Close, c.to = closing(text, c.to, name)
	return c, c.tools.Arguments.NamePrefix != "" || f.Close != ""
}

// argumentsAt reads the arguments in markup that stand behind the name of a call.
func argumentsAt(text string, c *call) {
	for {
		at := c.to + blank(text[c.to:])
		if at == len(text) || text[at] != '<' || strings.HasPrefix(text[at:], "</") {
			return
		}
		prefix, name, suffix, value := named(text, at, func(string) bool { return true })
		end := strings.Index(text[value:], "</")
		if name == "" || end < 0 {
			return
		}
		close := strings.IndexByte(text[value+end:], '>')
		if close < 0 {
			return
		}
		to := value + end + close + 1
		a := &c.tools.Arguments
		a.NamePrefix, a.NameSuffix = prefix, strings.TrimRight(suffix, " \n")
		a.ValueSuffix = placeheld(text[value+end:to], name)
		c.to = to
	}
}

// plainWord matches what can be a name in the text of a tag.
var plainWord = regexp.MustCompile(`[\w.-]+`)

// named returns the name in the markup at an offset, with what stands before it and behind it, and where that ends. The name is the
// first word of a tag's text, behind "=", a quote or the bracket itself, that is wanted.
func named(text string, at int, wanted func(string) bool) (prefix, name, suffix string, next int) {
	end := strings.IndexByte(text[at:min(len(text), at+maxMarkup)], '>')
	if end < 0 {
		return "", "", "", at
	}
	end += at
	words := plainWord.FindAllStringIndex(text[at:end], -1)
	slices.Reverse(words) // the last word of <invoke name="f"> is the name
	for _, w := range words {
		from, to := at+w[0], at+w[1]
		if before := text[from-1]; before != '=' && before != '"' && before != '\'' && before != '<' && before != ':' || end-to > maxBehind || !wanted(text[from:to]) {
			continue
		}
		next = end + 1 + blank(text[end+1:])
		return text[at:from], text[from:to], text[to:next], next
	}
	return "", "", "", at
}

// closing returns the closing tag that stands at an offset, with the name of a function replaced, and where it ends.
func closing(text string, at int, name string) (string, int) {
	from := at + blank(text[at:])
	if !strings.HasPrefix(text[from:], "</") {
		return "", at
	}
	end := strings.IndexByte(text[from:], '>')
	if end < 0 || end > maxMarkup {
		return "", at
	}
	end += from + 1
	return placeheld(text[from:end], name), end
}

// placeheld returns a closing tag with the placeholder for the name that it ends with, if it does.
func placeheld(tag, name string) string {
	before, ends := strings.CutSuffix(tag, name+">")
	if !ends || !strings.ContainsAny(before[len(before)-1:], "/:=") {
		return tag
	}
	return before + dialect.NamePlaceholder + ">"
}

// blank returns how many bytes of white space a text begins with.
func blank(text string) int { return len(text) - len(strings.TrimLeft(text, " \t\r\n")) }

// around returns the tags directly before and behind a call, the outermost first, each with the white space next to the call's side.
func around(text string, c call) (before, behind []string) {
	at := c.from
	for {
		head := strings.TrimRight(text[:at], " \t\r\n")
		all := tag.FindAllStringIndex(head[max(0, len(head)-maxMarkup):], -1)
		if len(all) == 0 || all[len(all)-1][1] != min(len(head), maxMarkup) {
			break
		}
		start := len(head) - min(len(head), maxMarkup) + all[len(all)-1][0]
		if _, closing := closes(text[start:len(head)]); closing {
			break
		}
		before = append(before, text[start:at])
		at = start
	}
	slices.Reverse(before)
	for at = c.to; len(behind) < len(before); {
		next := at + blank(text[at:])
		where := tag.FindStringIndex(text[next:])
		if where == nil || where[0] != 0 {
			break
		}
		if _, closing := closes(text[next : next+where[1]]); !closing {
			break
		}
		behind = append(behind, text[at:next+where[1]])
		at = next + where[1]
	}
	slices.Reverse(behind)
	return before, behind
}
