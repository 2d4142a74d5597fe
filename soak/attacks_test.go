package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// attack is a request that tries to cost more than its share.
type attack struct {
	name    string
	send    message
	prepare message // sent before, unmeasured
	status  int     // of the answer; 0: any
	short   bool    // belongs to the short form
	long    bool    // would take long if it did not end with its client
}

const (
	planPath  = "ChatService/Plan"
	parsePath = "ChatService/Parse"
	putPath   = "TemplateService/PutTemplate"
)

// other is the request of the client that is to notice nothing.
var other = plan(withTool(`{"type": "object", "properties": {"city": {"type": "string"}}}`))

// plan returns a request for a plan.
func plan(request string) message { return planFor("chatml-json", request) }

func planFor(template, request string) message {
	return message{planPath, []byte(`{"template": "` + template + `", "request": ` + request + `}`)}
}

// lark returns a request for a plan whose constraint is in Lark.
func lark(m message) message {
	m.body = []byte(strings.Replace(string(m.body), `{"template"`, `{"target": "lark", "template"`, 1))
	return m
}

// withTool returns a chat request with one tool, whose parameters have a schema.
func withTool(schema string) string {
	return `{"messages": [{"role": "user", "content": "hi"}], "tools": [` + tool("f", schema) + `]}`
}

func tool(name, schema string) string {
	return `{"type": "function", "function": {"name": "` + name + `", "parameters": ` + schema + `}}`
}

// inFormat returns a chat request whose answer has a schema.
func inFormat(schema string) string {
	return `{"messages": [{"role": "user", "content": "hi"}], "response_format": {"type": "json_schema", "json_schema": {"name": "s", "schema": ` + schema + `}}}`
}

// parse returns a request that parses an output with one known tool.
func parse(template, output string) message {
	text, _ := json.Marshal(output)
	return message{parsePath, []byte(`{"template": "` + template + `", "request": ` + withTool(`{"type": "object", "properties": {"x": {"type": "string"}}}`) + `, "text": ` + string(text) + `}`)}
}

// put returns a request that puts a template.
func put(name, source string) message {
	text, _ := json.Marshal(source)
	return message{putPath, []byte(`{"name": "` + name + `", "source": ` + string(text) + `}`)}
}

// list joins what f returns for 0 to n-1 by commas.
func list(n int, f func(i int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = f(i)
	}
	return strings.Join(parts, ", ")
}

func listf(n int, format string) string {
	return list(n, func(i int) string { return fmt.Sprintf(strings.ReplaceAll(format, "#", "%[1]d"), i) })
}

// nested returns before n times, the middle, and after n times.
func nested(n int, before, middle, after string) string {
	return strings.Repeat(before, n) + middle + strings.Repeat(after, n)
}

// messages returns a chat request of messages.
func messages(all string) string { return `{"messages": [` + all + `]}` }

