package detect_test

import (
	"encoding/json"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/probe"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// scribe writes conversations in a dialect as a template would: the inverse of detection.
type scribe struct {
	dialect.Dialect
	always bool   // answers without reasoning have empty reasoning
	opens  string // the end of a prompt with thinking
	closes string // the end of a prompt without
	cuts   bool   // the reasoning of earlier answers is cut off
	tells  bool   // a system prompt switches thinking
	layout string // white space before calls
	single bool   // a message has one call at most
}

func (s scribe) render(p probe.Probe) (string, error) {
	var b strings.Builder
	b.WriteString("<s>")
	for _, tool := range p.Request.Tools {
		b.WriteString("tool " + tool.Name + " " + tool.Parameters.String() + "\n")
	}
	if s.tells && p.Request.EnableThinking != nil && !*p.Request.EnableThinking {
		b.WriteString("Do not think.\n")
	}
	for i, m := range p.Request.Messages {
		if m.Role == chat.RoleUser {
			b.WriteString(s.UserStart + "\n" + *m.Content.Text + "\n")
			continue
		}
		end := s.EndOfTurn
		if len(m.ToolCalls) > 0 && s.EndOfCalls != "" {
			end = s.EndOfCalls
		}
		b.WriteString(s.AssistantStart + "\n" + s.answer(m, i+1 < len(p.Request.Messages)) + end + "\n")
	}
	if p.Request.AddGenerationPrompt {
		b.WriteString(s.AssistantStart + "\n")
		if *p.Request.EnableThinking {
			b.WriteString(s.opens)
		} else {
			b.WriteString(s.closes)
		}
	}
	return b.String(), nil
}

func (s scribe) answer(m chat.Message, earlier bool) string {
	text := *m.Content.Text
	if s.cuts && earlier {
		if _, after, found := strings.Cut(text, strings.TrimSpace(s.Reasoning.End)); found {
			text = after
		}
	}
	shown := s.Reasoning.Mode == dialect.ReasoningTagBased || s.Reasoning.Mode == dialect.ReasoningToolsOnly && len(m.ToolCalls) > 0
	thoughts := ""
	if shown && !s.cuts && (m.ReasoningContent != "" || s.always) {
		thoughts = s.Reasoning.Start + m.ReasoningContent + s.Reasoning.End
	}
	wrapped := s.Content.Mode == dialect.ContentAlwaysWrapped ||
		s.Content.Mode == dialect.ContentWrappedWithReasoning && m.ReasoningContent != ""
	if wrapped && text != "" {
		text = s.Content.Start + text + s.Content.End
	}
	return thoughts + text + s.calls(m.ToolCalls)
}

func (s scribe) calls(calls []chat.Call) string {
	if len(calls) == 0 {
		return ""
	}
	t := s.Tools
	var written []string
	for i, c := range calls {
		written = append(written, t.PerCallStart+s.call(c, i)+t.PerCallEnd)
	}
	all := strings.Join(written, t.CallSeparator)
	if t.JSON.ArrayWrapped {
		all = "[" + strings.Join(written, ", ") + "]"
	}
	return s.layout + t.SectionStart + all + t.SectionEnd
}

func (s scribe) call(c chat.Call, i int) string {
	t := s.Tools
	id := t.CallID.Prefix + c.ID + t.CallID.Suffix
	name := t.Function.NamePrefix + c.Name + t.Function.NameSuffix
	switch t.CallID.Position {
	case dialect.CallIDBeforeName:
		name = id + name
	case dialect.CallIDBetweenNameAndArgs:
		name += id
	}
	arguments := s.arguments(c.Arguments)
	if t.CallID.Position == dialect.CallIDAfterArgs {
		arguments += id
	}
	if t.Format == dialect.JSONNative {
		return s.jsonCall(c, i)
	}
	return name + arguments + strings.ReplaceAll(t.Function.Close, dialect.NamePlaceholder, c.Name)
}

func (s scribe) arguments(text string) string {
	if s.Tools.Format == dialect.TagWithJSON {
		return text
	}
	a := s.Tools.Arguments
	var members []string
	var values map[string]any
	if err := json.Unmarshal([]byte(text), &values); err != nil {
		return text
	}
	for _, name := range []string{probe.Argument, probe.OtherArgument} {
		if v, ok := values[name]; ok {
			value, isText := v.(string)
			before := a.NameSuffix + a.ValuePrefix
			switch {
			case !isText:
				value = probe.Number
				before = strings.Replace(before, a.TextType, map[bool]string{true: "number"}[a.TextType != ""], 1)
			case a.ValuesAreJSON:
				value = `"` + value + `"`
			}
			members = append(members, a.NamePrefix+name+before+value+strings.ReplaceAll(a.ValueSuffix, dialect.NamePlaceholder, name))
		}
	}
	return a.Start + strings.Join(members, a.Separator) + a.End
}

func (s scribe) jsonCall(c chat.Call, i int) string {
	j := s.Tools.JSON
	if j.NameIsKey {
		return `{"` + c.Name + `": ` + c.Arguments + `}`
	}
	arguments := c.Arguments
	if j.ArgsAreString {
		arguments = `"` + strings.ReplaceAll(arguments, `"`, `\"`) + `"`
	}
	values := map[string]string{
		j.NameField: `"` + c.Name + `"`, j.ArgsField: arguments, j.IDField: `"` + c.ID + `"`,
		j.GenIDField: `"` + string(rune('0'+i)) + `"`,
	}
	var outer, inner []string
	for _, field := range j.ParameterOrder {
		if short, nested := strings.CutPrefix(field, j.FunctionField+"."); nested {
			inner = append(inner, `"`+short+`": `+values[field])
		} else {
			outer = append(outer, `"`+field+`": `+values[field])
		}
	}
	if inner != nil {
		outer = append(outer, `"`+j.FunctionField+`": {`+strings.Join(inner, ", ")+`}`)
	}
	object := "{" + strings.Join(outer, ", ") + "}"
	if j.PythonDicts {
		return strings.ReplaceAll(object, `"`, "'")
	}
	return object
}
