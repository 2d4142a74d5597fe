package jinja_test

// whitespaceSnippets specify which parts of the source are text.
var whitespaceSnippets = []snippet{
	{name: "a tag takes its line with it", template: `a
  {% if true %}
  b
  {% endif %}
c`,
		renders: `a
  b
c`},
	{name: "signs strip everything", template: "a  {%- if true -%}  b  {%- endif -%}  c",
		renders: "abc"},
	{name: "a plus keeps what would go", template: `a
  {%+ if true +%}
b
  {%+ endif +%}
c`,
		renders: `a
  
b
  
c`},
	{name: "expressions strip only when told", template: `a
  {{ n }}
  {{- n }}
  {{ n -}}
b`,
		renders: `a
  33
  3b`},
	{name: "comments take their line with them", template: `a
  {# comment #}
b {#- c -#} c
{#+ d +#}
e`,
		renders: `a
bc

e`},
	{name: "comments end at the first end", template: "{# a {{ b }} {% c %} #}x#}",
		renders: "x#}"},
	{name: "raw blocks are text", template: "{% raw %}{{ x }}{% if %}{# c #}{% endraw %}|",
		renders: "{{ x }}{% if %}{# c #}|"},
	{name: "raw blocks strip too", template: "a {%- raw -%} {{ x }} {%- endraw -%} b",
		renders: "a{{ x }}b"},
	{name: "raw blocks keep their lines", template: `a
{% raw %}
{{ x }}
{% endraw %}
b`,
		renders: `a

{{ x }}
b`},
	{name: "the last line end goes", template: `a
`,
		renders: "a"},
	{name: "tags at the start of the text", template: `{% if true %}
a
{% endif %}`,
		renders: `a
`},
	{name: "blanks before a tag stay when text stands before them", template: "a {% if true %} b {% endif %} c",
		renders: "a  b  c"},
	{name: "several tags on a line", template: `  {% if true %}{% if true %}
a
  {% endif %}  {% endif %}
b`,
		renders: `a
  b`},
	{name: "braces that begin no tag", template: "{ {x} }} %} #} { { {a{b",
		renders: "{ {x} }} %} #} { { {a{b"},
	{name: "a brace before a tag", template: "{{{ 'a': n } }}{{{'a': {'b': 1}}}}",
		renders: "{'a': 3}{'a': {'b': 1}}"},
	{name: "tags over several lines", template: `{{
  n
  +
  1
}}{% set x =
  [1,
   2] %}{{ x }}`,
		renders: "4[1, 2]"},
	{name: "a tag inside a string", template: "{{ '{% x %} {{ y }} {# z #}' }}",
		renders: "{% x %} {{ y }} {# z #}"},
	{name: "adjacent strings are one", template: `{{ 'a' "b" 'c' }}`,
		renders: "abc"},
	{name: "escapes in strings", template: `{{ '\n\t\\\'\"\x41\u00e9\U0001F600\101\q' }}`,
		renders: "\n\t\\'\"Aé😀A\\q"},
	{name: "a colon may end a tag", template: "{% if n: %}a{% else: %}b{% endif %}",
		renders: "a"},
	{name: "a comment that is about to begin at the end", template: "a{# x #}{#",
		renders: "a"},
	{name: "a raw block that is about to begin at the end", template: "a{%- raw -%}",
		renders: "a"},
	{name: "the only sign of a comment is its first", template: "a\n  {#-#}  b{#+#}\nc",
		renders: "a  bc"},
}
