package jinja_test

import (
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/jinja"
)

// attack is a hostile template and the kinds of failure with which it may end.
type attack struct {
	name, template string
	ends           []jinja.Kind
}

var (
	stopped   = []jinja.Kind{jinja.Limit, jinja.Deadline}
	failed    = []jinja.Kind{jinja.Runtime, jinja.Limit, jinja.Deadline}
	refusedAt = []jinja.Kind{jinja.Syntax, jinja.Limit}
)

func attacks() []attack {
	return []attack{
		// reaching out
		{"read a file", `{% include "/etc/passwd" %}`, refusedAt},
		{"read a file by a name", `{% import name as x %}`, refusedAt},
		{"extend a file", `{% extends "/etc/passwd" %}`, refusedAt},
		{"call a Go method", `{{ d.Set("x", 1) }}`, failed},
		{"call a Go method of the variables", `{{ d.Keys() }}`, failed},
		{"climb to Python's classes", `{{ ''.__class__.__mro__[1].__subclasses__() }}`, failed},
		{"climb through a format", `{{ '{0.__class__.__mro__}'.format(d) }}`, failed},
		{"change what was given", `{{ ls.append(1) }}`, failed},

		// nesting
		{"parentheses without end", "{{ " + strings.Repeat("(", 20_000) + strings.Repeat(")", 20_000) + " }}", refusedAt},
		{"lists inside lists in the source", "{{ " + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + " }}", refusedAt},
		{"blocks inside blocks", strings.Repeat("{% if 1 %}", 20_000), refusedAt},
		{"signs without end", "{{ " + strings.Repeat("-", 20_000) + "1 }}", refusedAt},
		{"not without end", "{{ " + strings.Repeat("not ", 20_000) + "1 }}", refusedAt},
		{"attributes without end", "{{ x" + strings.Repeat(".a", 20_000) + " }}", refusedAt},
		{"sums without end", "{{ 1" + strings.Repeat("+1", 20_000) + " }}", refusedAt},
		{"calls without end", "{{ x" + strings.Repeat("()", 20_000) + " }}", refusedAt},
		{"alternatives without end", "{{ 1" + strings.Repeat(" or 1", 20_000) + " }}", refusedAt},
		{"filters without end", "{{ x" + strings.Repeat("|e", 20_000) + " }}", refusedAt},
		{"too much source", strings.Repeat("x", 300<<10), refusedAt},
		{"a macro that calls itself", `{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}`, stopped},
		{"macros that call each other", `{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}`, stopped},
		{"a call block that calls itself", `{% macro m() %}{% call m() %}{{ caller() }}{% endcall %}{% endmacro %}{{ m() }}`, stopped},
		{"a loop over itself", `{% set l = [] %}{% do l.append(l) %}{% for x in l recursive %}{{ loop(x) }}{% endfor %}`, stopped},
		{"a list deep in itself", `{% set ns = namespace(x=[]) %}{% for i in range(100000) %}{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x }}`, failed},
		{"a deep list as JSON", `{% set ns = namespace(x=[]) %}{% for i in range(100000) %}{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x|tojson }}`, failed},
		{"comparing deep lists", `{% set ns = namespace(x=[], y=[]) %}{% for i in range(100000) %}{% set ns.x = [ns.x] %}{% set ns.y = [ns.y] %}{% endfor %}{{ ns.x == ns.y }}`, failed},
		{"ordering deep lists", `{% set ns = namespace(x=[], y=[1]) %}{% for i in range(100000) %}{% set ns.x = [ns.x] %}{% set ns.y = [ns.y] %}{% endfor %}{{ ns.x < ns.y }}`, failed},
		{"a deep tuple as a key", `{% set ns = namespace(x=()) %}{% for i in range(100000) %}{% set ns.x = (ns.x,) %}{% endfor %}{{ {ns.x: 1} }}`, failed},
		{"a list that contains itself", `{% set l = [] %}{% do l.append(l) %}{{ l }}`, failed},
		{"generators on generators", `{% set ns = namespace(g=ls) %}{% for i in range(100000) %}{% for j in range(100) %}{% set ns.g = ns.g|select %}{% endfor %}{% endfor %}{{ ns.g|list }}`, failed},
		{"generators in generators", `{% set ns = namespace(g=ls|select) %}{% for i in range(100000) %}{% set ns.g = [ns.g]|map('first') %}{% endfor %}{{ ns.g|first }}`, failed},

		// time
		{"loops in loops", `{% for a in range(100000) %}{% for b in range(100000) %}{% for c in range(100000) %}{% endfor %}{% endfor %}{% endfor %}`, stopped},
		{"a loop that feeds itself", `{% set l = [1] %}{% for x in l %}{% do l.append(x) %}{% endfor %}`, stopped},
		{"a huge range", `{% for x in range(1000000000) %}{% endfor %}`, failed},
		{"a range of big integers", `{{ range(10 ** 30) }}`, failed},
		{"trees of shared parts printed", `{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x }}`, stopped},
		{"trees of shared parts compared", `{% set ns = namespace(x=[1], y=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% set ns.y = [ns.y, ns.y] %}{% endfor %}{{ ns.x == ns.y }}`, stopped},
		{"trees of shared parts as JSON", `{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = {'a': ns.x, 'b': ns.x} %}{% endfor %}{{ ns.x|tojson(sort_keys=true) }}`, stopped},
		{"a power tower", `{{ 9 ** (9 ** 9) }}`, failed},
		{"squares of squares", `{% set ns = namespace(x=3) %}{% for i in range(1000) %}{% set ns.x = ns.x * ns.x %}{% endfor %}{{ ns.x }}`, failed},
		{"a big integer printed", `{{ 7 ** 40000 }}`, failed},
		{"searching again and again", `{% set s = 'a' * 1000000 %}{% for a in range(100000) %}{% if s ~ 'b' in s %}{% endif %}{% endfor %}`, stopped},
		{"reading a number again and again", `{% set s = 'é' * 500000 %}{% for i in range(100000) %}{% set x = s|int %}{% set x = s|float %}{% endfor %}`, stopped},
		{"titles again and again", `{% set s = 'é a' * 100000 %}{% for i in range(100000) %}{% set x = s.title() %}{% set x = s|title %}{% endfor %}`, stopped},
		{"looking through a huge text", `{% set s = 'é' * 50000000 %}{{ s|length }}{{ s.swapcase() }}`, stopped},
		{"stripping many by many", `{% set s = 'a' * 1000000 %}{{ s.strip(s ~ 'b') }}{% for i in range(100000) %}{% set _ = s.strip(s) %}{% endfor %}`, stopped},
		{"sorting with slow comparisons", `{% set s = 'a' * 100000 %}{% set l = [s] * 100000 %}{% for i in range(1000) %}{{ l|sort|length }}{% endfor %}`, stopped},
		{"keys taken out one by one", `{% set d = {} %}{% for i in range(100000) %}{% do d.update({i: i}) %}{% endfor %}{% for i in range(100000) %}{% do d.pop(i) %}{% endfor %}{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}`, stopped},
		{"a conversation that takes for ever", `{% for m in msgs %}{% for i in range(100000) %}{% for j in range(100000) %}{{ m.role }}{% endfor %}{% endfor %}{% endfor %}`, stopped},

		// memory
		{"a string doubled", `{% set ns = namespace(s='a') %}{% for i in range(100) %}{% set ns.s = ns.s + ns.s %}{% endfor %}`, stopped},
		{"a string doubled by a tilde", `{% set ns = namespace(s='a') %}{% for i in range(100) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}`, stopped},
		{"a list doubled", `{% set ns = namespace(s=[1]) %}{% for i in range(100) %}{% set ns.s = ns.s + ns.s %}{% endfor %}`, stopped},
		{"a string repeated", `{{ 'abc' * 10000000000 }}`, stopped},
		{"a list repeated", `{{ [1] * 1000000000 }}`, stopped},
		{"centred in nowhere", `{{ 'a'.center(2000000000) }}`, stopped},
		{"centred by the filter", `{{ 'a'|center(2000000000) }}`, stopped},
		{"a wide percent format", `{{ '%2000000000d' % 1 }}`, failed},
		{"a wide brace format", `{{ '{:2000000000}'.format(1) }}`, failed},
		{"a precise format", `{{ '%.2000000000f' % 1 }}`, failed},
		{"a replacement that explodes", `{% set s = 'a' * 1000000 %}{{ s.replace('a', s) }}`, stopped},
		{"a join that explodes", `{% set s = 'a' * 1000000 %}{{ s|join(s) }}`, stopped},
		{"JSON with a margin", `{{ d|tojson(indent=2000000000) }}`, stopped},
		{"a margin", `{{ s|indent(2000000000, true) }}`, stopped},
		{"a batch filled up", `{{ [1]|batch(2000000000, 'x')|list }}`, stopped},
		{"more columns than items", `{{ [1]|slice(2000000000)|list }}`, stopped},
		{"words without end", `{% set s = 'a ' * 10000000 %}{% for i in range(100) %}{{ s.split()|length }}{{ s|wordcount }}{% endfor %}`, stopped},
		{"lines without end", `{% set s = '\n' * 50000000 %}{{ s.splitlines()|length }}{{ s|indent }}`, stopped},
		{"characters that become many", `{% set s = '\x01' * 30000000 %}{{ s|tojson }}`, stopped},
		{"a string taken apart", `{% set s = 'a' * 50000000 %}{{ s|list|length }}`, stopped},
		{"output without end", `{% set s = 'a' * 1000000 %}{% for i in range(100000) %}{{ s }}{% endfor %}`, stopped},
		{"captured output without end", `{% set x %}{% for i in range(100000) %}{{ 'a' * 10000 }}{% endfor %}{% endset %}`, stopped},
		{"namespaces that grow", `{% set ns = namespace() %}{% for i in range(100000) %}{% for j in range(100000) %}{% set x = dict(a=i, b=j) %}{% endfor %}{% endfor %}`, stopped},
	}
}
