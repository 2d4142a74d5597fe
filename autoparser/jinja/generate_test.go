package jinja_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator generates random templates from what chat templates use or might use.
type generator struct {
	*rand.Rand
	names []string // variables set so far
	loops int      // number of loops around
	depth int
}

// randomVars are the variables of random templates.
const randomVars = `{
	"n": 3, "zero": 0, "neg": -7, "f": 2.5, "g": 1e20, "big": 123456789012345678901234567890, "s": "Hello, World", "e": "",
	"u": "Grüße, ΣΑΣ ß 日本 😀", "w": "  two \n\t lines\r\n ", "q": "it's \"quoted\" \\ <b>&", "t": true, "no": false, "none": null,
	"num": "42", "flo": " 3.5 ", "ls": [3, 1, 2], "le": [], "lt": ["b", "A", "c", "a"], "lm": [1, "x", null, 2.0, [1], {"k": 1}],
	"d": {"b": 1, "a": [1, 2], "c": {"x": "y"}}, "de": {}, "msgs": [{"role": "user", "content": "hi", "n": 2},
	{"role": "assistant", "content": null, "n": 1, "tool_calls": [{"name": "f", "arguments": {"x": 1.0}}]}, {"role": "tool", "content": ["a", "b"], "n": 10}]
}`

var (
	variables = strings.Fields("n zero neg f g big s e u w q t no none num flo ls le lt lm d de msgs missing")
	constants = strings.Fields(`0 1 2 -1 10 3.0 0.5 1e3 true false none 'a' "b\n" '' 'x y' ' ' [] {} () [1,2] (1,'a') {'k':1} ['b','a'] 1_000`)
	fieldsOf  = strings.Fields("role content n tool_calls a b c x name arguments k missing items keys")
	tests     = strings.Fields("defined undefined none boolean true false integer float number string mapping sequence iterable callable " +
		"odd even lower upper escaped divisibleby(2) eq(1) ne('a') lt(3) ge(2) in([1,'a',none]) sameas(none) in('abc')")
	filters = strings.Fields(`upper lower capitalize title trim trim('H') length count first last list join join(',') reverse reverse|list
		sort sort(reverse=true) unique|list min max sum string tojson tojson(indent=2) tojson(ensure_ascii=true) tojson(separators=(',',':'))
		tojson(sort_keys=true) default('D') d('D',true) int int(5) float round round(1) round(1,'floor') round(-1) abs replace('l','L') replace('a','')
		replace('',',') indent indent(2,true) indent(blank=true) truncate(8) truncate(8,true) wordcount center(20) items|list dictsort batch(2)|list
		batch(2,'f')|list slice(2)|list groupby('role')|list map(attribute='role')|list map('upper')|list map('length')|list select|list reject('none')|list
		select('string')|list selectattr('role')|list selectattr('role','equalto','user')|list rejectattr('content')|list map(attribute='content',default='D')|list
		e escape safe striptags urlencode filesizeformat format(1) attr('nope') xmlattr select('odd')|list map('tojson')|join('|') map('int')|sum forceescape`)
	methods = strings.Fields(`upper() lower() strip() strip('l') lstrip() rstrip() title() capitalize() casefold() swapcase() split() split(',') split(',',1) split(none,1)
		rsplit(none,1) rsplit('l',1) splitlines() splitlines(true) replace('l','L') replace('l','L',1) startswith('H') startswith(('a','H')) endswith('d') find('l') rfind('l')
		count('l') index('l') join(['a','b']) isdigit() isalpha() isalnum() isspace() isupper() islower() istitle() isascii() zfill(5) ljust(8) rjust(8,'*') center(9)
		partition(',') rpartition('l') removeprefix('He') removesuffix('d') format(1,2) expandtabs() items() keys() values() get('a') get('zz','D') copy() index(1) count(1)
		append(1) find('l',3) startswith('e',1) isdecimal() isnumeric() isidentifier() isprintable()`)
	binaries = strings.Fields("+ + + - * / // % ~ == != < <= > >= in and or")
	formats  = strings.Fields(`%s %d %5.1f %-5s| %05d %x %r %% %e %g %+d %c %i %10s %.2s %#x`)
	braces   = strings.Fields(`{} {0} {:>5} {:05d} {:.2f} {!r} {:,} {:x} {:^7} {:+} {:e} {:%} {:<3}| {:*^9} {:g} {:.3} {{}} {:b} {:_}`)
)

func (g *generator) pick(from []string) string { return from[g.IntN(len(from))] }

func (g *generator) oneIn(n int) bool { return g.IntN(n) == 0 }

func (g *generator) variable() string {
	if len(g.names) > 0 && g.oneIn(3) {
		return g.pick(g.names)
	}
	return g.pick(variables)
}

