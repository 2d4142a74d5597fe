package render

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/internal/ordered"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/tokenizer"
)

// completionDerender is a request to derender completions.
type completionDerender struct {
	derenderRequest
	Responses    []*generated   `json:"generate_responses"`
	PromptTokens jsontext.Value `json:"prompt_tokens"`
	Request      struct {
		Skip *bool `json:"skip_special_tokens"`
	} `json:"completion_request"`
}

type completionChoice struct {
	Index          int                 `json:"index"`
	Text           string              `json:"text"`
	Logprobs       *completionLogprobs `json:"logprobs"`
	FinishReason   *string             `json:"finish_reason"`
	StopReason     *string             `json:"stop_reason"`
	TokenIDs       []tokenizer.ID      `json:"token_ids"`
	PromptLogprobs jsontext.Value      `json:"prompt_logprobs"`
	PromptTokenIDs *struct{}           `json:"prompt_token_ids"`
}

// completionLogprobs are probabilities as completions have them: lists beside each other.
type completionLogprobs struct {
	Offsets  []int                `json:"text_offset"`
	Logprobs []float64            `json:"token_logprobs"`
	Tokens   []string             `json:"tokens"`
	Top      []map[string]float64 `json:"top_logprobs"`
}

func newCompletionLogprobs(all []logprob, offset int) *completionLogprobs {
	if all == nil {
		return nil
	}
	out := new(completionLogprobs)
	for _, p := range all {
		top := map[string]float64{}
		for _, other := range p.Top {
			top[other.Token] = other.Logprob
		}
		out.Offsets, out.Logprobs, out.Tokens, out.Top = append(out.Offsets, offset), append(out.Logprobs, p.Logprob), append(out.Tokens, p.Token), append(out.Top, top)
		offset += len([]rune(p.Token))
	}
	return out
}

// derenderCompletion answers with completions, or the next chunk of one.
func (s *Service) derenderCompletion(w http.ResponseWriter, r *http.Request) error {
	data, err := body(r)
	if err != nil {
		return err
	}
	var in completionDerender
	if err := read("", data, &in); err != nil {
		return err
	}
	if in.Stream {
		prompt := len(in.PromptTokenIDs)
		if given := set(in.PromptTokens); len(given) > 0 {
			if err := read("prompt_tokens", given, &prompt); err != nil {
				return err
			}
		}
		if err := negative("prompt_tokens", prompt); err != nil {
			return err
		}
		return s.stream(w, r, &in.derenderRequest, prompt, "text_completion", func(*host.Model) (*host.Planned, *bool, error) {
			return nil, in.Request.Skip, nil
		})
	}
	m, t, err := s.model(r.Context(), in.Model)
	if err != nil {
		return err
	}
	prompts, err := in.prompts()
	if err != nil {
		return err
	}
	out := in.Responses[0].answered("text_completion", m.Name)
	total := 0
	for i, g := range in.Responses {
		place := ordered.IndexPath("generate_responses", i)
		if g == nil {
			return fault.Invalid(place, "expected what the engine has generated, found null")
		}
		if err := g.whole(place, t); err != nil {
			return err
		}
		for j, c := range g.Choices {
			d, _, reason, err := c.derender(r.Context(), t, nil, in.Request.Skip)
			if err != nil {
				return err
			}
			probable, err := probabilities(t, ordered.IndexPath(place+".choices", j)+".logprobs", c.Logprobs)
			if err != nil {
				return err
			}
			one := completionChoice{Index: len(out.Choices), FinishReason: &reason, Logprobs: newCompletionLogprobs(probable, 0), PromptLogprobs: null(nil)}
			if d.Content != nil {
				one.Text = string(*d.Content)
			}
			out.Choices = append(out.Choices, one)
			total += len(c.TokenIDs)
		}
	}
	out.Usage = newUsage(prompts, total, nil)
	api.Note(r.Context(), api.Facts{PromptTokens: prompts, CompletionTokens: total})
	return answer(w, out)
}

// prompts returns the number of tokens of all prompts.
func (in *completionDerender) prompts() (sum int, err error) {
	if len(in.Responses) == 0 || in.Responses[0] == nil {
		return 0, fault.Invalid("generate_responses", "expected what the engine has generated, one for each prompt, found nothing")
	}
	given := set(in.PromptTokens)
	if len(given) == 0 {
		return len(in.PromptTokenIDs), nil
	}
	var each []int
	if err := read("prompt_tokens", given, &each); err != nil {
		return 0, err
	}
	if len(each) != len(in.Responses) {
		return 0, fault.Invalid("prompt_tokens", "expected one number for each of generate_responses")
	}
	for i, n := range each {
		if err := negative(ordered.IndexPath("prompt_tokens", i), n); err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}
