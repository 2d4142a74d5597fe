package pattern

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// matches returns all matches of a pattern. With noting, failures are noted from the first step on.
func matches(p *Pattern, text string, noting bool) (all []string) {
	m := p.Matcher(text, nil)
	if noting {
		m.steps = patience * (len(text) + 1)
	}
	for from := 0; ; {
		start, end := m.Find(from)
		if end < 0 {
			return all
		}
		all, from = append(all, text[start:end]), end
	}
}

const (
	gpt2Like = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	cased    = `[^\r\n\p{L}\p{N}]?[^a-z\P{L}]*[^A-Z\P{L}]+(?i:'s|'ll)?|[^\r\n\p{L}\p{N}]?[^a-z\P{L}]+[^A-Z\P{L}]*(?i:'s|'ll)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
)

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          []string
	}{
		{gpt2Like, "I'll  be 20 there!!\n\n x", []string{"I", "'ll", " ", " be", " 20", " there", "!!", "\n\n", " x"}},
		{gpt2Like, "è\u0301 \u00a0x  ", []string{"è", "\u0301", " ", "\u00a0", "x", "  "}},
		{cased, "HTMLParser's 1234 ../\n  \n x", []string{"HTMLParser's", " ", "123", "4", " ../\n", "  \n", " x"}},
		{cased, "你好WORLD'LL ok", []string{"你好", "WORLD'LL", " ok"}},
		{`(?:a|ab)c`, "abcac", []string{"abc", "ac"}},
		{`(?:a+)ab`, "aaab", []string{"aaab"}},
		{`(?:(?:a|ab)(?:c|bcd))(?:d|e)?`, "abcdabce", []string{"abcd", "abce"}},
		{`(?:ab?)?b`, "ab", []string{"ab"}},
		{`(?:b){0}a`, "ba", []string{"a"}},
		{`a++a|b`, "aab", []string{"b"}},
		{`a?+a|b`, "aab", []string{"aa", "b"}},
		{`a{2}|b{2,}|c{1,2}`, "aaabbbccc", []string{"aa", "bbb", "cc", "c"}},
		{`a(?=b)`, "abaa", []string{"a"}},
		{`a(?!b)`, "abaa", []string{"a", "a"}},
		{`(?i:[k-l]S|é)k`, "KſkLskÉk", []string{"Kſk", "Lsk", "Ék"}},
		{`[]a-]+|[^]]`, "a]-b", []string{"a]-", "b"}},
		{`\x41\x{1F600}|[\t-\r]|\.`, "A😀\n.", []string{"A😀", "\n", "."}},
		{`.+`, "ab\n😀\r", []string{"ab", "😀\r"}},
		{`\p{Han}+|\P{L}|\pM`, "你好x1\u0301", []string{"你好", "1", "\u0301"}},
		{`\d+|\D`, "1२x", []string{"1२", "x"}},
		{`a*`, "baac", []string{"aa"}},
	} {
		p, err := Compile(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		for _, noting := range []bool{false, true} {
			if got := matches(p, c.text, noting); !slices.Equal(got, c.want) {
				t.Errorf("%s in %q: %q, want %q", c.pattern, c.text, got, c.want)
			}
		}
	}
}

func TestPatternsBeyondTheNotationAreRefused(t *testing.T) {
	for pattern, want := range map[string]string{
		`(?<=a)b`:                  `byte 2: this kind of group is not supported`,
		`a+?`:                      `byte 2: lazy quantifiers are not supported`,
		`a{2}+`:                    `byte 4: '+' behind a bound is not supported`,
		`a**`:                      `byte 2: quantifiers of quantifiers are not supported`,
		`(a)+`:                     `byte 3: groups and lookaheads cannot be repeated`,
		`a(?=bc)`:                  `byte 6: lookaheads at more than one character are not supported`,
		`(a`:                       `byte 2: expected a closing parenthesis`,
		`a)`:                       `byte 1: a parenthesis is closed that was not opened`,
		`[a`:                       `byte 2: expected a closing bracket`,
		`[[a]]`:                    `byte 1: classes within classes are not supported`,
		`[b-a]`:                    `byte 4: expected a range of characters in order`,
		`^a`:                       `byte 0: '^' is not supported here`,
		`\b`:                       `byte 1: the escape \b is not supported`,
		`\`:                        `byte 1: the escape`,
		`\x{110000}`:               `byte 2: expected \xHH or \x{H…}`,
		`\p{Klingon}`:              `the property "Klingon" is not supported`,
		`a{3,2}`:                   `byte 2: expected {n}, {n,} or {n,m} with numbers up to 1000`,
		`a{,2}`:                    `expected {n}, {n,} or {n,m}`,
		`a{600}b{600}`:             `the bounds of quantifiers add up to more than 1000`,
		strings.Repeat("(", 10):    `groups nested deeper than 8`,
		strings.Repeat("a", 600):   `the pattern has more than 512 parts`,
		strings.Repeat("a?", 129):  `the pattern has 129 groups and quantifiers; expected at most 128`,
		strings.Repeat("|", 1<<15): `the pattern is longer than 16384 bytes`,
	} {
		if _, err := Compile(pattern); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %s", pattern, err, want)
		}
	}
}

// randomPattern returns alternatives of up to three items. With beyond, it has what package regexp lacks. Properties are those that
// hold for both cases: of others, (?i:…) means something else here.
func randomPattern(r *rand.Rand, depth int, beyond bool) string {
	var b strings.Builder
	for i := range 1 + r.IntN(3) {
		if i > 0 {
			b.WriteByte('|')
		}
		for range r.IntN(4) {
			if depth > 0 && r.IntN(4) == 0 {
				b.WriteString([]string{"(", "(?:", "(?i:"}[r.IntN(3)] + randomPattern(r, depth-1, beyond) + ")")
				b.WriteString([]string{"", "", "?", "{0}", "{1}"}[r.IntN(5)])
				continue
			}
			if beyond && r.IntN(4) == 0 {
				b.WriteString([]string{"(?=a)", "(?![ab])", `(?!\n)`}[r.IntN(3)])
			}
			b.WriteString([]string{"a", "b", "é", "😀", "[ab]", "[^a]", "[^b😀]", `\n`, ".", `\p{N}`, `[\PL]`}[r.IntN(11)])
			b.WriteString([]string{"", "", "", "?", "*", "+", "{2}", "{1,3}", "{2,}"}[r.IntN(9)])
			if s := b.String(); beyond && r.IntN(3) == 0 && strings.IndexByte("?*+", s[len(s)-1]) >= 0 {
				b.WriteByte('+')
			}
		}
	}
	return b.String()
}

func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(24) {
		b.WriteString([]string{"a", "a", "b", "A", "é", "É", "😀", "\n", "1"}[r.IntN(9)])
	}
	return b.String()
}

// TestMatchesAreThoseOfPackageRegexp compares with package regexp, which prefers the same matches.
func TestMatchesAreThoseOfPackageRegexp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		source := randomPattern(r, 2, false)
		p, err := Compile(source)
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		theirs := regexp.MustCompile(`\A(?:` + source + `)`)
		for range 4 {
			text := randomText(r)
			var want []string
			for at := 0; at < len(text); {
				if in := theirs.FindStringIndex(text[at:]); in != nil && in[1] > 0 {
					want = append(want, text[at:at+in[1]])
					at += in[1]
					continue
				}
				_, n := utf8.DecodeRuneInString(text[at:])
				at += n
			}
			for _, noting := range []bool{false, true} {
				if got := matches(p, text, noting); !slices.Equal(got, want) {
					t.Fatalf("%s in %q (noting %v): %q, want %q", source, text, noting, got, want)
				}
			}
		}
	}
}

// TestNotingFailuresChangesNoMatch holds also for what package regexp lacks.
func TestNotingFailuresChangesNoMatch(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		source := randomPattern(r, 2, true)
		p, err := Compile(source)
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		text := randomText(r)
		if got, want := matches(p, text, true), matches(p, text, false); !slices.Equal(got, want) {
			t.Fatalf("%s in %q: %q, want %q", source, text, got, want)
		}
	}
}

// TestStepsGrowLinearly counts steps for patterns that backtrack much, and for those in use.
func TestStepsGrowLinearly(t *testing.T) {
	for _, source := range []string{
		`a+b`, `a*a*a*a*a*a*b`, `a++b`, `[^b]*b|a`, `a{0,500}a{0,500}b`, `a{3,}a{3,}b`,
		strings.Repeat("a?", 60) + "b", strings.Repeat("(a|a)", 30) + "b", strings.Repeat("(?:a|)", 60) + "a{60}b", `(?:a*(?:a*(?:a*b|b)|b)|b)`,
		`\s*[\r\n]+`, `\p{Han}+x`, gpt2Like, cased,
	} {
		p := MustCompile(source)
		for _, word := range []string{"a", "aA", "ab", " ", "\n", " \n", "1", "你", "😀"} {
			steps := func(n int) int {
				text := strings.Repeat(word, n/len(word))
				m := p.Matcher(text, nil)
				for from := 0; from >= 0; {
					_, from = m.Find(from)
				}
				return m.steps
			}
			if few, many := steps(1<<10), steps(1<<12); many > 5*few+100 {
				t.Errorf("%.40s in repeated %q: %d steps for 1 KiB, %d for 4 KiB", source, word, few, many)
			}
		}
	}
}

func FuzzCompile(f *testing.F) {
	for _, s := range []string{gpt2Like, cased, `(?i:a{2,3}|[^\]])\x{41}(?!\P{Han})`, `a++(b|)?`} {
		f.Add(s, "I'll be  there 123\n 你好")
	}
	f.Fuzz(func(t *testing.T, source, text string) {
		p, err := Compile(source)
		if err != nil {
			return
		}
		text = strings.ToValidUTF8(text, "?")
		if len(text) > 256 {
			text = text[:0]
		}
		if got, want := fmt.Sprintf("%q", matches(p, text, true)), fmt.Sprintf("%q", matches(p, text, false)); got != want {
			t.Errorf("%s in %q: %s with failures noted, %s without", source, text, got, want)
		}
	})
}
