package render

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	gojson "github.com/go-json-experiment/json"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/tokenizer"
)

// Options are the choices of New. The zero value works.
type Options struct {
	// Generate answers requests to vLLM's /inference/v1/generate; nil: they are errors.
	Generate func(http.ResponseWriter, *http.Request) error
	// Version is the daemon's, for /version.
	Version string
	// Served returns the names of models that are served beside, for the list of models; may be nil.
	Served func() []string
	// Open returns reasoning that the gateway has sealed; nil: none has it.
	Open func(sealed string) (string, error)
}

// Service renders and derenders for the models of a host whose tokenizers are known.
type Service struct {
	host    *host.Host
	served  func() []string
	open    func(sealed string) (string, error)
	version string
	started time.Time
	streams streams
}

// New returns the service, and its endpoints.
func New(h *host.Host, o Options) []api.Endpoint {
	s := &Service{host: h, served: o.Served, open: o.Open, version: o.Version, started: time.Now(), streams: newStreams(h)}
	var all []api.Endpoint
	add := func(method, path string, serve func(http.ResponseWriter, *http.Request) error) {
		all = append(all, api.Endpoint{Method: method, Path: path, Serve: serve, Refuse: refuse})
	}
	add(http.MethodPost, "/v1/chat/completions/render", s.renderChat)
	add(http.MethodPost, "/v1/completions/render", s.renderCompletion)
	add(http.MethodPost, "/v1/responses/render", s.renderResponse)
	add(http.MethodPost, "/v1/chat/completions/derender", s.derenderChat)
	add(http.MethodPost, "/v1/completions/derender", s.derenderCompletion)
	add(http.MethodPost, "/tokenize", s.tokenize)
	add(http.MethodPost, "/detokenize", s.detokenize)
	add(http.MethodGet, "/v1/models", s.models)
	add(http.MethodGet, "/version", func(w http.ResponseWriter, _ *http.Request) error {
		return answer(w, map[string]string{"version": s.version})
	})
	add(http.MethodGet, "/health", func(w http.ResponseWriter, _ *http.Request) error { w.WriteHeader(http.StatusOK); return nil })
	all[len(all)-1].Public = true
	if o.Generate == nil {
		o.Generate = func(_ http.ResponseWriter, r *http.Request) error {
			return &fault.Error{Code: fault.NotFound, Place: r.URL.Path, Message: "no engine is configured", Remedy: "set engines.urls, or send the request to the engine itself"}
		}
	}
	add(http.MethodPost, "/inference/v1/generate", o.Generate)
	all[len(all)-1].Output = true
	return all
}

// card describes a model in a list.
type card struct {
	ID      string  `json:"id"`
	Object  string  `json:"object"`
	Created int64   `json:"created"`
	OwnedBy string  `json:"owned_by"`
	Root    string  `json:"root"`
	Parent  *string `json:"parent"`
	Limit   *int    `json:"max_model_len"`
}

func (s *Service) models(w http.ResponseWriter, r *http.Request) error {
	list := struct {
		Object string `json:"object"`
		Data   []card `json:"data"`
	}{Object: "list", Data: []card{}}
	names := s.host.Models(r.Context())
	if s.served != nil {
		names = append(names, s.served()...)
		slices.Sort(names)
		names = slices.Compact(names)
	}
	for _, name := range names {
		c := card{ID: name, Object: "model", Created: s.started.Unix(), OwnedBy: "dragoman", Root: name}
		if m, err := s.host.Model(r.Context(), name); err == nil {
			c.Root, c.Limit = m.Path, limitOf(m)
		}
		list.Data = append(list.Data, c)
	}
	return answer(w, list)
}

// limitOf returns how many tokens a model can see; nil if unknown.
func limitOf(m *host.Model) *int {
	if m.ContextLength == 0 {
		return nil
	}
	return &m.ContextLength
}

// model returns a model and its tokenizer. A request without a name means the only model.
func (s *Service) model(ctx context.Context, name string) (*host.Model, *tokenizer.Tokenizer, error) {
	if names := s.host.Models(ctx); name == "" && len(names) == 1 {
		name = names[0]
	} else if name == "" && len(names) > 1 {
		return nil, nil, fault.Invalid("model", "expected the name of a model, found nothing; the models are "+strings.Join(names, ", "))
	}
	m, err := s.host.Model(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	api.Note(ctx, api.Facts{Template: m.Name})
	t, err := m.Tokenize(ctx)
	return m, t, err
}

// body reads the body of a request.
func body(r *http.Request) ([]byte, error) {
	data, err := io.ReadAll(r.Body)
	if err == nil {
		api.Received(r.Context())
	}
	return data, err
}

// answer sends JSON. Lists that are nil are null.
func answer(w http.ResponseWriter, v any) error {
	data, err := gojson.Marshal(v, gojson.FormatNilSliceAsNull(true))
	if err != nil {
		return err
	}
	return send(w, data)
}

func send(w http.ResponseWriter, data []byte) error {
	w.Header().Set("Content-Type", "application/json")
	_, err := w.Write(data)
	return err
}

// kinds are the names of errors in this API, by their codes.
var kinds = map[fault.Code]string{
	fault.InvalidArgument: "BadRequestError", fault.NotFound: "NotFoundError", fault.LimitExceeded: "RequestEntityTooLargeError",
	fault.OutputRefused: "BadRequestError", fault.Unavailable: "ServiceUnavailableError", fault.RateLimited: "RateLimitError",
	fault.Unauthenticated: "AuthenticationError", fault.PermissionDenied: "PermissionDeniedError", fault.TimedOut: "TimeoutError",
	fault.Canceled: "RequestCancelledError", fault.Internal: "InternalServerError",
}

// refuse answers with an error.
func refuse(w http.ResponseWriter, _ *http.Request, err *fault.Error) {
	var out struct {
		Error struct {
			Message string  `json:"message"`
			Type    string  `json:"type"`
			Param   *string `json:"param"`
			Code    int     `json:"code"`
		} `json:"error"`
	}
	out.Error.Message, out.Error.Type, out.Error.Code = err.Error(), kinds[err.Code], err.Code.HTTP()
	if err.Place != "" {
		out.Error.Param = &err.Place
	}
	data, _ := json.Marshal(out) // of texts and numbers
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(out.Error.Code)
	_, _ = w.Write(data) // fails only when the client is gone
}
