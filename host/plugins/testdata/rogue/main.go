// Rogue is a plugin that misbehaves as the options of its manifest demand. It serves the handlers that they name; each answers
// with a plan whose program takes everything as content.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/dragoman-project/dragoman/internal/wire"
	"github.com/dragoman-project/dragoman/internal/wire/rpc"
	"github.com/dragoman-project/dragoman/sdk"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
	pb "github.com/dragoman-project/dragoman/sdk/proto/dragoman/plugin/v1"
)

type options struct {
	Handlers []string // default: rogue
	Version  string   // default: 1.0.0
	Cases    string
	// Start is what happens before anything is served, unless the file Unless exists: "exit", "garble", "hang", "linger",
	// "chatter".
	Start  string
	Unless string
	// Plan is what happens at a plan; with Once, only if the file of that name does not exist yet; with Only, only for the
	// template of that name.
	Plan string
	Once string
	Only string
	// Mute makes streams answer to no chunk.
	Mute bool
	// Reports is what the result of a stream contains: "all" there is, with "?" as what breaks the format and lacks a marker, or
	// "lies", which fit no output.
	Reports string
	// Future makes it support only the second major version of the contract. There is none yet: it is the first under another
	// number.
	Future bool
	// Child makes it start a child that stays.
	Child bool
}

func main() {
	o := options{Handlers: []string{"rogue"}, Version: "1.0.0"}
	if err := sdk.Options(&o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	if _, err := os.Stat(o.Unless); err == nil {
		o.Start = ""
	}
	switch o.Start {
	case "exit":
		fmt.Fprintln(os.Stderr, "no licence found")
		os.Exit(7)
	case "garble":
		fmt.Fprintln(os.Stderr, "caf\xe9 "+strings.Repeat("é", 1000))
		os.Exit(8)
	case "hang":
		time.Sleep(time.Hour)
	case "linger":
		time.Sleep(1500 * time.Millisecond)
	case "chatter":
		fmt.Println("loading weights…")
		fmt.Println(strings.Repeat("x", 200_000))
	}
	if o.Child {
		if err := exec.Command("sleep", "1000").Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(4)
		}
	}
	var handlers []sdk.Handler
	for _, name := range o.Handlers {
		handlers = append(handlers, rogue{o, name})
	}
	if o.Future {
		serveFuture(handlers)
		return
	}
	sdk.Serve(handlers...)
}

func serveFuture(handlers []sdk.Handler) {
	server, err := rpc.NewServer(handlers...)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(5)
	}
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig:  plugin.HandshakeConfig{MagicCookieKey: wire.CookieKey, MagicCookieValue: wire.CookieValue},
		VersionedPlugins: map[int]plugin.PluginSet{2: {wire.ServiceName: future{server: server}}},
		GRPCServer:       plugin.DefaultGRPCServer,
	})
}

type future struct {
	plugin.NetRPCUnsupportedPlugin
	server *rpc.Server
}

func (f future) GRPCServer(_ *plugin.GRPCBroker, s *grpc.Server) error {
	pb.RegisterPluginServiceServer(s, f.server)
	return nil
}

func (future) GRPCClient(context.Context, *plugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, errors.New("this is the side of the plugin")
}

// flood writes a long line to the process's own standard output, past what os.Stdout has become.
func flood() error {
	_, err := syscall.Write(1, bytes.Repeat([]byte("y"), 1<<20))
	return err
}

type rogue struct {
	options
	name string
}

var _ sdk.StreamHandler = rogue{}

func (r rogue) Describe() sdk.Description {
	return sdk.Description{Name: r.name, Version: r.Version, Match: "true", Cases: []byte(r.Cases)}
}

func (r rogue) Plan(_ context.Context, in sdk.Input) (*sdk.Plan, error) {
	if (r.Only == "" || r.Only == in.Template.Name) && r.first() {
		if err := r.misbehave(); err != nil {
			return nil, err
		}
	}
	if r.options.Plan == "stream" {
		return &sdk.Plan{Stream: &sdk.StreamPlan{Token: []byte(in.Template.Name)}}, nil
	}
	var b peg.Builder
	return &sdk.Plan{Notes: []string{r.name, fmt.Sprint(os.Getpid())}, Program: b.Build(b.Seq(b.Prompt(), b.Tag(peg.Content, b.Rest()), b.End()))}, nil
}

// first reports whether this is the plan at which to misbehave.
func (r rogue) first() bool {
	if r.Once == "" {
		return true
	}
	f, err := os.OpenFile(r.Once, os.O_CREATE|os.O_EXCL, 0o600)
	return err == nil && f.Close() == nil
}

