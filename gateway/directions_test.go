package gateway

import (
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/gateway/engine"
)

func TestLaterMessagesOfTheSystemAreTheUsersWhereATemplateRefusesThem(t *testing.T) {
	strict := `{% for m in messages %}{% if m.role == "system" and not loop.first %}{{ raise_exception("system first") }}{% endif %}<{{ m.role }}>{{ m.content }}{% endfor %}<assistant>`
	free := `{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}<assistant>`
	const conversation = `"messages":[{"role":"system","content":"A"},{"role":"user","content":"B"},{"role":"developer","content":"C"}]}`
	e := &scripted{models: []engine.Model{{Name: "strict", Template: strict}, {Name: "free", Template: free}}, pieces: inPieces("Hi", 2, engine.Stopped)}
	g := front(t, e)
	for model, want := range map[string]string{"strict": "<system>A<user>B<user>C", "free": "<system>A<user>B<system>C"} {
		a, err := g.Plan(t.Context(), []byte(`{"model":"`+model+`",`+conversation))
		if err != nil {
			t.Fatal(err)
		}
		if prompt := a.planned.Prompt; !strings.HasPrefix(prompt, want) || (model == "strict") != strings.Contains(strings.Join(a.Notes, ";"), noteDirections) {
			t.Errorf("%s: %s, %q", model, prompt, a.Notes)
		}
	}
	if _, err := g.Plan(t.Context(), []byte(`{"model":"strict","temperature":"hot",`+conversation)); err == nil || !strings.Contains(err.Error(), "temperature") {
		t.Error(err)
	}
}
