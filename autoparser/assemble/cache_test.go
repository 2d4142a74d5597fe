package assemble_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser/assemble"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// TestACacheTellsApartWhatDiffers compares each cached program with a new assembly, after all
// other inputs have been cached.
func TestACacheTellsApartWhatDiffers(t *testing.T) {
	other := func(r *chat.Request) { r.Tools = slices.Clone(r.Tools) }
	changes := map[string]func(*chat.Request){
		"nothing":      func(*chat.Request) {},
		"no tools":     func(r *chat.Request) { r.Tools = nil },
		"another name": func(r *chat.Request) { other(r); r.Tools[0].Name += "_2" },
		"other parameters": func(r *chat.Request) {
			other(r)
			r.Tools[0].Parameters = jsonschema.MustParse(`{"type": "object", "properties": {"n": {"type": "integer"}}}`)
		},
		"no parameters":        func(r *chat.Request) { other(r); r.Tools[0].Parameters = jsonschema.Schema{} },
		"the tools reversed":   func(r *chat.Request) { other(r); slices.Reverse(r.Tools) },
		"no call":              func(r *chat.Request) { r.ToolChoice.Mode = chat.ToolNone },
		"some call":            func(r *chat.Request) { r.ToolChoice.Mode = chat.ToolRequired },
		"one call":             func(r *chat.Request) { r.ToolChoice = chat.ToolChoice{Mode: chat.ToolNamed, Name: r.Tools[0].Name} },
		"another call":         func(r *chat.Request) { r.ToolChoice = chat.ToolChoice{Mode: chat.ToolNamed, Name: r.Tools[1].Name} },
		"several calls":        parallel,
		"a schema":             func(r *chat.Request) { r.JSONSchema = jsonschema.MustParse(`{"type": "object"}`) },
		"another schema":       func(r *chat.Request) { r.JSONSchema = jsonschema.MustParse(`{"type": "array"}`) },
		"a grammar":            func(r *chat.Request) { r.Tools, r.Grammar.Kind = nil, chat.GrammarGBNF },
		"reasoning as content": func(r *chat.Request) { r.ReasoningFormat = chat.ReasoningNone },
		"calls kept":           func(r *chat.Request) { r.Parsing.CallInReasoning = chat.KeepCalls },
		"pure content":         func(r *chat.Request) { r.PureContent = true },
	}
	var c assemble.Cache
	for _, s := range samples {
		programs := map[string]string{}
		for what, change := range changes {
			for i, in := range []assemble.Input{s.input(change), s.after(s.prompt, "<think>\nHm", change)} {
				got := c.Assemble(in)
				if show(got) != show(assemble.Assemble(in)) {
					t.Errorf("%s, %s, prompt %d: the cache returned the program of another input", s.name, what, i)
				}
				if c.Assemble(in) != got {
					t.Errorf("%s, %s, prompt %d: assembled again", s.name, what, i)
				}
				programs[show(got)] = what
			}
		}
		if len(programs) < len(changes)/2 {
			t.Errorf("%s: %d different requests give %d programs", s.name, len(changes), len(programs))
		}
	}
}

// TestACacheKnowsAnInputByWhatMatters looks up a program with a request that differs only in parts
// that do not affect it.
func TestACacheKnowsAnInputByWhatMatters(t *testing.T) {
	var c assemble.Cache
	first := c.Assemble(named(t, "JSON in tags").input())
	again := named(t, "JSON in tags").input(func(r *chat.Request) {
		r.Messages[0].Content, r.Tools = chat.TextContent("Something else"), slices.Clone(r.Tools)
		r.Tools[0].Description = "It is not read."
	})
	again.GenerationPrompt += "A message to be continued"
	if c.Assemble(again) != first {
		t.Error("assembled again")
	}
	if s := c.Stats(); s.Hits != 1 || s.Misses != 1 || s.Entries != 1 {
		t.Errorf("%+v", s)
	}
}

func TestACachedProgramSharesNothingWithTheRequest(t *testing.T) {
	var c assemble.Cache
	text := []byte(weatherSchema)
	of := func(parameters []byte) string {
		schema, err := jsonschema.Parse(parameters)
		if err != nil {
			t.Fatal(err)
		}
		return show(c.Assemble(named(t, "JSON in tags").input(func(r *chat.Request) { r.Tools = []chat.Tool{{Name: "f", Parameters: schema}} })))
	}
	before := of(text)
	clear(text)
	if of([]byte(weatherSchema)) != before {
		t.Error("the cached program changed with its request")
	}
}

func TestACacheKeepsNothingLargerThanItsBound(t *testing.T) {
	c := assemble.NewCache(1)
	in := named(t, "JSON in tags").input()
	if first := c.Assemble(in); c.Assemble(in) == first || c.Stats().Entries != 0 {
		t.Error("the cache kept it")
	}
}

func TestACacheIsUsedConcurrently(t *testing.T) {
	var c assemble.Cache
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			s := samples[i%4]
			if got, want := show(c.Assemble(s.input())), show(assemble.Assemble(s.input())); got != want {
				t.Errorf("%s: the cache returned the program of another input", s.name)
			}
		})
	}
	wg.Wait()
}

// show returns everything assembled as text.
func show(a *assemble.Assembled) string {
	return fmt.Sprintf("%x %v %v %q %q", a.Program.Digest(), a.Grammar, a.State, a.ThinkingEnds, a.Notes)
}
