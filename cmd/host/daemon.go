package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"connectrpc.com/connect"
	"github.com/spf13/cobra"
)

// daemonFlags choose the daemon that a command talks to.
type daemonFlags struct{ url, token, tokenFile, ca string }

// The environment variables with the defaults of the flags.
const (
	envDaemon = "DRAGOMAN_DAEMON"
	envToken  = "DRAGOMAN_TOKEN"
	envCA     = "DRAGOMAN_CA"
)

// settings returns the environment without the variables above, which are no settings of a daemon.
func settings() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return name == envDaemon || name == envToken || name == envCA
	})
}

// add defines the flags. With optional, the command asks a daemon only if the flag names one.
func (f *daemonFlags) add(cmd *cobra.Command, optional bool) {
	url, usage := cmp.Or(os.Getenv(envDaemon), "http://127.0.0.1:8080"), "`URL` of the daemon, or unix:/path of its socket (default from "+envDaemon+")"
	if optional {
		url, usage = "", "`URL` of a daemon to ask, or unix:/path of its socket"
	}
	cmd.Flags().StringVar(&f.url, "daemon", url, usage)
	cmd.Flags().StringVar(&f.token, "token", os.Getenv(envToken), "bearer `token` to send (default from "+envToken+")")
	cmd.Flags().Lookup("token").DefValue = "" // a secret
	cmd.Flags().StringVar(&f.tokenFile, "token-file", "", "`file` with the bearer token, in place of --token")
	cmd.Flags().StringVar(&f.ca, "ca", os.Getenv(envCA), "`file` of certificates in PEM that sign the daemon's, besides the system's (default from "+envCA+")")
}

// answerTime is how long a daemon may take to answer.
const answerTime = 2 * time.Minute

// ask calls a method of the daemon. Errors have the daemon's URL and a remedy.
func ask[Client, Request, Response any](cmd *cobra.Command, f *daemonFlags, newClient func(connect.HTTPClient, string, ...connect.ClientOption) Client,
	method func(Client, context.Context, *Request) (*Response, error), request *Request,
) (*Response, error) {
	transport, base, err := f.dial()
	if err != nil {
		return nil, err
	}
	token, err := f.bearer()
	if err != nil {
		return nil, err
	}
	client := newClient(&http.Client{Transport: authorised{transport, token}, Timeout: answerTime}, base)
	response, err := method(client, cmd.Context(), request)
	if err != nil {
		return nil, fmt.Errorf("%s: %w%s", f.url, err, remedy(err))
	}
	return response, nil
}

// dial returns a transport to the daemon and the URL to use with it.
func (f *daemonFlags) dial() (http.RoundTripper, string, error) {
	if path, ok := strings.CutPrefix(f.url, "unix:"); ok {
		return &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		}}, "http://daemon", nil
	}
	if u, err := url.Parse(f.url); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, "", &usageError{fmt.Errorf("--daemon: expected http://HOST:PORT, https://HOST:PORT or unix:/path, found %q", f.url)}
	}
	if f.ca == "" {
		return http.DefaultTransport, strings.TrimSuffix(f.url, "/"), nil
	}
	roots, err := f.authorities()
	if err != nil {
		return nil, "", err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	return transport, strings.TrimSuffix(f.url, "/"), nil
}

// authorities returns the system's certificate authorities and those of --ca.
func (f *daemonFlags) authorities() (*x509.CertPool, error) {
	data, err := os.ReadFile(f.ca)
	if err != nil {
		return nil, fmt.Errorf("--ca: %w", err)
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool() // the system has none that can be read
	}
	if !roots.AppendCertsFromPEM(data) {
		return nil, fmt.Errorf("--ca: %s has no certificate in PEM", f.ca)
	}
	return roots, nil
}

// bearer returns the token to send, or "".
func (f *daemonFlags) bearer() (string, error) {
	if f.tokenFile == "" {
		return f.token, checkToken("--token", f.token)
	}
	data, err := os.ReadFile(f.tokenFile)
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	words := strings.Fields(string(data))
	if len(words) == 0 {
		return "", fmt.Errorf("--token-file: %s has no token", f.tokenFile)
	}
	return words[0], checkToken("--token-file", words[0])
}

// checkToken returns an error for a token that cannot be sent in a header.
func checkToken(flag, token string) error {
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fmt.Errorf("%s: expected a token of visible ASCII characters", flag)
	}
	return nil
}

// remedy returns what to do about an error, where the daemon's message does not say.
func remedy(err error) string {
	var unknown x509.UnknownAuthorityError
	var other x509.HostnameError
	var plain tls.RecordHeaderError
	switch {
	case errors.As(err, &unknown):
		return "; name the certificate that signs the daemon's with --ca"
	case errors.As(err, &other):
		return "; name the daemon with --daemon as its certificate does"
	case errors.As(err, &plain), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return "; it speaks plain HTTP: name it with http://"
	case strings.HasSuffix(err.Error(), http.StatusText(http.StatusBadRequest)): // not in the words of a daemon
		return "; if it speaks TLS, name it with https://"
	}
	switch connect.CodeOf(err) {
	case connect.CodeUnauthenticated:
		return "; give it with --token or --token-file"
	case connect.CodeUnknown, connect.CodeUnimplemented:
		return "; is this a daemon of this version? --daemon names another"
	case connect.CodeUnavailable:
		if !connect.IsWireError(err) {
			return "; start the daemon, or name another with --daemon"
		}
	}
	return ""
}

// authorised sends a bearer token with every request.
type authorised struct {
	http.RoundTripper
	token string
}

// RoundTrip implements http.RoundTripper.
func (a authorised) RoundTrip(r *http.Request) (*http.Response, error) {
	if a.token != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+a.token)
	}
	return a.RoundTripper.RoundTrip(r)
}
