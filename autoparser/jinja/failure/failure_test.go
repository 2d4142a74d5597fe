package failure_test

import (
	"slices"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
)

func TestKindsHaveNames(t *testing.T) {
	var names []string
	for k := range failure.Deadline + 2 {
		names = append(names, k.String())
	}
	if want := []string{"unknown", "syntax", "runtime", "raised", "limit", "deadline", "unknown"}; !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
}

func TestFailuresHaveTheirPlaceInTheSource(t *testing.T) {
	defer func() {
		err := failure.Recovered(recover()).Locate("t", "ä\nbüx")
		if got := err.Error(); got != "t:2:3: TemplateSyntaxError: unexpected 'x'" {
			t.Error(got)
		}
	}()
	failure.Reject(len("ä\nbü"), "unexpected '%s'", "x")
}
