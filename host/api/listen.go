package api

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/dragoman-project/dragoman/host/config"
)

// Listen opens the configured address. It replaces a socket that a dead daemon left behind.
func Listen(ctx context.Context, l config.Listen) (net.Listener, error) {
	network, address := l.Network()
	if network == "unix" {
		removeDead(ctx, address)
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, network, address)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w; stop what uses it, or set listen.address", l.Address, err)
	}
	if network == "unix" {
		if err := setMode(address, l.SocketMode); err != nil {
			return nil, errors.Join(err, listener.Close())
		}
	}
	return listener, nil
}

// setMode sets the permissions of a socket.
func setMode(path, mode string) error {
	bits, err := strconv.ParseUint(mode, 8, 32)
	if err != nil {
		return fmt.Errorf("listen.socket_mode: invalid mode %q: %w", mode, err)
	}
	if err := os.Chmod(path, os.FileMode(bits)); err != nil {
		return fmt.Errorf("cannot set listen.socket_mode: %w", err)
	}
	return nil
}

// removeDead removes a socket without a listener.
func removeDead(ctx context.Context, path string) {
	info, err := os.Stat(path)
	if err != nil || info.Mode()&os.ModeSocket == 0 {
		return
	}
	var d net.Dialer
	if conn, err := d.DialContext(ctx, "unix", path); err == nil {
		_ = conn.Close()
		return
	}
	_ = os.Remove(path) // listening reports what is wrong with it
}

// watched is a listener that reports connections which end without a request, and bounds those without an accepted one: anybody
// can open them.
type watched struct {
	net.Listener
	log   *slog.Logger
	lost  func()
	limit func() int

	mu      sync.Mutex
	waiting []*watchedConn // without an accepted request, the oldest first
}

// Accept waits for the next connection.
func (l *watched) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &watchedConn{Conn: conn, listener: l}
	if oldest := l.wait(c); oldest != nil {
		_ = oldest.Close()
	}
	return c, nil
}

// wait adds a connection to those that wait for an accepted request, and returns the one that must go for it.
func (l *watched) wait(c *watchedConn) (oldest *watchedConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, c)
	if len(l.waiting) <= l.limit() {
		return nil
	}
	return l.waiting[0]
}

// forget removes a connection from those that wait.
func (l *watched) forget(c *watchedConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.waiting, c); i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
	}
}

// watchedConn is a connection that may end without a request.
type watchedConn struct {
	net.Conn
	listener *watched
	spoke    atomic.Bool // something was read
	asked    atomic.Bool // a whole request header was read
	admitted atomic.Bool // a request was accepted
	closed   sync.Once
}

// Read records that the peer sent something, unlike a probe of the port.
func (c *watchedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 && !c.spoke.Load() {
		c.spoke.Store(true)
	}
	return n, err
}

// Close reports a connection that ends without a request.
func (c *watchedConn) Close() error {
	c.closed.Do(func() {
		c.listener.forget(c)
		if c.asked.Load() {
			return
		}
		c.listener.lost()
		level := slog.LevelDebug
		if c.spoke.Load() {
			level = slog.LevelInfo
		}
		c.listener.log.Log(context.Background(), level, "a connection ended without a request", "peer", c.RemoteAddr().String())
	})
	return c.Conn.Close()
}

// CloseWrite closes one direction, so that a client which is still sending can read the answer.
func (c *watchedConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

type connKey struct{}

// withConn adds the connection to the context of its requests.
func withConn(ctx context.Context, c net.Conn) context.Context {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	return context.WithValue(ctx, connKey{}, c)
}

// spoken records that the connection of a context brought a request.
func spoken(ctx context.Context) {
	if c, ok := ctx.Value(connKey{}).(*watchedConn); ok && !c.asked.Load() {
		c.asked.Store(true)
	}
}

// admitted records that the connection of a context brought a request that was accepted.
func admitted(ctx context.Context) {
	if c, ok := ctx.Value(connKey{}).(*watchedConn); ok && c.admitted.CompareAndSwap(false, true) {
		c.listener.forget(c)
	}
}
