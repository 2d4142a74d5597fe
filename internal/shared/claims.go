package shared

import (
	"os"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/dragoman-project/dragoman/autoparser/workaround"
)

// Claim is the predicate by which a handler of a shipped plugin claims templates.
type Claim struct {
	Handler   string `yaml:"name"`
	Match     string
	predicate *workaround.Predicate
}

// Claims returns the claims in the manifests of all shipped plugins.
func Claims(t testing.TB) (claims []Claim) {
	t.Helper()
	root, err := root()
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(root, "plugins", "*", "*.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no manifests (%v)", err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var manifest struct {
			Claim    `yaml:",inline"`
			Handlers []Claim
		}
		if err := yaml.Unmarshal(data, &manifest); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if len(manifest.Handlers) == 0 {
			manifest.Handlers = []Claim{manifest.Claim}
		}
		claims = append(claims, manifest.Handlers...)
	}
	for i := range claims {
		if claims[i].predicate, err = workaround.CompilePredicate(claims[i].Match); err != nil {
			t.Fatalf("%s: %v", claims[i].Handler, err)
		}
	}
	return claims
}

// Claimant returns the name of the handler that claims a template, or "" if none does. Two claims fail the test.
func Claimant(t testing.TB, claims []Claim, name, source string) (handler string) {
	t.Helper()
	for _, c := range claims {
		matched, err := c.predicate.Match(workaround.Facts{Source: source, Name: name})
		switch {
		case err != nil:
			t.Fatalf("%s: %v", c.Handler, err)
		case matched && handler != "":
			t.Errorf("%s: both %s and %s claim it", name, handler, c.Handler)
		case matched:
			handler = c.Handler
		}
	}
	return handler
}