func (g *generator) expression() string {
	g.depth++
	defer func() { g.depth-- }()
	if g.depth > 4 {
		return g.variable()
	}
	switch g.IntN(22) {
	case 0, 1, 2:
		return g.pick(constants)
	case 3, 4, 5:
		return g.variable()
	case 6:
		return g.variable() + "." + g.pick(fieldsOf)
	case 7:
		return fmt.Sprintf("%s['%s']", g.variable(), g.pick(fieldsOf))
	case 8:
		return fmt.Sprintf("%s[%d]", g.variable(), g.IntN(5)-2)
	case 9:
		return g.slice()
	case 10, 11, 12:
		return fmt.Sprintf("(%s)|%s", g.expression(), g.pick(filters))
	case 13:
		return fmt.Sprintf("(%s)|%s", g.variable(), g.pick(filters))
	case 14:
		return fmt.Sprintf("(%s) is %s%s", g.expression(), []string{"", "not "}[g.IntN(2)], g.pick(tests))
	case 15:
		return g.variable() + "." + g.pick(methods)
	case 16:
		return fmt.Sprintf("(%s %s %s)", g.expression(), g.pick(binaries), g.expression())
	case 17:
		return fmt.Sprintf("(%s if %s else %s)", g.expression(), g.expression(), g.expression())
	case 18:
		return []string{"not ", "-", "+"}[g.IntN(3)] + "(" + g.expression() + ")"
	case 19:
		return g.display()
	case 20:
		return g.formatted()
	}
	if g.loops > 0 {
		return "loop." + g.pick(strings.Fields("index index0 first last length revindex revindex0 previtem nextitem depth cycle('a','b') changed(n)"))
	}
	return fmt.Sprintf("(%s < %s <= %s)", g.expression(), g.expression(), g.expression())
}

func (g *generator) slice() string {
	bound := func() string {
		if g.oneIn(2) {
			return ""
		}
		return fmt.Sprint(g.IntN(9) - 4)
	}
	s := g.pick(strings.Fields("s e u w q ls le lt lm d missing")) + "[" + bound() + ":" + bound()
	if g.oneIn(3) {
		s += ":" + []string{"1", "2", "-1", "-2", ""}[g.IntN(5)]
	}
	return s + "]"
}

func (g *generator) display() string {
	switch g.IntN(4) {
	case 0:
		return fmt.Sprintf("[%s, %s]", g.expression(), g.expression())
	case 1:
		return fmt.Sprintf("{'k': %s, %s: 2}", g.expression(), g.pick(constants[:16]))
	case 2:
		return fmt.Sprintf("range(%d)|list", g.IntN(5))
	}
	return fmt.Sprintf("dict(a=%s)", g.expression())
}

func (g *generator) formatted() string {
	switch g.IntN(3) {
	case 0:
		return fmt.Sprintf("'%s' %% (%s,)", g.pick(formats), g.expression())
	case 1:
		return fmt.Sprintf("'%s'.format(%s)", g.pick(braces), g.expression())
	}
	return fmt.Sprintf("'%s' %% %s", g.pick(formats), g.variable())
}

func (g *generator) open() string { return g.pick([]string{"{%", "{%", "{%-", "  {%", "\n{%", "{%+"}) }

func (g *generator) shut() string { return g.pick([]string{"%}", "%}", "-%}", "%}\n", "%}  ", "+%}"}) }

func (g *generator) tag(format string, args ...any) string {
	return g.open() + " " + fmt.Sprintf(format, args...) + " " + g.shut()
}

func (g *generator) body() string {
	var b strings.Builder
	for range 1 + g.IntN(3) {
		b.WriteString(g.statement())
	}
	return b.String()
}

func (g *generator) statement() string {
	g.depth++
	defer func() { g.depth-- }()
	if g.depth > 4 {
		return "{{ " + g.variable() + " }}"
	}
	switch g.IntN(16) {
	case 0:
		return g.pick([]string{"text ", "\n", "  line\n  ", "{ x }", "<|im_start|>", "\r\n", "%}"})
	case 1, 2, 3, 4:
		return "{{" + g.pick([]string{"", "-"}) + " " + g.expression() + " " + g.pick([]string{"", "-"}) + "}}"
	case 5, 6:
		return g.tag("if %s", g.expression()) + g.body() + g.tag("elif %s", g.expression()) + g.body() + g.tag("else") + g.body() + g.tag("endif")
	case 7, 8:
		return g.loop()
	case 9, 10:
		return g.assignment()
	case 11:
		return g.scoped(func() string { return g.tag("set cap") + g.body() + g.tag("endset") }) + "[{{ cap }}]"
	case 12:
		return g.macro()
	case 13:
		return g.scoped(func() string { return g.tag("with v = %s", g.expression()) + g.body() + "{{ v }}" + g.tag("endwith") })
	case 14:
		return g.scoped(func() string { return g.tag("filter upper|trim") + g.body() + g.tag("endfilter") })
	}
	return g.tag("set ns.x = %s", g.expression()) + "{{ ns.x }}"
}

// scoped generates a block whose names are forgotten after it.
func (g *generator) scoped(f func() string) string {
	names := g.names
	s := f()
	g.names = names
	return s
}

