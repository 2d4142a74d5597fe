package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
)

// keys are the accepted bearer tokens: those of the configuration, which each request brings, and those of a file. The use of a
// key's limits is remembered as long as the key.
type keys struct {
	mu    sync.Mutex
	known map[[sha256.Size]byte]*key // by the hash of the token, so that the time of a lookup reveals nothing
	file  map[[sha256.Size]byte]owner
}

// owner is what the configuration or the file has beside a token.
type owner struct {
	name     string
	operator bool // may call every method; others are clients
}

// ownerOf returns an owner, with the beginning of the token's hash in place of a missing name: a number would mean another token
// after the next change of the list.
func ownerOf(sum [sha256.Size]byte, name string, operator bool) owner {
	const shown = 6 // bytes
	if name == "" {
		name = fmt.Sprintf("sha256:%x", sum[:shown])
	}
	return owner{name, operator}
}

// key is a bearer token: its owner, which a new version of the file may change, and what its requests use.
type key struct {
	owner
	*usage
}

// usage is the use of the limits of a bearer token, and the templates that its client has put.
type usage struct {
	sessions atomic.Int64 // outputs, and streams that they share
	requests atomic.Int64
	bodies   atomic.Int64 // bytes, see body
	rates
	own host.Own
}

// called returns the name of a key for logs; "" for nil.
func (k *key) called() string {
	if k == nil {
		return ""
	}
	return k.name
}

// allows reports whether requests may have this key, to what clients may call or to the rest. Without keys, everyone is an operator.
func (k *key) allows(forClients bool) bool {
	return k == nil || k.operator || forClients
}

// forClients reports whether clients may call a path.
func forClients(path string) bool {
	return slices.ContainsFunc(clientPaths, func(prefix string) bool { return strings.HasPrefix(path, prefix) })
}

// clientPaths begin the paths that clients may call; the others are for operators.
var clientPaths = []string{
	"/" + dragomanv1connect.ChatServiceName + "/", "/" + dragomanv1connect.TemplateServiceName + "/", linesPath, reflectionPath,
}

// context returns the context of a request with this key: a client has templates of its own.
func (k *key) context(ctx context.Context) context.Context {
	if k == nil || k.operator {
		return ctx
	}
	return host.WithOwn(ctx, &k.own)
}

// read replaces the tokens of the file: one per line, optionally followed by a role and a name.
func (k *keys) read(path string, content []byte) error {
	file := map[[sha256.Size]byte]owner{}
	number := 0
	for line := range bytes.Lines(bytes.TrimPrefix(content, []byte("\uFEFF"))) { // some editors write a byte order mark
		number++
		fields := strings.Fields(string(line))
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		operator, words, err := roleOf(fields[1:])
		if err != nil {
			return fmt.Errorf("%s:%d: %w", path, number, err)
		}
		sum := sha256.Sum256([]byte(fields[0]))
		if _, twice := file[sum]; twice {
			return fmt.Errorf("%s:%d: duplicate token: keep one", path, number)
		}
		file[sum] = ownerOf(sum, strings.Join(words, " "), operator)
	}
	if len(file) == 0 {
		return fmt.Errorf("%s: no tokens: write one per line", path)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for sum := range k.file {
		if _, stays := file[sum]; !stays {
			delete(k.known, sum)
		}
	}
	k.file = file
	return nil
}

// rolePrefix begins a role in the file.
const rolePrefix = "role="

// roleOf reads the role before a name; without one, the token is an operator's.
func roleOf(words []string) (operator bool, name []string, err error) {
	if len(words) == 0 || !strings.HasPrefix(words[0], rolePrefix) {
		return true, words, nil
	}
	switch role := strings.TrimPrefix(words[0], rolePrefix); role {
	case "client", "operator":
		return role == "operator", words[1:], nil
	default:
		return false, nil, fmt.Errorf("unknown role %q: write role=client or role=operator", role)
	}
}

// find reports whether requests with a token are accepted, and returns its key; nil if no keys are configured.
func (k *keys) find(token string, auth config.Auth) (found *key, ok bool) {
	if auth.Open() {
		return nil, true
	}
	if token == "" {
		return nil, false
	}
	given := sha256.Sum256([]byte(token))
	k.mu.Lock()
	defer k.mu.Unlock()
	by, ok := k.file[given]
	for i, t := range slices.Concat(auth.ClientTokens, auth.Tokens) {
		if sha256.Sum256([]byte(t)) == given {
			by, ok = ownerOf(given, "", i >= len(auth.ClientTokens)), true
		}
	}
	if !ok {
		return nil, false
	}
	if k.known == nil {
		k.known = map[[sha256.Size]byte]*key{}
	}
	switch known := k.known[given]; {
	case known == nil:
		k.known[given] = &key{by, new(usage)}
	case known.owner != by:
		k.known[given] = &key{by, known.usage}
	}
	return k.known[given], true
}

// begin counts an output or a shared stream of a key until end is called.
func (k *key) begin(limit int) (end func(), err error) {
	if k == nil {
		return func() {}, nil
	}
	return one(&k.sessions, limit, &fault.Error{Code: fault.RateLimited, Place: k.name,
		Message: fmt.Sprintf("too many outputs and shared streams at once with this token, at most %d are allowed", limit), Remedy: "end one first, or raise limits.key_sessions"})
}

// request counts a request of a key until end is called.
func (k *key) request(limit int) (end func(), err error) {
	if k == nil {
		return func() {}, nil
	}
	return one(&k.requests, limit, &fault.Error{Code: fault.RateLimited, Place: k.name,
		Message: fmt.Sprintf("too many requests at once with this token, at most %d are allowed", limit), Remedy: "wait for an answer first, or raise limits.key_requests"})
}
