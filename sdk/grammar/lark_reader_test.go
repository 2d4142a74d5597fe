package grammar_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/internal/cfg/automaton"
	"github.com/dragoman-project/dragoman/sdk/grammar"
)

// These tests parse Lark as strictly as the documentation of llguidance's dialect allows, and run
// it as llguidance does: the lexer continues as long as any terminal that the parser allows here
// can continue, and the result must be one of these terminals; it never goes back.

// larkGrammar is a grammar parsed from Lark.
type larkGrammar struct {
	terminals map[string]*grammar.Grammar // by name; literals within rules by themselves
	symbols   map[string]rune             // symbols that represent terminals in rules
	rules     *grammar.Grammar            // over symbols
}

// larkReader translates definitions into GBNF: terminals over text, rules over symbols.
type larkReader struct {
	t      testing.TB
	tokens []string
	rule   bool
	g      *larkGrammar
	gbnf   map[string]string // of terminals
	order  []string
}

var larkTokens = regexp.MustCompile(`^(?:\s+|"(?:[^"\\\n]|\\.)*"|/(?:[^/\\\n]|\\.)+/|<[^<>\s]+>|[a-z_][a-z0-9_]*|[A-Z_][A-Z0-9_]*|~\d+(?:\.\.\d+)?|[()|?*+])`)

func readLark(t testing.TB, source string) *larkGrammar {
	t.Helper()
	g := &larkGrammar{terminals: map[string]*grammar.Grammar{}, symbols: map[string]rune{}}
	r := &larkReader{t: t, g: g, gbnf: map[string]string{}}
	body, ok := strings.CutPrefix(source, "%llguidance {}\n\n")
	if !ok {
		t.Fatalf("it does not say that it is for llguidance:\n%s", source)
	}
	rules, terminals, _ := strings.Cut(body, "\n\n")
	for line := range strings.Lines(terminals) {
		r.terminal(line)
	}
	r.rule = true
	var out strings.Builder
	for line := range strings.Lines(rules) {
		name, definition, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if !regexp.MustCompile(`^[a-z_][a-z0-9_]*$`).MatchString(name) {
			t.Fatalf("%q is not the name of a rule", name)
		}
		fmt.Fprintf(&out, "%s ::= %s\n", larkRule(name), r.read(definition))
	}
	g.rules = mustParse(t, out.String())
	return g
}

func larkRule(name string) string {
	if name == "start" {
		return "root"
	}
	return "r-" + strings.ReplaceAll(name, "_", "-")
}

// terminal reads the definition of a terminal, which may refer to earlier ones.
func (r *larkReader) terminal(line string) {
	name, definition, _ := strings.Cut(strings.TrimSpace(line), ": ")
	if !regexp.MustCompile(`^[A-Z_][A-Z0-9_]*$`).MatchString(name) {
		r.t.Fatalf("%q is not the name of a terminal", name)
	}
	r.gbnf[name] = r.read(definition)
	r.order = append(r.order, name)
}

// read reads the right-hand side of a definition.
func (r *larkReader) read(definition string) string {
	r.tokens = nil
	for rest := strings.TrimSpace(definition); rest != ""; {
		token := larkTokens.FindString(rest)
		if token == "" {
			r.t.Fatalf("no Lark: %.60q", rest)
		}
		rest = rest[len(token):]
		if token = strings.TrimSpace(token); token != "" {
			r.tokens = append(r.tokens, token)
		}
	}
	out := r.choice()
	if len(r.tokens) > 0 {
		r.t.Fatalf("%q is left of %.80q", r.tokens, definition)
	}
	return out
}

func (r *larkReader) next() string {
	if len(r.tokens) == 0 {
		return ""
	}
	return r.tokens[0]
}

func (r *larkReader) choice() string {
	kids := []string{r.sequence()}
	for r.next() == "|" {
		r.tokens = r.tokens[1:]
		kids = append(kids, r.sequence())
	}
	return strings.Join(kids, " | ")
}

func (r *larkReader) sequence() string {
	var kids []string
	for t := r.next(); t != "" && t != "|" && t != ")"; t = r.next() {
		kids = append(kids, r.item())
	}
	if len(kids) == 0 {
		r.t.Fatal("an empty alternative")
	}
	return strings.Join(kids, " ")
}

var larkTimes = regexp.MustCompile(`^~(\d+)(?:\.\.(\d+))?$`)

func (r *larkReader) item() string {
	out := r.atom()
	switch next := r.next(); {
	case next == "?" || next == "*" || next == "+":
		r.tokens = r.tokens[1:]
		return out + next
	case larkTimes.MatchString(next):
		r.tokens = r.tokens[1:]
		m := larkTimes.FindStringSubmatch(next)
		if m[2] == "" {
			return fmt.Sprintf("%s{%s}", out, m[1])
		}
		return fmt.Sprintf("%s{%s,%s}", out, m[1], m[2])
	}
	return out
}

