package gateway

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/internal/ordered"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// Settings are the members of a chat request that are neither for the template nor for the parser.
type Settings struct {
	Model        string
	Choices      int // how many answers
	Stream       bool
	IncludeUsage bool // at the end of a stream
	Stops        []string
	Logprobs     bool // of the content
	TopLogprobs  int  // for each token
	Parameters   []engine.Parameter
	Ignored      []string // members that nothing reads, each as its name or "name: why"
}

// The most choices of an answer, stops of a request, and log probabilities for a token.
const (
	maxChoices = 16
	maxStops   = 16

	maxLogprobs = 20
)

// setting reads a member of a request.
type setting func(s *Settings, name string, v *ordered.Value) error

// settings are the members that are known. What has no effect on an answer is known and not read.
var settings = map[string]setting{
	"model":                 text(func(s *Settings, t string) { s.Model = t }),
	"n":                     whole(1, maxChoices, func(s *Settings, n int) { s.Choices = n }),
	"stream":                boolean(func(s *Settings, b bool) { s.Stream = b }),
	"stream_options":        streamOptions,
	"stop":                  stops,
	"max_tokens":            limit,
	"max_completion_tokens": limit,
	"min_tokens":            whole(0, maxInt, nil),
	"temperature":           number(0, 2),
	"top_p":                 number(0, 1),
	"top_k":                 whole(-1, maxInt, nil),
	"min_p":                 number(0, 1),
	"frequency_penalty":     number(-2, 2),
	"presence_penalty":      number(-2, 2),
	"repetition_penalty":    number(0, 2),
	"seed":                  whole(minInt, maxInt, nil),
	"logit_bias":            bias,
	"ignore_eos":            boolean(nil),

	"logprobs":           boolean(func(s *Settings, b bool) { s.Logprobs = b }),
	"top_logprobs":       whole(0, maxLogprobs, func(s *Settings, n int) { s.TopLogprobs = n }),
	"audio":              unless("", "answers are text; leave it out"),
	"modalities":         unless(`["text"]`, `answers are text; leave it out, or send ["text"]`),
	"store":              dropped("false", "store: answers are not stored"),
	"prediction":         dropped("", "prediction: engines do not take one"),
	"web_search_options": dropped("", "web_search_options: the gateway does not search"),
	"verbosity":          dropped("", "verbosity: templates do not know it"),

	"user": nil, "metadata": nil, "service_tier": nil, "prompt_cache_key": nil, "prompt_cache_retention": nil, "safety_identifier": nil,
}

const (
	maxInt = 1<<53 - 1
	minInt = -maxInt
)

// readSettings reads the members of a request that package chat does not know.
func readSettings(fields []chat.Field) (Settings, error) {
	s := Settings{Choices: 1}
	for _, f := range fields {
		v, err := ordered.Parse(f.Value)
		if err != nil {
			return s, err // it was valid JSON before
		}
		read, known := settings[f.Name]
		switch {
		case !known:
			s.Ignored = append(s.Ignored, f.Name)
		case read != nil && v.Kind() != ordered.Null:
			if err := read(&s, f.Name, v); err != nil {
				return s, err
			}
		}
	}
	if s.TopLogprobs > 0 && !s.Logprobs {
		return s, fault.Invalid("top_logprobs", "only allowed with logprobs: true")
	}
	if s.Model == "" {
		return s, fault.Invalid("model", "missing; expected the name of a model, as GET /v1/models lists them")
	}
	return s, nil
}

// expected returns the error for a member with another value than expected.
func expected(name, what string, v *ordered.Value) error {
	found := v.Kind().String()
	if v.Kind() == ordered.Number || v.Kind() == ordered.Bool {
		found = string(v.Raw())
	}
	return fault.Invalid(name, "expected "+what+", found "+found)
}

// set adds a parameter, or replaces it.
func (s *Settings) set(name string, v *ordered.Value) {
	s.Parameters = slices.DeleteFunc(s.Parameters, func(p engine.Parameter) bool { return p.Name == name })
	s.Parameters = append(s.Parameters, engine.Parameter{Name: name, Value: json.RawMessage(v.Raw())})
}

