package conformance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/dragoman-project/dragoman/internal/wire"
	"github.com/dragoman-project/dragoman/internal/wire/rpc"
	"github.com/dragoman-project/dragoman/sdk/handler"
	pb "github.com/dragoman-project/dragoman/sdk/proto/dragoman/plugin/v1"
)

// Binary is a running plugin, for examinations only: hosts start plugins with more care.
type Binary struct {
	Handlers []handler.Handler
	client   *plugin.Client
	sockets  string // the directory of its socket
}

// startTimeout is how long Open waits for a plugin, on a busy machine too.
const startTimeout = 30 * time.Second

// Open starts an executable and gets its handlers. The process ends with Close, or with ctx.
func Open(ctx context.Context, path string, o Options) (*Binary, error) {
	sockets, err := os.MkdirTemp("", "dragoman-")
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path)
	cmd.Env = []string{
		"PATH=/usr/local/bin:/usr/bin:/bin", plugin.EnvUnixSocketDir + "=" + sockets,
		wire.OptionsKey + "=" + o.Settings, wire.DirectoryKey + "=" + o.Directory,
	}
	var printed tail
	b := &Binary{sockets: sockets, client: plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  plugin.HandshakeConfig{MagicCookieKey: wire.CookieKey, MagicCookieValue: wire.CookieValue},
		VersionedPlugins: map[int]plugin.PluginSet{wire.ProtocolVersion: {wire.ServiceName: connection{}}},
		Cmd:              cmd,
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		StartTimeout:     startTimeout,
		SkipHostEnv:      true,
		Stderr:           &printed,
		Logger:           hclog.NewNullLogger(),
		GRPCDialOptions:  rpc.DialOptions(),
	})}
	if err := b.describe(ctx); err != nil {
		b.Close()
		return nil, printed.after(err)
	}
	return b, nil
}

// maxPrinted is how many bytes of a process's output are kept.
const maxPrinted = 1 << 10

// tail holds the end of what a process prints on standard error.
type tail struct {
	sync.Mutex
	text []byte
}

// Write keeps the end of text.
func (t *tail) Write(text []byte) (int, error) {
	t.Lock()
	defer t.Unlock()
	t.text = append(t.text, text...)
	t.text = t.text[max(0, len(t.text)-maxPrinted):]
	return len(text), nil
}

// after adds to an error what was printed before it.
func (t *tail) after(err error) error {
	t.Lock()
	defer t.Unlock()
	if text := strings.TrimSpace(string(t.text)); text != "" {
		return fmt.Errorf("%w\nit printed\n%s", err, indented(text))
	}
	return err
}

// describe gets the handlers.
func (b *Binary) describe(ctx context.Context) error {
	protocol, err := b.client.Client()
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return fmt.Errorf("handshake: %s; does its main call sdk.Serve, and print nothing before?", first)
	}
	raw, err := protocol.Dispense(wire.ServiceName)
	if err != nil {
		return err
	}
	conn, ok := raw.(*grpc.ClientConn)
	if !ok {
		return errors.New("handshake: no connection")
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	all, err := rpc.Handlers(ctx, pb.NewPluginServiceClient(conn), "conformance")
	for _, h := range all {
		b.Handlers = append(b.Handlers, h)
	}
	return err
}

// find returns the handler of that name.
func (b *Binary) find(name string) (handler.Handler, error) {
	for _, h := range b.Handlers {
		if h.Describe().Name == name {
			return h, nil
		}
	}
	return nil, errors.New("another process of the plugin does not serve the handler")
}

// Close ends the process.
func (b *Binary) Close() {
	b.client.Kill()
	// Leftovers take no room.
	_ = os.RemoveAll(b.sockets)
}

// kill ends the process as a crash would.
func (b *Binary) kill() error {
	process := b.client.ReattachConfig()
	if process == nil {
		return errors.New("it has ended already")
	}
	return syscall.Kill(process.Pid, syscall.SIGKILL)
}

// connection returns the connection that go-plugin makes.
type connection struct{ plugin.NetRPCUnsupportedPlugin }

// GRPCClient returns it.
func (connection) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return conn, nil
}

// GRPCServer is for the side of the plugin.
func (connection) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error {
	return errors.New("conformance: no server on this side")
}
