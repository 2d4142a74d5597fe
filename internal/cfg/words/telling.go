package words

import (
	"strings"
)

// IsTelling says whether text is more than punctuation of JSON and white space, and so fit to fire on.
func IsTelling(text string) bool {
	return strings.Trim(text, " \t\r\n{}[]\":,'") != ""
}
