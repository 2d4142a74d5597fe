package suggest

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
)

// Candidate is a set of fields under which bad outputs might be read well.
type Candidate struct {
	// Fields are the fields of the dialect to set, by their names in rules, with texts, lists of texts, or booleans.
	Fields map[string]any
	// Outputs counts those that show them.
	Outputs int
}

// maxCandidates bounds how many candidates are returned.
const maxCandidates = 24

// Candidates returns what bad outputs of a template show of a dialect that differs from the one in force, the most frequent first.
func Candidates(d dialect.Dialect, outputs []Seen) []Candidate {
	c := collector{dialect: d, found: map[string]*Candidate{}}
	for i := range outputs {
		if s := &outputs[i]; s.Badness() > 0 {
			c.shown = map[string]bool{}
			c.calls(s)
			c.reasoning(s)
		}
	}
	all := slices.Collect(maps.Values(c.found))
	slices.SortFunc(all, func(a, b *Candidate) int {
		return cmp.Or(cmp.Compare(b.Outputs, a.Outputs), cmp.Compare(len(a.Fields), len(b.Fields)), cmp.Compare(key(a.Fields), key(b.Fields)))
	})
	var out []Candidate
	for _, one := range all[:min(len(all), maxCandidates)] {
		out = append(out, *one)
	}
	return out
}

// key identifies a set of fields.
func key(fields map[string]any) string {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		fmt.Fprintf(&text, "%s=%q\n", name, fields[name])
	}
	return text.String()
}

// collector collects candidates, each once an output.
type collector struct {
	dialect dialect.Dialect
	found   map[string]*Candidate
	shown   map[string]bool // by the present output
}

// add adds the fields that differ from those in force.
func (c *collector) add(fields, inForce map[string]any) {
	differ := map[string]any{}
	for name, value := range fields {
		if fmt.Sprint(inForce[name]) != fmt.Sprint(value) {
			differ[name] = value
		}
	}
	k := key(differ)
	if len(differ) == 0 || c.shown[k] {
		return
	}
	c.shown[k] = true
	if c.found[k] == nil {
		c.found[k] = &Candidate{Fields: differ}
	}
	c.found[k].Outputs++
}

// calls adds what the calls of an output show.
func (c *collector) calls(s *Seen) {
	for _, one := range callsIn(s.Output, s.Tools) {
		before, behind := around(s.Output, one)
		for _, levels := range layouts(before, behind) {
			tools := one.tools
			tools.SectionStart, tools.SectionEnd, tools.PerCallStart, tools.PerCallEnd = levels[0], levels[1], levels[2], levels[3]
			c.add(toolFields(tools, tools.Format), toolFields(c.dialect.Tools, tools.Format))
		}
	}
}

// layouts returns the ways in which the tags around a call can be those of a section and of a call.
func layouts(before, behind []string) (all [][4]string) {
	last := func(tags []string, n int) string {
		if n > len(tags) {
			return ""
		}
		return tags[len(tags)-n]
	}
	inner, outer := [2]string{last(before, 1), last(behind, 1)}, [2]string{last(before, 2), last(behind, 2)}
	if len(before) < 2 {
		return [][4]string{{"", "", inner[0], inner[1]}, {inner[0], inner[1], "", ""}}
	}
	return [][4]string{{outer[0], outer[1], inner[0], inner[1]}, {"", "", inner[0], inner[1]}}
}

// toolFields returns the fields of calls of a format that candidates set.
func toolFields(t dialect.Tools, of dialect.ToolFormat) map[string]any {
	d := dialect.Dialect{Tools: t}
	j, f, a := &d.Tools.JSON, &d.Tools.Function, &d.Tools.Arguments
	at := []any{&d.Tools.Format, &d.Tools.SectionStart, &d.Tools.SectionEnd, &d.Tools.PerCallStart, &d.Tools.PerCallEnd}
	switch of {
	case dialect.JSONNative:
		at = append(at, &j.NameField, &j.ArgsField, &j.FunctionField, &j.NameIsKey, &j.ArrayWrapped, &j.ArgsAreString, &j.ParameterOrder)
	case dialect.TagWithTagged:
		at = append(at, &a.NamePrefix, &a.NameSuffix, &a.ValueSuffix)
		fallthrough
	case dialect.TagWithJSON:
		at = append(at, &f.NamePrefix, &f.NameSuffix, &f.Close)
	}
	return fieldsAt(&d, at...)
}

// fieldsAt returns fields of a dialect by their names.
func fieldsAt(d *dialect.Dialect, at ...any) map[string]any {
	fields := map[string]any{}
	for _, p := range at {
		v := reflect.ValueOf(p).Elem()
		if fields[d.FieldAt(p)] = v.Interface(); v.Kind() == reflect.String {
			fields[d.FieldAt(p)] = v.String()
		}
	}
	return fields
}

// reasoningFields returns the fields of reasoning.
func reasoningFields(r dialect.Reasoning) map[string]any {
	d := dialect.Dialect{Reasoning: r}
	return fieldsAt(&d, &d.Reasoning.Mode, &d.Reasoning.Start, &d.Reasoning.End)
}

// reasoning adds what the tags of an output show of its reasoning.
func (c *collector) reasoning(s *Seen) {
	r := &c.dialect.Reasoning
	offer := func(start, end string) {
		seen := dialect.Reasoning{Mode: dialect.ReasoningTagBased, Start: start, End: end}
		c.add(reasoningFields(seen), reasoningFields(*r))
	}
	content := s.Message.Content.Join("")
	for _, text := range []string{content, s.Output} {
		if start, end, found := pairAtStart(text); found {
			offer(start, end)
		}
	}
	open := map[string]bool{}
	for _, at := range tag.FindAllStringIndex(s.Output, -1) {
		name, closing := closes(s.Output[at[0]:at[1]])
		if !closing {
			open[name] = true
			continue
		}
		if end := s.Output[at[0]:at[1]]; !open[name] && end != strings.TrimSpace(r.End) && !isMarkerOfCalls(s, end) {
			offer(r.Start, end)
			offer("", end)
		}
	}
}

// isMarkerOfCalls reports whether a tag stands around what looks like a call.
func isMarkerOfCalls(s *Seen, marker string) bool {
	for _, one := range callsIn(s.Output, s.Tools) {
		_, behind := around(s.Output, one)
		if strings.Contains(s.Output[one.from:one.to], marker) || slices.ContainsFunc(behind, func(b string) bool { return strings.Contains(b, marker) }) {
			return true
		}
	}
	return false
}
