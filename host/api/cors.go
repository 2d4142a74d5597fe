package api

import (
	"net/http"
	"slices"

	"github.com/dragoman-project/dragoman/host/config"
)

// exposed are the headers of answers that web pages may read.
const exposed = "X-Request-Id, Retry-After, Dragoman-Overhead-Ms, Dragoman-Shared-Prefix, Dragoman-Warnings, " +
	"X-Ratelimit-Limit-Requests, X-Ratelimit-Remaining-Requests, X-Ratelimit-Reset-Requests, X-Ratelimit-Limit-Tokens, X-Ratelimit-Remaining-Tokens, X-Ratelimit-Reset-Tokens"

// openTo lets web pages of the allowed origins read the answer of an endpoint. Browsers are never asked to send credentials: clients
// bring their tokens. It reports whether the request is a preflight of such a page, which is answered then and needs no token.
func openTo(w http.ResponseWriter, r *http.Request, e *Endpoint, origins []string) (answered bool) {
	origin := r.Header.Get("Origin")
	if len(origins) == 0 {
		return false
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	if !fromOrigin(origin, origins) {
		return false
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", exposed)
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", e.Method)
	if wanted := r.Header.Get("Access-Control-Request-Headers"); wanted != "" {
		h.Set("Access-Control-Allow-Headers", wanted)
	}
	h.Set("Access-Control-Max-Age", "600") // seconds
	w.WriteHeader(http.StatusNoContent)
	return true
}

// fromOrigin reports whether an origin is allowed.
func fromOrigin(origin string, origins []string) bool {
	return origin != "" && (slices.Contains(origins, origin) || slices.Contains(origins, config.AnyOrigin))
}
