package watch

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestWhatCountsAsSettled covers files whose last change is too recent to trust their times.
func TestWhatCountsAsSettled(t *testing.T) {
	quiet := Options{Quiet: time.Hour, MaxBytes: DefaultMaxBytes}
	tests := []struct {
		name     string
		writers  writers
		replaces bool          // the inode took the place of the active one
		waited   time.Duration // since the stamp was first seen
		want     outcome
	}{
		{"no writer", none, false, 0, changed},
		{"a writer has it open", some, true, 2 * time.Hour, unsettled},
		{"a writer has it open for very long", some, false, 10 * time.Hour, changed},
		{"unknown, the active inode", unknown, false, time.Minute, unsettled},
		{"unknown, the active inode, quiet", unknown, false, time.Hour, changed},
		{"unknown, another inode in its place", unknown, true, 0, changed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			must(t, os.WriteFile(path, document(1), 0o644))
			f := newFile(path)
			o := quiet
			o.lease = func(*os.File) (writers, func()) { return none, func() {} }
			now := time.Now()
			f.look(now, o)

			if tt.replaces {
				must(t, os.WriteFile(path+"2", document(2), 0o644))
				must(t, os.Rename(path+"2", path))
			} else {
				must(t, os.WriteFile(path, append(document(2), '\n'), 0o644))
			}
			o.lease = func(*os.File) (writers, func()) { return tt.writers, func() {} }
			_, got := f.look(now, o)
			if tt.waited > 0 {
				_, got = f.look(now.Add(tt.waited), o)
			}
			if got != tt.want {
				t.Errorf("outcome %d, expected %d", got, tt.want)
			}
		})
	}
}

func TestAnAppearingFileWithoutLeaseMustBeQuiet(t *testing.T) {
	path := filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(path, document(1), 0o644))
	f := newFile(path)
	o := Options{Quiet: time.Hour, MaxBytes: DefaultMaxBytes, lease: noLease}
	now := time.Now()
	if _, got := f.look(now, o); got != unsettled {
		t.Fatalf("outcome %d of a file just written, expected unsettled", got)
	}
	must(t, os.Chtimes(path, time.Time{}, now.Add(-2*time.Hour)))
	if _, got := f.look(now, o); got != changed {
		t.Fatalf("outcome %d of an old file, expected changed", got)
	}
}

func TestARewriteWithinOneTickOfTheClockIsSeen(t *testing.T) {
	path := filepath.Join(t.TempDir(), name)
	o := Options{Quiet: time.Minute, MaxBytes: DefaultMaxBytes, lease: lease}
	f := newFile(path)
	now := time.Now()
	for n := range 9 {
		must(t, os.WriteFile(path, document(n), 0o644))
		must(t, os.Chtimes(path, time.Time{}, now)) // same size, same inode, same time
		c, got := f.look(now, o)
		if got != changed || version(t, c) != n {
			t.Fatalf("outcome %d of version %d, expected changed", got, n)
		}
	}
}

func TestACleanFileIsNotReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(path, document(1), 0o644))
	reads := 0
	o := Options{Quiet: time.Minute, MaxBytes: DefaultMaxBytes, lease: func(f *os.File) (writers, func()) {
		reads++
		return lease(f)
	}}
	f := newFile(path)
	later := time.Now().Add(time.Hour)
	for range 5 {
		f.look(later, o)
	}
	if reads != 1 {
		t.Errorf("read %d times, expected once", reads)
	}
}