func (r *larkReader) atom() string {
	t := r.next()
	r.tokens = r.tokens[1:]
	switch {
	case t == "(":
		out := r.choice()
		if r.next() != ")" {
			r.t.Fatal("a parenthesis without end")
		}
		r.tokens = r.tokens[1:]
		return "(" + out + ")"
	case t[0] == '"', t[0] == '/':
		return r.text(t)
	case t[0] == '<':
		return r.lexeme(t, gbnfText(t))
	case unicode.IsUpper(rune(t[0])):
		if r.gbnf[t] == "" {
			r.t.Fatalf("terminal %s is not defined before it is used", t)
		}
		if r.rule {
			return r.lexeme(t, r.gbnf[t])
		}
		return "(" + r.gbnf[t] + ")"
	case !r.rule:
		r.t.Fatalf("rule %s within a terminal", t)
	}
	return larkRule(t)
}

func (r *larkReader) text(t string) string {
	var out string
	if t[0] == '"' {
		var s string
		if err := json.Unmarshal([]byte(t), &s); err != nil {
			r.t.Fatalf("%s: %v", t, err)
		}
		out = gbnfText(s)
	} else {
		re, err := syntax.Parse(t[1:len(t)-1], syntax.Perl)
		if err != nil {
			r.t.Fatalf("%s: %v", t, err)
		}
		out = "(" + gbnfRegex(re) + ")"
	}
	if r.rule {
		return r.lexeme(t, out)
	}
	return out
}

// lexeme returns the symbol of a terminal within a rule.
func (r *larkReader) lexeme(name, gbnf string) string {
	if r.g.terminals[name] == nil {
		g, err := grammar.Parse("root ::= " + gbnf + "\n")
		if err != nil {
			r.t.Fatal(err)
		}
		if g.Match("").Status == grammar.Accepted {
			r.t.Fatalf("terminal %s matches the empty text", name)
		}
		r.g.terminals[name] = g
		r.g.symbols[name] = 0xE000 + rune(len(r.g.symbols))
	}
	return gbnfText(string(r.g.symbols[name]))
}

func gbnfText(s string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, `\U%08X`, r)
	}
	return `"` + b.String() + `"`
}

func gbnfRegex(re *syntax.Regexp) string {
	var kids []string
	for _, sub := range re.Sub {
		kids = append(kids, "("+gbnfRegex(sub)+")")
	}
	switch re.Op {
	case syntax.OpLiteral:
		var out []string
		for _, r := range re.Rune {
			if re.Flags&syntax.FoldCase != 0 {
				out = append(out, "["+string(unicode.ToLower(r))+string(unicode.ToUpper(r))+"]")
				continue
			}
			out = append(out, gbnfText(string(r)))
		}
		return strings.Join(out, " ")
	case syntax.OpCharClass:
		var b strings.Builder
		for i := 0; i < len(re.Rune); i += 2 {
			fmt.Fprintf(&b, `\U%08X-\U%08X`, re.Rune[i], re.Rune[i+1])
		}
		return "[" + b.String() + "]"
	case syntax.OpAnyChar:
		return "."
	case syntax.OpConcat:
		return strings.Join(kids, " ")
	case syntax.OpAlternate:
		return strings.Join(kids, " | ")
	case syntax.OpStar:
		return kids[0] + "*"
	case syntax.OpPlus:
		return kids[0] + "+"
	case syntax.OpQuest:
		return kids[0] + "?"
	case syntax.OpRepeat:
		if re.Max < 0 {
			return kids[0] + "{" + strconv.Itoa(re.Min) + ",}"
		}
		return fmt.Sprintf("%s{%d,%d}", kids[0], re.Min, re.Max)
	case syntax.OpCapture:
		return kids[0]
	}
	return `""`
}

// accepts runs lexer and parser over text, after the symbols read so far.
func (g *larkGrammar) accepts(read, text string) bool {
	if text == "" {
		return g.rules.Match(read).Status == grammar.Accepted
	}
	running := map[string]*automaton.Matcher{}
	for name, symbol := range g.symbols {
		if g.rules.Match(read+string(symbol)).Status != grammar.Refused {
			running[name] = g.terminals[name].Matcher()
		}
	}
	var complete []string
	end := 0
	for end < len(text) && len(running) > 0 {
		_, size := utf8.DecodeRuneInString(text[end:])
		var now []string
		for name, m := range running {
			switch m.Feed(text[end : end+size]).Status {
			case grammar.Refused:
				delete(running, name)
			case grammar.Accepted:
				now = append(now, name)
			}
		}
		if len(running) > 0 {
			end += size
			complete = now
		}
	}
	return end > 0 && slices.ContainsFunc(complete, func(name string) bool { return g.accepts(read+string(g.symbols[name]), text[end:]) })
}
