package config

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// badFunc records a fault of a setting.
type badFunc func(key, format string, args ...any)

// Validate returns all faults of a complete configuration, joined; nil if it can be used. Each begins with the place of the
// setting, "dragoman.yaml:3:9: log.level: …".
func (c *Config) Validate() error {
	return c.faults((*Config).checkFields, (*Config).checkTogether)
}

func (c *Config) faults(checks ...func(*Config, badFunc)) error {
	var faults []error
	bad := func(key, format string, args ...any) {
		faults = append(faults, errors.New(c.Placed(key)+": "+fmt.Sprintf(format, args...)))
	}
	for _, check := range checks {
		check(c, bad)
	}
	return errors.Join(faults...)
}

// Placed returns a key with its place before it, if it has one.
func (c *Config) Placed(key string) string {
	if o := c.Origin(key); o.Place != "" {
		return o.Place + ": " + key
	}
	return key
}

// checkFields checks each setting by itself.
func (c *Config) checkFields(bad badFunc) {
	for _, f := range Fields() {
		switch v := f.value(c); {
		case f.oneOf != nil:
			checkOneOf(bad, f.Key, v.String(), f.oneOf)
		case v.CanInt() && (v.Int() < 0 || v.Int() == 0 && !f.zero):
			bad(f.Key, "invalid limit %s; expected more than zero", f.text(c))
		}
	}
	checkTokens(bad, "auth.tokens", c.Auth.Tokens)
	checkTokens(bad, "auth.client_tokens", c.Auth.ClientTokens)
	for template, handler := range c.Templates.Handlers {
		if handler == "" {
			bad("templates.handlers", "%q has no handler: name one, such as autoparser", template)
		}
	}
	c.checkAddresses(bad)
	if mode, err := strconv.ParseUint(c.Listen.SocketMode, 8, 32); err != nil || mode > 0o777 {
		bad("listen.socket_mode", "invalid mode %q; expected three octal digits such as 0660", c.Listen.SocketMode)
	}
	if c.Tracing.Sample < 0 || c.Tracing.Sample > 1 {
		bad("tracing.sample", "invalid share %v; expected a number from 0 to 1", c.Tracing.Sample)
	}
	c.checkOverrides(bad)
	c.checkOrigins(bad)
	c.checkEngines(bad)
	c.Recorder.check(bad)
}

func (c *Config) checkAddresses(bad badFunc) {
	if network, address := c.Listen.Network(); network == "tcp" {
		if _, _, err := net.SplitHostPort(address); err != nil {
			bad("listen.address", "invalid address %q; expected host:port such as 127.0.0.1:8080, or unix:/path", address)
		}
	}
	if d := c.Debug.Address; d != "" && (!(Listen{Address: d}).Local() || strings.HasPrefix(d, "unix:")) {
		bad("debug.address", "invalid address %q; expected host:port on loopback such as 127.0.0.1:6060, since it exposes the daemon's memory", d)
	}
	if e := c.Tracing.Endpoint; e != "" {
		if u, err := url.Parse(e); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			bad("tracing.endpoint", "invalid URL %q; expected one such as http://127.0.0.1:4318", e)
		}
	}
}

// modelKeys are the members of a name in engines.models.
var modelKeys = []string{"model", "template", "engine"}

func (c *Config) checkEngines(bad badFunc) {
	for _, text := range c.Engines.URLs {
		if u, err := url.Parse(text); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			bad("engines.urls", "invalid URL %q; expected one such as http://127.0.0.1:8000", text)
		}
	}
	if slices.Contains(c.Engines.Secrets, "") {
		bad("engines.secrets", "a secret is empty")
	}
	for name, m := range c.Engines.Models {
		for key, value := range m {
			switch at := "engines.models." + name + "." + key; {
			case !slices.Contains(modelKeys, key):
				bad(at, "unknown key; expected one of %s", strings.Join(modelKeys, ", "))
			case key == "engine" && !slices.Contains(c.Engines.URLs, value):
				bad(at, "%q is none of engines.urls", value)
			}
		}
	}
}

func (c *Config) checkOrigins(bad badFunc) {
	for _, origin := range c.Listen.Origins {
		u, err := url.Parse(origin)
		if origin != AnyOrigin && (err != nil || u.Host == "" || u.Scheme+"://"+u.Host != origin) {
			bad("listen.origins", "invalid origin %q; expected scheme://host or scheme://host:port as browsers send it, such as https://app.example, or %s", origin, AnyOrigin)
		}
	}
}

