package responses

import (
	"log/slog"
	"net/http"

	"github.com/dragoman-project/dragoman/gateway"
	"github.com/dragoman-project/dragoman/gateway/openai"
	"github.com/dragoman-project/dragoman/gateway/seal"
	"github.com/dragoman-project/dragoman/host/api"
)

// The paths of the endpoints.
const (
	path      = "/v1/responses"
	itemsPath = "/input_items" // after a response
)

// Options are the choices of Endpoints.
type Options struct {
	Gateway *gateway.Gateway
	// Seal seals reasoning.
	Seal *seal.Sealer
	// Store keeps responses; nil: none is kept.
	Store Store
	// Logger gets what clients cannot see; nil discards it.
	Logger *slog.Logger
}

// Store keeps the values of owners, of which each has its own. store.Store implements it.
type Store interface {
	Put(owner, key string, value []byte) error
	// Get and Delete return an error of code not_found for what is not kept.
	Get(owner, key string) ([]byte, error)
	Delete(owner, key string) error
}

type service struct{ Options }

// Endpoints returns the endpoints of OpenAI's responses.
func Endpoints(o Options) []api.Endpoint {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	s := &service{o}
	return []api.Endpoint{
		{Method: http.MethodPost, Path: path, Output: true, Serve: s.respond, Refuse: openai.Refuse},
		{Method: http.MethodGet, Path: path + "/", Serve: s.retrieve, Refuse: openai.Refuse},
		{Method: http.MethodDelete, Path: path + "/", Serve: s.remove, Refuse: openai.Refuse},
	}
}

// Open returns reasoning that was sealed for a client to keep.
func Open(sealer *seal.Sealer) func(sealed string) (string, error) {
	return func(sealed string) (string, error) { return sealer.Open(seal.Reasoning, sealed) }
}
