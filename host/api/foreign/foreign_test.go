// Package foreign_test drives a daemon with clients independent of this repository: curl, a client
// in JavaScript, and grpcurl. They are installed at pinned versions. Without them the tests are
// skipped; under CI=true they fail.
package foreign_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/host/api/metrics"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
)

// The request and output that every client sends, and the resulting message.
const (
	request1 = `{"messages": [{"role": "user", "content": "Weather in Graz?"}], "tools": [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {"town": {"type": "string"}}}}}]}`
	output1  = "Grüße.\n<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"town\": \"Graz\"}}\n</tool_call>"
	message1 = `{"role":"assistant","content":"Grüße.","tool_calls":[{"type":"function","function":{"name":"weather","arguments":"{\"town\": \"Graz\"}"}}]}`
)

// daemon starts a daemon on a loopback port until the test ends, and returns its address.
func daemon(t *testing.T) string {
	t.Helper()
	cfg := config.Default()
	cfg.Listen.Address = "127.0.0.1:0"
	ctx, cancel := context.WithCancel(context.Background())
	counts := metrics.New("v0.0.0-test")
	h, err := host.New(ctx, host.Options{Config: cfg, Observer: counts})
	must(t, err)
	l, err := api.Listen(ctx, cfg.Listen)
	must(t, err)
	ended := make(chan error, 1)
	go func() { ended <- api.New(h, api.Options{Version: "v0.0.0-test", Metrics: counts}).Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		must(t, <-ended)
		must(t, h.Close(context.Background()))
	})
	return l.Addr().String()
}

// program returns the path of a program, or ends the test if it is not installed.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		missing(t, err.Error())
	}
	return path
}

// missing skips the test for want of a dependency, or fails it under CI=true.
func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// run runs a program with input on its standard input, and returns its output.
func run(t *testing.T, input, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Stdin = strings.NewReader(input)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s%s", filepath.Base(name), args, err, out, &errs)
	}
	return string(out)
}

func quoted(text string) string {
	q, _ := json.Marshal(text)
	return string(q)
}

func TestCurlReachesEveryUnaryMethod(t *testing.T) {
	curl := program(t, "curl")
	address := daemon(t)
	rows := map[string]struct{ body, want string }{
		"ChatService/Render":                {fmt.Sprintf(`{"template": "chatml-json", "request": %s}`, request1), `"generation_prompt":"<|im_start|>assistant\n"`},
		"ChatService/Plan":                  {fmt.Sprintf(`{"template": "chatml-json", "request": %s}`, request1), `"handler":"autoparser"`},
		"ChatService/Parse":                 {fmt.Sprintf(`{"template": "chatml-json", "request": %s, "text": %s, "options": {"no_ids": true}}`, request1, quoted(output1)), `"message":` + message1},
		"TemplateService/PutTemplate":       {`{"name": "mine", "source": "{{ messages[0].content }}"}`, `"origin":"upload"`},
		"TemplateService/ListTemplates":     {`{}`, `"name":"chatml-json"`},
		"TemplateService/GetTemplate":       {`{"name": "chatml-json"}`, `"source":"`},
		"TemplateService/ExplainTemplate":   {`{"name": "chatml-json"}`, `"explanation":{`},
		"WorkaroundService/ListWorkarounds": {`{}`, `"workarounds":`},
		"SnapshotService/ListSnapshots":     {`{}`, `"snapshots":`},
		"AdminService/GetStatus":            {`{}`, `"version":"v0.0.0-test"`},
		"AdminService/Reload":               {`{}`, `"generation":`},
	}
	for _, method := range unary(t) {
		t.Run(method, func(t *testing.T) {
			row, ok := rows[method]
			if !ok {
				row.body = "{}"
			}
			out := run(t, row.body, curl, "-sS", "-H", "Content-Type: application/json", "-d", "@-", "-w", "\n%{http_code}", "http://"+address+"/dragoman.v1."+method)
			body, status, _ := strings.Cut(out, "\n")
			var compact bytes.Buffer
			must(t, json.Compact(&compact, []byte(body)))
			switch {
			case ok && (status != "200" || !strings.Contains(compact.String(), row.want)):
				t.Errorf("%s %.500s\nexpected in it %s", status, body, row.want)
			case !ok && status != "200" && !strings.Contains(body, `"dragoman.v1.Error"`): // an empty request is refused with an error
				t.Errorf("%s %.500s", status, body)
			}
		})
	}
}

