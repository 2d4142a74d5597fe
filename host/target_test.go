package host

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// aHost returns a host with the embedded templates.
func aHost(t *testing.T) *Host {
	t.Helper()
	h, err := New(t.Context(), Options{Config: config.Default(), Static: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(t.Context()); err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
	})
	return h
}

const weatherParameters = `{"type": "object", "properties": {"city": {"type": "string"}, "days": {"$ref": "#/$defs/n"}}, "required": ["city"], "$defs": {"n": {"type": "integer"}}}`

func TestAPlanHasItsConstraintInTheNotationOfTheEngine(t *testing.T) {
	h := aHost(t)
	for _, tt := range []struct {
		target, members string
		content         string // the beginning of the constraint; empty if there is none
		notes           int
	}{
		{"", ``, "root ::=", 0},
		{"gbnf", ``, "root ::=", 0},
		{"structural_tag", ``, `{"type":"structural_tag","format":{"type":"triggered_tags"`, 0},
		{"structural_tag", `, "tool_choice": "required"`, `{"type":"structural_tag","format":{"type":"grammar"`, 0},
		{"ebnf", ``, "root ::=", 0},
		{"lark", ``, "%llguidance {}\n\nstart: ", 0},
		{"json_schema", ``, "", 1},
		{"json_schema", `, "tool_choice": "required"`, `{"anyOf":[{"type":"object","properties":{"name":{"const":"f"},"arguments":{`, 2},
		{"json_schema", `, "tool_choice": "none", "json_schema": {"type": "null"}`, `{"type": "null"}`, 0},
	} {
		target, err := ParseTarget(tt.target)
		if err != nil {
			t.Fatal(err)
		}
		p, err := h.Plan(t.Context(), "chatml-json", withTool(t, weatherParameters, tt.members))
		if err != nil {
			t.Fatal(err)
		}
		before := slices.Clone(p.Plan.Notes)
		of, err := p.In(t.Context(), target)
		if err != nil {
			t.Errorf("%s %s: %v", tt.target, tt.members, err)
			continue
		}
		content := ""
		if c := of.Plan.Constraint; c != nil {
			if content = c.Content; target == grammar.TargetGBNF {
				content = c.Grammar
			}
		}
		if !strings.HasPrefix(content, tt.content) || tt.content == "" && content != "" {
			t.Errorf("%s %s: %.200s", tt.target, tt.members, content)
		}
		if lost := of.Plan.Notes[len(before):]; len(lost) != tt.notes || !slices.Equal(p.Plan.Notes, before) {
			t.Errorf("%s %s: lost %q", tt.target, tt.members, lost)
		}
	}
}

