package schema_test

import (
	"encoding/json"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/schema"
)

func TestBranchesMayLeadBack(t *testing.T) {
	s := schema.New(json.RawMessage(`{"anyOf":[{"$ref":"#"},{"type":"integer"}]}`))
	if got := string(s.Only(peg.StringValue)); got != `{"type":"string"}` {
		t.Errorf("found %s", got)
	}
}
