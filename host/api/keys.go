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

// keys are the bearer tokens that are let in: those of the configuration, which come with each request's configuration, and
// those of a file. What is used of a key's limits is kept as long as the key.
type keys struct {
	mu    sync.Mutex
	known map[[sha256.Size]byte]*key // by the hash of the token: a look-up takes no time that tells of tokens
	file  map[[sha256.Size]byte]string
}

// key is one bearer token: what it is called, which a new content of the file may change, and what is used of its limits.
type key struct {
	name string
	*usage
}

// usage is what is under way with a bearer token.
type usage struct {
	sessions atomic.Int64
	rate     bucket
}

// called is the name of a key for logs; nil has none.
func (k *key) called() string {
	if k == nil {
		return ""
	}
	return k.name
}

// read takes the content of the file of tokens, one a line, behind it perhaps a name.
func (k *keys) read(path string, content []byte) error {
	file := map[[sha256.Size]byte]string{}
	number := 0
	for line := range bytes.Lines(bytes.TrimPrefix(content, []byte("\uFEFF"))) { // some editors begin files so
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
			return fmt.Errorf("%s:%d: the token is given twice: keep one", path, number)
		}
		file[sum] = name
	}
	if len(file) == 0 {
		return fmt.Errorf("%s: there is no token: write one a line", path)
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

// find says whether a request is let in, and by which key; by none where nothing asks for keys. tokens are those of the
// configuration, and asked says that there is a file of more.
func (k *keys) find(r *http.Request, tokens []string, asked bool) (found *key, ok bool) {
	if len(tokens) == 0 && !asked {
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

// begin counts a stream of a key; end gives it back.
func (k *key) begin(limit int) (end func(), err error) {
	if k == nil {
		return func() {}, nil
	}
	if running := k.sessions.Add(1); int(running) > limit {
		k.sessions.Add(-1)
		return nil, &fault.Error{Code: fault.RateLimited, Place: k.name, Message: fmt.Sprintf("%d outputs are being parsed already with this token", limit),
			Remedy: "end one first, or raise limits.key_sessions"}
	}
	return func() { k.sessions.Add(-1) }, nil
}

// ask counts a request of a key.
func (k *key) ask(now time.Time, rate int) error {
	if k == nil || k.rate.take(now, rate) {
		return nil
	}
	return &fault.Error{Code: fault.RateLimited, Place: k.name, Message: fmt.Sprintf("there were more than %d requests a second with this token", rate),
		Remedy: "try again in a second, or raise limits.key_rate"}
}

// bucket holds what may be taken of something within a second. It is full at first, and fills as time goes.
type bucket struct {
	mu    sync.Mutex
	spent float64
	last  time.Time
}

// take takes one of rate in a second, unless nothing is left.
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
