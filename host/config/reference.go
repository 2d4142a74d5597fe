package config

import (
	"fmt"
	"reflect"
	"strings"
)

// Reference is the description of all settings, in Markdown: docs/config.md.
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
a flag; flags win over the environment, the environment over the file, key by key. A file that is misspelt anywhere is
refused as a whole:

- ` + "`dragoman config check dragoman.yaml`" + ` reports every fault of a file with its line and column.
- ` + "`dragoman config show`" + ` takes the flags of ` + "`dragoman serve`" + ` and prints every value with the place that it came from.

A setting of the class *live* takes effect when the file changes, for what begins from then on; one of the class *restart*
when the daemon is started again, and until then the log says so. Lists have commas between their items in variables and
flags, durations are written like 30s, 5m or 1h30m, and an empty default means that there is none.
`

// sectionHelp is what the struct says of a section.
func sectionHelp(name string) string {
	t := reflect.TypeFor[Config]()
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("yaml") == name {
			return t.Field(i).Tag.Get("help")
		}
	}
	return ""
}

// cell is text in a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func code(text string) string {
	if text == "" || text == "[]" || text == "{}" {
		return ""
	}
	return "`" + cell(text) + "`"
}
