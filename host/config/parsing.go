package config

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// Parsing is how irregular output is treated, unless the request sets it.
type Parsing struct {
	UnknownTool     string `yaml:"unknown_tool" reload:"live" oneof:"forward content error" help:"a call of a tool that the request does not have: forward it as a call, deliver it as content, or reject the output with an error"`
	CallInReasoning string `yaml:"call_in_reasoning" reload:"live" oneof:"promote keep" help:"a call within reasoning: promote it to a call if it is well formed and the tool exists, or keep it as reasoning"`
	TruncatedCall   string `yaml:"truncated_call" reload:"live" oneof:"partial drop content" help:"a call that breaks off: deliver it partially, drop it, or deliver it as content"`
	Malformed       string `yaml:"malformed" reload:"live" oneof:"deliver error" help:"output that breaks the format: deliver it as content, or reject it with an error"`

	UnclosedReasoning string `yaml:"unclosed_reasoning" reload:"live" oneof:"keep content" help:"a complete answer that is all reasoning, whose end marker never came: keep it as reasoning, or deliver its text as content at the end, too"`

	// Templates are the policies that differ for single templates, by template and by the names above.
	Templates map[string]map[string]string `yaml:"templates" reload:"live" help:"policies that differ for single templates, by name: {TEMPLATE: {malformed: error}}"`
}

// For returns the policies for a template, named as in requests; those of a model apply to its variants, too. The configuration must
// be valid.
func (p Parsing) For(template string) chat.Policies {
	own := forTemplate(p.Templates, template)
	return chat.Policies{
		UnknownTool:     policy(cmp.Or(own["unknown_tool"], p.UnknownTool), chat.UnknownForward, chat.UnknownContent, chat.UnknownError),
		CallInReasoning: policy(cmp.Or(own["call_in_reasoning"], p.CallInReasoning), chat.PromoteCalls, chat.KeepCalls),
		TruncatedCall:   policy(cmp.Or(own["truncated_call"], p.TruncatedCall), chat.TruncatedPartial, chat.TruncatedDrop, chat.TruncatedContent),
		Malformed:       policy(cmp.Or(own["malformed"], p.Malformed), chat.MalformedDeliver, chat.MalformedError),

		UnclosedReasoning: policy(cmp.Or(own["unclosed_reasoning"], p.UnclosedReasoning), chat.UnclosedKeep, chat.UnclosedContent),
	}
}

// policy returns the policy of that name, or byDefault if there is none.
func policy[P fmt.Stringer](name string, byDefault P, others ...P) P {
	for _, p := range others {
		if p.String() == name {
			return p
		}
	}
	return byDefault
}

// templateExt is the extension of templates' files, which settings and requests may omit.
const templateExt = ".jinja"

// forTemplate returns the value of a setting for a template: under its own name, or else under that of the model whose variant it is.
func forTemplate[V any](setting map[string]V, template string) (found V) {
	name := strings.TrimSuffix(template, templateExt)
	for {
		for _, key := range []string{name, name + templateExt} {
			if v, ok := setting[key]; ok {
				return v
			}
		}
		end := strings.LastIndexByte(name, '/')
		if end < 0 {
			return found
		}
		name = name[:end]
	}
}

// Unmatched returns the settings for templates that are not in the list, each with its place: "dragoman.yaml:3:9:
// parsing.templates.chatml". They are not faults, since templates come and go, but usually mistakes.
func (c *Config) Unmatched(templates []string) (places []string) {
	matched := map[string]bool{}
	for _, name := range templates {
		for at := strings.TrimSuffix(name, templateExt); at != ""; at = at[:max(0, strings.LastIndexByte(at, '/'))] {
			matched[at] = true
		}
	}
	unmatched := func(setting string, keys iter.Seq[string]) {
		for _, template := range slices.Sorted(keys) {
			if !matched[strings.TrimSuffix(template, templateExt)] {
				places = append(places, c.Placed(setting+"."+template))
			}
		}
	}
	unmatched("templates.handlers", maps.Keys(c.Templates.Handlers))
	unmatched("parsing.templates", maps.Keys(c.Parsing.Templates))
	return places
}

// checkOverrides checks the policies of single templates.
func (c *Config) checkOverrides(bad badFunc) {
	const key = "parsing.templates"
	policies := map[string][]string{}
	for _, f := range Fields() {
		if name, ok := strings.CutPrefix(f.Key, "parsing."); ok && f.oneOf != nil {
			policies[name] = f.oneOf
		}
	}
	for _, template := range slices.Sorted(maps.Keys(c.Parsing.Templates)) {
		for _, name := range slices.Sorted(maps.Keys(c.Parsing.Templates[template])) {
			allowed, ok := policies[name]
			at := key + "." + template + "." + name
			if !ok {
				bad(at, "unknown policy; expected one of %s", strings.Join(slices.Sorted(maps.Keys(policies)), ", "))
				continue
			}
			checkOneOf(bad, at, c.Parsing.Templates[template][name], allowed)
		}
	}
}
