package api

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dragoman-project/dragoman/sdk/fault"
)

// keys are the accepted bearer tokens: those of the configuration, which each request brings, and those of a file. The use of a
// key's limits is remembered as long as the key.
type keys struct {
	mu    sync.Mutex
	known map[[sha256.Size]byte]*key // by the hash of the token, so that the time of a lookup reveals nothing
	file  map[[sha256.Size]byte]string
}

// key is a bearer token: its name, which a new version of the file may change, and the use of its limits.
type key struct {
	name string
	*usage
}

// usage is the use of the limits of a bearer token.
type usage struct {
	sessions atomic.Int64
	rate     bucket
}

// called returns the name of a key for logs; "" for nil.
func (k *key) called() string {
	if k == nil {
		return ""
	}
	return k.name
}

// read replaces the tokens of the file: one per line, optionally followed by a name.
func (k *keys) read(path string, content []byte) error {
	file := map[[sha256.Size]byte]string{}
	number := 0
	for line := range bytes.Lines(bytes.TrimPrefix(content, []byte("\uFEFF"))) { // some editors write a byte order mark
		number++
		fields := strings.Fields(string(line))
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		name := fmt.Sprintf("line %d", number)
		if len(fields) > 1 {
			name = strings.Join(fields[1:], " ")
		}
		sum := sha256.Sum256([]byte(fields[0]))
		if _, twice := file[sum]; twice {
			return fmt.Errorf("%s:%d: duplicate token: keep one", path, number)
		}
		file[sum] = name
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

// find reports whether a request is accepted, and returns its key; nil if no keys are configured. tokens are those of the
// configuration; fromFile reports whether there is a file with more.
func (k *keys) find(r *http.Request, tokens []string, fromFile bool) (found *key, ok bool) {
	if len(tokens) == 0 && !fromFile {
		return nil, true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return nil, false
	}
	given := sha256.Sum256([]byte(strings.TrimSpace(token)))
	k.mu.Lock()
	defer k.mu.Unlock()
	name, ok := k.file[given]
	for i, t := range tokens {
		if sha256.Sum256([]byte(t)) == given {
			name, ok = fmt.Sprintf("auth.tokens[%d]", i), true
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
		k.known[given] = &key{name, new(usage)}
	case known.name != name:
		k.known[given] = &key{name, known.usage}
	}
	return k.known[given], true
}

// begin counts an output of a key until end is called.
func (k *key) begin(limit int) (end func(), err error) {
	if k == nil {
		return func() {}, nil
	}
	if running := k.sessions.Add(1); int(running) > limit {
		k.sessions.Add(-1)
		return nil, &fault.Error{Code: fault.RateLimited, Place: k.name, Message: fmt.Sprintf("too many outputs at once with this token, at most %d are allowed", limit),
			Remedy: "end one first, or raise limits.key_sessions"}
	}
	return func() { k.sessions.Add(-1) }, nil
}

// ask counts a request of a key.
func (k *key) ask(now time.Time, rate int) error {
	if k == nil || k.rate.take(now, rate) {
		return nil
	}
	return &fault.Error{Code: fault.RateLimited, Place: k.name, Message: fmt.Sprintf("more than %d requests per second with this token", rate),
		Remedy: "try again in a second, or raise limits.key_rate"}
}

// bucket is a token bucket of one second. It is full at first.
type bucket struct {
	mu    sync.Mutex
	spent float64
	last  time.Time
}

// take takes one of rate per second, and reports whether one was left.
func (b *bucket) take(now time.Time, rate int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if passed := now.Sub(b.last).Seconds(); passed > 0 {
		b.spent = max(0, b.spent-passed*float64(rate))
		b.last = now
	}
	if b.spent+1 > float64(rate) {
		return false
	}
	b.spent++
	return true
}
