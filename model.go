package dragoman

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/model"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
	"github.com/dragoman-project/dragoman/sdk/session"
	"github.com/dragoman-project/dragoman/sdk/tokenizer"
)

// Options are the choices of Open and OpenSource. The zero value works.
type Options struct {
	// Handlers answer for the templates that they claim, before the autoparser: the highest priority first, among equals
	// the first by name. One that declines a request passes it on. They must be safe for concurrent use.
	Handlers []handler.Handler
	// Workarounds are files of rules in YAML, applied one after the other; nil: the embedded Workarounds. Rules in addition
	// to those are [][]byte{dragoman.Workarounds, rules}.
	Workarounds [][]byte
	// Variant names one of a model's templates; "default" is the one without a name. By default, requests with tools get the
	// template "tool_use", if the model has it, and all others the one without a name.
	Variant string
	// BOSToken and EOSToken replace the tokens that the model's files name. SpecialTokens replace the list of all special
	// tokens, which decides what an engine's special tokens can match; nil: the model's.
	BOSToken, EOSToken string
	SpecialTokens      []string
	// Tokenizer is the path of the model's tokenizer: a tokenizer.json, a folder with one, or a .gguf file. By default it is looked
	// for beside the template.
	Tokenizer string
}

// Model is a model's chat template, learned and ready for requests. It is safe for concurrent use.
type Model struct {
	name      string
	variants  map[string]*variant // by their names in the model; "" is the default
	variant   string              // the one in use; "tool_use" may take the place of ""
	fixed     bool                // the options name the variant
	special   []string
	handlers  []claimant // in the order in which they are asked
	templates []string   // the names of all templates of the model, for errors
	tokenizer func() (*tokenizer.Tokenizer, error)

	tools       chat.ToolCache
	programs    autoparser.Cache
	constraints grammar.Cache
	codes       match.Cache
}

// defaultVariant names the template without a name.
const defaultVariant = "default"

// variant is one template of a model.
type variant struct {
	learned *autoparser.Learned
	claims  []handler.Handler // the handlers that claim it
}

// Open reads a model's templates from its folder, a tokenizer_config.json or chat_template.json, a .jinja file, or the header
// of a .gguf file, and learns them, which takes some milliseconds each. The error names the file and the place at fault.
func Open(path string, o Options) (*Model, error) {
	m, err := model.Load(path)
	if err != nil {
		return nil, err
	}
	return open(m, o)
}

// OpenSource is Open for the source of a template, in Jinja2. The name is for errors and the predicates of rules.
func OpenSource(name, source string, o Options) (*Model, error) {
	return open(&model.Model{Name: name, Variants: []model.Variant{{Source: source}}}, o)
}

func open(from *model.Model, o Options) (*Model, error) {
	rules, err := parseRules(o.Workarounds)
	if err != nil {
		return nil, err
	}
	m := &Model{name: from.Name, variant: o.Variant, fixed: o.Variant != "", special: from.SpecialTokens, variants: map[string]*variant{}}
	m.tokenizer = sync.OnceValues(func() (*tokenizer.Tokenizer, error) {
		return openTokenizer(cmp.Or(o.Tokenizer, from.Tokenizer), cmp.Or(from.Path, from.Name))
	})
	if m.variant == defaultVariant {
		m.variant = ""
	}
	if o.SpecialTokens != nil {
		m.special = o.SpecialTokens
	}
	if m.handlers, err = claimants(o.Handlers); err != nil {
		return nil, err
	}
	bos, eos := cmp.Or(o.BOSToken, from.BOSToken), cmp.Or(o.EOSToken, from.EOSToken)
	for _, v := range from.Variants {
		m.templates = append(m.templates, cmp.Or(v.Name, defaultVariant))
		if m.fixed && v.Name != m.variant {
			continue
		}
		if m.variants[v.Name], err = m.learn(v, bos, eos, rules); err != nil {
			return nil, err
		}
	}
	if _, ok := m.variants[m.variant]; m.fixed && !ok {
		return nil, m.missing()
	}
	return m, nil
}

