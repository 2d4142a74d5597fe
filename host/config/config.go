// Package config is the daemon's configuration: a struct, the sources it is read from, and what may change while the
// daemon runs.
//
// Four sources are merged; a later one overrides an earlier one key by key:
//
//	defaults < file (YAML) < environment (DRAGOMAN_…) < flags
//
// The struct is the only list of settings. The tags of a field are its key in a file (yaml), its meaning (help), the effect of a
// change while the daemon runs (reload), its possible values (oneof), and its flag (flag) where that does not follow from the key.
// The names of environment variables and flags follow from the key, and docs/config.md from all of it. So limits.output_bytes is
// read from
//
//	limits: {output_bytes: 1000000}        in the file
//	DRAGOMAN_LIMITS_OUTPUT_BYTES=1000000   in the environment
//	--limits-output-bytes=1000000          on the command line
//
// Reading is strict. A key that does not exist, a value of the wrong type and a key given twice are errors with file, line
// and column, and all of them are reported at once. Load returns a complete configuration or none: a bad file changes
// nothing. The origin of every value is kept, and secrets are never printed.
//
// Words that must not be confused: a *source* is one of the four; the *origin* of a value is the place in the source that
// won; a field is *live* if a new value takes effect while the daemon runs, otherwise it needs a *restart*.
package config

import (
	"net"
	"strings"
	"time"
)

// Config is the configuration of the daemon. Default returns a complete one; in one built by hand, Filled replaces every zero value
// by its default.
type Config struct {
	Listen      Listen      `yaml:"listen" help:"Where the daemon listens."`
	Auth        Auth        `yaml:"auth" help:"Who may use it, and change what is in force. Without any token, everyone who can reach it may do both."`
	Templates   Templates   `yaml:"templates" help:"Where chat templates are. The folder is watched and reloaded."`
	Workarounds Workarounds `yaml:"workarounds" help:"Where the rules for single templates are. The file is watched and reloaded."`
	Plugins     Plugins     `yaml:"plugins" help:"Where handlers for other formats are. The folder is watched and reloaded."`
	Engines     Engines     `yaml:"engines" help:"Which engines the gateway is in front of. It serves their models at /v1/chat/completions, /v1/responses, /v1/messages and /v1/models."`
	State       State       `yaml:"state" help:"What the daemon remembers across restarts."`
	History     History     `yaml:"history" help:"How many earlier snapshots can be rolled back to."`
	Canary      Canary      `yaml:"canary" help:"How changed rules, templates and plugins are tried before they go live."`
	Recorder    Recorder    `yaml:"recorder" help:"What the flight recorder keeps of requests and outputs: off unless it has a folder."`
	Parsing     Parsing     `yaml:"parsing" help:"How irregular output is treated, unless the request sets it."`
	Log         Log         `yaml:"log" help:"What is logged, on standard error."`
	Metrics     Metrics     `yaml:"metrics" help:"What is counted, at /metrics."`
	Tracing     Tracing     `yaml:"tracing" help:"Where traces of requests go."`
	Workbench   Workbench   `yaml:"workbench" help:"The page for operators, at /workbench/."`
	Debug       Debug       `yaml:"debug" help:"Access to profiles of the daemon itself."`
	Limits      Limits      `yaml:"limits" help:"What one client may use."`
	Shutdown    Shutdown    `yaml:"shutdown" help:"How the daemon shuts down."`

	origins map[string]Origin
}

// Listen is where the daemon listens.
type Listen struct {
	Address    string   `yaml:"address" flag:"listen" reload:"restart" help:"address to listen on: host:port, or unix:/path of a socket"`
	SocketMode string   `yaml:"socket_mode" reload:"restart" help:"octal permissions of the socket: 0600 for its owner, 0660 for its group, too"`
	Insecure   bool     `yaml:"insecure" flag:"insecure" reload:"restart" help:"listen beyond loopback without tokens"`
	Hosts      []string `yaml:"hosts" reload:"live" help:"names besides those of loopback that requests on loopback may be sent to, or come from a web page of, such as that of a proxy in front of the daemon"`
	Origins    []string `yaml:"origins" reload:"live" help:"origins of web pages, such as https://app.example, that may use the gateway and read its answers (CORS); * for all, which needs tokens; empty: none"`
	Cert       string   `yaml:"cert" reload:"restart" help:"file of the TLS certificate chain, PEM; with listen.key; the files are watched and reloaded"`
	Key        string   `yaml:"key" reload:"restart" help:"file of the TLS private key, PEM; with listen.cert"`
}

