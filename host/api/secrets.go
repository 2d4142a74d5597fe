package api

import (
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
)

// Secrets are the bearer tokens and the certificate that a server reads from files. NewSecrets reads them; a host that is given
// their Files reads them again whenever they change.
type Secrets struct {
	listen config.Listen
	tokens string // path
	keys   keys
	pair   pair
}

// NewSecrets reads the files named in a configuration.
func NewSecrets(cfg *config.Config) (*Secrets, error) {
	s := &Secrets{listen: cfg.Listen, tokens: cfg.Auth.TokensFile}
	var faults []error
	for _, f := range s.Files() {
		content := map[string][]byte{}
		for _, path := range f.Paths {
			data, err := os.ReadFile(path)
			if err != nil {
				faults = append(faults, fmt.Errorf("cannot read %s: %w", f.Name, err))
			}
			content[filepath.Clean(path)] = data
		}
		if faults == nil {
			faults = append(faults, f.Apply(content))
		}
	}
	return s, errors.Join(faults...)
}

// Files returns the files that a host must watch.
func (s *Secrets) Files() (files []host.File) {
	if s.tokens != "" {
		files = append(files, host.File{Name: "tokens", Paths: []string{s.tokens}, Apply: s.setTokens})
	}
	if s.listen.Cert != "" {
		files = append(files, host.File{Name: "certificate", Paths: []string{s.listen.Cert, s.listen.Key}, Apply: s.setCertificate})
	}
	return files
}

func (s *Secrets) setTokens(changed map[string][]byte) error {
	return s.keys.read(s.tokens, changed[filepath.Clean(s.tokens)])
}

func (s *Secrets) setCertificate(changed map[string][]byte) error {
	if err := s.pair.set(changed[filepath.Clean(s.listen.Cert)], changed[filepath.Clean(s.listen.Key)]); err != nil {
		return fmt.Errorf("cannot use listen.cert (%s) with listen.key (%s): %w", s.listen.Cert, s.listen.Key, err)
	}
	return nil
}

// pair is a certificate and its key. They take effect once they match.
type pair struct {
	mu        sync.Mutex
	cert, key []byte // as read last
	inForce   atomic.Pointer[tls.Certificate]
}

// set replaces the parts that have changed; the others are nil.
func (p *pair) set(certificate, key []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if certificate != nil {
		p.cert = certificate
	}
	if key != nil {
		p.key = key
	}
	both, err := tls.X509KeyPair(p.cert, p.key)
	if err != nil {
		return err
	}
	p.inForce.Store(&both)
	return nil
}

// tls returns the configuration of a listener that always presents the current certificate.
func (p *pair) tls() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			if cert := p.inForce.Load(); cert != nil {
				return cert, nil
			}
			return nil, errors.New("no certificate yet")
		},
	}
}
