package dragoman

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/internal/shared"
)

// TestWhichFormatsArePluginsIsTold compares the table of formats with what the manifests of the shipped plugins claim.
func TestWhichFormatsArePluginsIsTold(t *testing.T) {
	templates := shared.Dir(t, "templates")
	claims := shippedClaims(t)
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
		if by := claimant(t, claims, workaround.Facts{Source: string(source), Name: template}); by != said {
			t.Errorf("%s: the table says %s, it is read by %s", template, said, by)
		}
	}
	if rows == 0 {
		t.Error("there is no table")
	}
}

// claim is what a handler claims.
type claim struct{ Name, Match string }

// shippedClaims are those of all manifests.
func shippedClaims(t *testing.T) (all []claim) {
	t.Helper()
	paths, err := filepath.Glob("plugins/*/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no manifests (%v)", err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var manifest struct {
			claim    `yaml:",inline"`
			Handlers []claim
		}
		if err := yaml.Unmarshal(data, &manifest); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if len(manifest.Handlers) == 0 {
			manifest.Handlers = []claim{manifest.claim}
		}
		all = append(all, manifest.Handlers...)
	}
	return all
}

// claimant is the one handler that claims a template, or the autoparser.
func claimant(t *testing.T, claims []claim, facts workaround.Facts) string {
	t.Helper()
	by := "autoparser"
	for _, c := range claims {
		p, err := workaround.CompilePredicate(c.Match)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		matched, err := p.Match(facts)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		switch {
		case matched && by != "autoparser":
			t.Errorf("%s: both %s and %s claim it", facts.Name, by, c.Name)
		case matched:
			by = c.Name
		}
	}
	return by
}
