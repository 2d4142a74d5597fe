package main

import (
	"context"
	"net"
	"net/http"
	"os"
	"strings"

	"connectrpc.com/connect"
	"github.com/spf13/cobra"
)

// daemonFlags say which daemon a command talks to.
type daemonFlags struct{ url, token string }

// The environment variables that stand for the flags.
const (
	envDaemon = "DRAGOMAN_DAEMON"
	envToken  = "DRAGOMAN_TOKEN"
)

func (f *daemonFlags) add(cmd *cobra.Command, url string) {
	cmd.Flags().StringVar(&f.url, "daemon", url, "URL of the daemon, or unix:/path of its socket (default from "+envDaemon+")")
	cmd.Flags().StringVar(&f.token, "token", os.Getenv(envToken), "bearer token that the daemon lets in (default from "+envToken+")")
	cmd.Flags().Lookup("token").DefValue = "" // help texts are no place for it
}

// defaultDaemon is where the daemon is when nobody says otherwise.
func defaultDaemon() string {
	if url := os.Getenv(envDaemon); url != "" {
		return url
	}
	return "http://127.0.0.1:8080"
}

// client makes one of the daemon's clients.
func client[C any](f *daemonFlags, newClient func(connect.HTTPClient, string, ...connect.ClientOption) C) C {
	transport, url := http.DefaultTransport, f.url
	if path, ok := strings.CutPrefix(f.url, "unix:"); ok {
		url = "http://daemon"
		transport = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		}}
	}
	return newClient(&http.Client{Transport: authorised{transport, f.token}}, strings.TrimSuffix(url, "/"))
}

// authorised shows a bearer token with every request.
type authorised struct {
	http.RoundTripper
	token string
}

func (a authorised) RoundTrip(r *http.Request) (*http.Response, error) {
	if a.token != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+a.token)
	}
	return a.RoundTripper.RoundTrip(r)
}
