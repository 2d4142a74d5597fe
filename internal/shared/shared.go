// Package shared finds, for tests, the folder of recorded templates and cases that stands beside the repository.
package shared

import (
	"os"
	"path/filepath"
	"testing"
)

// Slow skips a test under -short.
func Slow(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("slow: run without -short")
	}
}

// Dir returns the path of the folder named by elem below ../shared. Where that is missing the test is skipped, except
// under CI=true, where it fails. Recorded cases are many: tests of them are slow.
func Dir(t testing.TB, elem ...string) string {
	t.Helper()
	Slow(t)
	root, err := root()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(append([]string{root, "..", "shared"}, elem...)...)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is missing: the recorded cases must stand beside the repository", path)
	}
	t.Skipf("%s is missing: put the recorded templates and cases beside the repository to run this test", path)
	return ""
}

// root is the folder of go.mod, at or above the working directory.
func root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", os.ErrNotExist
		}
		dir = up
	}
}