func (r rogue) misbehave() error {
	switch r.options.Plan {
	case "exit":
		fmt.Fprintln(os.Stderr, "cannot go on")
		os.Exit(9)
	case "panic":
		panic("index out of range")
	case "fail":
		return errors.New("out of paper")
	case "hang":
		time.Sleep(time.Hour)
	case "stop":
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		time.Sleep(time.Hour) // other threads may run on for a while
	case "flood":
		return flood()
	case "spin":
		for { //nolint:revive // it is what is to be ended
		}
	case "blow":
		var all [][]byte
		for {
			all = append(all, bytes.Repeat([]byte("z"), 1<<20))
		}
	case "decline":
		return &sdk.Declined{Reason: "not my kind of template"}
	case "confines":
		return &sdk.Declined{Reason: confines()}
	case "child":
		child := exec.Command("sleep", "1000")
		if err := child.Start(); err != nil {
			return err
		}
		return &sdk.Declined{Reason: fmt.Sprint(child.Process.Pid)}
	case "surroundings":
		here, _ := os.Getwd()
		entries, _ := os.ReadDir(here)
		input, _ := os.Stdin.Stat()
		return &sdk.Declined{Reason: fmt.Sprintf("%s\nentries=%d\nstdin=%v\ndirectory=%s", strings.Join(os.Environ(), "\n"), len(entries),
			input.Mode()&os.ModeCharDevice != 0, filepath.Base(sdk.Directory()))}
	}
	return nil
}

// confines returns how the process is confined: its user, the networks that are up, and how many files it can open.
func confines() string {
	up := 0
	if all, err := net.Interfaces(); err == nil {
		for _, i := range all {
			if i.Flags&net.FlagUp != 0 {
				up++
			}
		}
	}
	files := 0
	for {
		f, err := os.Open("/dev/null")
		if err != nil {
			return fmt.Sprintf("user=%d up=%t files=%t", os.Getuid(), up > 0, files > 64)
		}
		defer f.Close()
		files++
	}
}

// OpenStream parses digits as reasoning, the rest as content. At "!" it dies, unless the file Once exists.
func (r rogue) OpenStream(_ context.Context, _ sdk.StreamInput, sink chat.Sink) (sdk.Stream, error) {
	return &stream{rogue: r, sink: sink}, nil
}

type stream struct {
	rogue
	sink   chat.Sink
	fed    int
	report chat.Report
}

func (s *stream) Feed(chunk []byte) error {
	if s.Mute {
		time.Sleep(time.Hour)
	}
	for i, c := range chunk {
		if c == '!' && s.first() {
			os.Exit(11)
		}
		kind, region := chat.ContentText, chat.ContentRegion
		if c >= '0' && c <= '9' {
			kind, region = chat.ReasoningText, chat.ReasoningRegion
		}
		s.sink(chat.Event{Kind: kind, Text: chunk[i : i+1]})
		s.note(c, region)
	}
	return nil
}

// note records what became of the next byte.
func (s *stream) note(c byte, region chat.Region) {
	at := s.fed
	s.fed++
	if n := len(s.report.Spans); n > 0 && s.report.Spans[n-1].Region == region {
		s.report.Spans[n-1].End = s.fed
	} else {
		s.report.Spans = append(s.report.Spans, chat.Span{Region: region, Start: at, End: s.fed})
	}
	if c == '?' {
		s.report.Faults = append(s.report.Faults, chat.Fault{At: at, Farthest: s.fed, Message: "a question"})
		s.report.Miss("<question>", at)
	}
}

func (s *stream) Finish() (sdk.StreamResult, error) {
	switch r := s.report; {
	case s.Reports == "lies":
		const far = 1 << 40
		return sdk.StreamResult{
			Status: chat.Malformed, Spans: []chat.Span{{Region: chat.CallRegion, Start: far, End: 1}},
			Faults:         []chat.Fault{{At: far, Farthest: far, Message: "far away"}},
			MissingMarkers: []chat.MissingMarker{{Marker: "<m>", At: far, Count: 1}}, MaxHeld: far,
		}, nil
	case s.Reports == "all" && r.Faults != nil:
		return sdk.StreamResult{Status: chat.Malformed, Spans: r.Spans, Faults: r.Faults, MissingMarkers: r.MissingMarkers}, nil
	}
	return sdk.StreamResult{Status: chat.Complete}, nil
}
