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

// Parsing says what becomes of output that is not what it should be, where a request does not say so itself.
type Parsing struct {
	UnknownTool     string `yaml:"unknown_tool" reload:"live" oneof:"forward content error" help:"a call of a tool that the request does not have: forward it as a call, make it content, or make an error of the output"`
	CallInReasoning string `yaml:"call_in_reasoning" reload:"live" oneof:"promote keep" help:"a call within reasoning: promote it to a call if it is well formed and the tool exists, or keep it"`
	TruncatedCall   string `yaml:"truncated_call" reload:"live" oneof:"partial drop content" help:"a call that breaks off: deliver it partial, drop it, or make it content"`
	Malformed       string `yaml:"malformed" reload:"live" oneof:"deliver error" help:"output that breaks the format: deliver it as content, or make an error of it"`
	// Templates holds, by the name of a template, the policies that differ for it, by the names above.
	Templates map[string]map[string]string `yaml:"templates" reload:"live" help:"what differs for single templates, by name: {TEMPLATE: {malformed: error}}"`
}

// For returns the policies in force for a template, named as requests may; those of a model hold for its variants, too. The
// configuration must be valid.
func (p Parsing) For(template string) chat.Policies {
	own := forTemplate(p.Templates, template)
	return chat.Policies{
		UnknownTool:     policy(cmp.Or(own["unknown_tool"], p.UnknownTool), chat.UnknownForward, chat.UnknownContent, chat.UnknownError),
		CallInReasoning: policy(cmp.Or(own["call_in_reasoning"], p.CallInReasoning), chat.PromoteCalls, chat.KeepCalls),
		TruncatedCall:   policy(cmp.Or(own["truncated_call"], p.TruncatedCall), chat.TruncatedPartial, chat.TruncatedDrop, chat.TruncatedContent),
		Malformed:       policy(cmp.Or(own["malformed"], p.Malformed), chat.MalformedDeliver, chat.MalformedError),
	}
}

// policy is the one of that name, and the default if no policy has it.
func policy[P fmt.Stringer](name string, byDefault P, others ...P) P {
	for _, p := range others {
		if p.String() == name {
			return p
		}
	}
	return byDefault
}

// templateEnding ends the names of templates' files; settings and requests may leave it out.
const templateEnding = ".jinja"

// forTemplate is what a setting has for a template: under its own name, or else under that of the model whose variant it is.
func forTemplate[V any](setting map[string]V, template string) (found V) {
	name := strings.TrimSuffix(template, templateEnding)
	for {
		for _, key := range []string{name, name + templateEnding} {
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

// Unmatched lists the settings that are for none of the templates of these names, each with its place: "dragoman.yaml:3:9:
// parsing.templates.qwen". That is no fault, for templates come and go, but mostly not what was meant.
func (c *Config) Unmatched(templates []string) (places []string) {
	matched := map[string]bool{}
	for _, name := range templates {
		for at := strings.TrimSuffix(name, templateEnding); at != ""; at = at[:max(0, strings.LastIndexByte(at, '/'))] {
			matched[at] = true
		}
	}
	unmatched := func(setting string, keys iter.Seq[string]) {
		for _, template := range slices.Sorted(keys) {
			if !matched[strings.TrimSuffix(template, templateEnding)] {
				places = append(places, c.Placed(setting+"."+template))
			}
		}
	}
	unmatched("templates.handlers", maps.Keys(c.Templates.Handlers))
	unmatched("parsing.templates", maps.Keys(c.Parsing.Templates))
	return places
}

// checkOverrides finds policies of single templates that there are not.
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
				bad(at, "there is no such policy, expected one of %s", strings.Join(slices.Sorted(maps.Keys(policies)), ", "))
				continue
			}
			checkOneOf(bad, at, c.Parsing.Templates[template][name], allowed)
		}
	}
}
