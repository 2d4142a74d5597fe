package pattern

import (
	"fmt"
	"regexp/syntax"
	"strings"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/charset"
	"github.com/dragoman-project/dragoman/sdk/grammar/rules"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// Writer writes regular expressions as expressions over raw text, or over the inside of a string
// between quotes.
type Writer struct {
	Rules *rules.Set
	quote rune
}

// Inside returns a writer for the inside of double quotes, or of single ones.
func Inside(b *rules.Set, single bool) Writer {
	if single {
		return Writer{Rules: b, quote: '\''}
	}
	return Writer{Rules: b, quote: '"'}
}

// OneOf returns one of texts.
func (p Writer) OneOf(texts []string) *cfg.Expr {
	kids := make([]*cfg.Expr, len(texts))
	for i, t := range texts {
		if p.quote != 0 {
			t = jsonschema.Escape(t, p.quote)
		}
		kids[i] = cfg.Text(t)
	}
	return cfg.Alt(kids...)
}

// Anywhere returns the texts in which one of ways matches.
func (p Writer) Anywhere(ways []Way) *cfg.Expr {
	kids := make([]*cfg.Expr, len(ways))
	anything := cfg.Star(p.set(charset.All))
	for i, w := range ways {
		kids[i] = p.expr(w.re)
		if !w.Begins {
			kids[i] = cfg.Seq(anything, kids[i])
		}
		if !w.Ends {
			kids[i] = cfg.Seq(kids[i], anything)
		}
	}
	return cfg.Alt(kids...)
}

func (p Writer) expr(re *syntax.Regexp) *cfg.Expr {
	switch re.Op {
	case syntax.OpNoMatch:
		return cfg.Nothing
	case syntax.OpLiteral:
		return p.literal(re)
	case syntax.OpCharClass:
		var ranges []charset.Range
		for i := 0; i < len(re.Rune); i += 2 {
			ranges = append(ranges, charset.Range{Lo: re.Rune[i], Hi: re.Rune[i+1]})
		}
		return p.set(charset.New(ranges...))
	case syntax.OpAnyCharNotNL:
		return p.set(charset.Of("\n\r").Complement())
	case syntax.OpAnyChar:
		return p.set(charset.All)
	case syntax.OpCapture:
		return p.expr(re.Sub[0])
	case syntax.OpStar:
		return p.Rules.Repeat(0, -1, p.expr(re.Sub[0]))
	case syntax.OpPlus:
		return p.Rules.Repeat(1, -1, p.expr(re.Sub[0]))
	case syntax.OpQuest:
		return p.Rules.Repeat(0, 1, p.expr(re.Sub[0]))
	case syntax.OpRepeat:
		return p.Rules.Repeat(re.Min, re.Max, p.expr(re.Sub[0]))
	case syntax.OpConcat:
		return cfg.Seq(p.all(re.Sub)...)
	case syntax.OpAlternate:
		return cfg.Alt(p.all(re.Sub)...)
	}
	return cfg.Empty
}

func (p Writer) all(subs []*syntax.Regexp) []*cfg.Expr {
	kids := make([]*cfg.Expr, len(subs))
	for i, s := range subs {
		kids[i] = p.expr(s)
	}
	return kids
}

func (p Writer) literal(re *syntax.Regexp) *cfg.Expr {
	if re.Flags&syntax.FoldCase == 0 && p.quote == 0 {
		return cfg.Text(string(re.Rune))
	}
	if re.Flags&syntax.FoldCase == 0 {
		return cfg.Text(jsonschema.Escape(string(re.Rune), p.quote))
	}
	var kids []*cfg.Expr
	for _, r := range re.Rune {
		kids = append(kids, p.set(charset.Of(strings.ToLower(string(r))+strings.ToUpper(string(r)))))
	}
	return cfg.Seq(kids...)
}

// set returns one character of s, escaped within quotes if necessary. Control characters without a
// short escape are included only if there is nothing else: models do not write them.
func (p Writer) set(s charset.Set) *cfg.Expr {
	if p.quote == 0 {
		return cfg.Class(s)
	}
	if s.IsAll() {
		return p.Rules.Char(p.quote == '\'')
	}
	kids := []*cfg.Expr{cfg.Class(s.Intersect(rules.StringChars.Minus(charset.Of(string(p.quote)))))}
	var short charset.Set
	for _, r := range "\b\f\n\r\t\\" + string(p.quote) {
		if s.Has(r) {
			short = short.Union(charset.Of(jsonschema.EscapeChar(r, p.quote)[1:]))
		}
	}
	if len(short) > 0 {
		kids = append(kids, cfg.Seq(cfg.Text(`\`), cfg.Class(short)))
	}
	if e := cfg.Alt(kids...); e.Op != cfg.OpNever {
		return p.named(s, e)
	}
	for _, r := range s {
		for c := r.Lo; c <= r.Hi; c++ {
			kids = append(kids, cfg.Text(fmt.Sprintf(`\u%04x`, c)))
		}
	}
	return p.named(s, cfg.Alt(kids...))
}

// named gives a class a rule, once, if it is compound.
func (p Writer) named(s charset.Set, e *cfg.Expr) *cfg.Expr {
	if !rules.IsCompound(e) {
		return e
	}
	key := string(p.quote) + fmt.Sprint(s)
	if p.Rules.Classes[key] == nil {
		p.Rules.Classes[key] = p.Rules.Rule("char-class", e)
	}
	return p.Rules.Classes[key]
}

// Format returns the texts of a format.
func (p Writer) Format(name string) *cfg.Expr {
	if patternFormats[name] == "" {
		return p.Rules.FormatRule(name)
	}
	rule := map[rune]string{'\'': "python-", 0: "bare-"}[p.quote] + name
	return p.Rules.Shared(rule, func() *cfg.Expr { return p.expr(formatPattern(name)) })
}