// unary lists all unary methods, without their package.
func unary(t *testing.T) (names []string) {
	for _, service := range []string{dragomanv1connect.ChatServiceName, dragomanv1connect.TemplateServiceName,
		dragomanv1connect.WorkaroundServiceName, dragomanv1connect.SnapshotServiceName, dragomanv1connect.AdminServiceName} {
		d, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(service))
		must(t, err)
		methods := d.(protoreflect.ServiceDescriptor).Methods()
		for i := range methods.Len() {
			if m := methods.Get(i); !m.IsStreamingClient() && !m.IsStreamingServer() {
				names = append(names, strings.TrimPrefix(service, "dragoman.v1.")+"/"+string(m.Name()))
			}
		}
	}
	return names
}

func TestCurlStreamsLines(t *testing.T) {
	curl := program(t, "curl")
	address := daemon(t)
	lines := fmt.Sprintf(`{"start": {"template": "chatml-json", "request": %s, "options": {"no_ids": true}}}`, request1) + "\n"
	for _, letter := range output1 {
		lines += `{"text": ` + quoted(string(letter)) + "}\n"
	}
	out := strings.Split(strings.TrimSpace(run(t, lines, curl, "-sS", "-N", "-T", "-", "-X", "POST", "http://"+address+"/v1/parse/stream")), "\n")
	var last struct {
		Result struct{ Message json.RawMessage }
	}
	must(t, json.Unmarshal([]byte(out[len(out)-1]), &last))
	if same(t, string(last.Result.Message), message1); len(out) < 10 {
		t.Errorf("got %d lines, expected one for most of the letters", len(out))
	}
}

func TestAClientInJavaScript(t *testing.T) {
	shared.Slow(t)
	c := installed(t)
	t.Run("speaks every protocol", c.speaksEveryProtocol)
	t.Run("aborts streams", c.abortsStreams)
}

// javaScript is a folder with the clients and their dependencies.
type javaScript struct{ node, dir, descriptors string }

func (c javaScript) speaksEveryProtocol(t *testing.T) {
	out := run(t, "", c.node, filepath.Join(c.dir, "client.mjs"), "http://"+daemon(t), c.descriptors, request1, output1)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 3 {
		t.Fatalf("the client speaks %d protocols, expected 3:\n%s", len(lines), out)
	}
	for _, line := range lines {
		var got struct {
			Protocol, Prompt, Whole, Stream, Fault string
			Both                                   []string
			Chunks                                 int
		}
		must(t, json.Unmarshal([]byte(line), &got))
		same(t, got.Whole, message1)
		same(t, got.Stream, message1)
		for _, shared := range got.Both {
			same(t, shared, message1)
		}
		if len(got.Both) != 2 || got.Prompt != "<|im_start|>assistant\n" || got.Chunks < 3 || !strings.Contains(got.Fault, "no such template") {
			t.Errorf("%s: the client got %s", got.Protocol, line)
		}
	}
}

// abortsStreams runs a client that aborts streams over connections that stay open, and is killed
// during the last one.
func (c javaScript) abortsStreams(t *testing.T) {
	address := daemon(t)
	cmd := exec.CommandContext(t.Context(), c.node, filepath.Join(c.dir, "abort.mjs"), "http://"+address, c.descriptors, request1)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for range 3 {
		var got struct{ Protocol, Fault, Whole string }
		if !lines.Scan() {
			t.Fatalf("the client exited too early: %v", cmd.Wait())
		}
		must(t, json.Unmarshal(lines.Bytes(), &got))
		if !strings.Contains(got.Fault, "aborted") {
			t.Errorf("%s: the error is %q, expected that it was aborted", got.Protocol, got.Fault)
		}
		same(t, got.Whole, `{"role":"assistant","content":"b"}`)
	}
	if !lines.Scan() {
		t.Fatalf("the client exited too early: %v", cmd.Wait())
	}
	counts(t, address, "dragoman_sessions 1")
	must(t, cmd.Process.Kill())
	counts(t, address, "dragoman_sessions 0")
	counts(t, address, `dragoman_reports_total{status="abandoned",template="chatml-json"}`)
	_ = cmd.Wait() // reports the signal
}

