package pystr

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// IsASCII reports whether s consists of ASCII characters.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Upper is str.upper.
func Upper(s string) string {
	if IsASCII(s) {
		return strings.ToUpper(s)
	}
	return cases.Upper(language.Und).String(s)
}

// Lower is str.lower.
func Lower(s string) string {
	if IsASCII(s) {
		return strings.ToLower(s)
	}
	return cases.Lower(language.Und).String(s)
}

// CaseFold is str.casefold.
func CaseFold(s string) string {
	if IsASCII(s) {
		return strings.ToLower(s)
	}
	return cases.Fold().String(s)
}

// titleRune returns the title case of one character: "Ss" for ß.
func titleRune(c rune) string {
	if c < utf8.RuneSelf {
		return strings.ToUpper(string(c))
	}
	return cases.Title(language.Und, cases.NoLower).String(string(c))
}

// Capitalize is str.capitalize: the first character in title case, the rest in lower case.
func Capitalize(s string) string {
	c, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return titleRune(c) + Lower(s)[len(Lower(s[:n])):]
}

// Title is str.title, which differs from the filter: each run of letters begins in title case.
func Title(s string) string {
	var b strings.Builder
	low, inWord := Lower(s), false
	for _, c := range s {
		next, n := nextLowered(low, c)
		if inWord {
			b.WriteString(low[:n])
		} else {
			b.WriteString(titleRune(c))
		}
		low, inWord = next, cased(c)
	}
	return b.String()
}

// nextLowered splits the lower case of c off low, the lower case of a text that begins with c. The
// lower case of a character depends on its context.
func nextLowered(low string, c rune) (rest string, n int) {
	if c < utf8.RuneSelf {
		return low[1:], 1
	}
	n = min(len(Lower(string(c))), len(low))
	return low[n:], n
}

// SwapCase is str.swapcase.
func SwapCase(s string) string {
	var b strings.Builder
	low := Lower(s)
	for _, c := range s {
		next, n := nextLowered(low, c)
		switch {
		case unicode.IsUpper(c):
			b.WriteString(low[:n])
		case unicode.IsLower(c):
			b.WriteString(Upper(string(c)))
		default:
			b.WriteRune(c)
		}
		low = next
	}
	return b.String()
}

// cased, lowercase and uppercase report Unicode's properties of those names.
func cased(c rune) bool { return lowercase(c) || uppercase(c) || unicode.IsTitle(c) }

func lowercase(c rune) bool { return unicode.IsLower(c) || unicode.Is(unicode.Other_Lowercase, c) }

func uppercase(c rune) bool { return unicode.IsUpper(c) || unicode.Is(unicode.Other_Uppercase, c) }

// IsLower is str.islower: s has cased characters, and all of them are lower case.
func IsLower(s string) bool { return oneCase(s, lowercase) }

// IsUpper is str.isupper: s has cased characters, and all of them are upper case.
func IsUpper(s string) bool { return oneCase(s, uppercase) }

// oneCase reports whether s has characters of the wanted case and none of another case.
func oneCase(s string, want func(rune) bool) bool {
	found := false
	for _, c := range s {
		switch {
		case want(c):
			found = true
		case cased(c):
			return false
		}
	}
	return found
}

// IsTitle is str.istitle: characters are upper case where words begin, and only there.
func IsTitle(s string) bool {
	found, inWord := false, false
	for _, c := range s {
		switch {
		case uppercase(c) || unicode.IsTitle(c):
			if inWord {
				return false
			}
			found, inWord = true, true
		case lowercase(c):
			if !inWord {
				return false
			}
		default:
			inWord = false
		}
	}
	return found
}

// Every reports whether s is not empty and is holds for all its characters.
func Every(s string, is func(rune) bool) bool {
	for _, c := range s {
		if !is(c) {
			return false
		}
	}
	return s != ""
}

// IsSpace is str.isspace of one character.
func IsSpace(c rune) bool { return unicode.IsSpace(c) || c >= 0x1c && c <= 0x1f }

// IsDigit reports whether c is a decimal digit, or a circled, superscript or similar one.
func IsDigit(c rune) bool { return unicode.Is(unicode.Nd, c) || unicode.Is(otherDigits, c) }

// IsNumeric is str.isnumeric of one character.
func IsNumeric(c rune) bool {
	return unicode.IsNumber(c) || strings.ContainsRune(numericLetters, c)
}

// IsAlphanumeric is str.isalnum of one character.
func IsAlphanumeric(c rune) bool { return unicode.IsLetter(c) || IsNumeric(c) }

// otherDigits are the characters of Unicode's numeric type Digit.
var otherDigits = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0xb2, 0xb3, 1}, {0xb9, 0xb9, 1}, {0x1369, 0x1371, 1}, {0x19da, 0x19da, 1}, {0x2070, 0x2070, 1}, {0x2074, 0x2079, 1},
		{0x2080, 0x2089, 1}, {0x2460, 0x2468, 1}, {0x2474, 0x247c, 1}, {0x2488, 0x2490, 1}, {0x24ea, 0x24ea, 1},
		{0x24f5, 0x24fd, 1}, {0x24ff, 0x24ff, 1}, {0x2776, 0x277e, 1}, {0x2780, 0x2788, 1}, {0x278a, 0x2792, 1},
	},
	R32: []unicode.Range32{
		{0x10a40, 0x10a43, 1}, {0x10e60, 0x10e68, 1}, {0x11052, 0x1105a, 1}, {0x1f100, 0x1f10a, 1},
	},
	LatinOffset: 2,
}

// numericLetters are the ideographs that stand for numbers.
const numericLetters = "㐅㒃㠪㭍一七万三九二五亖亿什仟仨伍佰億兆兩八六十千卄卅卌叁参參叄四壱壹幺廾廿弌弍弎弐拾捌柒漆玖百肆萬貮貳贰阡陆陌陸零\uf96b\uf973\uf978\uf9b2\uf9d1\uf9d3\uf9fd𠀁𠁤𠃢𠄡𠤪𠦃𠦌𠦜𠫪𠫽𠬙𢎐𢦘𣬛𦉭\U0002f890"
