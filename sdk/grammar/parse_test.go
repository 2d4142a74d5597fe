package grammar_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/grammar"
)

func TestParseReadsGBNF(t *testing.T) {
	for _, c := range []struct {
		name, source string
		pass, fail   []string
	}{
		{"a comment ends with its line", "# what\nroot ::= \"a\" # why\n  # more\n", []string{"a"}, []string{"", "b"}},
		{"line ends count as blanks in parentheses", "root ::= (\n \"a\"\n | \"b\" )+\n", []string{"a", "ba"}, []string{"", "c"}},
		{"an alternative may begin on the next line", "root ::= \"a\" |\n  \"b\"", []string{"a", "b"}, []string{"ab"}},
		{"an empty alternative", "root ::= | \"a\"", []string{"", "a"}, []string{"b"}},
		{"an empty literal", `root ::= "" "a" ""`, []string{"a"}, []string{""}},
		{"escapes in literals", `root ::= "\x41\u00e9\U0001F600\n\r\t\"\\\[\]"`, []string{"Aé😀\n\r\t\"\\[]"}, []string{"A"}},
		{"escapes in classes", `root ::= [\]\[\\\x2D\x5E]+`, []string{`][\-^`}, []string{"a", ","}},
		{"a hyphen at an edge is itself", "root ::= [-a]+ [b-]", []string{"a-b", "--"}, []string{"ac"}},
		{"a class that excludes", "root ::= [^a-c\\n]", []string{"d", "é", "\r"}, []string{"b", "\n", ""}},
		{"any character", "root ::= . .", []string{"aé", "😀\n"}, []string{"a", "abc"}},
		{"a repetition of a whole literal", `root ::= "ab"{2}`, []string{"abab"}, []string{"abb", "ab", "ababab"}},
		{"repetitions in a row", `root ::= "a"{2}*`, []string{"", "aa", "aaaa"}, []string{"a", "aaa"}},
		{"a repetition that may be empty, repeated", `root ::= ("a"? "b"?)* "c"`, []string{"c", "bac", "ababc"}, []string{"cc", "ab"}},
		{"recursion in the middle", `root ::= "(" root ")" | "x"`, []string{"x", "((x))"}, []string{"((x)", "x)"}},
		{"recursion on the right", `root ::= "a" root | "b"`, []string{"b", strings.Repeat("a", 500) + "b"}, []string{"a"}},
		{"ambiguity", `root ::= a a` + "\n" + `a ::= "x"*`, []string{"", strings.Repeat("x", 300)}, []string{"xy"}},
		{"windows line ends", "root ::= a\r\na ::= \"x\"\r\n", []string{"x"}, []string{"\r\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := mustParse(t, c.source)
			decides(t, g, c.pass, c.fail)
			decides(t, mustParse(t, g.String()), c.pass, c.fail)
		})
	}
}

func TestExplainNamesWhatIsAcceptedInWords(t *testing.T) {
	g := mustParse(t, `root ::= "<call>" [0-9]+ ("," "é" | "</call>" [^\n])`)
	for _, c := range []struct {
		text   string
		status grammar.Status
		offset int
		words  string
	}{
		{"", grammar.Incomplete, 0, `"<call>"`},
		{"<ca", grammar.Incomplete, 3, `"ll>"`},
		{"<call>", grammar.Incomplete, 6, `a digit`},
		{"<call>é", grammar.Refused, 6, `a digit`},
		{"<call>1", grammar.Incomplete, 7, `",é", "</call>", a digit`},
		{"<call>1</call>\n", grammar.Refused, 14, `any character but a line break`},
		{"<call>1,é", grammar.Accepted, 10, ``},
		{"<call>1,é!", grammar.Refused, 10, ``},
	} {
		r, words := g.Explain(c.text)
		slices.Sort(words)
		if got := strings.Join(words, ", "); r.Status != c.status || r.Offset != c.offset || got != c.words {
			t.Errorf("%q: %s at %d, next %s", c.text, r.Status, r.Offset, got)
		}
	}
}