// parseRules parses files of rules and joins them.
func parseRules(files [][]byte) (*workaround.Set, error) {
	if files == nil {
		files = [][]byte{Workarounds}
	}
	var sets []*workaround.Set
	for i, file := range files {
		name := fmt.Sprintf("workarounds[%d]", i)
		if bytes.Equal(file, Workarounds) {
			name = WorkaroundsName
		}
		set, err := workaround.Parse(name, file)
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	return workaround.Join(sets...), nil
}

// learn learns a template and finds the handlers that claim it.
func (m *Model) learn(v model.Variant, bos, eos string, rules *workaround.Set) (*variant, error) {
	name := m.name
	if v.Name != "" {
		name += "/" + v.Name
	}
	t, err := autoparser.Open(name, v.Source, bos, eos, autoparser.Options{})
	if err != nil {
		return nil, err
	}
	learned, err := autoparser.Learn(context.Background(), t, rules) // bounded by the budget of learning
	if err != nil {
		return nil, err
	}
	out := &variant{learned: learned}
	for _, c := range m.handlers {
		claimed, err := c.match.Match(*learned.Facts())
		if err != nil {
			return nil, fmt.Errorf("handler %s: match: %w", c.name, err)
		}
		if claimed {
			out.claims = append(out.claims, c.Handler)
		}
	}
	return out, nil
}

// claimant is a handler with its predicate.
type claimant struct {
	handler.Handler
	name  string
	match *workaround.Predicate
}

// claimants compiles the predicates of handlers and orders them as they are asked.
func claimants(handlers []handler.Handler) ([]claimant, error) {
	var all []claimant
	for _, h := range handlers {
		d := h.Describe()
		if slices.ContainsFunc(all, func(c claimant) bool { return c.name == d.Name }) {
			return nil, fmt.Errorf("handler %s: two handlers have this name; leave one out", d.Name)
		}
		when, err := workaround.CompilePredicate(d.Match)
		if err != nil {
			return nil, fmt.Errorf("handler %s: match: %w", d.Name, err)
		}
		all = append(all, claimant{h, d.Name, when})
	}
	slices.SortStableFunc(all, func(a, b claimant) int {
		return cmp.Or(cmp.Compare(b.Describe().Priority, a.Describe().Priority), strings.Compare(a.name, b.name))
	})
	return all, nil
}

// Name returns the model's name: that of its folder, or of its file without the extension.
func (m *Model) Name() string { return m.name }

// Tokenizer returns the model's tokenizer. It is read at the first call, which takes up to a second for the largest ones.
func (m *Model) Tokenizer() (*tokenizer.Tokenizer, error) { return m.tokenizer() }

// openTokenizer opens the tokenizer of a model.
func openTokenizer(path, name string) (*tokenizer.Tokenizer, error) {
	if path == "" {
		return nil, fmt.Errorf("%s: no tokenizer.json beside the template; name one with Options.Tokenizer", name)
	}
	return tokenizer.Open(path)
}

// PlanJSON is Plan for a request in the JSON of OpenAI's chat completions.
func (m *Model) PlanJSON(ctx context.Context, request []byte) (*Plan, error) {
	req, err := m.tools.ParseRequest(request, chat.Policies{})
	if err != nil {
		return nil, err
	}
	return m.Plan(ctx, req)
}

// Plan answers a request. The error is a *fault.Error where the request is at fault, a *jinja.Error where the template
// cannot render it, or a handler's.
func (m *Model) Plan(ctx context.Context, req *chat.Request) (*Plan, error) {
	v, err := m.choose(req)
	if err != nil {
		return nil, err
	}
	draft, err := m.draft(ctx, v, req)
	if err != nil {
		return nil, err
	}
	return session.New(ctx, draft, req, session.PlanOptions{SpecialTokens: m.special, Constraints: &m.constraints, Codes: &m.codes})
}

// draft asks the handlers that claim a template in turn, and then the autoparser, which always answers.
func (m *Model) draft(ctx context.Context, v *variant, req *chat.Request) (*session.Draft, error) {
	if !req.PureContent {
		for _, h := range v.claims {
			draft, err := v.learned.PlanBy(ctx, h, req, &m.programs)
			var declined *handler.Declined
			if !errors.As(err, &declined) {
				return draft, err
			}
		}
	}
	return v.learned.PlanWith(ctx, req, &m.programs)
}

// Learned returns what was learned from the template that serves a request: its dialect, its capabilities, and the
// explanation of both.
func (m *Model) Learned(req *chat.Request) (*autoparser.Learned, error) {
	v, err := m.choose(req)
	if err != nil {
		return nil, err
	}
	return v.learned, nil
}

// choose returns the template for a request.
func (m *Model) choose(req *chat.Request) (*variant, error) {
	if v, ok := m.variants[model.ToolUse]; ok && !m.fixed && len(req.Tools) > 0 {
		return v, nil
	}
	if v, ok := m.variants[m.variant]; ok {
		return v, nil
	}
	return nil, m.missing()
}

// missing returns the error for a model without the template in use.
func (m *Model) missing() error {
	return fmt.Errorf("%s: no template named %q; choose one of %q with Options.Variant", m.name, cmp.Or(m.variant, defaultVariant), m.templates)
}
