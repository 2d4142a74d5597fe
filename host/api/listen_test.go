package api

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/host/config"
)

func TestTLSServesBothVersionsOfHTTP(t *testing.T) {
	cert, key, pool := certificate(t)
	d := serve(t, func(c *config.Config) { c.Listen.Cert, c.Listen.Key = cert, key })
	for version, force := range map[string]bool{"HTTP/1.1": false, "HTTP/2.0": true} {
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: force}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.Replace(d.url, "http:", "https:", 1)+"/healthz", nil)
		must(t, err)
		res, err := transport.RoundTrip(req)
		must(t, err)
		must(t, res.Body.Close())
		if res.Proto != version || res.StatusCode != http.StatusOK {
			t.Errorf("%s %d, expected %s", res.Proto, res.StatusCode, version)
		}
		transport.CloseIdleConnections()
	}
}

// certificate writes a certificate for 127.0.0.1 and its key to files, and returns their paths.
func certificate(t *testing.T) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	now := time.Now()
	names := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, names, names, &private.PublicKey, private)
	must(t, err)
	secret, err := x509.MarshalECPrivateKey(private)
	must(t, err)
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	must(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	must(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret}), 0o600))
	parsed, err := x509.ParseCertificate(der)
	must(t, err)
	pool = x509.NewCertPool()
	pool.AddCert(parsed)
	return cert, key, pool
}

func TestInvalidCertificateFilesAreRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.pem")
	must(t, os.WriteFile(file, []byte("no certificate"), 0o600))
	cfg := config.Default()
	cfg.Listen.Cert, cfg.Listen.Key = file, file
	_, err := NewSecrets(cfg)
	if err == nil || !strings.Contains(err.Error(), "listen.cert") {
		t.Errorf("error %v, expected one that names listen.cert", err)
	}
}

func TestASocketIsServed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d.sock")
	serve(t, func(c *config.Config) { c.Listen.Address = "unix:" + path })
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://dragoman/readyz", nil)
	must(t, err)
	res, err := transport.RoundTrip(req)
	must(t, err)
	must(t, res.Body.Close())
	if res.StatusCode != http.StatusOK {
		t.Errorf("status %d", res.StatusCode)
	}
}

func TestAStaleSocketIsReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d.sock")
	dead, err := new(net.ListenConfig).Listen(t.Context(), "unix", path)
	must(t, err)
	dead.(*net.UnixListener).SetUnlinkOnClose(false)
	must(t, dead.Close())
	l, err := Listen(t.Context(), config.Listen{Address: "unix:" + path, SocketMode: "0600"})
	must(t, err)
	defer l.Close()
	if _, err := Listen(t.Context(), config.Listen{Address: "unix:" + path, SocketMode: "0600"}); err == nil {
		t.Error("a socket in use was taken over")
	}
}
