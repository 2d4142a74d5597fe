package algebra

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

func TestTheDocumentNamesEveryKeyword(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/constraints.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range slices.Concat(Unsupported, Unevaluated, jsonschema.Keywords()) {
		if !strings.Contains(string(text), "`"+w+"`") {
			t.Errorf("docs/constraints.md does not name %s", w)
		}
	}
}
