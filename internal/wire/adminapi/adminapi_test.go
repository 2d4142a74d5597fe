package adminapi_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/plugins"
	"github.com/dragoman-project/dragoman/host/plugins/manifest"
	"github.com/dragoman-project/dragoman/internal/wire/adminapi"
)

// filled checks that the listed fields of v, and no others, are zero, so that an added field is not
// forgotten.
func filled(t *testing.T, v any, but ...string) {
	t.Helper()
	value := reflect.ValueOf(v)
	for i := range value.NumField() {
		if name := value.Type().Field(i).Name; value.Field(i).IsZero() != slices.Contains(but, name) {
			t.Errorf("%s.%s: set it here and encode it, or list it as not sent", value.Type(), name)
		}
	}
}

func TestTheStateOfAPluginTravels(t *testing.T) {
	sent := plugins.State{
		Name: "sauce", Version: "1.2.0", Protocol: 1, Manifest: "plugins/sauce.yaml", SHA256: "ab", Fallback: manifest.FallbackRefuse,
		Condition: plugins.Condition("ready"), PID: 12, Generation: 3, Starts: 4, Restarts: 5, Sessions: 6, LastError: "exit 1", Fault: "refused",
		Handlers: []plugins.HandlerState{{Name: "h", Match: "true", Priority: 7, Capabilities: []string{"stream"}}},
		Draining: []plugins.Draining{{Version: "1.1.0", Generation: 2, PID: 11, Sessions: 1}},
	}
	filled(t, sent)
	filled(t, sent.Handlers[0])
	filled(t, sent.Draining[0])
	if diff := cmp.Diff(sent, adminapi.DecodePlugin(adminapi.EncodePlugin(sent))); diff != "" {
		t.Errorf("sent (-), received (+):\n%s", diff)
	}
}

func TestARulesDiffTravels(t *testing.T) {
	sent := host.RulesDiff{
		Faults: []host.RulesFault{{File: "new.yaml", Line: 1, Column: 2, Message: "unknown field"}},
		Templates: []host.TemplateDiff{{
			Template: "t", Fields: []host.FieldDiff{{Field: "reasoning.start", Before: "<a>", After: "<b>"}}, LintNew: []string{"new"}, LintGone: []string{"gone"},
			Cases: []host.CaseDiff{{Case: "c", Template: "t", Before: "before", After: "after", Difference: "content"}},
		}},
	}
	filled(t, sent)
	filled(t, sent.Faults[0])
	filled(t, sent.Templates[0], "Line")
	filled(t, sent.Templates[0].Fields[0])
	filled(t, sent.Templates[0].Cases[0])
	if diff := cmp.Diff(sent, adminapi.DecodeRulesDiff("new.yaml", adminapi.EncodeRulesDiff(sent))); diff != "" {
		t.Errorf("sent (-), received (+):\n%s", diff)
	}
}
