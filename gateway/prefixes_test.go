package gateway

import (
	"hash/maphash"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

func TestAPromptSharesWhatItsClientHasSentBefore(t *testing.T) {
	t.Parallel()
	x, y := strings.Repeat("x", 5000), strings.Repeat("y", 5000)
	for _, test := range []struct {
		name    string
		earlier []string
		prompt  string
		low, up int // bounds of what is shared
	}{
		{"nothing was sent", nil, x, 0, 0},
		{"the same again", []string{x[:777]}, x[:777], 777, 777},
		{"it goes on", []string{x[:777]}, x, 777, 777},
		{"it goes on twice", []string{x[:777], x[:999]}, x, 999, 999},
		{"a shorter one came between", []string{x[:999], x[:300]}, x, 999, 999},
		{"another one came between", []string{x[:777], y}, x, 777, 777},
		{"its end has changed", []string{x[:1000] + "<think>"}, x[:1000] + y, 1000 - 1000/fraction, 1000},
		{"all has changed", []string{x}, y, 0, 0},
		{"it is cut", []string{x}, x[:1000], 1000 - 1000/fraction, 1000},
		{"too short to be known", []string{"Hi"}, "Hi there", 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			memory := &prefixes{seed: maphash.MakeSeed()}
			mine, other := host.WithOwn(t.Context(), new(host.Own)), host.WithOwn(t.Context(), new(host.Own))
			for _, prompt := range test.earlier {
				memory.trail(mine, "m", prompt)
			}
			if n := memory.trail(other, "m", test.prompt).shared; n != 0 {
				t.Errorf("another client learns that %d bytes were sent", n)
			}
			if n := memory.trail(mine, "another", test.prompt).shared; n != 0 {
				t.Errorf("another model shares %d bytes", n)
			}
		})
		t.Run(test.name+", alone", func(t *testing.T) {
			t.Parallel()
			memory := &prefixes{seed: maphash.MakeSeed()}
			for _, prompt := range test.earlier {
				memory.trail(t.Context(), "m", prompt)
			}
			if n := memory.trail(t.Context(), "m", test.prompt).shared; n < test.low || n > test.up {
				t.Errorf("%d bytes, expected %d to %d", n, test.low, test.up)
			}
		})
	}
}

func TestClientsWithACommonBeginningDoNotDisturbEachOther(t *testing.T) {
	t.Parallel()
	memory, system := &prefixes{seed: maphash.MakeSeed()}, strings.Repeat("x", 20_000)
	mine, other := host.WithOwn(t.Context(), new(host.Own)), host.WithOwn(t.Context(), new(host.Own))
	memory.trail(mine, "m", system+"first")
	memory.trail(other, "m", system+"first of another")
	if n := memory.trail(mine, "m", system+"first, second").shared; n != len(system+"first") {
		t.Errorf("%d bytes", n)
	}
}

func TestTheMemoryOfPrefixesIsBounded(t *testing.T) {
	t.Parallel()
	memory := &prefixes{seed: maphash.MakeSeed()}
	memory.known.MaxBytes = 100 << 10
	for i := range 200 {
		memory.trail(t.Context(), "m", strings.Repeat(string(rune('a'+i)), 2000))
	}
	if s := memory.known.Stats(); s.Bytes > 100<<10 || s.Entries == 0 {
		t.Errorf("%+v", s)
	}
	memory = &prefixes{seed: maphash.MakeSeed()}
	memory.trail(t.Context(), "m", strings.Repeat("x", 16<<20))
	if n := memory.known.Stats().Entries; n > 300 {
		t.Errorf("16 MB have %d boundaries", n)
	}
}

func TestLinesThatChangeWithEachRequestAreDropped(t *testing.T) {
	t.Parallel()
	const line = billing + ": cc_version=2.1; cch=ab12f;"
	text := func(role, s string) chat.Message { return chat.Message{Role: role, Content: chat.TextContent(s)} }
	parts := func(all ...string) (m chat.Message) {
		m.Role = chat.RoleSystem
		for _, s := range all {
			m.Content.Parts = append(m.Content.Parts, chat.Part{Type: "text", Text: s})
		}
		return m
	}
	ask := text(chat.RoleUser, line)
	for _, test := range []struct {
		name    string
		message chat.Message
		want    []chat.Message
	}{
		{"first line", text(chat.RoleSystem, line+"\nBe brief."), []chat.Message{text(chat.RoleSystem, "Be brief."), ask}},
		{"a line of several", text(chat.RoleDeveloper, "Hello.\n"+line+"\nBe brief."), []chat.Message{text(chat.RoleDeveloper, "Hello.\nBe brief."), ask}},
		{"all of a message", text(chat.RoleSystem, line), []chat.Message{ask}},
		{"a part", parts(line, "Be brief."), []chat.Message{parts("Be brief."), ask}},
		{"the only part", parts(line), []chat.Message{ask}},
		{"a line of a part", parts(line+"\nBe brief.", "And kind."), []chat.Message{parts("Be brief.", "And kind."), ask}},
		{"a question about it", text(chat.RoleSystem, "Never say "+line), nil},
		{"none", text(chat.RoleSystem, "Be brief."), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			given := []chat.Message{test.message, ask}
			before := slices.Clone(given)
			got, found := withoutNonces(given)
			if want := test.want; found != (want != nil) || found && !slices.EqualFunc(got, want, same) || !found && !slices.EqualFunc(got, given, same) {
				t.Errorf("%v, %+v", found, got)
			}
			if !slices.EqualFunc(given, before, same) {
				t.Error("the request was changed")
			}
		})
	}
}

func same(a, b chat.Message) bool {
	return a.Role == b.Role && (a.Content.Text == nil) == (b.Content.Text == nil) && a.Content.Join("|") == b.Content.Join("|")
}

func TestANonceDoesNotReachTheEngine(t *testing.T) {
	e := &scripted{pieces: inPieces("Hi<|im_end|>", 20, engine.Stopped)}
	g := front(t, e)
	for _, nonce := range []string{"a1", "b2"} {
		got, o := answer(t, g, `{"model":"m","messages":[{"role":"system","content":"`+billing+`: `+nonce+`\nBe brief."},{"role":"user","content":"Hi"}]}`)
		if got.err != nil || !slices.Contains(o.Warnings(), noteBilling) {
			t.Errorf("%v %q", got.err, o.Warnings())
		}
	}
	if a, b := e.requests[0].Prompt, e.requests[1].Prompt; a != b || strings.Contains(a, billing) || !strings.Contains(a, "Be brief.") {
		t.Errorf("%q and %q", a, b)
	}
}
