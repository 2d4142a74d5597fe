package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// EnvPrefix is the prefix of all environment variables that are read.
const EnvPrefix = "DRAGOMAN_"

// Reload is the effect of changing a field while the daemon runs.
type Reload string

// The reload classes.
const (
	Live    Reload = "live"    // the new value takes effect at once, for what begins later
	Restart Reload = "restart" // the daemon keeps the old value until it is started again
)

// Field describes one setting.
type Field struct {
	Key    string // in files, the parts joined by dots: limits.output_bytes
	Env    string // environment variable
	Flag   string // flag, without dashes
	Help   string // its meaning
	Reload Reload
	Secret bool // its value is never printed

	index []int
	typ   reflect.Type
	oneOf []string // its possible values; nil: any
	zero  bool     // zero is allowed
}

// Fields returns all settings in the order of Config.
func Fields() []Field { return fieldsOf(reflect.TypeFor[Config](), "", nil) }

func fieldsOf(t reflect.Type, prefix string, index []int) (out []Field) {
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		key := prefix + f.Tag.Get("yaml")
		at := append(append([]int(nil), index...), i)
		if f.Type.Kind() == reflect.Struct {
			out = append(out, fieldsOf(f.Type, key+".", at)...)
			continue
		}
		out = append(out, newField(key, f, at))
	}
	return out
}

func newField(key string, f reflect.StructField, index []int) Field {
	flag := f.Tag.Get("flag")
	if flag == "" {
		flag = strings.NewReplacer(".", "-", "_", "-").Replace(key)
	}
	return Field{
		Key:    key,
		Env:    EnvPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_")),
		Flag:   flag,
		Help:   f.Tag.Get("help"),
		Reload: Reload(f.Tag.Get("reload")),
		Secret: f.Tag.Get("secret") == "true",
		index:  index,
		typ:    f.Type,
		oneOf:  words(f.Tag.Get("oneof")),
		zero:   f.Tag.Get("min") == "0",
	}
}

// words splits a text at blanks. It returns nil for an empty text.
func words(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Fields(text)
}

// Choices returns the possible values of the field; nil: any.
func (f Field) Choices() []string {
	if f.typ.Kind() == reflect.Bool {
		return []string{"true", "false"}
	}
	return f.oneOf
}

func (f Field) value(c *Config) reflect.Value { return reflect.ValueOf(c).Elem().FieldByIndex(f.index) }

// text returns the value of the field in c for people.
func (f Field) text(c *Config) string {
	v := f.value(c)
	switch {
	case f.Secret && !v.IsZero():
		return "(secret)"
	case v.Kind() == reflect.Slice:
		return fmt.Sprintf("%q", v.Interface())
	case v.Kind() == reflect.Map:
		if f.typ.Elem().Kind() != reflect.String {
			return jsonText(v)
		}
		var pairs []string
		for pair := range v.Seq2() {
			pairs = append(pairs, pair.String()+"="+v.MapIndex(pair).String())
		}
		slices.Sort(pairs)
		return strings.Join(pairs, ",")
	default:
		return fmt.Sprint(v.Interface())
	}
}

// jsonText returns a mapping in the form of flags, which is YAML and so JSON; empty if the mapping is.
func jsonText(v reflect.Value) string {
	text, err := json.Marshal(v.Interface())
	if err != nil || v.Len() == 0 {
		return ""
	}
	return string(text)
}

// plain returns the value of the field in c for JSON.
func (f Field) plain(c *Config) any {
	v := f.value(c)
	switch {
	case f.Secret && !v.IsZero(), v.Type() == reflect.TypeFor[time.Duration]():
		return f.text(c)
	case v.Kind() == reflect.Slice && v.IsNil():
		return []string{}
	case v.Kind() == reflect.Map && v.IsNil():
		return struct{}{}
	}
	return v.Interface()
}

// AddFlags defines a flag for every field. All are texts, which Load parses like the environment.
func AddFlags(to *pflag.FlagSet) {
	defaults := Default()
	for _, f := range Fields() {
		usage := f.Help
		if text := f.text(defaults); text != "" && text != "[]" && text != "{}" && text != "false" {
			usage += fmt.Sprintf(" (default %s)", text)
		}
		to.Var(&flagValue{boolean: f.typ.Kind() == reflect.Bool, list: f.typ.Kind() == reflect.Slice}, f.Flag, usage)
		if f.typ.Kind() == reflect.Bool {
			to.Lookup(f.Flag).NoOptDefVal = "true"
		}
	}
}

// flagValue is a flag whose text Load parses, so that all faults are reported in one way.
type flagValue struct {
	text    string
	boolean bool
	list    bool // may be given several times
}

func (v *flagValue) String() string { return v.text }

func (v *flagValue) Set(text string) error {
	if v.list && v.text != "" {
		text = v.text + "," + text
	}
	v.text = text
	return nil
}

func (v *flagValue) Type() string {
	if v.boolean {
		return "bool"
	}
	return "value"
}
