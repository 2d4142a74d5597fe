package pattern

import (
	"regexp/syntax"
	"slices"
)

// ruleFormats are the formats with rules of their own.
var ruleFormats = []string{"date", "time", "date-time", "uuid", "uuid1", "uuid2", "uuid3", "uuid4", "uuid5"}

// Parts of patternFormats.
const (
	ipv4Part     = `(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])`
	ipv6Part     = `[0-9A-Fa-f]{1,4}`
	mailHost     = `[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*`
	hostPart     = `[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?`
	hostname     = hostPart + `(?:\.` + hostPart + `)*`
	mailWord     = `[A-Za-z0-9!#$%&'*+/=?^_{|}~-]+`
	uriChar      = `(?:[A-Za-z0-9._~:/?@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})`
	uriText      = uriChar + `*`
	pointerSteps = `(?:/(?:[^~/]|~[01])*)*`
	dayTime      = `T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)`
	yearsToDays  = `(?:[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)`
)

// patternFormats are the formats enforced by regular expressions: these match only valid texts, and
// most of them.
var patternFormats = map[string]string{
	"ipv4": ipv4Part + `(?:\.` + ipv4Part + `){3}`,
	"ipv6": `(?:` + ipv6Part + `:){7}` + ipv6Part + `|(?:` + ipv6Part + `:){1,7}:|(?:` + ipv6Part + `:){1,6}:` + ipv6Part +
		`|(?:` + ipv6Part + `:){1,5}(?::` + ipv6Part + `){1,2}|(?:` + ipv6Part + `:){1,4}(?::` + ipv6Part + `){1,3}|(?:` + ipv6Part + `:){1,3}(?::` + ipv6Part +
		`){1,4}|(?:` + ipv6Part + `:){1,2}(?::` + ipv6Part + `){1,5}|` + ipv6Part + `:(?::` + ipv6Part + `){1,6}|:(?:(?::` + ipv6Part + `){1,7}|:)`,
	"hostname":              hostname,
	"email":                 mailWord + `(?:\.` + mailWord + `)*@` + mailHost + `(?:\.` + mailHost + `)+`,
	"uri":                   `[A-Za-z][A-Za-z0-9+.-]*:` + uriChar + `+(?:#` + uriText + `)?`,
	"uri-reference":         uriText + `(?:#` + uriText + `)?`,
	"json-pointer":          pointerSteps,
	"relative-json-pointer": `(?:0|[1-9][0-9]*)(?:#|` + pointerSteps + `)`,
	"duration":              `P(?:` + yearsToDays + `(?:` + dayTime + `)?|` + dayTime + `|[0-9]+W)`,
	"byte":                  `(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?`,
}

// anyText are formats that every string has; otherFormats are not enforced.
var (
	anyText      = []string{"password", "binary"}
	otherFormats = []string{"idn-email", "idn-hostname", "uri-template", "iri", "iri-reference", "regex", "char"}
)

// IsKnownFormat reports whether a format is one of strings.
func IsKnownFormat(name string) bool {
	return IsFormat(name) || slices.Contains(anyText, name) || slices.Contains(otherFormats, name)
}

// IsFormat reports whether a format is enforced.
func IsFormat(name string) bool {
	return slices.Contains(ruleFormats, name) || patternFormats[name] != ""
}

// IsAnyText reports whether every string has a format.
func IsAnyText(name string) bool { return slices.Contains(anyText, name) }

func formatPattern(name string) *syntax.Regexp {
	re, err := syntax.Parse(patternFormats[name], syntax.Perl)
	if err != nil {
		return &syntax.Regexp{Op: syntax.OpNoMatch} // a test parses all of them
	}
	return re
}