func text(store func(*Settings, string)) setting {
	return func(s *Settings, name string, v *ordered.Value) error {
		if v.Kind() != ordered.String {
			return expected(name, "a string", v)
		}
		store(s, v.Text())
		return nil
	}
}

func boolean(store func(*Settings, bool)) setting {
	return func(s *Settings, name string, v *ordered.Value) error {
		switch {
		case v.Kind() != ordered.Bool:
			return expected(name, "true or false", v)
		case store == nil:
			s.set(name, v)
		default:
			store(s, v.IsTrue())
		}
		return nil
	}
}

// whole reads a whole number from low to high; without store it is a parameter.
func whole(low, high int, store func(*Settings, int)) setting {
	what := fmt.Sprintf("a whole number from %d to %d", low, high)
	return func(s *Settings, name string, v *ordered.Value) error {
		n, err := strconv.Atoi(string(v.Raw()))
		switch {
		case v.Kind() != ordered.Number || err != nil || n < low || n > high:
			return expected(name, what, v)
		case store == nil:
			s.set(name, v)
		default:
			store(s, n)
		}
		return nil
	}
}

// number reads a parameter that is a number from low to high.
func number(low, high float64) setting {
	what := fmt.Sprintf("a number from %g to %g", low, high)
	return func(s *Settings, name string, v *ordered.Value) error {
		n, err := strconv.ParseFloat(string(v.Raw()), 64)
		if v.Kind() != ordered.Number || err != nil || n < low || n > high {
			return expected(name, what, v)
		}
		s.set(name, v)
		return nil
	}
}

// limit reads max_completion_tokens, or max_tokens, its old name.
func limit(s *Settings, name string, v *ordered.Value) error {
	err := whole(1, maxInt, func(*Settings, int) {})(s, name, v)
	if err == nil {
		s.set(engine.MaxTokens, v)
	}
	return err
}

func streamOptions(s *Settings, name string, v *ordered.Value) error {
	if v.Kind() != ordered.Object {
		return expected(name, "an object", v)
	}
	usage := v.Get("include_usage")
	if k := usage.Kind(); k != ordered.Absent && k != ordered.Null && k != ordered.Bool {
		return expected(name+".include_usage", "true or false", usage)
	}
	s.IncludeUsage = usage.IsTrue()
	return nil
}

func stops(s *Settings, name string, v *ordered.Value) error {
	items := []*ordered.Value{v}
	if v.Kind() == ordered.Array {
		items = v.Items()
	}
	if len(items) > maxStops {
		return fault.Invalid(name, fmt.Sprintf("expected at most %d strings, found %d", maxStops, len(items)))
	}
	for _, item := range items {
		if item.Kind() != ordered.String || item.Text() == "" {
			return fault.Invalid(name, "expected a string that is not empty, or an array of such strings")
		}
		s.Stops = append(s.Stops, item.Text())
	}
	return nil
}

// bias reads logit_bias: numbers by token id.
func bias(s *Settings, name string, v *ordered.Value) error {
	const what = "an object with a number from -100 to 100 for each token id"
	if v.Kind() != ordered.Object {
		return expected(name, what, v)
	}
	found := false
	for id, n := range v.Members() {
		f, err := strconv.ParseFloat(string(n.Raw()), 64)
		if _, notID := strconv.ParseUint(id, 10, 32); notID != nil || n.Kind() != ordered.Number || err != nil || f < -100 || f > 100 {
			return expected(ordered.MemberPath(name, id), what, n)
		}
		found = true
	}
	if found {
		s.set(name, v)
	}
	return nil
}

// unless refuses a member with another value than the harmless one.
func unless(harmless, why string) setting {
	return func(_ *Settings, name string, v *ordered.Value) error {
		if strings.Join(strings.Fields(string(v.Raw())), "") == harmless {
			return nil
		}
		return fault.Invalid(name, "not supported: "+why)
	}
}

// dropped notes that a member has no effect.
func dropped(harmless, note string) setting {
	return func(s *Settings, _ string, v *ordered.Value) error {
		if string(v.Raw()) != harmless {
			s.Ignored = append(s.Ignored, note)
		}
		return nil
	}
}
