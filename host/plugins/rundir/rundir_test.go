package rundir

import (
	"os"
	"sync"
	"testing"
)

// TestManagersThatStartTogetherKeepTheirDirectories has managers sweep while others are about to
// lock their own directories.
func TestManagersThatStartTogetherKeepTheirDirectories(t *testing.T) {
	base, err := os.MkdirTemp("", "run")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	for range 50 {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				d, err := New(base)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := os.Stat(d.Path); err != nil {
					t.Error(err)
				}
				if err := d.Remove(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if t.Failed() {
			return
		}
	}
	if left, err := os.ReadDir(base); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
