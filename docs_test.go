package dragoman

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const architecture = "docs/architecture.md"

var (
	backticked = regexp.MustCompile("`([^`]+)`")
	linked     = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
)

// TestTheArchitectureNamesEveryFolder compares the table of folders with the packages: each folder exists, and each package is
// in one of them.
func TestTheArchitectureNamesEveryFolder(t *testing.T) {
	folders := map[string]bool{}
	for line := range strings.Lines(section(t, architecture, "folders")) {
		first, _, _ := strings.Cut(strings.TrimPrefix(line, "|"), "|")
		for _, m := range backticked.FindAllStringSubmatch(first, -1) {
			folders[m[1]] = true
			if info, err := os.Stat(m[1]); err != nil || !info.IsDir() {
				t.Errorf("%s names the folder %s, which does not exist", architecture, m[1])
			}
		}
	}
	for _, p := range packages(t) {
		dir := relative(p.ImportPath)
		if dir == "" {
			dir = "."
		}
		for d := dir; !folders[d]; d = filepath.Dir(d) {
			if !strings.Contains(d, "/") || d == "." {
				t.Errorf("%s names no folder of the package %s", architecture, dir)
				break
			}
		}
	}
}

// TestTheArchitectureNamesFilesThatExist checks the paths in the table of files to touch.
func TestTheArchitectureNamesFilesThatExist(t *testing.T) {
	for _, m := range backticked.FindAllStringSubmatch(section(t, architecture, "files"), -1) {
		if !strings.Contains(m[1], "/") {
			continue
		}
		if _, err := os.Stat(m[1]); err != nil {
			t.Errorf("%s: %v", architecture, err)
		}
	}
}

// TestTheManualNamesLogLinesThatExist looks for the messages in the table of log keys in the source of the host.
func TestTheManualNamesLogLinesThatExist(t *testing.T) {
	var source strings.Builder
	for path, line := range sourceLines(t) {
		if covers("host", filepath.ToSlash(filepath.Dir(path))) {
			source.WriteString(line)
		}
	}
	for line := range strings.Lines(section(t, "docs/operating.md", "log")) {
		cells := strings.Split(line, "|")
		for _, m := range backticked.FindAllStringSubmatch(cells[2], -1) {
			message := strings.TrimSuffix(m[1], "…")
			if !strings.Contains(source.String(), `"`+message) {
				t.Errorf("docs/operating.md names the log line %q, which the host does not write", message)
			}
		}
	}
}

// TestLinksOfTheDocumentsLeadSomewhere checks the relative links of all documents.
func TestLinksOfTheDocumentsLeadSomewhere(t *testing.T) {
	var paths []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/decisions/*.md", "deploy/*.md", "plugins/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range linked.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), m[1])); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
}

// section returns the table of a document behind a line <!-- name: held by a test -->.
func section(t *testing.T, path, name string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "<!-- "+name+": held by a test -->\n")
	if !found {
		t.Fatalf("%s has no table %s", path, name)
	}
	table, _, _ = strings.Cut(table, "\n\n")
	return table
}
