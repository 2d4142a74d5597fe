package dragoman

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/internal/shared"
)

// TestTheTableOfFormatsIsCurrent compares the table of formats with the claims in the manifests of the shipped plugins.
func TestTheTableOfFormatsIsCurrent(t *testing.T) {
	templates := shared.Dir(t, "templates")
	claims := shared.Claims(t)
	text, err := os.ReadFile("docs/decisions/0009-which-formats-are-plugins.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) < 5 || !strings.Contains(cells[2], "`") {
			continue
		}
		rows++
		template := strings.Trim(cells[2], " `")
		source, err := os.ReadFile(filepath.Join(templates, template+".jinja"))
		if err != nil {
			t.Fatal(err)
		}
		documented := strings.Trim(cells[3], " `")
		if by := cmp.Or(shared.Claimant(t, claims, template, string(source)), "autoparser"); by != documented {
			t.Errorf("%s: the table says %s, but %s claims it", template, documented, by)
		}
	}
	if rows == 0 {
		t.Error("no table found")
	}
}