// AnyOrigin stands for all origins in Listen.Origins.
const AnyOrigin = "*"

// Auth is who may use the daemon.
type Auth struct {
	Tokens       []string `yaml:"tokens" reload:"live" secret:"true" help:"accepted bearer tokens of operators; without any token, everyone is an operator"`
	ClientTokens []string `yaml:"client_tokens" reload:"live" secret:"true" help:"accepted bearer tokens of clients, which plan, parse, and put templates for themselves"`
	TokensFile   string   `yaml:"tokens_file" reload:"restart" help:"file of more bearer tokens, one a line, followed by role=client or role=operator (the default), and the name of its user; the file is watched and reloaded"`
}

// Open reports whether no token is needed.
func (a Auth) Open() bool { return len(a.Tokens)+len(a.ClientTokens) == 0 && a.TokensFile == "" }

// Templates is where chat templates are.
type Templates struct {
	Dir string `yaml:"dir" flag:"templates" reload:"restart" help:"folder of *.jinja templates; empty: the embedded ones only"`
	// Models are read at the start and at a requested reload; they are not watched.
	Models []string `yaml:"models" flag:"model" reload:"restart" help:"models to read templates from: directories, tokenizer_config.json, .jinja or .gguf files, or ORG/NAME[@REVISION] in the cache of Hugging Face (HF_HUB_CACHE, HF_HOME)"`
	// Download is for whoever starts the host: neither the host nor the library downloads anything.
	Download bool `yaml:"download" flag:"download" reload:"restart" help:"at the start, download what that cache lacks of the models, from HF_ENDPOINT, with the token in HF_TOKEN"`
	// Handlers pin templates: the named handler answers, or none.
	Handlers map[string]string `yaml:"handlers" flag:"handler" reload:"live" help:"handlers by template, which override claims: a handler of a plugin, or autoparser"`
}

// Handler returns the handler that a template is pinned to, or an empty string. A pin of a model applies to its variants, too.
func (t Templates) Handler(template string) string { return forTemplate(t.Handlers, template) }

// Workarounds is where the rules for single templates are.
type Workarounds struct {
	File string `yaml:"file" flag:"workarounds" reload:"restart" help:"file of workarounds; empty: the embedded ones"`
}

// Plugins is where handlers for other formats are.
type Plugins struct {
	Dir       string        `yaml:"dir" flag:"plugins" reload:"restart" help:"folder of plugins and their manifests; empty: the folder plugins beside the binary"`
	RunDir    string        `yaml:"run_dir" reload:"restart" help:"folder for copies of plugins and their sockets: a short path on a file system that allows execution; empty: the system's folder for temporary files"`
	StartTime time.Duration `yaml:"start_time" reload:"restart" help:"time a plugin may take to start"`
	CallTime  time.Duration `yaml:"call_time" reload:"restart" help:"time a plugin may take to answer a call before it is killed"`
	IdleTime  time.Duration `yaml:"idle_time" reload:"restart" help:"time without a call after which a plugin is stopped until the next one"`
}

// Engines are what the gateway is in front of.
type Engines struct {
	URLs    []string                     `yaml:"urls" flag:"engine" reload:"restart" help:"URLs of engines, such as http://127.0.0.1:8000; they are asked what they are and serve"`
	Key     string                       `yaml:"key" reload:"restart" secret:"true" help:"bearer token that is sent to the engines"`
	Secrets []string                     `yaml:"secrets" reload:"restart" secret:"true" help:"secrets that seal what clients keep for the gateway, such as a model's reasoning: the first seals, all open; empty: a new one at each start"`
	Models  map[string]map[string]string `yaml:"models" reload:"restart" help:"further names of models, each with the engine's name (model), and optionally its chat template (template) and the URL of the only engine (engine)"`
	Idle    time.Duration                `yaml:"idle" reload:"restart" help:"time an engine may be silent within an output"`
	Replay  bool                         `yaml:"replay" flag:"replay" reload:"restart" help:"serve the model replay, which plays recordings and needs no engine"`
	Pace    time.Duration                `yaml:"pace" reload:"restart" min:"0" help:"time between two pieces of a recording"`
	Store   Store                        `yaml:"store"`
}

