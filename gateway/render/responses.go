package render

import (
	"net/http"

	"github.com/dragoman-project/dragoman/gateway/responses/request"
)

// renderResponse answers a request of OpenAI's responses with the generate request for its prompt.
func (s *Service) renderResponse(w http.ResponseWriter, r *http.Request) error {
	data, err := body(r)
	if err != nil {
		return err
	}
	in, err := request.Read(data, request.Options{Open: s.open})
	if err != nil {
		return err
	}
	out, err := s.renderedChat(w, r, in.Chat, "resp_", in.Notes...)
	if err != nil {
		return in.Fault(err)
	}
	return answer(w, out)
}
