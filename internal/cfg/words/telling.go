package words

import (
	"strings"
)

// IsTelling reports whether text is specific enough for a trigger: more than white space and the
// punctuation of JSON.
func IsTelling(text string) bool {
	return strings.Trim(text, " \t\r\n{}[]\":,'") != ""
}
