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

// noToken is the position of our nodes in gonja's tree. They have their own.
var noToken = &tokens.Token{}

// nothing is the loader that gonja's parser needs. It loads no template.
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

// parsing is the state of one call of Parse.
type parsing struct {
	limits  meter.Limits
	end     int      // length of the source
	starts  []int    // offsets of all tags, in order
	depth   int      // of blocks and expressions
	links   int      // operators, subscripts, calls and filters around the current operand
	special int      // number of names read that loops and macros define
	open    []string // the blocks not closed yet
}

// Parse parses a normalized source. It runs gonja's parser with our tokens and our tags.
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

// fail raises an error that gonja has returned. Our own failures travel in it unchanged.
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

// failureError carries a Failure through gonja as an error.
type failureError struct{ failure *failure.Failure }

func (e *failureError) Error() string { return e.failure.Message }

// statements returns our statements from gonja's nodes.
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

// tag adapts a tagParser to gonja's interface.
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

// tagStart returns the offset of the tag that gonja has just read: the last one before the next
// token.
func (p *parsing) tagStart(g *parser.Parser) Pos {
	next, _ := slices.BinarySearch(p.starts, g.Stream().Current().Pos)
	return Pos(p.starts[max(next-1, 0)])
}

// enter counts the nesting of blocks and expressions.
func (p *parsing) enter(at int) {
	if p.depth++; p.depth > p.limits.Nesting {
		panic(&failure.Failure{Kind: failure.Limit, Message: "blocks or expressions are nested too deeply", At: at})
	}
}

// link counts what makes a tree deep without nesting in the source: a.b.c, a|b|c, a + b + c.
func (p *parsing) link(at int) {
	if p.links++; p.links > linksPerNesting*p.limits.Nesting {
		panic(&failure.Failure{Kind: failure.Limit, Message: "an expression is too long", At: at})
	}
}

// linksPerNesting is the number of links allowed for each level of Limits.Nesting.
const linksPerNesting = 50

// tagReader parses one tag and, for a block, its body. It carries the statement through gonja's
// tree.
type tagReader struct {
	reader
	gonja     *parser.Parser
	name      string
	start     Pos
	statement Node
}

func (*tagReader) Position() *tokens.Token { return noToken }
func (*tagReader) String() string          { return "statement" }

// body parses statements up to one of the closing tags, and continues with the arguments of that
// tag.
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

// lastBody parses statements up to a closing tag without arguments.
func (t *tagReader) lastBody(closers []string) []Node {
	body, _ := t.body(closers)
	t.done()
	return body
}