// counts waits until the metrics of a daemon have a line with this beginning.
func counts(t *testing.T, address, line string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !strings.Contains(metricsOf(t, address), "\n"+line); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("timed out waiting for %s in the metrics", line)
		}
	}
}

func metricsOf(t *testing.T, address string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/metrics", nil)
	must(t, err)
	response, err := http.DefaultClient.Do(request)
	must(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(t, err)
	return string(text)
}

// installed copies the clients into a folder, and installs their npm dependencies.
func installed(t *testing.T) javaScript {
	t.Helper()
	node, npm := program(t, "node"), program(t, "npm")
	dir := t.TempDir()
	for _, name := range []string{"client.mjs", "abort.mjs", "chats.mjs", "package.json"} {
		data, err := os.ReadFile(name)
		must(t, err)
		must(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	cmd := exec.CommandContext(t.Context(), npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--no-package-lock")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		missing(t, fmt.Sprintf("npm install: %v\n%s", err, out))
	}
	descriptors := filepath.Join(dir, "descriptors.bin")
	must(t, os.WriteFile(descriptors, descriptorSet(t), 0o600))
	return javaScript{node, dir, descriptors}
}

// descriptorSet returns the descriptors of the services, including their imports.
func descriptorSet(t *testing.T) []byte {
	t.Helper()
	set := new(descriptorpb.FileDescriptorSet)
	seen := map[string]bool{}
	var add func(protoreflect.FileDescriptor)
	add = func(f protoreflect.FileDescriptor) {
		if seen[f.Path()] {
			return
		}
		seen[f.Path()] = true
		for i := range f.Imports().Len() {
			add(f.Imports().Get(i).FileDescriptor)
		}
		set.File = append(set.File, protodesc.ToFileDescriptorProto(f))
	}
	d, err := protoregistry.GlobalFiles.FindDescriptorByName(dragomanv1connect.ChatServiceName)
	must(t, err)
	add(d.ParentFile())
	data, err := proto.Marshal(set)
	must(t, err)
	return data
}

func TestGrpcurlFindsAndCallsTheServices(t *testing.T) {
	found, err := filepath.Glob("../../../.cache/tools/grpcurl-*")
	must(t, err)
	if len(found) == 0 {
		missing(t, "grpcurl is not installed: make test installs it")
	}
	address := daemon(t)
	services := run(t, "", found[0], "-plaintext", address, "list")
	for _, want := range []string{"dragoman.v1.ChatService", "dragoman.v1.TemplateService", "dragoman.v1.AdminService", "grpc.health.v1.Health"} {
		if !strings.Contains(services, want+"\n") {
			t.Errorf("reflection does not name %s:\n%s", want, services)
		}
	}
	call := func(input, method string) string {
		return run(t, input, found[0], "-plaintext", "-d", "@", address, method)
	}
	// grpcurl does not use the daemon's codec, so a Json is a message with a text field.
	start := fmt.Sprintf(`{"start": {"template": "chatml-json", "request": {"text": %s}, "options": {"noIds": true}}}`, quoted(request1))
	out := call(start+"\n"+`{"text": `+quoted(output1[:20])+"}\n"+`{"text": `+quoted(output1[20:])+"}", "dragoman.v1.ChatService/ParseStream")
	if !strings.Contains(out, quoted(message1)) {
		t.Errorf("the stream returned\n%s\nexpected in it %s", out, quoted(message1))
	}
	if out := call(`{"service": "dragoman.v1.ChatService"}`, "grpc.health.v1.Health/Check"); !strings.Contains(out, `"SERVING"`) {
		t.Errorf("the health is %s", out)
	}
}

// same compares two JSON texts, including the order of their members.
func same(t *testing.T, got, want string) {
	t.Helper()
	var compact bytes.Buffer
	must(t, json.Compact(&compact, []byte(got)))
	if compact.String() != want {
		t.Errorf("got %s\nexpected %s", &compact, want)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
