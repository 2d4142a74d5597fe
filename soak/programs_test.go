package main

import "strings"

// programAttacks are requests that the handler soak-hostile of the plugin answers with hostile programs.
func programAttacks() (all []attack) {
	const template = "hostile"
	prepare := put(template, "<hostile>{% for m in messages %}{{ m.content }}{% endfor %}")
	for _, name := range []string{
		"delimiters", "alphabet", "overlaps", "long", "untils", "classes", "nothing", "doubled", "nested", "optional", "punctuation",
	} {
		request := planFor(template, messages(`{"role": "user", "content": "hi"}`))
		request.body = []byte(strings.Replace(string(request.body), `}]}`, `}], "tools": [`+tool(name, `{"type": "object"}`)+`]}`, 1))
		parsed := message{parsePath, []byte(strings.TrimSuffix(string(request.body), "}") + `, "text": "` + strings.Repeat("aé", 500_000) + `"}`)}
		all = append(all,
			attack{name: "program: " + name, prepare: prepare, send: request},
			attack{name: "program: " + name + ", in Lark", prepare: prepare, send: lark(request)},
			attack{name: "program: " + name + ", run", prepare: prepare, send: parsed})
	}
	return all
}
