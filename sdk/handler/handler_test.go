package handler_test

import (
	"testing"

	"github.com/dragoman-project/dragoman/sdk/handler"
)

func TestAMessageIsContinuedBehindTheHeaderOfItsTurn(t *testing.T) {
	plan := handler.Plan{Prefill: "<t>\nHm.\n</t>\nYes", Ending: handler.Ending{Old: "<t>\n"}, ThinkingStart: "<t>", ThinkingEnds: []string{"</t>"}}
	for _, begun := range []string{"", "<t>\n", "<t>\n\n</t>\n", "<t></t>", "<t></t>\n\n", "</t>\n", "</t>"} {
		if got := plan.Continue("</t>Hi<bot>\n" + begun); got != "</t>Hi<bot>\n<t>\nHm.\n</t>\nYes" {
			t.Errorf("behind %q: %q", begun, got)
		}
	}
	plan.Prefill = "Yes"
	if got := plan.Continue("<bot><t></t>\n"); got != "<bot><t></t>\nYes" {
		t.Errorf("without reasoning: %q", got)
	}
	if got := new(handler.Plan).Continue("<bot><t></t>\n"); got != "<bot><t></t>\n" {
		t.Errorf("a new message: %q", got)
	}
}
