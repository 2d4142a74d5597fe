package plugins

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-project/dragoman/host/plugins/manifest"
	"github.com/dragoman-project/dragoman/host/plugins/process"
)

func TestTheManualNamesEveryKey(t *testing.T) {
	text, err := os.ReadFile("../../docs/plugins.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "<!-- keys: held by a test -->\n| key | meaning |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var named []string
	for line := range strings.Lines(table) {
		named = append(named, strings.Split(line, "`")[1])
	}
	if diff := cmp.Diff(keys(reflect.TypeFor[manifest.Manifest]()), named); diff != "" {
		t.Error(diff)
	}
	for _, limit := range keys(reflect.TypeFor[process.Limits]()) {
		if !strings.Contains(table, "`"+limit+"`") {
			t.Errorf("the manual does not name %s", limit)
		}
	}
}

// keys returns the YAML names of a struct's fields, in order.
func keys(t reflect.Type) (all []string) {
	for field := range t.Fields() {
		switch name, inline, _ := strings.Cut(field.Tag.Get("yaml"), ","); {
		case inline != "":
			all = append(all, keys(field.Type)...)
		case name != "":
			all = append(all, name)
		}
	}
	return all
}
