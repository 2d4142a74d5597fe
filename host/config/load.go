package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"strings"

	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/v2"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

// EnvFile is the environment variable that names the configuration file for commands.
const EnvFile = EnvPrefix + "CONFIG"

// Sources are the sources of a configuration. The zero value gives the defaults.
type Sources struct {
	// File is the path of the YAML file; empty: none.
	File string
	// Data is the content of File if it has been read already; nil: Load reads it.
	Data []byte
	// Environ are environment variables as returned by os.Environ; nil: none.
	Environ []string
	// Flags are parsed flags that AddFlags defined; nil: none.
	Flags *pflag.FlagSet
}

// Origin is where a value came from.
type Origin struct {
	Source string // default, file, environment or flag
	Place  string // "dragoman.yaml:3:9", "DRAGOMAN_LISTEN_ADDRESS", "--listen"; empty for defaults
}

func (o Origin) String() string {
	if o.Place == "" {
		return o.Source
	}
	return o.Place
}

// Load reads the sources and validates the result. The error joins all faults.
func Load(s Sources) (*Config, error) {
	c, err := read(s)
	if err != nil {
		return nil, err
	}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return c, nil
}

// CheckFlags checks the values of the flags that AddFlags defined by themselves, without the other sources. The error joins all
// faults.
func CheckFlags(flags *pflag.FlagSet) error {
	c, err := read(Sources{Flags: flags})
	if err != nil {
		return err
	}
	return c.faults((*Config).checkFields)
}

// read merges the sources. If one of them is faulty, the error includes the faults of single settings.
func read(s Sources) (*Config, error) {
	merged := koanf.New(".")
	origins := map[string]Origin{}
	var faults []error
	for _, from := range []func(Sources) (layer, error){fromFile, fromEnviron, fromFlags} {
		values, err := from(s)
		faults = append(faults, err)
		if err := values.over(merged, origins); err != nil {
			return nil, err
		}
	}
	c := Default()
	if err := merged.UnmarshalWithConf("", c, koanf.UnmarshalConf{Tag: "yaml"}); err != nil {
		return nil, fmt.Errorf("merging the configuration: %w", err)
	}
	c.origins = origins
	if err := errors.Join(faults...); err != nil {
		// Checks of several settings would report as missing what could not be read.
		return nil, errors.Join(err, c.faults((*Config).checkFields))
	}
	return c, nil
}

// layer holds the values of one source by key, decoded to the types of their fields. It contains whole fields only, so that
// merging it cannot overwrite other fields.
type layer map[string]given

type given struct {
	value  any
	origin Origin
	inner  map[string]Origin // of the members of a mapping, by key
}

func (l layer) over(merged *koanf.Koanf, origins map[string]Origin) error {
	flat := make(map[string]any, len(l))
	for key, g := range l {
		flat[key] = g.value
		maps.DeleteFunc(origins, func(at string, _ Origin) bool { return strings.HasPrefix(at, key+".") })
		origins[key] = g.origin
		maps.Copy(origins, g.inner)
	}
	return merged.Load(confmap.Provider(flat, "."), nil)
}

func fromFile(s Sources) (layer, error) {
	if s.File == "" {
		return nil, nil
	}
	data := s.Data
	if data == nil {
		var err error
		if data, err = os.ReadFile(s.File); err != nil {
			return nil, fmt.Errorf("reading the configuration file: %w", err)
		}
	}
	return parseFile(s.File, data)
}

// platformEnv matches variables that Kubernetes sets for services with a name that begins with "dragoman".
var platformEnv = regexp.MustCompile(`^DRAGOMAN_(.*_)?(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_\d+_(TCP|UDP|SCTP).*)?)$`)

func fromEnviron(s Sources) (layer, error) {
	byEnv := map[string]Field{}
	for _, f := range Fields() {
		byEnv[f.Env] = f
	}
	values := layer{}
	var faults []error
	for _, pair := range s.Environ {
		name, text, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, EnvPrefix) || name == EnvFile || platformEnv.MatchString(name) {
			continue
		}
		f, ok := byEnv[name]
		if !ok {
			faults = append(faults, fmt.Errorf("%s: unknown setting; names are %s and a key in capitals, such as %s", name, EnvPrefix, Fields()[0].Env))
			continue
		}
		faults = append(faults, values.text(f, text, Origin{"environment", name}))
	}
	return values, errors.Join(faults...)
}

func fromFlags(s Sources) (layer, error) {
	values := layer{}
	var faults []error
	for _, f := range Fields() {
		if s.Flags == nil || !s.Flags.Changed(f.Flag) {
			continue
		}
		text := s.Flags.Lookup(f.Flag).Value.String()
		faults = append(faults, values.text(f, text, Origin{"flag", "--" + f.Flag}))
	}
	return values, errors.Join(faults...)
}

// text sets a field from a text: lists and mappings have commas between their items, mappings "=" after each key; everything else is
// written as in the file.
func (l layer) text(f Field, text string, from Origin) error {
	value := reflect.New(f.typ)
	switch {
	case f.typ.Kind() == reflect.String:
		value.Elem().SetString(text)
	case f.typ.Kind() == reflect.Slice:
		value.Elem().Set(reflect.ValueOf(listed(text)))
	case f.typ.Kind() == reflect.Map && f.typ.Elem().Kind() == reflect.String:
		pairs := map[string]string{}
		for _, item := range listed(text) {
			key, is, found := strings.Cut(item, "=")
			if !found || key == "" || is == "" {
				return fmt.Errorf("%s: %q is not %s; expected key=value, with commas between several", from, text, expectation(f))
			}
			pairs[key] = is
		}
		value.Elem().Set(reflect.ValueOf(pairs))
	default:
		if err := yaml.Unmarshal([]byte(text), value.Interface()); err != nil || strings.TrimSpace(text) == "" {
			return fmt.Errorf("%s: %q is not %s", from, text, expectation(f))
		}
	}
	l[f.Key] = given{value: value.Elem().Interface(), origin: from}
	return nil
}

// listed returns the items of a list.
func listed(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}

// expectation describes the values of a field.
func expectation(f Field) string {
	switch f.typ.String() {
	case "time.Duration":
		return "a duration such as 30s or 5m"
	case "int":
		return "a whole number"
	case "float64":
		return "a number"
	case "bool":
		return "true or false"
	case "[]string":
		return "a list of texts"
	case "map[string]string":
		return "a mapping of texts"
	case "map[string]map[string]string":
		return "a mapping of names to mappings"
	default:
		return "a text"
	}
}