func attacks() (all []attack) {
	defer func() { slices.SortStableFunc(all, func(a, b attack) int { return strings.Compare(a.name, b.name) }) }()
	add := func(name string, m message) { all = append(all, attack{name: name, send: m}) }
	object := func(members string) string { return `{"type": "object", ` + members + `}` }

	// Schemas.
	for name, schema := range map[string]string{
		"400 patterns of names":          object(`"patternProperties": {` + listf(400, `"^(a#|b#c*d)+x": {"type": "string"}`) + `}`),
		"8000 equal patterns of names":   object(`"patternProperties": {` + listf(8000, `"^(x|x#)": {"type": "string"}`) + `}`),
		"8000 similar patterns of names": object(`"patternProperties": {` + listf(8000, `"^x#": {"type": "string"}`) + `}`),
		"patterns that meet":             object(`"patternProperties": {` + listf(400, `"^[a-z]*a#[a-z]*[0-9]$": {"type": "string"}`) + `}`),
		"3000 names and patterns":        object(`"properties": {` + listf(3000, `"p#": {"type": "string"}`) + `}, "patternProperties": {` + listf(3000, `"^q#": {"type": "string"}`) + `}`),
		"classes without case":           object(`"properties": {"a": {"type": "string", "pattern": "(?i)` + strings.Repeat(`[b-\\x{1E943}]`, 5000) + `"}}`),
		"classes in many patterns":       object(`"properties": {` + listf(10_000, `"a#": {"type": "string", "pattern": "(?i)[b-\\x{1E943}]\\p{L}"}`) + `}`),
		"30000 optional properties":      object(`"properties": {` + listf(30000, `"p#": {"type": "string"}`) + `}`),
		"30000 optional, one required":   object(`"properties": {` + listf(30000, `"p#": {"type": "string"}`) + `}, "required": ["p29999"]`),
		"30000 required properties":      object(`"properties": {` + listf(30000, `"p#": {"type": "string"}`) + `}, "required": [` + listf(30000, `"p#"`) + `]`),
		"30000 required, unknown":        object(`"required": [` + listf(100000, `"p#"`) + `]`),
		"100000 values of an enum":       object(`"properties": {"a": {"enum": [` + listf(100000, `"value #"`) + `]}}`),
		"100000 numbers of an enum":      object(`"properties": {"a": {"enum": [` + listf(100000, `#`) + `]}}`),
		"objects of an enum":             object(`"properties": {"a": {"enum": [` + listf(30000, `{"a": #, "b": [#]}`) + `]}}`),
		"10000 consts in anyOf":          object(`"properties": {"a": {"anyOf": [` + listf(30000, `{"const": "c#"}`) + `]}}`),
		"10000 consts in oneOf":          object(`"properties": {"a": {"oneOf": [` + listf(30000, `{"const": "c#"}`) + `]}}`),
		"oneOf of objects":               object(`"properties": {"a": {"oneOf": [` + listf(5000, `{"type": "object", "properties": {"k#": {"type": "integer"}}, "required": ["k#"]}`) + `]}}`),
		"anyOf of objects":               object(`"properties": {"a": {"anyOf": [` + listf(5000, `{"type": "object", "properties": {"k#": {"type": "integer"}}, "required": ["k#"]}`) + `]}}`),
		"allOf of 5000":                  object(`"properties": {"a": {"allOf": [` + listf(5000, `{"type": "object", "properties": {"k#": {"type": "integer"}}}`) + `]}}`),
		"allOf of 5000 patterns":         object(`"properties": {"a": {"allOf": [` + listf(5000, `{"type": "string", "pattern": "a#"}`) + `]}}`),
		"product of anyOf":               object(`"properties": {"a": {"allOf": [` + listf(20, `{"anyOf": [{"properties": {"a#": {"type": "string"}}}, {"properties": {"b#": {"type": "string"}}}]}`) + `]}}`),
		"product of oneOf":               object(`"properties": {"a": {"allOf": [` + listf(200, `{"oneOf": [{"required": ["a#"]}, {"required": ["b#"]}]}`) + `]}}`),
		"nested anyOf":                   object(`"properties": {"a": ` + nested(400, `{"anyOf": [{"type": "string"}, `, `{"type": "integer"}`, `]}`) + `}`),
		"nested not":                     object(`"properties": {"a": ` + nested(400, `{"not": `, `{"type": "integer"}`, `}`) + `}`),
		"if then else":                   object(`"allOf": [` + listf(300, `{"if": {"properties": {"p#": {"const": 1}}}, "then": {"required": ["q#"]}, "else": {"required": ["r#"]}}`) + `]`),
		"a billion by references": object(`"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": {` + list(40, func(i int) string {
			return fmt.Sprintf(`"d%d": {"type": "array", "prefixItems": [{"$ref": "#/$defs/d%d"}, {"$ref": "#/$defs/d%d"}], "minItems": 2}`, i, i+1, i+1)
		}) + `, "d40": {"type": "string"}}`),
		"a billion by references in allOf": object(`"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": {` + list(40, func(i int) string {
			return fmt.Sprintf(`"d%d": {"allOf": [{"$ref": "#/$defs/d%d"}, {"$ref": "#/$defs/d%d"}]}`, i, i+1, i+1)
		}) + `, "d40": {"type": "string"}}`),
		"a chain of references": object(`"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": {` + list(20000, func(i int) string { return fmt.Sprintf(`"d%d": {"$ref": "#/$defs/d%d"}`, i, i+1) }) + `, "d20000": {"type": "string"}}`),
		"a chain of objects": object(`"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": {` + list(20000, func(i int) string {
			return fmt.Sprintf(`"d%d": {"type": "object", "properties": {"n": {"$ref": "#/$defs/d%d"}}}`, i, i+1)
		}) + `, "d20000": {"type": "string"}}`),
		"a nested repetition":             object(`"properties": {"a": {"type": "string", "pattern": "^((a{1,1000}){1,1000}){1,1000}$"}}`),
		"a doubling pattern":              object(`"properties": {"a": {"type": "string", "pattern": "^` + nested(300, `(`, `a`, `|aa)*b?`) + `$"}}`),
		"a pattern whose machine doubles": object(`"properties": {"a": {"type": "string", "pattern": "^(a|b)*a(a|b){300}$"}}`),
		"a long pattern":                  object(`"properties": {"a": {"type": "string", "pattern": "^(` + strings.Repeat("abc|", 300_000) + `x)$"}}`),
		"many patterns":                   object(`"properties": {` + listf(20_000, `"a#": {"type": "string", "pattern": "^a{#,99999}[a-z]+$"}`) + `}`),
		"classes":                         object(`"properties": {"a": {"type": "string", "pattern": "^` + strings.Repeat(`[\\p{L}\\p{N}]`, 20_000) + `$"}}`),
		"a long minimum":                  object(`"properties": {"a": {"type": "string", "minLength": 1000000000, "maxLength": 2000000000}}`),
		"many lengths":                    object(`"properties": {` + listf(20_000, `"a#": {"type": "string", "minLength": #, "maxLength": 100#}`) + `}`),
		"many items":                      object(`"properties": {"a": {"type": "array", "items": {"type": "array", "items": {"type": "array", "items": {"type": "string"}, "minItems": 10000}, "minItems": 10000}, "minItems": 1000000000}}`),
		"many numbers":                    object(`"properties": {` + listf(20_000, `"a#": {"type": "integer", "minimum": -99999999#, "maximum": 1234567890123#, "multipleOf": 7}`) + `}`),
		"a number":                        object(`"properties": {"a": {"type": "number", "minimum": -1e308, "maximum": 1e-308, "multipleOf": 1e-300}}`),
		"unique items":                    object(`"properties": {"a": {"type": "array", "uniqueItems": true, "items": {"enum": [` + listf(50_000, `"#"`) + `]}, "minItems": 1000}}`),
		"prefix items":                    object(`"properties": {"a": {"type": "array", "prefixItems": [` + listf(50_000, `{"const": #}`) + `]}}`),
		"contains":                        object(`"properties": {"a": {"type": "array", "items": {"type": "string"}, "contains": {"const": "x"}, "minContains": 1000, "maxContains": 100000}}`),
		"min properties":                  object(`"properties": {` + listf(3_000, `"a#": {"type": "string"}`) + `}, "minProperties": 1500`),
		"dependent required":              object(`"properties": {` + listf(3_000, `"a#": {"type": "string"}`) + `}, "dependentRequired": {` + listf(3_000, `"a#": ["a1", "a2"]`) + `}`),
		"property names":                  object(`"propertyNames": {"enum": [` + listf(50_000, `"n#"`) + `]}, "patternProperties": {"^n1": {"type": "string"}}`),
		"deep objects":                    nested(450, `{"type": "object", "properties": {"a": `, `{"type": "string"}`, `}}`),
		"deep objects, required":          nested(450, `{"type": "object", "required": ["a"], "properties": {"b": {"type": "string"}, "a": `, `{"type": "string"}`, `}}`),
		"deep arrays":                     nested(450, `{"type": "array", "items": `, `{"type": "string"}`, `}`),
		"very deep arrays":                object(`"properties": {"a": ` + nested(100_000, `{"items": `, `{}`, `}`) + `}`),
		"definitions unused":              object(`"$defs": {` + listf(40_000, `"d#": {"type": "string"}`) + `}`),
		"formats":                         object(`"properties": {` + listf(20_000, `"a#": {"type": "string", "format": "date-time"}`) + `}`),
		"additional beside many":          object(`"properties": {` + listf(20_000, `"p#": {"type": "string"}`) + `}, "additionalProperties": {"type": "string"}`),
		"long names":                      object(`"properties": {` + list(100, func(i int) string { return fmt.Sprintf(`"%d%s": {"type": "string"}`, i, strings.Repeat("n", 15_000)) }) + `}, "additionalProperties": {"type": "string"}`),
	} {
		add("schema: "+name, plan(withTool(schema)))
		add("format: "+name, plan(inFormat(schema)))
	}

	// Tools and messages.
	add("5000 tools of 5 arguments", plan(`{"messages": [{"role": "user", "content": "hi"}], "tools": [`+list(5000, func(i int) string {
		return tool(fmt.Sprint("tool", i), object(`"properties": {`+listf(5, `"a#": {"type": "string"}`)+`}`))
	})+`]}`))
	add("30000 tools", plan(`{"messages": [{"role": "user", "content": "hi"}], "tools": [`+list(20000, func(i int) string { return tool(fmt.Sprint("tool", i), `{}`) })+`]}`))
	add("8000 types of parts", plan(messages(`{"role": "user", "content": [`+listf(8000, `{"type": "t#"}`)+`]}`)))
	add("80000 types of parts", plan(messages(`{"role": "user", "content": [`+listf(80000, `{"type": "t#"}`)+`]}`)))
	add("30000 messages", plan(messages(listf(30000, `{"role": "user", "content": "message #"}`))))
	add("30000 empty messages", plan(messages(listf(30000, `{"role": "system", "content": "<a>#"}`))))
	add("10000 answers with calls", plan(messages(`{"role": "user", "content": "x"}, `+listf(8000, `{"role": "assistant", "content": null, "tool_calls": [{"id": "c#", "type": "function", "function": {"name": "f", "arguments": "{\"x\": #}"}}]}, {"role": "tool", "tool_call_id": "c#", "content": "r"}`))))
	add("a message of 2 MB", plan(messages(`{"role": "user", "content": "`+strings.Repeat("<think>{", 250_000)+`"}`)))
	add("arguments of 1 MB", plan(messages(`{"role": "user", "content": "x"}, {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{\"x\": [`+listf(200_000, "#")+`]}"}}]}`)))
	add("a deep body", plan(nested(1_000_000, `[`, ``, `]`)))
	add("a deep body of objects", plan(nested(300_000, `{"a":`, `1`, `}`)))
	add("template_kwargs deep", plan(`{"messages": [{"role": "user", "content": "hi"}], "chat_template_kwargs": {"x": `+nested(100_000, `[`, ``, `]`)+`}}`))
	add("a list of kwargs", plan(`{"messages": [{"role": "user", "content": "hi"}], "chat_template_kwargs": {`+listf(100_000, `"k#": #`)+`}}`))
	add("stop words", plan(`{"messages": [{"role": "user", "content": "hi"}], "stop": [`+listf(100_000, `"stop#"`)+`]}`))
	add("continue", plan(`{"continue_final_message": true, "add_generation_prompt": false, "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "`+strings.Repeat("<tool_call>", 100_000)+`"}]}`))

	// Response formats.
	add("a regular expression", plan(`{"messages": [{"role": "user", "content": "hi"}], "structured_outputs": {"regex": "((a{1,1000}){1,1000}){1,1000}"}}`))
	add("a long regular expression", plan(`{"messages": [{"role": "user", "content": "hi"}], "guided_regex": "(`+strings.Repeat("ab|", 300_000)+`x)"}`))
	add("a GBNF grammar", plan(`{"messages": [{"role": "user", "content": "hi"}], "grammar": "root ::= r0\n`+strings.ReplaceAll(listf(50_000, `r# ::= \"a\" r#0 | r1\n`), ", ", "")+`"}`))
	add("a GBNF grammar of repetitions", plan(`{"messages": [{"role": "user", "content": "hi"}], "grammar": "root ::= ((((\"a\"{1,1000}){1,1000}){1,1000}){1,1000}){1,1000}\n"}`))
	add("a GBNF grammar, deep", plan(`{"messages": [{"role": "user", "content": "hi"}], "grammar": "root ::= `+nested(300_000, "(", `\"a\"`, ")")+`\n"}`))
	add("a GBNF grammar of empties", plan(`{"messages": [{"role": "user", "content": "hi"}], "grammar": "root ::= `+nested(20, "(", `\"a\"?`, "*)*")+`\n"}`))
	add("a choice", plan(`{"messages": [{"role": "user", "content": "hi"}], "guided_choice": [`+listf(100_000, `"choice #"`)+`]}`))
	add("lark: 400 properties", lark(plan(withTool(object(`"properties": {`+listf(400, `"p#": {"type": "string"}`)+`}`)))))
	add("lark: 3000 properties", lark(plan(withTool(object(`"properties": {`+listf(3000, `"p#": {"type": "string"}`)+`}`)))))
	add("lark: 30000 values", lark(plan(withTool(object(`"properties": {"a": {"enum": [`+listf(100_000, `"value #"`)+`]}}`)))))

	// Outputs.
	for _, template := range []string{"chatml-json", "chatml-tagged", "chatml-reasoning"} {
		for name, output := range map[string]string{
			"beginnings of calls":        strings.Repeat(`<tool_call>{"name": "f", "x": "y" `, 30_000),
			"beginnings of tagged calls": strings.Repeat("<tool_call>\n<function=f>\n<parameter=x>\n", 40_000),
			"calls":                      strings.Repeat(`<tool_call>{"name": "f", "arguments": {"x": "y"}}</tool_call>`, 25_000),
			"tagged calls":               strings.Repeat("<tool_call>\n<function=f>\n<parameter=x>\ny\n</parameter>\n</function>\n</tool_call>\n", 20_000),
			"unknown calls":              strings.Repeat(`<tool_call>{"name": "g", "arguments": {"x": "y"}}</tool_call>`, 25_000),
			"markers":                    strings.Repeat("<tool_call>", 150_000),
			"half markers":               strings.Repeat("<tool_cal", 180_000),
			"openings":                   strings.Repeat("<", 1_600_000),
			"reasoning":                  strings.Repeat("<think>", 230_000),
			"reasoning, closed":          strings.Repeat("<think>x</think>", 100_000),
			"braces":                     strings.Repeat("{", 1_600_000),
			"braces and names":           strings.Repeat(`{"name": "f", `, 110_000),
			"brackets":                   strings.Repeat("[", 1_600_000),
			"a deep value":               `<tool_call>{"name": "f", "arguments": ` + nested(500_000, `{"a": `, "1", "}"),
			"a long name":                `<tool_call>{"name": "` + strings.Repeat("f", 1_600_000),
			"a long string":              `<tool_call>{"name": "f", "arguments": {"x": "` + strings.Repeat(`\"`, 700_000),
			"a long value":               `<tool_call>{"name": "f", "arguments": {"x": [` + listf(200_000, `#`) + `]}}</tool_call>`,
			"blanks":                     `<tool_call>` + strings.Repeat(" \n", 800_000),
			"many arguments":             `<tool_call>{"name": "f", "arguments": {` + listf(100_000, `"x#": #`) + `}}</tool_call>`,
			"ends":                       strings.Repeat("</tool_call>", 130_000),
			"ids":                        strings.Repeat(`<tool_call>{"id": "x", "name": "f", "arguments": {}}</tool_call>`, 25_000),
			"fences":                     strings.Repeat("```json\n{\"name\": \"f\", ", 70_000),
			"code":                       strings.Repeat("[f(x='y'", 180_000),
		} {
			add("output of "+template+": "+name, parse(template, output))
		}
	}

	// Templates.
	for name, source := range map[string]string{
		"400 replacements":        "{{ 'x' * 100000 }}{% set ns = namespace(x=messages[0].content * 50000) %}{{ ns.x" + strings.Repeat(".replace('a', 'bb').replace('bb', 'a')", 200) + " }}",
		"replacements of content": "{% for m in messages %}{{ m.content" + strings.Repeat(".replace('<', '((')", 400) + " }}{% endfor %}",
		"14 MB":                   "{% for m in messages %}{{ m.content }}{% endfor %}{{ 'abc<d>' * 2300000 }}",
		"markers":                 "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% endfor %}{% for i in range(9000) %}<a{{ i }}>{% endfor %}",
		"many equal markers":      "{% for m in messages %}{% for i in range(2000) %}<a>{{ m.content }}</a>{% endfor %}{% endfor %}",
		"loops":                   "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
		"loops after content":     "{% for m in messages %}{{ m.content }}{% endfor %}{% if add_generation_prompt %}{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}{% endif %}",
		"loops in tools":          "{% for m in messages %}{{ m.content }}{% endfor %}{% if tools %}{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}{% endif %}",
		"sorts":                   "{% for i in range(1000) %}{{ (range(10000) | list | sort(reverse=true) | join(',')) | length }}{% endfor %}",
		"recursion":               "{% macro a(n) %}{{ a(n) }}{{ a(n) }}{% endmacro %}{{ a(1) }}",
		"strings":                 "{% set ns = namespace(x='ab') %}{% for i in range(30) %}{% set ns.x = ns.x + ns.x %}{% endfor %}{{ ns.x | length }}",
		"costly for requests":     "{% for m in messages %}{{ m.content }}{% if m.content == 'hi' %}{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}{% endif %}{% endfor %}",
		"long for requests":       "{% for m in messages %}{{ m.content }}{% if m.content == 'hi' %}{{ '<a>' * 5000000 }}{% endif %}{% endfor %}",
		"slow for requests":       "{% for m in messages %}{{ m.content }}{% if m.content == 'hi' %}{% set ns = namespace(x='ab' * 500000) %}{% for i in range(400) %}{% set ns.x = ns.x.replace('ab', 'ba').replace('ba', 'ab') %}{% endfor %}{{ ns.x | length }}{% endif %}{% endfor %}",
		"numbers for requests":    "{% for m in messages %}{{ m.content }}{% if m.content == 'hi' %}{% set s = 'é' * 500000 %}{% for i in range(9000) %}{% set x = s|int %}{% set x = s|float %}{% endfor %}{% endif %}{% endfor %}",
		"titles for requests":     "{% for m in messages %}{{ m.content }}{% if m.content == 'hi' %}{% set s = 'é a' * 100000 %}{% for i in range(9000) %}{% set x = s.title() %}{% set x = s|title %}{% endfor %}{% endif %}{% endfor %}",
		"JSON for requests":       "{% for m in messages %}{{ m.content }}{% if m.content == 'hi' %}{% set s = '\x01' * 100000 %}{% for i in range(9000) %}{% set x = s | tojson %}{% set x = '%r' % s %}{% endfor %}{% endif %}{% endfor %}",
		"splits":                  "{% for m in messages %}{{ m.content }}{% endfor %}" + strings.Repeat("{% if '</a>' in x %}{% endif %}{{ x.split('<b>') }}", 3000),
		"deep expressions":        "{{ " + nested(100_000, "(", "1", ")") + " }}",
		"long expression":         "{{ 1" + strings.Repeat(" + 1", 60_000) + " }}",
		"many blocks":             strings.Repeat("{% if x %}{{ y }}{% endif %}", 9_000),
		"calls with many markers": "{% for m in messages %}{{ m.content }}{% for c in m.tool_calls or [] %}{% for i in range(300) %}<a{{ i }}>{{ c.function.name }}{{ c.function.arguments | tojson }}</a{{ i }}>{% endfor %}{% endfor %}{% endfor %}",
		"calls among markers":     "{% for m in messages %}{{ m.content }}{{ '<x>' * 3000 }}{% for c in m.tool_calls or [] %}<c>{{ '<y>' * 3000 }}{{ c.function.name }}{{ '[z]' * 3000 }}{{ c.function.arguments | tojson }}{{ '{u}' * 3000 }}</c>{% endfor %}{% endfor %}",
		"text among calls":        "{% for m in messages %}{{ m.content }}{{ 'x y ' * 8000 }}{% for c in m.tool_calls or [] %}{{ 'a b ' * 8000 }}{{ c.function.name }}{{ 'c d ' * 3000 }}{{ c.function.arguments | tojson }}{{ 'e f ' * 8000 }}{% endfor %}{% endfor %}",
	} {
		add("template: "+name, put("attack", source))
		all = append(all, attack{name: "template: " + name + ", plan", prepare: put("attack", source), send: planFor("attack", withTool(`{"type": "object"}`))})
		all = append(all, attack{name: "template: " + name + ", explained", send: message{"TemplateService/ExplainTemplate", []byte(`{"name": "attack"}`)}})
	}
	all = append(all, ruleAttacks()...)
	all = append(all, programAttacks()...)
	for i := range all {
		a := &all[i]
		a.short, a.long = slices.Contains(shortForm, a.name), slices.Contains(longest, a.name)
		if strings.HasPrefix(a.name, "5000 tools") {
			a.status = http.StatusRequestEntityTooLarge
		}
		if a.name == "lark: 400 properties" {
			a.status = http.StatusOK
		}
	}
	return all
}

// shortForm are the attacks that are always made.
var shortForm = []string{
	"schema: patterns that meet", "schema: 8000 similar patterns of names", "schema: 30000 optional properties", "schema: allOf of 5000", "schema: classes",
	"format: prefix items", "8000 types of parts", "30000 messages", "5000 tools of 5 arguments", "lark: 3000 properties",
	"rules: heavy predicates", "rules: a case of a long output", "program: untils", "program: nothing",
	"output of chatml-json: beginnings of calls", "template: 14 MB", "template: 400 replacements",
}

// longest are the attacks that cost most.
var longest = []string{"rules: heavy predicates", "rules: many cases", "schema: patterns that meet", "schema: allOf of 5000", "schema: allOf of 5000 patterns", "schema: long names", "schema: many numbers", "30000 messages",
	"schema: a long pattern", "schema: 30000 optional properties", "lark: 30000 values", "output of chatml-json: a deep value", "output of chatml-json: ids"}
