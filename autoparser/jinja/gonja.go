package jinja

import (
	"errors"
	"io"
	"strings"

	"github.com/nikolalohinski/gonja/v2/config"
	"github.com/nikolalohinski/gonja/v2/exec"
	"github.com/nikolalohinski/gonja/v2/loaders"
	"github.com/nikolalohinski/gonja/v2/nodes"
	"github.com/nikolalohinski/gonja/v2/parser"
	"github.com/nikolalohinski/gonja/v2/tokens"
)

// This file is all that knows gonja's types, with reader.go: how our tags enter its parser, how our statements travel
// in its tree, and how its renderer runs our program.

// statementNode carries one of our statements through gonja's tree.
type statementNode struct {
	token     *tokens.Token
	statement node
}

func (n *statementNode) Position() *tokens.Token { return n.token }
func (n *statementNode) String() string          { return "statement" }

// programNode is what gonja's tree is replaced with once it is compiled. gonja's renderer calls Execute.
type programNode struct {
	token   *tokens.Token
	program *program
}

func (n *programNode) Position() *tokens.Token { return n.token }
func (n *programNode) String() string          { return "program" }

// renderKey is where gonja's context holds the rendering in progress.
const renderKey = "render"

// Execute implements gonja's exec.ControlStructure.
func (n *programNode) Execute(g *exec.Renderer, _ *nodes.ControlStructureBlock) error {
	v, _ := g.Environment.Context.Get(renderKey)
	r, ok := v.(*render)
	if !ok {
		return errors.New("the context has no rendering")
	}
	n.program.run(n.program.fn.frame(nil, r))
	_, err := g.Output.Write(r.out)
	return err
}

// onlySource is the loader of one template: it has the source, under the empty name, and nothing else.
type onlySource struct{ text string }

var errNoLoading = errors.New("templates cannot load others")

func (l onlySource) Read(path string) (io.Reader, error) {
	if path != "" {
		return nil, errNoLoading
	}
	return strings.NewReader(l.text), nil
}

func (onlySource) Resolve(string) (string, error)         { return "", errNoLoading }
func (onlySource) Inherit(string) (loaders.Loader, error) { return nil, errNoLoading }

// parsing is the state of one compilation up to the tree.
type parsing struct {
	canonical *canonical
	limits    Limits
	depth     int      // of blocks and expressions
	links     int      // operators, subscripts, calls and filters around the current operand
	open      []string // the blocks that are not closed yet
}

// parse runs gonja's lexer and parser with our tags. The statements are the body of the template, which still holds
// gonja's tree.
func parse(source string, limits Limits) (*exec.Template, []node) {
	p := &parsing{canonical: canonicalise(source), limits: limits}
	settings := config.New()
	settings.KeepTrailingNewline = true // canonicalise has dropped it
	t, err := exec.NewTemplate("", settings, onlySource{p.canonical.text}, &exec.Environment{
		Context:           exec.EmptyContext(),
		Filters:           exec.NewFilterSet(nil),
		Tests:             exec.NewTestSet(nil),
		ControlStructures: exec.NewControlStructureSet(p.tags()),
	})
	if err != nil {
		p.fail(err)
	}
	return t, p.statements(t.Root().Nodes)
}

// fail raises an error of gonja's; ours come as they are.
func (p *parsing) fail(err error) {
	var f *failureError
	if errors.As(err, &f) {
		panic(f.failure)
	}
	var s *parser.SyntaxError
	if errors.As(err, &s) {
		reject(len(p.canonical.text), "%s", s.Message)
	}
	reject(0, "%s", err.Error())
}

// failureError carries a failure through gonja, which knows errors only.
type failureError struct{ failure *failure }

func (e *failureError) Error() string { return e.failure.message }

// hold replaces gonja's tree with the compiled program.
func hold(t *exec.Template, p *program) {
	token := &tokens.Token{}
	t.Root().Nodes = []nodes.Node{&nodes.ControlStructureBlock{
		Location: token, Name: "program", ControlStructure: &programNode{token, p},
	}}
}

// statements takes our statements out of gonja's nodes.
func (p *parsing) statements(ns []nodes.Node) []node {
	out := make([]node, 0, len(ns))
	for _, n := range ns {
		switch n := n.(type) {
		case nil:
		case *nodes.Data:
			out = append(out, &data{p.place(n.Data), n.Data.Val})
		case *nodes.ControlStructureBlock:
			out = append(out, n.ControlStructure.(*statementNode).statement)
		}
	}
	return out
}

// place is where a token stood in the source.
func (p *parsing) place(t *tokens.Token) place {
	if t == nil {
		return 0
	}
	return place(p.canonical.offset(t.Pos))
}

// tag adapts a parser of ours to gonja's.
func (p *parsing) tag(name string, parse tagParser) parser.ControlStructureParser {
	return func(g *parser.Parser, args *parser.Parser) (cs nodes.ControlStructure, err error) {
		defer func() {
			if v := recover(); v != nil {
				err = &failureError{recovered(v)}
			}
		}()
		t := &tagReader{reader: p.reader(args), gonja: g, name: name, start: p.tagStart(g)}
		p.enter(int(t.start))
		n := parse(t)
		p.depth--
		return &statementNode{&tokens.Token{}, n}, nil
	}
}

// tagStart is the place of the tag that gonja has just read. Nothing inside a canonical tag looks like the start of one.
func (p *parsing) tagStart(g *parser.Parser) place {
	before := p.canonical.text[:g.Stream().Current().Pos]
	return place(p.canonical.offset(max(strings.LastIndex(before, "{%"), 0)))
}

// enter counts blocks and expressions inside each other.
func (p *parsing) enter(at int) {
	if p.depth++; p.depth > p.limits.Nesting {
		panic(&failure{kind: Limit, message: "blocks or expressions are nested too deeply", at: at})
	}
}

// link counts what makes an expression deep without nesting in the source: a.b.c, a|b|c, a + b + c.
func (p *parsing) link(at int) {
	if p.links++; p.links > linksPerNesting*p.limits.Nesting {
		panic(&failure{kind: Limit, message: "an expression is too long", at: at})
	}
}

// linksPerNesting says how much longer than deep an expression may be.
const linksPerNesting = 50

// tagReader reads one tag and, for a block, what it encloses.
type tagReader struct {
	*reader
	gonja *parser.Parser
	name  string
	start place
}

// body reads statements up to one of the closing tags, whose name and arguments it returns.
func (t *tagReader) body(closers ...string) (body []node, closer string, args *tagReader) {
	t.p.open = append(t.p.open, t.name)
	w, rest, err := t.gonja.WrapUntil(closers...)
	if err != nil {
		var f *failureError
		if errors.As(err, &f) {
			panic(f.failure)
		}
		reject(int(t.start), "the block '%s' that begins here is not closed: expected %s", t.name, strings.Join(closers, " or "))
	}
	t.p.open = t.p.open[:len(t.p.open)-1]
	return t.p.statements(w.Nodes), w.EndTag, &tagReader{reader: t.p.reader(rest), gonja: t.gonja, name: t.name, start: t.start}
}
