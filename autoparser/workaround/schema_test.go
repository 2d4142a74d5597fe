package workaround

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite docs/workarounds.schema.json")

// schemaFile is the schema that editors read, and schemaLine the line by which a file of rules refers to it.
const (
	schemaFile = "../../docs/workarounds.schema.json"
	schemaLine = "# yaml-language-server: $schema="
)

func TestTheSchemaForEditorsIsUpToDate(t *testing.T) {
	want, err := JSONSchema()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(schemaFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("docs/workarounds.schema.json is stale: run go test ./autoparser/workaround -update: %s", diff)
	}
}

// The schema has exactly the keys of the decoder, which lists them in its error for an unknown key.
func TestTheSchemaKnowsTheKeysOfTheDecoder(t *testing.T) {
	for _, c := range []struct {
		file   string
		schema *schema
	}{
		{"version: 1\nworkarounds:\n- {unknown: 1}\n", ruleSchema()},
		{"version: 1\nworkarounds:\n- {set: {unknown: 1}}\n", fieldsSchema("")},
		{"version: 1\nworkarounds:\n- {set: {tools: {unknown: 1}}}\n", fieldsSchema("tools.")},
	} {
		_, err := Parse("rules", []byte(c.file))
		want := "expected one of " + strings.Join(sortedKeys(c.schema.Properties), ", ")
		if err == nil || !strings.Contains(err.Error(), want+"\n") && !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: the schema says %q, the decoder\n%v", c.file, want, err)
		}
	}
}

func TestTheShippedRulesPointToTheSchema(t *testing.T) {
	for name, want := range map[string]string{"../../workarounds.yaml": "docs/workarounds.schema.json", "../../docs/workarounds.md": "docs/workarounds.schema.json"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), schemaLine+want) {
			t.Errorf("%s: no line %q", name, schemaLine+want)
		}
	}
}
