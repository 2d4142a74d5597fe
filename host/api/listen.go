package api

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/dragoman-project/dragoman/host/config"
)

// Listen opens the address that the configuration names. A socket that a dead daemon left behind is replaced.
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

// setMode gives a socket its permissions.
func setMode(path, mode string) error {
	bits, err := strconv.ParseUint(mode, 8, 32)
	if err != nil {
		return fmt.Errorf("listen.socket_mode: %q is no mode: %w", mode, err)
	}
	if err := os.Chmod(path, os.FileMode(bits)); err != nil {
		return fmt.Errorf("listen.socket_mode cannot be set: %w", err)
	}
	return nil
}

// removeDead removes a socket that nobody answers at.
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
	_ = os.Remove(path) // what is wrong with it, listening tells
}

// watched is a listener whose connections are told of that end without having asked for anything.
type watched struct {
	net.Listener
	log  *slog.Logger
	lost func()
}

// Accept waits for the next connection.
func (l *watched) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &watchedConn{Conn: conn, listener: l}, nil
}

// watchedConn is a connection that may be closed before a request came.
type watchedConn struct {
	net.Conn
	listener *watched
	spoke    atomic.Bool // something was read
	asked    atomic.Bool // a whole request header was read
	closed   sync.Once
}

// Read notes that the peer is no mere probe of the port.
func (c *watchedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 && !c.spoke.Load() {
		c.spoke.Store(true)
	}
	return n, err
}

// Close tells of a connection that was no use.
func (c *watchedConn) Close() error {
	c.closed.Do(func() {
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

// CloseWrite ends one direction, so that a client which is still sending can read the answer.
func (c *watchedConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

type connKey struct{}

// withConn lets handlers find the connection of their request.
func withConn(ctx context.Context, c net.Conn) context.Context {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	return context.WithValue(ctx, connKey{}, c)
}

// spoken notes that a request came over the connection of a context.
func spoken(ctx context.Context) {
	if c, ok := ctx.Value(connKey{}).(*watchedConn); ok && !c.asked.Load() {
		c.asked.Store(true)
	}
}
