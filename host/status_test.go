package host_test

import (
	"context"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/host"
)

func TestTheStatusShowsScoresOnceKnown(t *testing.T) {
	h := start(t, nil)
	score := func() string {
		for _, info := range h.Status(context.Background()).Templates {
			if info.Name == "chatml-tagged" {
				return info.SelfCheck
			}
		}
		t.Fatal("the template is missing")
		return ""
	}
	explained, err := h.Explain(context.Background(), "chatml-tagged")
	if err != nil {
		t.Fatal(err)
	}
	if got := score(); got != explained.SelfCheck.Score() || got == "" {
		t.Errorf("the status has %q, Explain %q", got, explained.SelfCheck.Score())
	}
}

func TestLintNotesWhatIsOddAboutTemplates(t *testing.T) {
	moody := host.TemplateSource{Name: "moody", Origin: "moody.jinja",
		Source: "{% for m in messages %}<|{{ m.role }}|>{% if loop.last %}!{% endif %}{{ m.content }}<|end|>{% endfor %}"}
	_, notes := host.Lint(context.Background(), []host.TemplateSource{moody}, "", nil, nil)
	if len(notes) == 0 || notes[0].Template != "moody.jinja" {
		t.Fatalf("notes %+v", notes)
	}
	if last := notes[len(notes)-1].Message; !strings.HasPrefix(last, "prompt stability: message 3 (user) is rewritten once message 5 is there") {
		t.Errorf("the last note is %q", last)
	}
}