func TestSyntaxErrorsHaveAPlace(t *testing.T) {
	for _, c := range []struct{ source, message string }{
		{"", `grammar:1:1: missing rule "root"`},
		{"a ::= b", `grammar:1:7: undefined rule "b"`},
		{"b ::= \"x\"", `grammar:1:1: missing rule "root"`},
		{"root ::= \"x\"\n  | \"y\"", `grammar:2:3: expected a rule name, found '|'`},
		{"root = \"x\"", `grammar:1:6: expected "::=" after "root", found '='`},
		{"a_b ::= \"x\"", `grammar:1:2: expected "::=" after "a", found '_'`},
		{"root ::= \"x", `grammar:1:10: unterminated literal`},
		{"root ::= [a-", `grammar:1:10: unterminated character class`},
		{`root ::= "\q"`, `grammar:1:11: unknown escape "\q": use \n \r \t \" \\ \[ \] \xNN \uNNNN \UNNNNNNNN`},
		{`root ::= "\xg0"`, `grammar:1:13: expected 2 hexadecimal digits, found 'g'`},
		{`root ::= "\U00110000"`, `grammar:1:11: code point above 10FFFF`},
		{"root ::= (\"a\"", `grammar:1:14: expected ")" for the "(" at byte 9, found the end`},
		{"root ::= * \"a\"", `grammar:1:10: expected something to repeat before '*'`},
		{"root ::= \"a\"{2,1}", `grammar:1:13: at least 2 and at most 1 repetitions cannot both hold`},
		{"root ::= \"a\"{,1}", `grammar:1:14: expected a number of repetitions, found ','`},
		{"root ::= \"a\"{1", `grammar:1:15: expected "}", found the end`},
		{"root ::= \"a\"{2001}", `grammar:1:13: more than 2000 repetitions, the limit of llama.cpp`},
		{"root ::= a | \"x\"\na ::= \"\" root", `grammar:1:1: left-recursive rule "root": begin it with something that consumes text`},
		{"root ::= \"a\"\nroot ::= \"b\"", `grammar:2:1: rule "root" is defined twice`},
		{"root ::= <[10]>", `grammar:1:10: references to tokens are not supported: spell the token's text as a literal`},
		{"root ::= \"a\" )", `grammar:1:14: expected the end of the line, found ')'`},
		{"root ::= \"\xff\"", `grammar:1:11: invalid UTF-8`},
		{"root ::= " + strings.Repeat("(", 300), `grammar:1:266: more than 256 nested parentheses`},
		{"root ::= (((\"a\"{2000}){2000}){2000})", `grammar: rule "root": its repetitions need more than 262144 states`},
	} {
		_, err := grammar.Parse(c.source)
		if err == nil || err.Error() != c.message {
			t.Errorf("%.60q:\n got %v\nwant %s", c.source, err, c.message)
		}
	}
}

func TestMatchReportsWhereATextLeavesTheGrammar(t *testing.T) {
	g := mustParse(t, `root ::= "<a>" [0-9]{2} ("é" | "x")`)
	for _, c := range []struct {
		text     string
		status   grammar.Status
		offset   int
		expected string
	}{
		{"", grammar.Incomplete, 0, `[<]`},
		{"<a>1", grammar.Incomplete, 4, `[0-9]`},
		{"<a>1z", grammar.Refused, 4, `[0-9]`},
		{"<a>12é", grammar.Accepted, 6 + 1, ``},
		{"<a>12\xc3", grammar.Incomplete, 6, `[x][é]`},
		{"<a>12\xc3x", grammar.Refused, 5, `[x][é]`},
		{"<a>12xx", grammar.Refused, 6, ``},
	} {
		r := g.Match(c.text)
		if r.Status != c.status || r.Offset != c.offset || strings.Join(r.Expected, "") != c.expected {
			t.Errorf("%q: %v at %d, expected %q", c.text, r.Status, r.Offset, r.Expected)
		}
	}
}

func TestSampledTextsAreAcceptedAndCoverEveryAlternative(t *testing.T) {
	g := mustParse(t, "root ::= (a | b){0,5} \"!\"\na ::= \"a\" [0-9]? | \"(\" root \")\"\nb ::= [^a-z(!]")
	s := g.Sampler(rand.New(rand.NewPCG(1, 1)))
	all := ""
	for range 300 {
		text, ok := s.Text(40)
		if r := g.Match(text); !ok || r.Status != grammar.Accepted {
			t.Fatalf("%q: %v at %d", text, r.Status, r.Offset)
		}
		all += text
	}
	if !strings.Contains(all, "a7") || !strings.Contains(all, "(") || !strings.Contains(all, "é") && !strings.ContainsFunc(all, func(r rune) bool { return r > 0x7F }) {
		t.Errorf("the samples lack an alternative: %.200q", all)
	}
	if text, ok := mustParse(t, "root ::= \"a\" root").Sampler(rand.New(rand.NewPCG(1, 1))).Text(10); ok {
		t.Errorf("sampled %q from a grammar that accepts nothing", text)
	}
}
