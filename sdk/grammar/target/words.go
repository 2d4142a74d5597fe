package target

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/internal/cfg"
)

// triggerWords returns the words that start a lazy grammar, dropping those with another one as a
// prefix. A pattern is expanded to the texts it matches, with white space as models write it.
func (tr *translation) triggerWords(triggers []Trigger) ([]string, error) {
	var words []string
	for _, t := range triggers {
		if !t.Pattern {
			words = append(words, t.Text)
			continue
		}
		texts, exact, ok := patternTexts(t.Text)
		if !ok {
			return nil, fmt.Errorf("trigger %q: the engine does not support patterns as triggers; request a strict grammar", t.Text)
		}
		texts = slices.DeleteFunc(texts, func(text string) bool { _, err := tr.after(text); return err != nil })
		if !exact {
			tr.notes.Add("the trigger %q is recognised only as %q", t.Text, texts)
		}
		words = append(words, texts...)
	}
	slices.Sort(words)
	var out []string
	for _, w := range words {
		if n := len(out); n == 0 || !strings.HasPrefix(w, out[n-1]) {
			out = append(out, w)
		}
	}
	return out, nil
}

// after returns what may follow word in a text of the grammar. It is an error if no text starts
// with word.
func (tr *translation) after(word string) (*cfg.Expr, error) {
	rest, err := cfg.Quotient(tr.work, tr.grammar.Root.Body, nil, word)
	if err != nil {
		return nil, fmt.Errorf("trigger %q: no text of the grammar begins with it: %w", word, err)
	}
	return rest, nil
}

// maxTriggerTexts bounds the texts that a pattern is expanded to.
const maxTriggerTexts = 64

// patternTexts expands a pattern of literals, alternatives and white space to the texts it matches,
// with white space as models write it. It is not ok for any other pattern, and not exact if texts
// are left out.
func patternTexts(pattern string) (texts []string, exact, ok bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, false, false
	}
	e := enumeration{exact: true, ok: true}
	texts = e.texts(re)
	slices.Sort(texts)
	return slices.Compact(texts), e.exact, e.ok && !slices.Contains(texts, "")
}

type enumeration struct{ exact, ok bool }

func (e *enumeration) texts(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		e.ok = e.ok && re.Flags&syntax.FoldCase == 0
		return []string{string(re.Rune)}
	case syntax.OpCapture:
		return e.texts(re.Sub[0])
	case syntax.OpQuest:
		return append([]string{""}, e.texts(re.Sub[0])...)
	case syntax.OpAlternate:
		var out []string
		for _, sub := range re.Sub {
			out = append(out, e.texts(sub)...)
		}
		return out
	case syntax.OpConcat:
		return e.concat(re.Sub)
	case syntax.OpStar, syntax.OpPlus:
		return e.blanks(re)
	case syntax.OpEmptyMatch:
		return []string{""}
	}
	e.ok = false
	return nil
}

func (e *enumeration) concat(subs []*syntax.Regexp) []string {
	out := []string{""}
	for _, sub := range subs {
		var next []string
		for _, after := range e.texts(sub) {
			for _, before := range out {
				next = append(next, before+after)
			}
		}
		if out = next; len(out) > maxTriggerTexts {
			e.ok = false
			return nil
		}
	}
	return out
}

// blanks returns repetitions of white space as models write them.
func (e *enumeration) blanks(re *syntax.Regexp) []string {
	class := re.Sub[0]
	if class.Op != syntax.OpCharClass || !spaceClass(class.Rune) {
		e.ok = false
		return nil
	}
	e.exact = false
	if re.Op == syntax.OpPlus {
		return []string{" ", "\n"}
	}
	return []string{"", " ", "\n"}
}

// spaceClass reports whether a class contains white space only.
func spaceClass(ranges []rune) bool {
	for i := 0; i < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if !strings.ContainsRune(" \t\n\v\f\r", r) {
				return false
			}
		}
	}
	return true
}
