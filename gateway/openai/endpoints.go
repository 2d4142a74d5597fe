package openai

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/dragoman-project/dragoman/gateway"
	"github.com/dragoman-project/dragoman/gateway/reply"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// The paths of the endpoints.
const (
	chatPath        = "/v1/chat/completions"
	completionsPath = "/v1/completions"
	modelsPath      = "/v1/models"
)

// Endpoints returns the endpoints of OpenAI's API.
func Endpoints(g *gateway.Gateway) []api.Endpoint {
	s := &service{gateway: g, started: time.Now()}
	return []api.Endpoint{
		{Method: http.MethodPost, Path: chatPath, Output: true, Serve: s.chat, Refuse: Refuse},
		{Method: http.MethodPost, Path: completionsPath, Output: true, Serve: s.completions, Refuse: Refuse},
		{Method: http.MethodGet, Path: modelsPath, Serve: s.models, Refuse: Refuse},
		{Method: http.MethodGet, Path: modelsPath + "/", Serve: s.model, Refuse: Refuse},
	}
}

type service struct {
	gateway *gateway.Gateway
	started time.Time
}

// modelObject is a model in OpenAI's API.
type modelObject struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

func (s *service) object(name string) modelObject {
	return modelObject{ID: name, Object: "model", Created: s.started.Unix(), OwnedBy: "dragoman"}
}

// models lists the models.
func (s *service) models(w http.ResponseWriter, _ *http.Request) error {
	list := struct {
		Object string        `json:"object"`
		Data   []modelObject `json:"data"`
	}{"list", []modelObject{}}
	for _, name := range s.gateway.Models() {
		list.Data = append(list.Data, s.object(name))
	}
	return reply.WriteJSON(w, http.StatusOK, list)
}

// model describes one model, whose name may contain slashes.
func (s *service) model(w http.ResponseWriter, r *http.Request) error {
	name := strings.TrimPrefix(r.URL.Path, modelsPath+"/")
	if !slices.Contains(s.gateway.Models(), name) {
		return &fault.Error{Code: fault.NotFound, Place: "model", Message: "no such model", Remedy: "GET " + modelsPath + " lists them"}
	}
	return reply.WriteJSON(w, http.StatusOK, s.object(name))
}

// apiError is an error in OpenAI's API.
type apiError struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

// errorObject is the body of an answer, or the event of a stream, with an error.
type errorObject struct {
	Error apiError `json:"error"`
}

// Refuse answers with an error, as all of OpenAI's APIs do.
func Refuse(w http.ResponseWriter, _ *http.Request, err *fault.Error) {
	_ = reply.WriteJSON(w, err.Code.HTTP(), describe(err)) // fails only when the client is gone
}

// describe returns an error as OpenAI writes it.
func describe(err *fault.Error) errorObject {
	e := apiError{Message: err.Message, Type: "invalid_request_error"}
	if err.Remedy != "" {
		e.Message += "; " + err.Remedy
	}
	code := string(err.Code)
	switch err.Code {
	case fault.Unauthenticated:
		code = "invalid_api_key"
	case fault.NotFound:
		if err.Place == "model" {
			code = "model_not_found"
		}
	case fault.RateLimited:
		e.Type, code = "rate_limit_error", "rate_limit_exceeded"
	case fault.Unavailable, fault.TimedOut, fault.Internal, fault.Canceled:
		e.Type = "server_error"
	case fault.InvalidArgument:
		code = ""
	}
	if code != "" {
		e.Code = &code
	}
	if err.Place != "" {
		e.Param = &err.Place
		if !strings.HasPrefix(e.Message, err.Place) {
			e.Message = err.Place + ": " + e.Message
		}
	}
	return errorObject{e}
}
