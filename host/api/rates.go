package api

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// rates are what the requests of a bearer token have used of its limits in time.
type rates struct {
	second bucket // of all requests
	minute bucket // of answers of models
	tokens bucket // of those answers; known when they end
}

// ask counts a request of a key.
func (k *key) ask(now time.Time, rate int) error {
	if k == nil {
		return nil
	}
	if wait := k.second.take(now, rate, time.Second); wait > 0 {
		return k.tooSoon(wait, fmt.Sprintf("more than %d requests per second with this token", rate), "limits.key_rate")
	}
	return nil
}

// askModel counts a request of a key for an answer of a model. h are the headers of its answer, which get the limits.
func (k *key) askModel(now time.Time, limits config.Limits, h http.Header) error {
	if k == nil {
		return nil
	}
	if n := limits.KeyTokensPerMinute; n > 0 {
		wait := k.tokens.wait(now, n)
		k.tokens.tell(h, "tokens")
		if wait > 0 {
			return k.tooSoon(wait, fmt.Sprintf("more than %d tokens per minute with this token", n), "limits.key_tokens_per_minute")
		}
	}
	if n := limits.KeyRequestsPerMinute; n > 0 {
		wait := k.minute.take(now, n, time.Minute)
		k.minute.tell(h, "requests")
		if wait > 0 {
			return k.tooSoon(wait, fmt.Sprintf("more than %d answers per minute with this token", n), "limits.key_requests_per_minute")
		}
	}
	return nil
}

// used counts tokens of an answer that a key has received.
func (k *key) used(now time.Time, tokens int) {
	if k != nil && tokens > 0 {
		k.tokens.spend(now, tokens)
	}
}

// tooSoonError is an error that can be mended by waiting.
type tooSoonError struct {
	error // for clients
	wait  time.Duration
}

func (e *tooSoonError) Unwrap() error { return e.error }

func (k *key) tooSoon(wait time.Duration, message, limit string) error {
	return &tooSoonError{&fault.Error{Code: fault.RateLimited, Place: k.name, Message: message,
		Remedy: fmt.Sprintf("try again in %s, or raise %s", inSeconds(wait), limit)}, wait}
}

// retryAfter returns the seconds after which a request with an error is worth another try.
func retryAfter(err error) string {
	if e := new(tooSoonError); errors.As(err, &e) {
		return strconv.Itoa(int(math.Ceil(e.wait.Seconds())))
	}
	return "1"
}

// inSeconds returns a time as OpenAI's headers have it.
func inSeconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) + "s" }

// bucket is a token bucket, full at first: what was spent comes back within a time. More than there is can be spent; that takes longer.
type bucket struct {
	mu     sync.Mutex
	limit  int
	within time.Duration
	spent  float64
	last   time.Time
}

// take takes one of limit, or returns how long to wait for it.
func (b *bucket) take(now time.Time, limit int, within time.Duration) (wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.limit, b.within = limit, within
	b.pass(now)
	if wait = b.until(float64(limit) - 1); wait == 0 {
		b.spent++
	}
	return wait
}

// wait returns how long to wait until anything is left of a limit for a minute.
func (b *bucket) wait(now time.Time, limit int) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.limit, b.within = limit, time.Minute
	b.pass(now)
	return b.until(math.Nextafter(float64(limit), 0))
}

// spend spends n of the limit that was last asked for; without one, none is kept.
func (b *bucket) spend(now time.Time, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.limit > 0 {
		b.pass(now)
		b.spent += float64(n)
	}
}

// tell sets the headers of a limit, as OpenAI calls them.
func (b *bucket) tell(h http.Header, of string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	h.Set("X-Ratelimit-Limit-"+of, strconv.Itoa(b.limit))
	h.Set("X-Ratelimit-Remaining-"+of, strconv.Itoa(max(0, int(float64(b.limit)-b.spent))))
	h.Set("X-Ratelimit-Reset-"+of, inSeconds(b.until(0)))
}

// pass returns what has come back since the last time. Clocks may go back.
func (b *bucket) pass(now time.Time) {
	if passed := now.Sub(b.last); passed > 0 {
		b.spent = max(0, b.spent-float64(b.limit)*float64(passed)/float64(b.within))
		b.last = now
	}
}

// until returns how long it takes until no more than some is spent.
func (b *bucket) until(some float64) time.Duration {
	if b.spent <= some {
		return 0
	}
	return max(1, time.Duration((b.spent-some)/float64(b.limit)*float64(b.within)))
}