func TestAPlanIsTranslatedConcurrently(t *testing.T) {
	h := aHost(t)
	p, err := h.Plan(t.Context(), "chatml-json", withTool(t, weatherParameters, `, "tool_choice": "required"`))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for _, target := range []grammar.Target{grammar.TargetStructuralTag, grammar.TargetEBNF, grammar.TargetLark} {
		wg.Go(func() {
			for range 200 {
				of, err := p.In(t.Context(), target)
				if err != nil || of.Plan.Constraint.Target != target {
					t.Errorf("for %s: %+v, %v", target, of.Plan.Constraint, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestReferencesStillResolveInAnEmbeddedSchema(t *testing.T) {
	p, err := aHost(t).Plan(t.Context(), "chatml-json", withTool(t, weatherParameters, `, "tool_choice": "required"`))
	if err != nil {
		t.Fatal(err)
	}
	if p, err = p.In(t.Context(), grammar.TargetJSONSchema); err != nil {
		t.Fatal(err)
	}
	c, err := grammar.FromSchema(jsonschema.MustParse(p.Plan.Constraint.Content))
	if err != nil {
		t.Fatal(err)
	}
	g, err := grammar.Parse(c.Grammar)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]grammar.Status{
		`{"name": "f", "arguments": {"city": "x", "days": 3}}`:   grammar.Accepted,
		`{"name": "f", "arguments": {"city": "x", "days": "3"}}`: grammar.Refused,
	} {
		if got := g.Match(text); got.Status != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestAnUnknownTargetIsTheClientsFault(t *testing.T) {
	_, err := ParseTarget("regex")
	if want := `target: unknown target "regex": expected one of gbnf, structural_tag, ebnf, lark, json_schema`; CodeOf(err) != InvalidArgument || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

// asked returns a request without tools and with the given members.
func asked(t *testing.T, members string) *chat.Request {
	t.Helper()
	r, err := chat.ParseRequest([]byte(`{"messages": [{"role": "user", "content": "Hi"}]` + members + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAGrammarOfTheClientConstrainsTheContent(t *testing.T) {
	h := aHost(t)
	for _, template := range []string{"chatml-json", "chatml-tagged"} {
		for _, tt := range []struct {
			members    string
			pass, fail []string
		}{
			{`, "grammar": "root ::= \"yes\" | \"no\""`, []string{"yes", "no"}, []string{"maybe", "yes no"}},
			{`, "guided_regex": "^[a-c]+\\d$"`, []string{"abc1"}, []string{"abc", "d1"}},
			{`, "guided_choice": ["one", "two \"x\""]`, []string{"one", `two "x"`}, []string{"three"}},
			{`, "tools": [{"type": "function", "function": {"name": "f"}}], "tool_choice": "none", "regex": "x"`, []string{"x"}, []string{"y"}},
		} {
			p, err := h.Plan(t.Context(), template, asked(t, tt.members))
			if err != nil {
				t.Errorf("%s %s: %v", template, tt.members, err)
				continue
			}
			if p.Plan.Constraint.Lazy {
				t.Errorf("%s %s: the constraint is lazy", template, tt.members)
			}
			g, err := grammar.Parse(p.Plan.Constraint.Grammar)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range tt.pass {
				if r := g.Match(text); r.Status != grammar.Accepted {
					t.Errorf("%s %s: %q: %v\n%s", template, tt.members, text, r, p.Plan.Constraint.Grammar)
				}
				session := p.Session(t.Context(), session.Options{})
				if _, err := session.Feed([]byte(text)); err != nil {
					t.Fatal(err)
				}
				if result, err := session.Finish(false); err != nil || result.Message.Content.Text == nil || *result.Message.Content.Text != text {
					t.Errorf("%s: %q parsed as %+v, %v", template, text, result.Message, err)
				}
			}
			for _, text := range tt.fail {
				if r := g.Match(text); r.Status == grammar.Accepted {
					t.Errorf("%s %s: %q is accepted", template, tt.members, text)
				}
			}
		}
	}
}

func TestWhatCannotBeEnforcedIsRefusedWithItsPath(t *testing.T) {
	h := aHost(t)
	tool := func(parameters, members string) string {
		return `, "tools": [{"type": "function", "function": {"name": "f", "strict": true, "parameters": ` + parameters + `}}]` + members
	}
	for _, tt := range []struct{ members, want string }{
		{tool(`{}`, `, "grammar": "root ::= \"x\""`), `grammar: it constrains the content and leaves no room for calls: leave out the tools, send tool_choice "none"`},
		{`, "grammar": "root ::= x"`, `grammar: grammar:1:10: undefined rule "x"`},
		{`, "response_format": {"type": "regex", "pattern": "(?=a)b"}`, `response_format.pattern: no grammar can be built from it: unsupported regular expression`},
		{tool(`{"properties": {"a": {"type": "integer", "multipleOf": 3}}}`, ``), `tools[0].function.parameters: strict, but it cannot be enforced: schema: #/properties/a: "multipleOf" is not enforced; leave out`},
		{`, "response_format": {"type": "json_schema", "json_schema": {"strict": true, "schema": {"uniqueItems": true}}}`, `response_format.json_schema.schema: strict, but it cannot be enforced: schema: #: "uniqueItems" is not enforced`},
	} {
		_, err := h.Plan(t.Context(), "chatml-json", asked(t, tt.members))
		var invalid *fault.Error
		if !errors.As(err, &invalid) || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s:\n got %v\nwant %s", tt.members, err, tt.want)
		}
	}
	for _, members := range []string{tool(`{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": false}`, ``),
		tool(`{"properties": {"a": {"multipleOf": 3}}}`, `, "tool_choice": "none"`)} {
		if _, err := h.Plan(t.Context(), "chatml-json", asked(t, members)); err != nil {
			t.Errorf("%s: %v", members, err)
		}
	}
}
