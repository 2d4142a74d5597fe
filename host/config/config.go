// Package config is the daemon's configuration: a struct, the sources it is read from, and what may change while the
// daemon runs.
//
// Four sources are laid over each other, the later one winning key by key:
//
//	defaults < file (YAML) < environment (DRAGOMAN_…) < flags
//
// The struct is the only list of settings. The tags of a field say what it is called in a file (yaml), what it means
// (help), what becomes of a change while the daemon runs (reload), which words it can be (oneof), and, where that differs
// from the key, its flag (flag); the names of environment variables and flags follow from the key, and docs/config.md from
// all of it. So limits.output_bytes is read from
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
	Listen      Listen      `yaml:"listen" help:"Where the daemon is reached."`
	Auth        Auth        `yaml:"auth" help:"Who may use it. Without any key everyone who reaches it may."`
	Templates   Templates   `yaml:"templates" help:"Where chat templates are. What is in the folder is watched and reloads."`
	Workarounds Workarounds `yaml:"workarounds" help:"Where the rules for single templates are. The file is watched and reloads."`
	Plugins     Plugins     `yaml:"plugins" help:"Where handlers for other formats are. The folder is watched and reloads."`
	History     History     `yaml:"history" help:"What is remembered of what was in force before, to go back to."`
	Canary      Canary      `yaml:"canary" help:"What is tried before changed rules, templates or plugins go live."`
	Parsing     Parsing     `yaml:"parsing" help:"What becomes of output that is not what it should be, where a request does not say so itself."`
	Log         Log         `yaml:"log" help:"What is logged, on standard error."`
	Metrics     Metrics     `yaml:"metrics" help:"What is counted, at /metrics."`
	Tracing     Tracing     `yaml:"tracing" help:"Where traces of requests go."`
	Debug       Debug       `yaml:"debug" help:"What those see who look for faults of the daemon itself."`
	Limits      Limits      `yaml:"limits" help:"What one client can cost."`
	Shutdown    Shutdown    `yaml:"shutdown" help:"How the daemon ends."`

	origins map[string]Origin
}

// Listen says where the daemon is reached.
type Listen struct {
	Address    string `yaml:"address" flag:"listen" reload:"restart" help:"where to listen: host:port, or unix:/path of a socket"`
	SocketMode string `yaml:"socket_mode" reload:"restart" help:"permissions of the socket, octal: 0600 its owner, 0660 its group, too"`
	Insecure   bool   `yaml:"insecure" flag:"insecure" reload:"restart" help:"listen beyond loopback although anyone who gets there is let in"`
	Cert       string `yaml:"cert" reload:"restart" help:"file of the TLS certificate chain, PEM; with listen.key; what is in the files is watched and reloads"`
	Key        string `yaml:"key" reload:"restart" help:"file of the TLS private key, PEM; with listen.cert"`
}

// Auth says who may use the daemon.
type Auth struct {
	Tokens     []string `yaml:"tokens" reload:"live" secret:"true" help:"bearer tokens that are let in; without any, and without auth.tokens_file, everyone is"`
	TokensFile string   `yaml:"tokens_file" reload:"restart" help:"file of more bearer tokens, one a line, behind it the name of whoever has it; what is in the file is watched and reloads"`
}

// Templates says where chat templates are.
type Templates struct {
	Dir string `yaml:"dir" flag:"templates" reload:"restart" help:"folder of *.jinja templates; empty: the embedded ones only"`
	// Models are read at the start and when a reload is asked for; they are not watched.
	Models []string `yaml:"models" flag:"model" reload:"restart" help:"models to read templates from: directories, tokenizer_config.json, .jinja or .gguf files"`
	// Handlers pin templates: the named handler answers, or nobody does.
	Handlers map[string]string `yaml:"handlers" flag:"handler" reload:"live" help:"handlers by template, whatever else claims them: a handler of a plugin, or autoparser"`
}

// Handler is the handler to which a template is pinned, or empty. A pin of a model holds for its variants, too.
func (t Templates) Handler(template string) string { return forTemplate(t.Handlers, template) }

// Workarounds says where the rules for single templates are.
type Workarounds struct {
	File string `yaml:"file" flag:"workarounds" reload:"restart" help:"file of workarounds; empty: the embedded ones"`
}

// Plugins says where handlers for other formats are.
type Plugins struct {
	Dir       string        `yaml:"dir" flag:"plugins" reload:"restart" help:"folder of plugins and their manifests; empty: the folder plugins beside the binary"`
	RunDir    string        `yaml:"run_dir" reload:"restart" help:"folder for copies of plugins and their sockets: a short path on a file system that lets programs run; empty: the system's for temporary files"`
	StartTime time.Duration `yaml:"start_time" reload:"restart" help:"time a plugin may take to start"`
	CallTime  time.Duration `yaml:"call_time" reload:"restart" help:"time a plugin may take to answer a call before it is killed"`
	IdleTime  time.Duration `yaml:"idle_time" reload:"restart" help:"time without a call after which a plugin is stopped until the next one"`
}

