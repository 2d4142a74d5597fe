package workbench

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/internal/ordered"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/model"
)

// templateView is what the page shows of a template.
type templateView struct {
	Template subject `json:"template"` // with its source
	Origin   string  `json:"origin"`
	// Handler is what answers for a template in force.
	Handler     string                 `json:"handler,omitempty"`
	Explanation autoparser.Explanation `json:"explanation"`
	// Renderings are those of the comparisons, by their ids. Unlike those of the explanation they are whole.
	Renderings map[string]split `json:"renderings"`
	// Answers are those of the self-check, in JSON, by the ids of its rows.
	Answers map[string]string `json:"answers"`
}

// split is what two renderings have in common at their ends, and what each has in between.
type split struct {
	Prefix string `json:"prefix"`
	Left   string `json:"left"`
	Right  string `json:"right"`
	Suffix string `json:"suffix"`
}

// template answers with what was learned of a template, and what taught it.
func (b *bench) template(ctx context.Context, s *subject) (*templateView, error) {
	t, err := b.open(ctx, *s)
	if err != nil {
		return nil, err
	}
	learned, err := t.Learned(ctx)
	if err != nil {
		return nil, err
	}
	out := &templateView{
		Template: subject{t.Name, t.Source, t.BOSToken, t.EOSToken}, Origin: t.Origin,
		Explanation: learned.Explain(ctx), Renderings: map[string]split{}, Answers: map[string]string{},
	}
	if s.Source == "" {
		_, info, err := b.host.Template(ctx, s.Name)
		if err != nil {
			return nil, err
		}
		out.Handler = info.Handler
	}
	for _, a := range learned.Answers {
		if a.OK() {
			out.Renderings[a.ID] = split(a.Split)
		}
	}
	for _, row := range autoparser.SelfCheckRows() {
		text, err := json.Marshal(row.Answer(learned.Concluded))
		if err != nil {
			return nil, err
		}
		out.Answers[row.ID] = string(text)
	}
	return out, ctx.Err()
}

// fileView is what a file has for the workbench.
type fileView struct {
	Templates []subject `json:"templates"`
}

// readFile answers with the templates of a file that was dropped on the page: a .jinja, a tokenizer_config.json or the beginning of a
// .gguf. It is the body of the request, and its name the query.
func (b *bench) readFile(w http.ResponseWriter, r *http.Request) error {
	name := filepath.Base(r.URL.Query().Get("name"))
	if kind := r.Header.Get("Content-Type"); kind != "application/octet-stream" {
		return fault.Invalid("Content-Type", "expected application/octet-stream, found \""+kind+"\"")
	}
	dir, err := os.MkdirTemp("", "dragoman-workbench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "file"+filepath.Ext(name))
	if err := save(path, r.Body); err != nil {
		return err
	}
	api.Received(r.Context())
	m, err := model.Load(path)
	if err != nil {
		return &fault.Error{Code: fault.InvalidArgument, Place: name, Message: strings.ReplaceAll(err.Error(), path, name),
			Remedy: "drop a .jinja, a tokenizer_config.json or a .gguf with a chat template", Err: err}
	}
	var out fileView
	for _, v := range m.Variants {
		called := strings.Trim(strings.TrimSuffix(name, filepath.Ext(name))+"/"+v.Name, "/")
		out.Templates = append(out.Templates, subject{called, v.Source, m.BOSToken, m.EOSToken})
	}
	return write(w, out)
}

// save writes a new file.
func save(path string, from io.Reader) error {
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, from); err != nil {
		_ = out.Close() // the first error counts
		return err
	}
	return out.Close()
}

// promptRequest asks for the prompt of a request, which is in OpenAI's JSON.
type promptRequest struct {
	Template subject `json:"template"`
	Request  string  `json:"request"`
}

// promptView is a prompt in pieces.
type promptView struct {
	Pieces []piece `json:"pieces"`
	// GenerationPrompt is the beginning of the answer, in which the prompt ends.
	GenerationPrompt string `json:"generation_prompt"`
	// Normalised are the ids of what was changed of the conversation.
	Normalised []string `json:"normalised"`
}

// piece is a piece of a prompt, and where it comes from.
type piece struct {
	Text    string `json:"text"`
	Literal bool   `json:"literal,omitempty"` // text of the template; otherwise the value of an expression
	Line    int    `json:"line,omitempty"`    // in the template; 0: the template has not written it
	Column  int    `json:"column,omitempty"`
	// Members are those of the request that have this text: the value of an expression is a copy, which bears no name.
	Members []string `json:"members,omitempty"`
}

// prompt answers with the prompt of a request, and where its bytes come from.
func (b *bench) prompt(ctx context.Context, q *promptRequest) (*promptView, error) {
	req, err := chat.ParseRequestWith([]byte(q.Request), b.host.Snapshot().Config.Parsing.For(q.Template.Name))
	if err != nil {
		return nil, err
	}
	t, err := b.open(ctx, q.Template)
	if err != nil {
		return nil, err
	}
	rendered, origins, err := t.Origins(ctx, req)
	if err != nil {
		return nil, err
	}
	request, err := ordered.Parse([]byte(q.Request))
	if err != nil {
		return nil, err
	}
	members := membersOf(request)
	out := &promptView{GenerationPrompt: rendered.GenerationPrompt, Normalised: rendered.Normalised}
	rest := rendered.Prompt
	for _, o := range origins {
		rest = rest[len(o.Text):]
		p := piece{Text: o.Text, Literal: o.Literal, Line: o.Line, Column: o.Column}
		if !o.Literal {
			p.Members = members[strings.TrimSpace(o.Text)]
		}
		out.Pieces = append(out.Pieces, p)
	}
	if rest != "" {
		out.Pieces = append(out.Pieces, piece{Text: rest, Members: members[strings.TrimSpace(rest)]})
	}
	return out, nil
}

// membersOf returns the places of the texts of a request, by the texts, without outer white space.
func membersOf(request *ordered.Value) map[string][]string {
	places := map[string][]string{}
	var visit func(v *ordered.Value)
	visit = func(v *ordered.Value) {
		switch v.Kind() {
		case ordered.String:
			text := strings.TrimSpace(v.Text())
			places[text] = append(places[text], v.Path())
		case ordered.Array:
			for _, item := range v.Items() {
				visit(item)
			}
		case ordered.Object:
			for _, member := range v.Members() {
				visit(member)
			}
		}
	}
	visit(request)
	delete(places, "")
	return places
}
