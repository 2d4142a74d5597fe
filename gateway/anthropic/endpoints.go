package anthropic

import (
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"slices"

	"github.com/dragoman-project/dragoman/gateway"
	"github.com/dragoman-project/dragoman/gateway/reply"
	"github.com/dragoman-project/dragoman/gateway/seal"
	"github.com/dragoman-project/dragoman/host/api"
)

// The paths of the endpoints.
const (
	messagesPath = "/v1/messages"
	countPath    = messagesPath + "/count_tokens"
)

// tokenHeader is where clients of this API send their token, unless it is a bearer token.
const tokenHeader = "X-Api-Key"

// Endpoints returns the endpoints of Anthropic's API. Thinking is sealed with s.
func Endpoints(g *gateway.Gateway, s *seal.Sealer) []api.Endpoint {
	all := &service{gateway: g, sealer: s}
	return []api.Endpoint{
		{Method: http.MethodPost, Path: messagesPath, Output: true, TokenHeader: tokenHeader, Serve: all.messages, Refuse: refuse},
		{Method: http.MethodPost, Path: countPath, TokenHeader: tokenHeader, Serve: all.count, Refuse: refuse},
	}
}

type service struct {
	gateway *gateway.Gateway
	sealer  *seal.Sealer
}

// messages answers a request with a message.
func (s *service) messages(w http.ResponseWriter, r *http.Request) error {
	identify(w)
	a := &answer{sealer: s.sealer, w: w}
	begun, err := reply.Begin(w, r, "msg_"+rand.Text(), func(ctx context.Context, body []byte) (planned *gateway.Answer, err error) {
		planned, a.request, err = s.plan(ctx, r, body, answering)
		return planned, err
	})
	if err != nil {
		return err
	}
	defer begun.Close()
	begun.Head()
	a.Reply = begun
	if err = a.deliver(); err == nil {
		a.Note()
	}
	return err
}

// plan plans the answer to a request.
func (s *service) plan(ctx context.Context, r *http.Request, body []byte, to purpose) (*gateway.Answer, *request, error) {
	in, err := read(body, s.sealer, to)
	if err != nil {
		return nil, nil, err
	}
	for _, beta := range r.Header.Values("Anthropic-Beta") {
		in.note("ignored the header anthropic-beta: %s", beta)
	}
	a, err := s.gateway.Plan(ctx, in.chat)
	if err != nil {
		return nil, nil, in.places.Fault(err)
	}
	a.Notes = slices.Concat(in.notes, a.Notes)
	return a, in, nil
}

// count answers a request with the number of tokens of its prompt.
func (s *service) count(w http.ResponseWriter, r *http.Request) error {
	identify(w)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	a, _, err := s.plan(r.Context(), r, body, counting)
	if err != nil {
		return err
	}
	api.Received(r.Context())
	api.Note(r.Context(), api.Facts{Template: a.Template, Handler: a.Handler})
	n, err := a.CountPrompt(r.Context())
	if err != nil {
		return err
	}
	return reply.WriteJSON(w, http.StatusOK, struct {
		InputTokens int `json:"input_tokens"`
	}{n})
}
