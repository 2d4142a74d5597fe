package plugins

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestAnEarlierVersionIsRestoredFromItsCopy replaces the files of a plugin, and restores what was in force before while its copy is kept.
func TestAnEarlierVersionIsRestoredFromItsCopy(t *testing.T) {
	t.Parallel()
	b, h := one(t, Options{}, nil)
	first := b.Versions()
	b.Keep(first)
	data, err := os.ReadFile(rogue)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(b.dir, "rogue")); err != nil {
		t.Fatal(err)
	}
	writeExecutable(t, filepath.Join(b.dir, "rogue"), append(data, '\n'))
	b.load()
	second := b.Versions()
	if first[0].Hash() == second[0].Hash() || !slices.Equal(b.OnDisk(b.dir, nil), second) {
		t.Fatalf("the versions are %v and %v", first, second)
	}
	if err := b.Restore(b.dir, first); err != nil {
		t.Fatal(err)
	}
	pid(t, h)
	if now := b.Versions(); !slices.Equal(now, first) || b.state("rogue").SHA256 != first[0].SHA256 {
		t.Errorf("in force is %v", now)
	}
	eventually(t, "the second version has ended", func() bool { return len(b.retired.list()) == 0 })
	b.Keep(nil)
	if err := b.Restore(b.dir, second); err == nil || !slices.Equal(b.Versions(), first) {
		t.Errorf("a version whose copy was not kept is restored: %v", err)
	}
	if copies, err := filepath.Glob(filepath.Join(b.Manager.dir.Path, "bin-*")); err != nil || len(copies) != 1 {
		t.Errorf("the copies are %q", copies)
	}
	pid(t, h)
}

// TestTheStoreHasWhatIsInForce saves a plugin for another manager, which restores it without its files.
func TestTheStoreHasWhatIsInForce(t *testing.T) {
	t.Parallel()
	store := filepath.Join(t.TempDir(), "store")
	b, _ := one(t, Options{Store: store}, nil)
	if err := b.Save(); err != nil {
		t.Fatal(err)
	}
	b.Keep(nil)
	next := newBench(t, Options{Store: store})
	if err := next.Restore(b.dir, b.Versions()); err != nil {
		t.Fatal(err)
	}
	pid(t, next.handler("rogue"))
	for range 2 {
		next.Keep(nil)
		if kept, err := os.ReadDir(store); err != nil || len(kept) != 1 {
			t.Errorf("the store has %v, %v", kept, err)
		}
	}
}
