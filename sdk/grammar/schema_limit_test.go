package grammar_test

import "testing"

func TestSeveralKeywordsOfAStringAreEnforcedTogether(t *testing.T) {
	holds(t, []schemaCase{
		{"a pattern that looks ahead", `{"pattern": "^(?=.*\\d)(?!x)[a-z\\d]{2,4}$"}`, []string{`"a1"`, `"1bcd"`}, []string{`"ab"`, `"x1"`, `"1"`, `"abcd1"`}},
		{"a pattern that looks ahead for a whole text", `{"pattern": "^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$"}`, []string{`"1"`, `"-.5"`, `"00."`}, []string{`""`, `"."`, `"-"`, `"1e5"`}},
		{"addresses as generators write them", `{"format": "email", "pattern": "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$"}`,
			[]string{`"a.b+c@example.co.uk"`}, []string{`".a@b.co"`, `"a..b@c.de"`, `"a@b.c"`, `"a@b"`}},
		{"groups and classes within what is looked ahead for", `{"pattern": "^(?!([(|)]|\\(|b))[^|]$"}`, []string{`"a"`, `"c"`}, []string{`"b"`, `"("`, `")"`, `"|"`}},
		{"a format that a pattern spells out", `{"format": "ipv4", "pattern": "^(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9])\\.){3}1$"}`, []string{`"10.0.0.1"`}, []string{`"10.0.0.2"`, `"256.0.0.1"`}},
		{"a format and a pattern", `{"format": "date", "pattern": "^2026-"}`, []string{`"2026-11-21"`}, []string{`"1999-12-01"`, `"2026-13-01"`, `"2026-"`}},
		{"several patterns", `{"allOf": [{"pattern": "[A-Z]"}, {"pattern": "^[a-z]"}, {"pattern": "^.*\\d$"}], "maxLength": 3}`, []string{`"aA9"`}, []string{`"aA"`, `"a9"`, `"A9"`, `"aAA9"`}},
		{"an excluded text", `{"type": "string", "not": {"enum": ["a", "ab", 1]}}`, []string{`""`, `"b"`, `"abc"`, `"aé\n"`}, []string{`"a"`, `"ab"`, `"\u0061"`, "1"}},
		{"an excluded text and another type", `{"type": ["string", "null"], "not": {"const": ""}}`, []string{`"a"`, "null"}, []string{`""`}},
		{"a text of another type", `{"type": ["string", "null"], "not": {"type": "boolean"}}`, []string{`"a"`, "null"}, []string{"true"}},
		{"an excluded pattern", `{"type": "string", "maxLength": 3, "not": {"type": "string", "pattern": "^x|\"$"}}`, []string{`"ax"`, `"\"a"`}, []string{`"xa"`, `"a\""`, `"abcd"`, `"\u0078"`}},
	})
}

func TestSeveralKeywordsOfRawTextAreEnforcedTogether(t *testing.T) {
	for _, c := range []schemaCase{
		{"a pattern that looks ahead", `{"type": "string", "pattern": "^(?!x).{1,3}$"}`, []string{"ab</p>", "<b></p>"}, []string{"xa</p>", "</p>", "</p></p>"}},
		{"an excluded text", `{"type": "string", "not": {"const": "a"}}`, []string{"b</p>", "aa</p>", "</p>"}, []string{"a</p>"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, own := raw(t, c.schema)
			decides(t, g, c.pass, c.fail)
			if len(own.Notes) > 0 {
				t.Errorf("notes: %q", own.Notes)
			}
		})
	}
}