// checkTogether checks settings that depend on each other.
func (c *Config) checkTogether(bad badFunc) {
	for _, t := range c.Auth.ClientTokens {
		if slices.Contains(c.Auth.Tokens, t) {
			bad("auth.client_tokens", "a token is in auth.tokens, too: give each role its own")
		}
	}
	if (c.Listen.Cert == "") != (c.Listen.Key == "") {
		bad("listen.cert", "TLS needs both a certificate and its key: set listen.cert and listen.key, or neither")
	}
	if c.Recorder.Key != "" && c.Recorder.KeyFile != "" {
		bad("recorder.key", "the key is in recorder.key_file, too: set one of them")
	}
	if slices.Contains(c.Listen.Origins, AnyOrigin) && c.Auth.Open() {
		bad("listen.origins", "every web page could use the daemon: name the origins, or set auth.tokens or auth.tokens_file")
	}
	if !c.Listen.Local() && c.Auth.Open() && !c.Listen.Insecure {
		bad("listen.address", "%q can be reached from other machines without a token: set auth.tokens or auth.tokens_file, "+
			"listen on 127.0.0.1, or set listen.insecure if a proxy in front of the daemon authenticates clients", c.Listen.Address)
	}
}

func checkTokens(bad badFunc, key string, tokens []string) {
	for _, t := range tokens {
		if t == "" || strings.ContainsAny(t, " \t\r\n") {
			bad(key, "a token is empty or contains white space")
		}
	}
}

func checkOneOf(bad badFunc, key, value string, allowed []string) {
	if !slices.Contains(allowed, value) {
		bad(key, "unknown value %q; expected one of %s", value, strings.Join(allowed, ", "))
	}
}

// Origin returns where the value of a key came from.
func (c *Config) Origin(key string) Origin {
	for at := key; at != ""; at = at[:max(0, strings.LastIndexByte(at, '.'))] {
		if o, ok := c.origins[at]; ok {
			return o
		}
	}
	return Origin{Source: "default"}
}

// Value is a setting in force.
type Value struct {
	Field
	Text   string // the value for people; "(secret)" for secrets that are set
	Value  any    // the value for programs: as in a file, but Text for secrets
	Origin Origin
}

// Values returns all settings with their values and origins.
func (c *Config) Values() []Value {
	var out []Value
	for _, f := range Fields() {
		out = append(out, Value{Field: f, Text: f.text(c), Value: f.plain(c), Origin: c.Origin(f.Key)})
	}
	return out
}

// Change is a setting that differs between two configurations.
type Change struct {
	Field
	Old, New string // the values for people
}

// Diff returns the settings that differ.
func Diff(before, after *Config) []Change {
	var out []Change
	for _, f := range Fields() {
		if !reflect.DeepEqual(f.value(before).Interface(), f.value(after).Interface()) {
			out = append(out, Change{f, f.text(before), f.text(after)})
		}
	}
	return out
}

// NeedRestart returns the keys of the settings that differ and do not take effect in a running daemon.
func NeedRestart(before, after *Config) (keys []string) {
	for _, c := range Diff(before, after) {
		if c.Reload == Restart {
			keys = append(keys, c.Key)
		}
	}
	return keys
}

// LiveYAML returns the settings that can change while the daemon runs, but no secrets, as a file.
func (c *Config) LiveYAML() string {
	file := map[string]map[string]any{}
	for _, f := range Fields() {
		if section, key, _ := strings.Cut(f.Key, "."); f.Reload == Live && !f.Secret {
			if file[section] == nil {
				file[section] = map[string]any{}
			}
			file[section][key] = f.plain(c)
		}
	}
	text, err := yaml.Marshal(file)
	if err != nil {
		return "" // plain values
	}
	return string(text)
}

// WithLive returns c with the settings of a file that LiveYAML wrote.
func (c *Config) WithLive(name string, file []byte) (*Config, error) {
	next, err := read(Sources{File: name, Data: file})
	if err != nil {
		return nil, err
	}
	return c.Reloaded(next.WithAuth(c))
}

// WithAuth returns c with the tokens of another configuration.
func (c *Config) WithAuth(of *Config) *Config {
	out := *c
	out.Auth = of.Auth
	out.origins = maps.Clone(c.origins)
	for _, f := range Fields() {
		if strings.HasPrefix(f.Key, "auth.") && out.origins != nil {
			out.origins[f.Key] = of.Origin(f.Key)
		}
	}
	return &out
}

// Reloaded returns what is in force when a running daemon that began with c reads next: next's values of the live fields,
// and c's of the others. The error is that the two are incompatible; a daemon that can be reached from other machines, for
// example, needs its tokens although its file now has another address.
func (c *Config) Reloaded(next *Config) (*Config, error) {
	out := *next
	out.origins = map[string]Origin{}
	for _, f := range Fields() {
		from := next
		if f.Reload != Live {
			from = c
		}
		f.value(&out).Set(f.value(from))
		out.origins[f.Key] = from.Origin(f.Key)
		for key, origin := range from.origins { // of the members of a mapping
			if strings.HasPrefix(key, f.Key+".") {
				out.origins[key] = origin
			}
		}
	}
	return &out, out.Validate()
}