func (g *generator) loop() string {
	return g.scoped(func() string {
		over := g.expression()
		head := fmt.Sprintf("for x in %s", over)
		if g.oneIn(4) {
			head += " if " + g.expression()
		}
		g.loops++
		g.names = append(g.names, "x")
		s := g.tag("%s", head) + g.body()
		if g.oneIn(5) {
			s += g.tag("if %s", g.expression()) + g.tag("%s", g.pick([]string{"break", "continue"})) + g.tag("endif") + "."
		}
		g.loops--
		if g.oneIn(3) {
			s += g.tag("else") + g.body()
		}
		return s + g.tag("endfor")
	})
}

func (g *generator) assignment() string {
	id := g.pick([]string{"a", "b2", "s", "n", "tmp"})
	s := g.tag("set %s = %s", id, g.expression())
	g.names = append(g.names, id)
	return s
}

func (g *generator) macro() string {
	loops := g.loops
	g.loops = 0
	defer func() { g.loops = loops }()
	return g.scoped(func() string {
		g.names = append(g.names, "p", "o")
		s := g.tag("macro m(p, o=%s)", g.expression()) + g.body() + "{{ caller() if caller else varargs }}" + g.tag("endmacro")
		if g.oneIn(3) {
			return s + g.tag("call m(%s)", g.expression()) + g.body() + g.tag("endcall")
		}
		return s + fmt.Sprintf("{{ m(%s, o=%s) }}", g.expression(), g.expression())
	})
}

// template generates a template. Most are one expression or one statement, so that a failure hides no other.
func (g *generator) template() string {
	switch g.IntN(8) {
	case 0, 1, 2:
		g.depth = 1
		return "{{ " + g.expression() + " }}"
	case 3:
		return "{{ " + g.expression() + " }}"
	case 4, 5, 6:
		g.depth = 2
	}
	return "{% set ns = namespace(x=1) %}" + g.statement()
}

// text generates a string of awkward characters.
func (g *generator) text() string {
	pieces := []string{"hello", " ", "\n", "  ", "ß", "日本", "😀", "\"", "'", "\\", "<call>", "</think>", "<think>", "{{ x }}", "{% if %}", "\t", "<|end|>", "&", "1.0", "None", "\u2028", "\x00"}
	var b strings.Builder
	for range g.IntN(6) {
		b.WriteString(g.pick(pieces))
	}
	return b.String()
}

// value generates a JSON value.
func (g *generator) value() any {
	if g.depth > 3 {
		return g.text()
	}
	g.depth++
	defer func() { g.depth-- }()
	switch g.IntN(9) {
	case 0:
		return nil
	case 1:
		return g.oneIn(2)
	case 2:
		return g.IntN(1000) - 500
	case 3:
		return json.RawMessage(g.pick([]string{"1.0", "0.1", "1e20", "-0.0", "123456789012345678901234567890", "1E5", "2.50"}))
	case 4:
		return []any{g.value(), g.value()}
	case 5, 6:
		return map[string]any{g.pick([]string{"a", "b", "items", "é"}): g.value(), "z" + g.text(): g.value()}
	}
	return g.text()
}

// message generates a message, usually well formed.
func (g *generator) message() map[string]any {
	m := map[string]any{"role": g.pick([]string{"user", "assistant", "assistant", "tool", "system", "critic"})}
	switch g.IntN(8) {
	case 0:
		m["content"] = nil
	case 1:
		m["content"] = []any{map[string]any{"type": "text", "text": g.text()}, map[string]any{"type": "image"}}
	case 2:
	default:
		m["content"] = g.text()
	}
	if g.oneIn(3) {
		m["reasoning_content"] = g.text()
	}
	if m["role"] == "assistant" && g.oneIn(2) {
		var arguments any = map[string]any{"a": g.value(), "b": g.value()}
		if g.oneIn(5) {
			arguments = g.text()
		}
		m["tool_calls"] = []any{map[string]any{"id": "c1", "type": "function", "function": map[string]any{"name": "f", "arguments": arguments}}}
	}
	return m
}

// conversation generates the variables of a chat template.
func (g *generator) conversation() json.RawMessage {
	vars := map[string]any{"bos_token": "<s>", "eos_token": "</s>", "add_generation_prompt": g.oneIn(2)}
	var messages []any
	for range 1 + g.IntN(5) {
		messages = append(messages, g.message())
	}
	vars["messages"] = messages
	if g.oneIn(2) {
		vars["enable_thinking"] = g.oneIn(2)
	}
	if g.oneIn(2) {
		vars["tools"] = []any{map[string]any{"type": "function", "function": map[string]any{
			"name": "f", "description": g.text(), "strict": true, "parameters": map[string]any{"type": "object", "required": []any{"a"}, "properties": map[string]any{
				"a": map[string]any{"type": "string", "description": g.text()}, "b": map[string]any{"type": []any{"integer", "null"}, "default": g.value()}}}}}}
	}
	data, err := json.Marshal(vars)
	if err != nil {
		panic(err)
	}
	return data
}
