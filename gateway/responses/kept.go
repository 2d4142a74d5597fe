package responses

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-project/dragoman/gateway/reply"
	"github.com/dragoman-project/dragoman/gateway/responses/request"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/internal/ordered"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// kept are the responses of one owner that a store keeps.
type kept struct {
	store Store
	owner string
}

// record is a response that is kept.
type record struct {
	Previous string           `json:"previous,omitempty"`
	Input    []jsontext.Value `json:"input"`
	Response jsontext.Value   `json:"response"`
}

// output returns the items of a response.
func (r *record) output() ([]jsontext.Value, error) {
	var response struct {
		Output []jsontext.Value `json:"output"`
	}
	err := json.Unmarshal(r.Response, &response)
	return response.Output, err
}

// inputPrefix begins the ids of items of the input.
const inputPrefix = "in_"

// keep keeps a response with its input.
func (k kept) keep(id string, in *request.Request, response json.RawMessage) error {
	r := record{Previous: in.Previous, Response: jsontext.Value(response)}
	name := func(i int) []byte {
		return fmt.Appendf(nil, `{"id":"%s"`, itemID(inputPrefix, strings.TrimPrefix(id, idPrefix), i))
	}
	input := in.Member("input")
	if input.Kind() == ordered.String {
		r.Input = []jsontext.Value{fmt.Appendf(name(0), `,"type":"message","status":"completed","role":"user","content":[{"type":"input_text","text":%s}]}`, input.Raw())}
	}
	for i, item := range input.Items() {
		if request.IsReference(item) {
			r.Input = append(r.Input, item.Raw())
			continue
		}
		own := name(i)
		for member, v := range item.Members() {
			if member != "id" {
				own, _ = jsontext.AppendQuote(append(own, ','), member) // was valid JSON before
				own = append(append(own, ':'), v.Raw()...)
			}
		}
		r.Input = append(r.Input, append(own, '}'))
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return k.store.Put(k.owner, id, text)
}

// load returns a response that is kept.
func (k kept) load(id string) (*record, error) {
	text, err := k.store.Get(k.owner, id)
	if err != nil {
		return nil, err
	}
	r := new(record)
	return r, json.Unmarshal(text, r)
}

// The longest conversation that responses which are kept may have.
const (
	maxResponses    = 1000
	maxConversation = 32 << 20 // bytes
)

// Conversation implements request.Earlier.
func (k kept) Conversation(id string) ([]jsontext.Value, error) {
	var turns [][]jsontext.Value // the last one first
	size := 0
	for ; id != ""; size++ {
		r, err := k.load(id)
		if err != nil {
			return nil, err
		}
		output, err := r.output()
		if err != nil {
			return nil, err
		}
		for _, item := range slices.Concat(r.Input, output) {
			size += len(item)
		}
		if len(turns) >= maxResponses || size > maxConversation {
			return nil, &fault.Error{Code: fault.LimitExceeded, Message: fmt.Sprintf("the conversation is longer than %d responses or %d bytes", maxResponses, maxConversation)}
		}
		turns = append(turns, slices.Concat(r.Input, output))
		id = r.Previous
	}
	slices.Reverse(turns)
	return slices.Concat(turns...), nil
}

// Item implements request.Earlier.
func (k kept) Item(id string) (jsontext.Value, error) {
	unknown := &fault.Error{Code: fault.NotFound, Message: fmt.Sprintf("no item %q is stored", id)}
	prefix, rest, _ := strings.Cut(id, "_")
	response, _, ok := strings.Cut(rest, "_")
	if !ok {
		return nil, unknown
	}
	r, err := k.load(idPrefix + response)
	if err != nil {
		return nil, unknown
	}
	items := r.Input
	if prefix+"_" != inputPrefix {
		if items, err = r.output(); err != nil {
			return nil, err
		}
	}
	for _, item := range items {
		if idOf(item) == id {
			return item, nil
		}
	}
	return nil, unknown
}

// idOf returns the id of an item.
func idOf(item jsontext.Value) string {
	var named struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(item, &named) // an item without one has none
	return named.ID
}

// retrieve answers with a response that is kept, or with the items of its input.
func (s *service) retrieve(w http.ResponseWriter, r *http.Request) error {
	id, list := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, path+"/"), itemsPath)
	if s.Store == nil {
		return notKept()
	}
	found, err := kept{s.Store, api.Owner(r.Context())}.load(id)
	if err != nil {
		return err
	}
	if list {
		return listInput(w, r, found.Input)
	}
	if r.URL.Query().Get("stream") == "true" {
		return fault.Invalid("stream", "a response that has ended is not streamed again; leave it out")
	}
	return reply.WriteJSON(w, http.StatusOK, found.Response)
}

func notKept() error {
	return &fault.Error{Code: fault.NotFound, Message: "no responses are stored here", Remedy: "configure engines.store"}
}

// remove deletes a response that is kept.
func (s *service) remove(w http.ResponseWriter, r *http.Request) error {
	if s.Store == nil {
		return notKept()
	}
	id := strings.TrimPrefix(r.URL.Path, path+"/")
	if err := s.Store.Delete(api.Owner(r.Context()), id); err != nil {
		return err
	}
	return reply.WriteJSON(w, http.StatusOK, struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Deleted bool   `json:"deleted"`
	}{id, "response", true})
}

// The items of a list, unless the request says otherwise, and the most that it may have.
const (
	usualItems = 20
	mostItems  = 100
)

// listInput answers with a part of the input, the last items first unless order is "asc".
func listInput(w http.ResponseWriter, r *http.Request, items []jsontext.Value) error {
	query := r.URL.Query()
	limit := usualItems
	if text := query.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > mostItems {
			return fault.Invalid("limit", fmt.Sprintf("expected a number from 1 to %d, found %q", mostItems, text))
		}
		limit = n
	}
	if query.Get("order") != "asc" {
		slices.Reverse(items)
	}
	if after := query.Get("after"); after != "" {
		at := slices.IndexFunc(items, func(item jsontext.Value) bool { return idOf(item) == after })
		if at < 0 {
			return fault.Invalid("after", "no item of the input has this id")
		}
		items = items[at+1:]
	}
	page := items[:min(limit, len(items))]
	list := struct {
		Object string           `json:"object"`
		Data   []jsontext.Value `json:"data"`
		First  string           `json:"first_id,omitempty"`
		Last   string           `json:"last_id,omitempty"`
		More   bool             `json:"has_more"`
	}{Object: "list", Data: slices.Concat([]jsontext.Value{}, page), More: len(page) < len(items)}
	if len(page) > 0 {
		list.First, list.Last = idOf(page[0]), idOf(page[len(page)-1])
	} else {
		list.Data = []jsontext.Value{}
	}
	return reply.WriteJSON(w, http.StatusOK, list)
}
