// Package workbench serves a page on which operators see what was learned of a template, and try what other rules would change.
//
// The page is static, comes from the binary and loads nothing from elsewhere. It shows what the daemon's services answer, and
// for the rest has an API of its own:
//
//	web ─make workbench→ dist ─embed→ /workbench/           the page, for everyone: there is nothing secret in it
//	                                  /workbench/api/NAME   what it asks for, for operators
//
// Nothing here changes what is in force, except saving rules where the configuration allows it.
package workbench

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/dragoman-project/dragoman/gateway"
	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/host/api/metrics"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// The paths of the page, and of its API.
const (
	pagePath = "/workbench/"
	apiPath  = pagePath + "api/"
)

// Options are what the page shows. Host must be set.
type Options struct {
	Host    *host.Host
	Gateway *gateway.Gateway
	Metrics *metrics.Metrics
}

// bench answers what the page asks.
type bench struct {
	host    *host.Host
	gateway *gateway.Gateway
	metrics *metrics.Metrics
}

// serve answers a request, as api.Endpoint.Serve does.
type serve = func(http.ResponseWriter, *http.Request) error

// calls are what the page asks for, by their names below apiPath.
func (b *bench) calls() map[string]serve {
	return map[string]serve{
		"output":     answer(b.output),
		"constraint": answer(b.constraint),
		"live":       answer(b.live),
		"template":   answer(b.template),
		"file":       b.readFile,
		"prompt":     answer(b.prompt),
		"rules":      answer(b.rules),
		"try":        stream(b.try),
		"save":       answer(b.saveRules),
	}
}

// Endpoints returns the endpoints of the workbench.
func Endpoints(o Options) []api.Endpoint {
	b := &bench{host: o.Host, gateway: o.Gateway, metrics: o.Metrics}
	var all []api.Endpoint
	for name, call := range b.calls() {
		all = append(all, api.Endpoint{Method: http.MethodPost, Path: apiPath + name, Operator: true, Serve: call})
	}
	all = append(all, // behind what they cover
		api.Endpoint{Method: http.MethodGet, Path: strings.TrimSuffix(pagePath, "/"), Public: true, Serve: redirect},
		api.Endpoint{Method: http.MethodGet, Path: pagePath, Public: true, Serve: servePage})
	for i := range all {
		all[i].Serve, all[i].Refuse = b.unlessOff(all[i].Serve), refuse
	}
	return all
}

// unlessOff serves nothing while the workbench is turned off.
func (b *bench) unlessOff(next serve) serve {
	return func(w http.ResponseWriter, r *http.Request) error {
		if b.host.Snapshot().Config.Workbench.Mode == "off" {
			return &fault.Error{Code: fault.NotFound, Place: pagePath, Message: "the workbench is turned off", Remedy: "set workbench.mode to read"}
		}
		header := w.Header()
		header.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "+
			"base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		return next(w, r)
	}
}

// answer returns what answers a JSON object with another.
func answer[Q, A any](ask func(context.Context, *Q) (A, error)) serve {
	return func(w http.ResponseWriter, r *http.Request) error {
		q := new(Q)
		if err := read(r, q); err != nil {
			return err
		}
		a, err := ask(r.Context(), q)
		if err != nil {
			return err
		}
		return write(w, a)
	}
}

// write answers with a JSON object.
func write(w http.ResponseWriter, a any) error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	begin(w, "application/json")
	_, err = w.Write(data)
	return err
}

// stream returns what answers a JSON object with several, each on a line of its own as soon as ask tells it. An error that comes
// later is the last of them.
func stream[Q any](ask func(ctx context.Context, q *Q, tell func(any) error) error) serve {
	return func(w http.ResponseWriter, r *http.Request) error {
		q := new(Q)
		if err := read(r, q); err != nil {
			return err
		}
		begun := false
		tell := func(a any) error {
			if !begun {
				begin(w, "application/jsonl")
				begun = true
			}
			if err := json.NewEncoder(w).Encode(a); err != nil {
				return err
			}
			return http.NewResponseController(w).Flush()
		}
		err := ask(r.Context(), q, tell)
		if known := new(fault.Error); begun && errors.As(err, &known) {
			return errors.Join(err, tell(problem(known)))
		}
		return err
	}
}

// read reads the body of a request. A page of another origin cannot send this type without being asked for permission first.
func read(r *http.Request, q any) error {
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); kind != "application/json" {
		return &fault.Error{Code: fault.InvalidArgument, Place: "Content-Type", Message: "expected application/json, found \"" + kind + "\"", Remedy: "send JSON"}
	}
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(q); err != nil {
		return &fault.Error{Code: fault.InvalidArgument, Place: "body", Message: err.Error(), Remedy: "reload the page, which may be of an earlier version", Err: err}
	}
	api.Received(r.Context())
	return nil
}

// begin begins an answer that is of this moment alone.
func begin(w http.ResponseWriter, kind string) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-store")
}

// refuse answers with an error.
func refuse(w http.ResponseWriter, _ *http.Request, err *fault.Error) {
	data, _ := json.Marshal(problem(err)) // of texts
	begin(w, "application/json")
	w.WriteHeader(err.Code.HTTP())
	_, _ = w.Write(data) // fails only if the client is gone
}

// problem returns an error as the page reads it.
func problem(err *fault.Error) any {
	return map[string]any{"error": map[string]string{"code": string(err.Code), "place": err.Place, "message": err.Message, "remedy": err.Remedy}}
}

// redirect leads to the page, whose addresses are relative to its folder.
func redirect(w http.ResponseWriter, r *http.Request) error {
	http.Redirect(w, r, pagePath, http.StatusPermanentRedirect)
	return nil
}

//go:embed dist
var dist embed.FS

// kinds are the types of the page's files. Those that the system knows differ.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
}

// servePage answers with a file of the page. Browsers ask each time whether it has changed: its name stays the same.
func servePage(w http.ResponseWriter, r *http.Request) error {
	name := strings.TrimPrefix(r.URL.Path, pagePath)
	if name == "" {
		name = "index.html"
	}
	data, err := dist.ReadFile(path.Join("dist", name))
	if err != nil {
		return &fault.Error{Code: fault.NotFound, Place: r.URL.Path, Message: "the workbench has no such file", Remedy: "open " + pagePath}
	}
	sum := sha256.Sum256(data)
	w.Header().Set("Content-Type", kinds[path.Ext(name)])
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:8])+`"`)
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
	return nil
}