// History says what is remembered of what was in force.
type History struct {
	Snapshots int `yaml:"snapshots" reload:"live" help:"snapshots to remember, and so how far back a rollback can go"`
}

// Canary says what is tried before changed rules, templates or plugins go live.
type Canary struct {
	Mode   string        `yaml:"mode" reload:"live" oneof:"enforce warn off" help:"what a regression does: enforce keeps what was in force, warn only tells, off tries nothing"`
	Cases  string        `yaml:"cases" reload:"restart" help:"folder of recorded cases, *.jsonl, that are replayed for the templates that a change touches; empty: none"`
	Shadow int           `yaml:"shadow" reload:"live" min:"0" help:"outputs of each template to keep in memory and parse under both, as far as both plan them alike; 0: none"`
	Time   time.Duration `yaml:"time" reload:"live" help:"time that trying one change may take, once its plugins have started; no answer within a quarter of it is a regression where what is in force answers, and what there was no time for is none"`
}

// Log says what is logged.
type Log struct {
	Level  string `yaml:"level" reload:"live" oneof:"debug info warn error" help:"least level that is logged: debug, info, warn or error"`
	Format string `yaml:"format" reload:"restart" oneof:"text json" help:"form of the log: text or json"`
	Access string `yaml:"access" reload:"live" oneof:"all failed none" help:"requests that get a line in the log: all, failed or none"`
}

// Metrics says who may read the metrics.
type Metrics struct {
	Public bool `yaml:"public" reload:"live" help:"let /metrics be read without a token"`
}

// Tracing says where traces of requests go.
type Tracing struct {
	Endpoint string  `yaml:"endpoint" reload:"restart" help:"URL to send traces to, by OTLP over HTTP, such as http://127.0.0.1:4318; empty: no traces"`
	Sample   float64 `yaml:"sample" reload:"restart" help:"share of the requests that are traced, 0 to 1; what a client traces already, always is"`
}

// Debug says what those see who look for faults of the daemon itself.
type Debug struct {
	Address string `yaml:"address" reload:"restart" help:"host:port on loopback where net/http/pprof and the metrics answer everyone; empty: nowhere"`
}

// Limits bound what one client can cost.
type Limits struct {
	BodyBytes   int           `yaml:"body_bytes" reload:"restart" help:"bytes of one request or of one message of a stream"`
	HeaderTime  time.Duration `yaml:"header_time" reload:"restart" help:"time to send the header of a request"`
	RequestTime time.Duration `yaml:"request_time" reload:"live" help:"time to answer one request that is not a stream"`
	Requests    int           `yaml:"requests" reload:"live" help:"requests answered at the same time, streams of one output aside"`
	Sessions    int           `yaml:"sessions" reload:"live" help:"streams parsed at the same time"`
	SessionIdle time.Duration `yaml:"session_idle" reload:"live" help:"time a stream may wait for its next chunk"`
	SessionTime time.Duration `yaml:"session_time" reload:"live" help:"time a stream may take as a whole"`
	OutputBytes int           `yaml:"output_bytes" reload:"live" help:"bytes of one model output"`
	Templates   int           `yaml:"templates" reload:"live" help:"templates that clients may put"`
	KeySessions int           `yaml:"key_sessions" reload:"live" help:"streams parsed at the same time for one bearer token"`
	KeyRate     int           `yaml:"key_rate" reload:"live" help:"requests a second of one bearer token, streams included"`
}

// Shutdown says how the daemon ends.
type Shutdown struct {
	Delay time.Duration `yaml:"delay" reload:"live" min:"0" help:"time to go on taking requests while /readyz says no, so that balancers notice"`
	Grace time.Duration `yaml:"grace" reload:"live" help:"time that running requests and streams get to finish"`
}

// Default returns the configuration that is in force when no source says otherwise.
func Default() *Config {
	return &Config{
		Listen: Listen{Address: "127.0.0.1:8080", SocketMode: "0600"},
		Plugins: Plugins{
			StartTime: 5 * time.Second,
			CallTime:  5 * time.Second,
			IdleTime:  15 * time.Minute,
		},
		History: History{Snapshots: 20},
		Canary:  Canary{Mode: "enforce", Time: 10 * time.Second},
		Parsing: Parsing{UnknownTool: "forward", CallInReasoning: "promote", TruncatedCall: "partial", Malformed: "deliver"},
		Log:     Log{Level: "info", Format: "text", Access: "all"},
		Tracing: Tracing{Sample: 1},
		Limits: Limits{
			BodyBytes:   32 << 20,
			HeaderTime:  10 * time.Second,
			RequestTime: 30 * time.Second,
			Requests:    1000,
			Sessions:    10_000,
			SessionIdle: 5 * time.Minute,
			SessionTime: time.Hour,
			OutputBytes: 16 << 20,
			Templates:   1000,
			KeySessions: 10_000,
			KeyRate:     10_000,
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
