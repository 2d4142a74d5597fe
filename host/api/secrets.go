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

// Secrets are what a server reads from files beside the host: bearer tokens, and a certificate with its key. NewSecrets reads
// them; a host that is given their Files reads them again whenever they change.
type Secrets struct {
	listen config.Listen
	tokens string // path
	keys   keys
	pair   pair
}

// NewSecrets reads the files that a configuration names.
func NewSecrets(cfg *config.Config) (*Secrets, error) {
	s := &Secrets{listen: cfg.Listen, tokens: cfg.Auth.TokensFile}
	var faults []error
	for _, f := range s.Files() {
		content := map[string][]byte{}
		for _, path := range f.Paths {
			data, err := os.ReadFile(path)
			if err != nil {
				faults = append(faults, fmt.Errorf("%s cannot be read: %w", f.Name, err))
			}
			content[filepath.Clean(path)] = data
		}
		if faults == nil {
			faults = append(faults, f.Apply(content))
		}
	}
	return s, errors.Join(faults...)
}

// Files are what a host must watch.
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
		return fmt.Errorf("listen.cert (%s) and listen.key (%s) cannot be used: %w", s.listen.Cert, s.listen.Key, err)
	}
	return nil
}

// pair is a certificate and its key, in force when they fit.
type pair struct {
	mu        sync.Mutex
	cert, key []byte // as read last
	inForce   atomic.Pointer[tls.Certificate]
}

// set takes what has changed; nil has not.
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

// tls is the configuration of a listener that always shows the certificate in force.
func (p *pair) tls() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			if cert := p.inForce.Load(); cert != nil {
				return cert, nil
			}
			return nil, errors.New("there is no certificate yet")
		},
	}
}