// Store is what the gateway keeps for clients that want to find it again.
type Store struct {
	Path     string        `yaml:"path" reload:"restart" help:"file for the responses that clients may go on from (previous_response_id) and read again; of this daemon alone; empty: none are stored"`
	MaxBytes int           `yaml:"max_bytes" reload:"restart" help:"bytes of stored responses; the oldest make room for new ones"`
	MaxAge   time.Duration `yaml:"max_age" reload:"restart" help:"time a response is stored"`
}

// State is what is remembered across restarts.
type State struct {
	Dir string `yaml:"dir" reload:"restart" help:"folder for what is in force, and what was refused or rolled back, so that a restart goes on with it; of this daemon alone; empty: serve takes $STATE_DIRECTORY, or one below ~/.local/state"`
}

// History is how much of what was in force is remembered.
type History struct {
	Snapshots int `yaml:"snapshots" reload:"live" help:"snapshots to remember, and so how far back a rollback can go"`
}

// Canary is how changed rules, templates and plugins are tried before they go live.
type Canary struct {
	Mode   string        `yaml:"mode" reload:"live" oneof:"enforce warn off" help:"effect of a regression: enforce keeps what was in force, warn only reports it, off tries nothing"`
	Cases  string        `yaml:"cases" reload:"restart" help:"folder of recorded cases, *.jsonl, that are replayed for the templates that a change touches; empty: none"`
	Shadow int           `yaml:"shadow" reload:"live" min:"0" help:"outputs of each template to keep in memory and parse before and after a change; 0: none"`
	Time   time.Duration `yaml:"time" reload:"live" help:"time that trying one change may take, after its plugins have started; no answer within a quarter of it is a regression if what is in force answers; with mode enforce, what could not be tried does not go live"`
}

// Log is what is logged.
type Log struct {
	Level  string `yaml:"level" reload:"live" oneof:"debug info warn error" help:"lowest level that is logged: debug, info, warn or error"`
	Format string `yaml:"format" reload:"restart" oneof:"text json" help:"format of the log: text or json"`
	Access string `yaml:"access" reload:"live" oneof:"all failed none" help:"requests that are logged: all, failed or none"`
}

// Metrics is who may read the metrics.
type Metrics struct {
	Public bool `yaml:"public" reload:"live" help:"allow reading /metrics without a token"`
}

// Tracing is where traces of requests go.
type Tracing struct {
	Endpoint string  `yaml:"endpoint" reload:"restart" help:"URL to send traces to, by OTLP over HTTP, such as http://127.0.0.1:4318; empty: no traces"`
	Sample   float64 `yaml:"sample" reload:"restart" help:"share of the requests that are traced, 0 to 1; requests that a client traces always are"`
}

// Workbench is what the page for operators may do.
type Workbench struct {
	Mode string `yaml:"mode" reload:"live" oneof:"read write off" help:"read serves the page, which shows what is in force and tries what would be; write also lets operators save rules to workarounds.file; off serves nothing"`
}

// Debug is access to profiles of the daemon itself.
type Debug struct {
	Address string `yaml:"address" reload:"restart" help:"host:port on loopback that serves net/http/pprof and the metrics without a token; empty: none"`
}

