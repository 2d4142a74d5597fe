package dragoman

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/internal/shared"
)

// TestWhichFormatsArePluginsIsTold compares the table of formats with what the manifests of the shipped plugins claim.
func TestWhichFormatsArePluginsIsTold(t *testing.T) {
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
		said := strings.Trim(cells[3], " `")
		if by := cmp.Or(shared.Claimant(t, claims, template, string(source)), "autoparser"); by != said {
			t.Errorf("%s: the table says %s, it is read by %s", template, said, by)
		}
	}
	if rows == 0 {
		t.Error("there is no table")
	}
}
