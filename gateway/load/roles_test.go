package load

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"syscall"
	"time"

	"github.com/dragoman-project/dragoman/gateway"
	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/gateway/engine/wire"
	"github.com/dragoman-project/dragoman/gateway/engine/wire/wiretest"
	"github.com/dragoman-project/dragoman/gateway/openai"
	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/host/config"
)

// serve serves a handler, prints its address, and answers each line on standard input by the state of the process, until it is closed.
func serve(h http.Handler, idle func()) error {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }() // it ends with the process
	fmt.Println("http://" + l.Addr().String())
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		idle()
		runtime.GC()
		runtime.GC() // what pools kept once
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		var used syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
			return err
		}
		fmt.Println(runtime.NumGoroutine(), m.HeapAlloc, used.Utime.Nano()+used.Stime.Nano())
	}
	return server.Close()
}

// runEngine is an engine with vLLM's wire that writes at its pace, into each piece when it is sent.
func runEngine() error {
	return serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/completions" {
			_, _ = io.WriteString(w, wiretest.Answers["vllm"][r.URL.Path]) // fails only when the gateway is gone, as below
			return
		}
		var in struct {
			MaxTokens int `json:"max_tokens"`
		}
		_ = json.NewDecoder(r.Body).Decode(&in) // without it nothing is written, which the test sees
		w.Header().Set("Content-Type", "text/event-stream")
		out, tick := http.NewResponseController(w), time.NewTicker(pace)
		defer tick.Stop()
		for n := 1; n <= in.MaxTokens && r.Context().Err() == nil; n++ {
			finish := "null"
			if n == in.MaxTokens {
				finish = `"stop"`
			}
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"text\":\" @%d;\",\"finish_reason\":%s}],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":%d}}\n\n", time.Now().UnixNano(), finish, n)
			_ = out.Flush()
			<-tick.C
		}
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	}), func() {})
}

// runGateway is the gateway in front of an engine.
func runGateway(url string) error {
	ctx := context.Background()
	h, err := host.New(ctx, host.Options{Config: config.Default(), Static: true})
	if err != nil {
		return err
	}
	client := wire.NewClient(wire.Options{})
	g := gateway.New(ctx, gateway.Options{Host: h, Models: map[string]gateway.Alias{"m": {Model: "org/m", Template: "chatml-json"}},
		Servers: []gateway.Server{{Name: url, Find: func(ctx context.Context) (engine.Engine, error) { return client.Find(ctx, url) }}}})
	defer g.Close()
	return serve(api.New(h, api.Options{Endpoints: openai.Endpoints(g)}), client.Close)
}
