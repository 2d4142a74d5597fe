package api

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/host/config"
)

func TestABucketFillsAsTimeGoes(t *testing.T) {
	t.Parallel()
	var b bucket
	now := time.Now()
	take := func(after time.Duration, want bool) {
		t.Helper()
		if now = now.Add(after); (b.take(now, 2, time.Second) == 0) != want {
			t.Errorf("after %v: %v, expected %v", after, !want, want)
		}
	}
	take(0, true)
	take(0, true)
	take(0, false)
	take(400*time.Millisecond, false)
	take(100*time.Millisecond, true)
	take(0, false)
	take(time.Hour, true)
	take(0, true)
	take(0, false)
	take(-time.Hour, false) // clocks may go back
}

func TestWhatIsOverspentMustBeWaitedFor(t *testing.T) {
	t.Parallel()
	var b bucket
	now := time.Now()
	for _, step := range []struct{ after, spend, wait int }{{0, 0, 0}, {0, 59, 0}, {0, 121, 120}, {60, 0, 60}, {59, 0, 1}, {2, 0, 0}, {600, 60, 0}, {0, 0, 1}} {
		now = now.Add(time.Duration(step.after) * time.Second)
		wait := b.wait(now, 60)
		b.spend(now, step.spend)
		if step.spend > 60 {
			wait = b.wait(now, 60)
		}
		if got := int((wait + time.Second - 1) / time.Second); got != step.wait {
			t.Errorf("%+v: %v to wait", step, wait)
		}
	}
	long := new(bucket)
	long.wait(now, 60)
	long.spend(now.Add(time.Hour), 60) // the end of an answer that took an hour
	if long.wait(now.Add(time.Hour), 60) == 0 {
		t.Error("what is spent comes back for the time before it")
	}
}

// TestAKeyMayAskForSoMuchPerMinute asks for answers that use 12 tokens each.
func TestAKeyMayAskForSoMuchPerMinute(t *testing.T) {
	for _, test := range []struct {
		name    string
		limit   func(*config.Limits)
		headers map[string]string // after the first answer
		refused string
		retry   int // seconds, less those that the test takes
	}{
		{"answers", func(l *config.Limits) { l.KeyRequestsPerMinute = 2 }, map[string]string{"X-Ratelimit-Limit-Requests": "2", "X-Ratelimit-Remaining-Requests": "1", "X-Ratelimit-Reset-Requests": "30s", "X-Ratelimit-Limit-Tokens": ""},
			"more than 2 answers per minute with this token", 30},
		{"tokens", func(l *config.Limits) { l.KeyTokensPerMinute = 20 }, map[string]string{"X-Ratelimit-Limit-Tokens": "20", "X-Ratelimit-Remaining-Tokens": "20", "X-Ratelimit-Limit-Requests": ""},
			"more than 20 tokens per minute with this token", 12},
		{"nothing", func(*config.Limits) {}, map[string]string{"X-Ratelimit-Limit-Requests": "", "X-Ratelimit-Limit-Tokens": ""}, "", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := serve(t, func(c *config.Config) {
				c.Auth.ClientTokens = []string{"a", "b"}
				test.limit(&c.Limits)
			})
			ask := func(token string) (head, string) {
				return ask(t, d, http.MethodPost, "/test/echo", "Authorization", "Bearer "+token)
			}
			first, _ := ask("a")
			for name, want := range test.headers {
				if got := first.header.Get(name); got != want {
					t.Errorf("%s: %q, expected %q", name, got, want)
				}
			}
			ask("a")
			third, text := ask("a")
			if test.refused == "" {
				if third.status != http.StatusOK {
					t.Error(text)
				}
				return
			}
			if after, err := strconv.Atoi(third.header.Get("Retry-After")); third.status != http.StatusTooManyRequests || !strings.Contains(text, test.refused) || err != nil || after < 1 || after > test.retry {
				t.Errorf("%d %s, try again after %s", third.status, text, third.header.Get("Retry-After"))
			}
			if other, text := ask("b"); other.status != http.StatusOK {
				t.Errorf("another token: %s", text)
			}
			if status, text := d.post(t, parsePath, parseBody("hi"), "Authorization", "Bearer a"); status != http.StatusOK {
				t.Errorf("another method: %s", text)
			}
		})
	}
}

func TestWebPagesOfAllowedOriginsUseEndpoints(t *testing.T) {
	d := serve(t, func(c *config.Config) {
		c.Auth.ClientTokens = []string{"client"}
		c.Listen.Origins = []string{"https://app.example", "http://localhost:3000"}
	})
	preflight := []string{"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization, x-stainless-os"}
	bearer := []string{"Authorization", "Bearer client"}
	for _, test := range []struct {
		name, method, path, origin string
		header                     []string
		status                     int
		allowed                    bool
	}{
		{"preflight", http.MethodOptions, "/test/echo", "https://app.example", preflight, 204, true},
		{"request", http.MethodPost, "/test/echo", "https://app.example", bearer, 200, true},
		{"refused without its token", http.MethodPost, "/test/echo", "https://app.example", nil, 401, true},
		{"a port", http.MethodPost, "/test/echo", "http://localhost:3000", bearer, 200, true},
		{"another port", http.MethodPost, "/test/echo", "http://localhost:3001", bearer, 200, false},
		{"another scheme", http.MethodOptions, "/test/echo", "http://app.example", preflight, 401, false},
		{"another page", http.MethodPost, "/test/echo", "https://evil.example", bearer, 403, false},
		{"a page with a similar name", http.MethodPost, "/test/echo", "https://app.example.evil.example", bearer, 403, false},
		{"a page without a name", http.MethodOptions, "/test/echo", "null", preflight, 401, false},
		{"no page", http.MethodPost, "/test/echo", "", bearer, 200, false},
		{"a method of a service", http.MethodOptions, parsePath, "https://app.example", preflight, 401, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			header := test.header
			if test.origin != "" {
				header = append([]string{"Origin", test.origin}, header...)
			}
			res, text := ask(t, d, test.method, test.path, header...)
			h := res.header
			want := ""
			if test.allowed {
				want = test.origin
			}
			if res.status != test.status || h.Get("Access-Control-Allow-Origin") != want || h.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("%d %s %v", res.status, text, h)
			}
			if test.status == 204 && (h.Get("Access-Control-Allow-Methods") != "POST" || h.Get("Access-Control-Allow-Headers") != preflight[3]) {
				t.Errorf("%v", h)
			}
		})
	}
	res, _ := ask(t, serve(t, nil), http.MethodPost, "/test/echo", "Origin", "http://localhost:3000")
	if h := res.header; h.Get("Access-Control-Allow-Origin") != "" || h.Get("Vary") != "" {
		t.Errorf("without allowed origins: %v", h)
	}
}

// head is what comes before the body of an answer.
type head struct {
	status int
	header http.Header
}

// ask sends a short body, and returns the whole answer.
func ask(t *testing.T, d *daemon, method, path string, header ...string) (head, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, d.url+path, strings.NewReader("hi"))
	must(t, err)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	res, err := httpClient(t).Do(r)
	must(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	must(t, err)
	return head{res.StatusCode, res.Header}, string(text)
}
