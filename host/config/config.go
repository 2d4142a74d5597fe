// Package config is the daemon's configuration: a struct, the sources it is read from, and what may change while the
// daemon runs.
//
// Four sources are laid over each other, the later one winning key by key:
//
//	defaults < file (YAML) < environment (DRAGOMAN_…) < flags
//
// The struct is the only list of settings. The tags of a field say what it is called in a file (yaml), what it means
// (help), what becomes of a change while the daemon runs (reload), and, where that differs from the key, its flag (flag);
// the names of environment variables and flags follow from the key. So limits.output_bytes is read from
//
//	limits: {output_bytes: 1000000}        in the file
//	DRAGOMAN_LIMITS_OUTPUT_BYTES=1000000   in the environment
//	--limits-output-bytes=1000000          on the command line
//
// Reading is strict. A key that does not exist, a value of the wrong type and a key given twice are errors with file, line
// and column, and all of them are reported at once. Load returns a complete configuration or none: a bad file changes
// nothing. Of every value it is kept where it came from, and secrets are never printed.
//
// Words that must not be confused: a *source* is one of the four; the *origin* of a value is the place in the source that
// won; a field is *live* when a new value takes effect while the daemon runs, else it needs a *restart*.
package config

import (
	"net"
	"strings"
	"time"
)

// Config is the configuration of the daemon. Default returns a complete one; in one made by hand, Filled replaces every
// zero value by its default.
type Config struct {
	// Listen says where the daemon is reached.
	Listen Listen `yaml:"listen"`
	// Auth says who may use it.
	Auth Auth `yaml:"auth"`
	// Templates, Workarounds and Plugins say what it works with. What is in these places is watched and reloads.
	Templates   Templates   `yaml:"templates"`
	Workarounds Workarounds `yaml:"workarounds"`
	Plugins     Plugins     `yaml:"plugins"`
	// Log says what is logged.
	Log Log `yaml:"log"`
	// Limits bound what one client can cost.
	Limits Limits `yaml:"limits"`
	// Shutdown says how the daemon ends.
	Shutdown Shutdown `yaml:"shutdown"`

	origins map[string]Origin
}

// Listen says where the daemon is reached.
type Listen struct {
	Address  string `yaml:"address" flag:"listen" reload:"restart" help:"where to listen: host:port, or unix:/path of a socket"`
	Insecure bool   `yaml:"insecure" flag:"insecure" reload:"restart" help:"listen beyond loopback although anyone who gets there is let in"`
	Cert     string `yaml:"cert" reload:"restart" help:"file of the TLS certificate chain, PEM; with listen.key"`
	Key      string `yaml:"key" reload:"restart" help:"file of the TLS private key, PEM; with listen.cert"`
}

// Auth says who may use the daemon.
type Auth struct {
	Tokens []string `yaml:"tokens" reload:"live" secret:"true" help:"bearer tokens that are let in; none: everyone is"`
}

// Templates says where chat templates are.
type Templates struct {
	Dir string `yaml:"dir" flag:"templates" reload:"restart" help:"folder of *.jinja templates; empty: the embedded ones only"`
	// Models are read at the start and when a reload is asked for; they are not watched.
	Models []string `yaml:"models" flag:"model" reload:"restart" help:"models to read templates from: directories, tokenizer_config.json, .jinja or .gguf files"`
}

// Workarounds says where the rules for single templates are.
type Workarounds struct {
	File string `yaml:"file" flag:"workarounds" reload:"restart" help:"file of workarounds; empty: the embedded ones"`
}

// Plugins says where handlers for other formats are.
type Plugins struct {
	Dir string `yaml:"dir" flag:"plugins" reload:"restart" help:"folder of plugins and their manifests; empty: the folder plugins beside the binary"`
}

// Log says what is logged.
type Log struct {
	Level  string `yaml:"level" reload:"restart" help:"least level that is logged: debug, info, warn or error"`
	Format string `yaml:"format" reload:"restart" help:"form of the log on standard error: text or json"`
}

// Limits bound what one client can cost.
type Limits struct {
	BodyBytes   int           `yaml:"body_bytes" reload:"restart" help:"bytes of one request or of one message of a stream"`
	RequestTime time.Duration `yaml:"request_time" reload:"live" help:"time to answer one request that is not a stream"`
	Sessions    int           `yaml:"sessions" reload:"live" help:"streams parsed at the same time"`
	SessionIdle time.Duration `yaml:"session_idle" reload:"live" help:"time a stream may wait for its next chunk"`
	SessionTime time.Duration `yaml:"session_time" reload:"live" help:"time a stream may take as a whole"`
	OutputBytes int           `yaml:"output_bytes" reload:"live" help:"bytes of one model output"`
	Templates   int           `yaml:"templates" reload:"live" help:"templates that clients may put"`
}

// Shutdown says how the daemon ends.
type Shutdown struct {
	Grace time.Duration `yaml:"grace" reload:"live" help:"time that running requests and streams get to finish"`
}

// Default returns the configuration that is in force when no source says otherwise.
func Default() *Config {
	return &Config{
		Listen: Listen{Address: "127.0.0.1:8080"},
		Log:    Log{Level: "info", Format: "text"},
		Limits: Limits{
			BodyBytes:   32 << 20,
			RequestTime: 30 * time.Second,
			Sessions:    10_000,
			SessionIdle: 5 * time.Minute,
			SessionTime: time.Hour,
			OutputBytes: 16 << 20,
			Templates:   1000,
		},
		Shutdown: Shutdown{Grace: 10 * time.Second},
	}
}

// Filled returns a copy of c, nil allowed, with the default in place of every zero value.
func (c *Config) Filled() *Config {
	filled := Default()
	if c == nil {
		return filled
	}
	for _, f := range Fields() {
		if v := f.value(c); !v.IsZero() {
			f.value(filled).Set(v)
		}
	}
	filled.origins = c.origins
	return filled
}

// Network returns the network and the address of it to listen on, as net.Listen takes them.
func (l Listen) Network() (network, address string) {
	if path, ok := strings.CutPrefix(l.Address, "unix:"); ok {
		return "unix", path
	}
	return "tcp", l.Address
}

// Local says whether only this machine can reach the address.
func (l Listen) Local() bool {
	network, address := l.Network()
	if network == "unix" {
		return true
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
