package config

import (
	"errors"
	"fmt"
	"net"
	"reflect"
	"slices"
	"strings"
)

// Validate says what is wrong with a complete configuration, all faults joined; nil when it can be used.
func (c *Config) Validate() error {
	var faults []error
	bad := func(key, format string, args ...any) {
		faults = append(faults, fmt.Errorf("%s (%s): %s", key, c.Origin(key), fmt.Sprintf(format, args...)))
	}
	c.checkListen(bad)
	for _, t := range c.Auth.Tokens {
		if t == "" || strings.ContainsAny(t, " \t\r\n") {
			bad("auth.tokens", "a token is empty or has white space in it: remove that")
		}
	}
	oneOf(bad, "log.level", c.Log.Level, "debug", "info", "warn", "error")
	oneOf(bad, "log.format", c.Log.Format, "text", "json")
	for _, f := range Fields() {
		if v := f.value(c); v.CanInt() && v.Int() <= 0 {
			bad(f.Key, "%s is no limit, expected more than zero", f.text(c))
		}
	}
	return errors.Join(faults...)
}

func (c *Config) checkListen(bad func(key, format string, args ...any)) {
	if network, address := c.Listen.Network(); network == "tcp" {
		if _, _, err := net.SplitHostPort(address); err != nil {
			bad("listen.address", "%q is not an address: write host:port such as 127.0.0.1:8080, or unix:/path", address)
			return
		}
	}
	if (c.Listen.Cert == "") != (c.Listen.Key == "") {
		bad("listen.cert", "TLS needs both a certificate and its key: set listen.cert and listen.key, or neither")
	}
	if !c.Listen.Local() && len(c.Auth.Tokens) == 0 && !c.Listen.Insecure {
		bad("listen.address", "%q can be reached from other machines and anyone would be let in: set auth.tokens, "+
			"listen on 127.0.0.1, or say listen.insecure if something in front of the daemon checks who comes", c.Listen.Address)
	}
}

func oneOf(bad func(key, format string, args ...any), key, value string, allowed ...string) {
	if !slices.Contains(allowed, value) {
		bad(key, "%q is not known, expected one of %s", value, strings.Join(allowed, ", "))
	}
}

// Origin says where the value of a key came from.
func (c *Config) Origin(key string) Origin {
	if o, ok := c.origins[key]; ok {
		return o
	}
	return Origin{Source: "default"}
}

// Value is a setting in force.
type Value struct {
	Field
	Text   string // the value for a person to read, "(secret)" for secrets that are set
	Origin Origin
}

// Values lists all settings with their values and origins.
func (c *Config) Values() []Value {
	var out []Value
	for _, f := range Fields() {
		out = append(out, Value{f, f.text(c), c.Origin(f.Key)})
	}
	return out
}

// Change is a setting that differs between two configurations.
type Change struct {
	Field
	Old, New string // the values for a person to read
}

// Diff lists the settings that differ.
func Diff(before, after *Config) []Change {
	var out []Change
	for _, f := range Fields() {
		if !reflect.DeepEqual(f.value(before).Interface(), f.value(after).Interface()) {
			out = append(out, Change{f, f.text(before), f.text(after)})
		}
	}
	return out
}

// NeedRestart lists the keys of the settings that differ and do not take effect in a running daemon.
func NeedRestart(before, after *Config) (keys []string) {
	for _, c := range Diff(before, after) {
		if c.Reload == Restart {
			keys = append(keys, c.Key)
		}
	}
	return keys
}

// Reloaded returns what is in force when a running daemon that began with c reads next: next's values of the live fields,
// and c's of the others. The error says why the two do not go together; a daemon that is reached from other machines, say,
// cannot do without tokens because its file now names another address.
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
	}
	return &out, out.Validate()
}