// Limits bound what one client may use.
type Limits struct {
	BodyBytes        int           `yaml:"body_bytes" reload:"restart" help:"bytes of one request or of one message of a stream"`
	HeaderTime       time.Duration `yaml:"header_time" reload:"restart" help:"time to send the header of a request"`
	RequestTime      time.Duration `yaml:"request_time" reload:"live" help:"time to answer one request that is not a stream"`
	Requests         int           `yaml:"requests" reload:"live" help:"concurrent requests, not counting streams and methods for operators"`
	Sessions         int           `yaml:"sessions" reload:"live" help:"concurrent outputs; separately, concurrent streams that outputs share"`
	SessionIdle      time.Duration `yaml:"session_idle" reload:"live" help:"time a stream may wait for its next chunk"`
	SessionTime      time.Duration `yaml:"session_time" reload:"live" help:"time a stream may take as a whole"`
	OutputBytes      int           `yaml:"output_bytes" reload:"live" help:"bytes of one model output"`
	Templates        int           `yaml:"templates" reload:"live" help:"templates that operators may put"`
	KeyTemplates     int           `yaml:"key_templates" reload:"live" help:"templates that one client may put"`
	KeyTemplateBytes int           `yaml:"key_template_bytes" reload:"live" help:"bytes of the templates that one client has put"`
	KeySessions      int           `yaml:"key_sessions" reload:"live" help:"concurrent outputs and shared streams of one bearer token"`
	KeyRequests      int           `yaml:"key_requests" reload:"live" help:"concurrent requests of one bearer token"`
	BodiesBytes      int           `yaml:"bodies_bytes" reload:"live" help:"bytes in memory of all requests, and messages of streams, that are being received or answered, beyond 64 KiB of each; at least limits.body_bytes"`
	KeyBodiesBytes   int           `yaml:"key_bodies_bytes" reload:"live" help:"those of one bearer token"`
	Connections      int           `yaml:"connections" reload:"live" help:"connections that have not brought an accepted request; of more, the oldest is closed"`
	KeyRate          int           `yaml:"key_rate" reload:"live" help:"requests per second of one bearer token, including streams"`

	KeyRequestsPerMinute int `yaml:"key_requests_per_minute" reload:"live" min:"0" help:"answers of models at the gateway that one bearer token may ask for per minute; 0: any number"`
	KeyTokensPerMinute   int `yaml:"key_tokens_per_minute" reload:"live" min:"0" help:"tokens of prompts and outputs at the gateway that one bearer token may use per minute; an answer that exceeds them is completed, and later ones wait; 0: any number"`
}

// Shutdown is how the daemon shuts down.
type Shutdown struct {
	Delay time.Duration `yaml:"delay" reload:"live" min:"0" help:"time to keep accepting requests while /readyz fails, so that load balancers notice"`
	Grace time.Duration `yaml:"grace" reload:"live" help:"time for running requests and streams to finish"`
}

// Default returns the defaults.
func Default() *Config {
	return &Config{
		Listen: Listen{Address: "127.0.0.1:8080", SocketMode: "0600"},
		Plugins: Plugins{
			StartTime: 5 * time.Second,
			CallTime:  5 * time.Second,
			IdleTime:  15 * time.Minute,
		},
		Engines:   Engines{Idle: 5 * time.Minute, Pace: 20 * time.Millisecond, Store: Store{MaxBytes: 1 << 30, MaxAge: 30 * 24 * time.Hour}},
		History:   History{Snapshots: 20},
		Canary:    Canary{Mode: "enforce", Time: 10 * time.Second},
		Recorder:  Recorder{Share: 1, Always: RecordedMarks, Bytes: 1 << 30, Age: 7 * 24 * time.Hour},
		Parsing:   Parsing{UnknownTool: "forward", CallInReasoning: "promote", TruncatedCall: "partial", Malformed: "deliver", UnclosedReasoning: "keep"},
		Log:       Log{Level: "info", Format: "text", Access: "all"},
		Tracing:   Tracing{Sample: 1},
		Workbench: Workbench{Mode: "read"},
		Limits: Limits{
			BodyBytes:        32 << 20,
			HeaderTime:       10 * time.Second,
			RequestTime:      30 * time.Second,
			Requests:         1000,
			Sessions:         10_000,
			SessionIdle:      5 * time.Minute,
			SessionTime:      time.Hour,
			OutputBytes:      16 << 20,
			Templates:        1000,
			KeyTemplates:     100,
			KeyTemplateBytes: 4 << 20,
			KeySessions:      5000,
			KeyRequests:      500,
			BodiesBytes:      256 << 20,
			KeyBodiesBytes:   128 << 20,
			Connections:      1000,
			KeyRate:          10_000,
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

// Network returns the network and the address to listen on, as net.Listen takes them.
func (l Listen) Network() (network, address string) {
	if path, ok := strings.CutPrefix(l.Address, "unix:"); ok {
		return "unix", path
	}
	return "tcp", l.Address
}

// Local reports whether only this machine can reach the address.
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
