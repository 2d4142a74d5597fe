package pystr_test

import (
	"testing"

	"github.com/dragoman-project/dragoman/autoparser/jinja/pystr"
)

func TestCasesFollowUnicode(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"upper", pystr.Upper("straße ŉ"), "STRASSE ʼN"},
		{"lower", pystr.Lower("ΑΣ İ"), "ας i̇"},
		{"casefold", pystr.CaseFold("Straße"), "strasse"},
		{"title", pystr.Title("it's ǆ 3rd"), "It'S ǅ 3Rd"},
		{"capitalize", pystr.Capitalize("ßA ΑΣ"), "Ssa ας"},
		{"swapcase", pystr.SwapCase("aB ß"), "Ab SS"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, c.got, c.want)
		}
	}
}

func TestQuotesAreThoseOfRepr(t *testing.T) {
	for text, want := range map[string]string{
		"a": "'a'", "it's": `"it's"`, `'"`: `'\'"'`, "\n\x00\u00a0é\u2028": `'\n\x00\xa0é\u2028'`, `\`: `'\\'`,
	} {
		if got := pystr.Quote(text); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
