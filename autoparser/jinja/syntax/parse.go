package syntax

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/nikolalohinski/gonja/v2/config"
	"github.com/nikolalohinski/gonja/v2/loaders"
	"github.com/nikolalohinski/gonja/v2/nodes"
	"github.com/nikolalohinski/gonja/v2/parser"
	"github.com/nikolalohinski/gonja/v2/tokens"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/meter"
)

// noToken is where our nodes stand in gonja's eyes; they know their places themselves.
var noToken = &tokens.Token{}

// nothing is the loader of all templates: its only source is empty. gonja makes a template of that; what it parses of ours
// is put in.
type nothing struct{}

var errNoLoading = errors.New("templates cannot load others")

func (nothing) Read(path string) (io.Reader, error) {
	if path != "" {
		return nil, errNoLoading
	}
	return strings.NewReader(""), nil
}

func (nothing) Resolve(string) (string, error)         { return "", errNoLoading }
func (nothing) Inherit(string) (loaders.Loader, error) { return nil, errNoLoading }

// parsing is the state of one compilation up to the tree.
type parsing struct {
	limits  meter.Limits
	end     int      // of the source
	starts  []int    // of all tags, from the first
	depth   int      // of blocks and expressions
	links   int      // operators, subscripts, calls and filters around the current operand
	special int      // how often a name was read that loops and macros give a meaning
	open    []string // the blocks that are not closed yet
}

// Parse runs gonja's parser with our tokens and our tags.
func Parse(source string, limits meter.Limits) []Node {
	s := scan(source)
	p := &parsing{limits: limits, end: len(source), starts: s.starts}
	tree, err := parser.NewParser("", tokens.NewStream(s.tokens[:s.read]), config.New(), nothing{}, p).Parse()
	if err != nil {
		p.fail(err)
	}
	body := p.statements(tree.Nodes)
	s.release()
	return body
}

// Get implements gonja's parser.ControlStructureGetter.
func (p *parsing) Get(name string) (parser.ControlStructureParser, bool) {
	parse, ok := tagParsers[name]
	return p.tag(name, parse), ok
}

// fail raises an error of gonja's; ours come as they are.
func (p *parsing) fail(err error) {
	var f *failureError
	if errors.As(err, &f) {
		panic(f.failure)
	}
	var s *parser.SyntaxError
	if errors.As(err, &s) {
		failure.Reject(p.end, "%s", s.Message)
	}
	failure.Reject(0, "%s", err.Error())
}

// failureError carries a failure through gonja, which knows errors only.
type failureError struct{ failure *failure.Failure }

func (e *failureError) Error() string { return e.failure.Message }

// statements takes our statements out of gonja's nodes.
func (p *parsing) statements(ns []nodes.Node) []Node {
	out := make([]Node, 0, len(ns))
	for _, n := range ns {
		switch n := n.(type) {
		case nil:
		case *nodes.Data:
			out = append(out, &Data{Pos(n.Data.Pos), n.Data.Val})
		case *nodes.ControlStructureBlock:
			out = append(out, n.ControlStructure.(*tagReader).statement)
		}
	}
	return out
}

// tag adapts a parser of ours to gonja's.
func (p *parsing) tag(name string, parse tagParser) parser.ControlStructureParser {
	return func(g *parser.Parser, args *parser.Parser) (cs nodes.ControlStructure, err error) {
		defer func() {
			if v := recover(); v != nil {
				err = &failureError{failure.Recovered(v)}
			}
		}()
		t := &tagReader{reader: p.reader(args), gonja: g, name: name, start: p.tagStart(g)}
		p.enter(int(t.start))
		t.statement = parse(t)
		p.depth--
		return t, nil
	}
}

// tagStart is the place of the tag that gonja has just read: the last before what comes next.
func (p *parsing) tagStart(g *parser.Parser) Pos {
	next, _ := slices.BinarySearch(p.starts, g.Stream().Current().Pos)
	return Pos(p.starts[max(next-1, 0)])
}

// enter counts blocks and expressions inside each other.
func (p *parsing) enter(at int) {
	if p.depth++; p.depth > p.limits.Nesting {
		panic(&failure.Failure{Kind: failure.Limit, Message: "blocks or expressions are nested too deeply", At: at})
	}
}

// link counts what makes an expression deep without nesting in the source: a.b.c, a|b|c, a + b + c.
func (p *parsing) link(at int) {
	if p.links++; p.links > linksPerNesting*p.limits.Nesting {
		panic(&failure.Failure{Kind: failure.Limit, Message: "an expression is too long", At: at})
	}
}

// linksPerNesting says how much longer than deep an expression may be.
const linksPerNesting = 50

// tagReader reads one tag and, for a block, what it encloses. It carries the statement through gonja's tree.
type tagReader struct {
	reader
	gonja     *parser.Parser
	name      string
	start     Pos
	statement Node
}

func (*tagReader) Position() *tokens.Token { return noToken }
func (*tagReader) String() string          { return "statement" }

// body reads statements up to one of the closing tags, and goes on with that one.
func (t *tagReader) body(closers []string) (body []Node, closer string) {
	t.p.open = append(t.p.open, t.name)
	w, rest, err := t.gonja.WrapUntil(closers...)
	if err != nil {
		var f *failureError
		if errors.As(err, &f) {
			panic(f.failure)
		}
		failure.Reject(int(t.start), "the block '%s' that begins here is not closed: expected %s", t.name, strings.Join(closers, " or "))
	}
	t.p.open = t.p.open[:len(t.p.open)-1]
	t.reader = t.p.reader(rest)
	return t.p.statements(w.Nodes), w.EndTag
}

// lastBody reads statements up to a closing tag that has no arguments.
func (t *tagReader) lastBody(closers []string) []Node {
	body, _ := t.body(closers)
	t.done()
	return body
}
