package llamacpp

import (
	"strings"
	"testing"
)

func TestGrammarsAreAcceptedOrRejected(t *testing.T) {
	for _, c := range []struct {
		name, source, refusal string
	}{
		{"rules, comments and line ends", "root ::= # one\n \"a\" |\n  b-1 # two\nb-1 ::= ( \"c\"\n | .)* [^\\x00-\\u00ff\\]\"]+\r\n", ""},
		{"every escape", `root ::= "\x41\u00e9\U0001F600\t\r\n\\\"\[\]"`, ""},
		{"bounds", `root ::= "a"{3} "b"{1,} "c"{0,7} "d"{ 2 , 3 }`, ""},
		{"an empty alternative", "root ::= (\"a\" |)\nx ::= \"\" | \"b\"\n", ""},
		{"an empty alternative before another rule", "root ::= \"a\" |\nx ::= \"b\"\n", "expecting newline or end"},
		{"an unknown escape", `root ::= "\q"`, "unknown escape"},
		{"an escape cut short", `root ::= "\x4"`, "expecting 2 hex chars"},
		{"a name with an underscore", "root ::= a_b\na ::= \"\"", "expecting newline or end"},
		{"a line that goes on without parentheses", "root ::= \"a\"\n \"b\"", "expecting name"},
		{"a literal without end", `root ::= "a`, "unexpected end of input"},
		{"a parenthesis without end", `root ::= ("a"`, "expecting ')'"},
		{"nothing to repeat", `root ::= *`, "expecting preceding item"},
		{"an empty literal to repeat", `root ::= ""*`, "expecting preceding item"},
		{"a brace without a number", `root ::= "a"{,3}`, "expecting an int"},
		{"no root", `a ::= "b"`, "does not contain a 'root'"},
		{"an undefined rule", `root ::= a`, `undefined rule identifier "a"`},
		{"too many times", `root ::= "a"{2001}`, "number of repetitions exceeds"},
		{"just too many times", `root ::= "a"{2000}`, "multiplied by the new repetition"},
		{"as many as there may be", `root ::= "a"{1999}`, ""},
		{"repetitions inside each other", `root ::= (("a"{0,50} "b"){0,50} "c"){0,50}`, "multiplied by the new repetition"},
		{"left recursion", `root ::= root "a"`, "left recursion"},
		{"behind one that may be empty", "root ::= a root\na ::= \"b\" |", "left recursion"},
		{"a repetition of what may be empty", "root ::= a*\na ::= | \"b\"", "left recursion"},
		{"an optional repetition of what may be empty", "root ::= a?\na ::= | \"b\"", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := CheckGrammar(c.source)
			if c.refusal == "" && err != nil || c.refusal != "" && (err == nil || !strings.Contains(err.Error(), c.refusal)) {
				t.Errorf("got %v, want %q", err, c.refusal)
			}
		})
	}
}

func FuzzCheckGrammar(f *testing.F) {
	f.Add("root ::= (\"a\" | b){0,3} # x\nb ::= [^c-d]+")
	f.Fuzz(func(_ *testing.T, source string) {
		if len(source) < 1000 {
			_ = CheckGrammar(source)
		}
	})
}
