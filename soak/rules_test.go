package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

const (
	tryPath = "WorkaroundService/TryWorkarounds"
	caseFor = `{"id": "c#", "kind": "parse", "template": "chatml-json", "request": {"messages": [{"role": "user", "content": "Hi"}]}, "output": %s, "expect": {"content": "x"}}`
)

// ruleAttacks returns attacks with rules to try: as files, as predicates, as values, and as the cases to run under them.
func ruleAttacks() (all []attack) {
	try := func(name, document, cases string) {
		body, _ := json.Marshal(map[string]string{"document": document, "cases": cases})
		all = append(all, attack{name: "rules: " + name, send: message{tryPath, body}})
	}
	rules := func(n int, when, set string) string {
		var b strings.Builder
		b.WriteString("version: 1\nworkarounds:\n")
		for i := range n {
			fmt.Fprintf(&b, "  - {name: r%d, because: a test, when: '%s', set: {%s}}\n", i, when, set)
		}
		return b.String()
	}
	text := func(s string) string { quoted, _ := json.Marshal(s); return string(quoted) }
	const reasoning = `reasoning: {mode: tag_based, start: "<t>", end: "</t>"}`
	try("many", rules(15_000, `source contains "x"`, reasoning), "")
	try("heavy predicates", rules(400, strings.Repeat(`source matches "(a|b)*c(d|e)*[^f]*g" or `, 90)+`source contains "<"`, reasoning), "")
	try("long predicates", rules(400, strings.Repeat(`source contains "<" and `, 160)+"true", reasoning), "")
	try("repeated repetitions", rules(400, `source matches "((a{1,30}){1,30}b){1,1}"`, reasoning), "")
	try("long values", rules(10, "true", `reasoning: {mode: tag_based, start: "`+strings.Repeat("<t>", 50_000)+`", end: "`+strings.Repeat("</t>", 30_000)+`"}`), "")
	try("anchors", "version: 1\na: &a [x,x,x,x,x,x,x,x,x]\n"+nestedAnchors(12)+"workarounds: []\n", "")
	try("deep", "version: 1\nworkarounds: "+nested(100_000, "[", "", "]"), "")
	try("many cases", rules(1, "true", reasoning), strings.ReplaceAll(listLines(5_000, fmt.Sprintf(caseFor, text("<t>x</t>x"))), "\n\n", "\n"))
	try("a case of a long output", rules(1, "true", reasoning), strings.ReplaceAll(fmt.Sprintf(caseFor, text(strings.Repeat("<t>x</t>", 150_000))), "#", "0"))
	try("a case of a hard schema", rules(1, "true", reasoning), `{"id": "c", "kind": "plan", "template": "chatml-json", "request": `+
		withTool(`{"type": "object", "patternProperties": {`+listf(400, `"^[a-z]*a#[a-z]*[0-9]$": {"type": "string"}`)+`}}`)+`, "expect": {}}`)
	return all
}

// nestedAnchors returns keys each of which repeats the one before nine times.
func nestedAnchors(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%c: &%[1]c [%s*%c]\n", 'b'+i, strings.Repeat(fmt.Sprintf("*%c,", 'a'+i), 8), 'a'+i)
	}
	return b.String()
}

// listLines returns a line n times, with # replaced by 0 to n-1.
func listLines(n int, line string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(line, "#", fmt.Sprint(i)) + "\n")
	}
	return b.String()
}
