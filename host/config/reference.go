package config

import (
	"fmt"
	"reflect"
	"strings"
)

// Reference returns the description of all settings in Markdown: docs/config.md.
func Reference() string {
	var b strings.Builder
	b.WriteString(referenceHead)
	defaults := Default()
	section := ""
	for _, f := range Fields() {
		name, _, _ := strings.Cut(f.Key, ".")
		if name != section {
			section = name
			fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| key | default | meaning | environment | flag | reload |\n|---|---|---|---|---|---|\n", name, sectionHelp(name))
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | `%s` | `--%s` | %s |\n", f.Key, code(f.text(defaults)), cell(f.Help), f.Env, f.Flag, f.Reload)
	}
	return b.String()
}

const referenceHead = `<!-- Made by "make generate" from the fields of host/config. Do not edit. -->

# Configuration

Every setting can be given in a YAML file (` + "`dragoman serve --config dragoman.yaml`, or its path in `" + EnvFile + "`" + `), as an environment variable, or as
a flag; flags override the environment, and the environment the file, key by key. A file with any mistake is rejected as a whole:

- ` + "`dragoman config check dragoman.yaml`" + ` reports every fault of a file with its line and column.
- ` + "`dragoman config show`" + ` takes the flags of ` + "`dragoman serve`" + ` and prints every value with its origin.

A setting of the class *live* takes effect when the file changes, for what begins later; one of the class *restart* when the daemon
is started again, which the log mentions until then. In variables and flags, the items of lists are separated by commas. Durations are
written like 30s, 5m or 1h30m. An empty default means that there is none.
`

// sectionHelp returns the help of a section.
func sectionHelp(name string) string {
	t := reflect.TypeFor[Config]()
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("yaml") == name {
			return t.Field(i).Tag.Get("help")
		}
	}
	return ""
}

// cell escapes text for a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// code returns text as code in a table; empty values stay empty.
func code(text string) string {
	if text == "" || text == "[]" || text == "{}" {
		return ""
	}
	return "`" + cell(text) + "`"
}
