package state

import (
	"cmp"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// SourceStatus is the state of something that is read from disk and reloaded.
type SourceStatus struct {
	Name   string `json:"name"` // "workarounds", "config", "templates", "model" or "plugins"
	Path   string `json:"path"`
	SHA256 string `json:"sha256,omitempty"` // of the content in force, where the source is one file
	// LastSuccess is when content was last put in force, LastFailure when it was last refused, and LastError why. A source
	// is faulty while LastError is not empty; then the content before is still in force.
	LastSuccess time.Time `json:"last_success,omitzero"`
	LastFailure time.Time `json:"last_failure,omitzero"`
	LastError   string    `json:"last_error,omitempty"`
	// Successes and Failures count both since the start.
	Successes uint64 `json:"successes"`
	Failures  uint64 `json:"failures"`
	// Held means that a rollback keeps what is on disk from being in force; OnDisk is the hash of that, where the source is one file.
	Held   bool   `json:"held,omitempty"`
	OnDisk string `json:"on_disk,omitempty"`
	// Faults are the rejected files of a folder, by name. Each stays here until it is repaired or removed, whatever becomes of
	// the others; LastError contains all of them.
	Faults []FileFault `json:"faults,omitempty"`
}

// FileFault is a rejected file of a folder, and the reason.
type FileFault struct {
	Path  string `json:"path"`
	Error string `json:"error"`
}

// The sources of changes, as causes and the status name them.
const (
	SourceStart       = "start"
	SourceConfig      = "config"
	SourceWorkarounds = "workarounds"
	SourceTemplates   = "templates"
	SourceModel       = "model"
	SourceUpload      = "upload"
	SourcePlugins     = "plugins"
	SourceRollback    = "rollback"
)

// sources holds the status of each source.
type sources struct {
	mu  sync.Mutex
	all map[sourceKey]*SourceStatus
}

// sourceKey tells sources apart: one path can be named for several purposes.
type sourceKey struct{ name, path string }

// add adds a source that was not read yet.
func (s *sources) add(name, path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[sourceKey]*SourceStatus{}
	}
	s.all[sourceKey{name, path}] = &SourceStatus{Name: name, Path: path}
}

// note records the outcome of reading a source.
func (s *sources) note(name, path, sha string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.all[sourceKey{name, path}]
	if st == nil {
		return
	}
	if err != nil {
		st.LastFailure, st.LastError = time.Now(), err.Error()
		st.Failures++
		return
	}
	st.LastSuccess, st.LastError, st.SHA256 = time.Now(), "", sha
	st.Successes++
}

// faulty reports whether the present content of a file of a folder was rejected.
func (s *sources) faulty(name, path, file string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.all[sourceKey{name, path}]
	return st != nil && slices.ContainsFunc(st.Faults, func(f FileFault) bool { return f.Path == file })
}

// noteFiles records the outcome of reading some files of a folder; what is known of its other files stays.
func (s *sources) noteFiles(name, path string, outcomes map[string]error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.all[sourceKey{name, path}]
	if st == nil {
		return
	}
	faults := map[string]string{}
	for _, f := range st.Faults {
		faults[f.Path] = f.Error
	}
	for file, err := range outcomes {
		if err != nil {
			st.LastFailure, faults[file] = time.Now(), err.Error()
			st.Failures++
			continue
		}
		st.LastSuccess = time.Now()
		st.Successes++
		delete(faults, file)
	}
	st.Faults = nil
	var all []string
	for _, file := range slices.Sorted(maps.Keys(faults)) {
		st.Faults = append(st.Faults, FileFault{file, faults[file]})
		all = append(all, placed(file, faults[file]))
	}
	st.LastError = strings.Join(all, "\n")
}

// placed returns a fault with the path of its file before it, unless it names the file itself.
func placed(file, fault string) string {
	if strings.Contains(fault, filepath.Base(file)) {
		return fault
	}
	return file + ": " + fault
}

// list returns the status of all sources, sorted.
func (s *sources) list() []SourceStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []SourceStatus
	for _, st := range s.all {
		shown := *st // its paths and errors may contain any bytes
		shown.LastError, shown.Faults = Printable(st.LastError), slices.Clone(st.Faults)
		for i, f := range shown.Faults {
			shown.Faults[i] = FileFault{Printable(f.Path), Printable(f.Error)}
		}
		out = append(out, shown)
	}
	slices.SortFunc(out, func(a, b SourceStatus) int { return cmp.Compare(a.Name+a.Path, b.Name+b.Path) })
	return out
}

// faults joins the errors of the faulty sources of these names; of all sources if there are no names.
func (s *sources) faults(names ...string) error {
	var all []error
	for _, st := range s.list() {
		if st.LastError != "" && (names == nil || slices.Contains(names, st.Name)) {
			all = append(all, errors.New(st.LastError))
		}
	}
	return errors.Join(all...)
}

// unread reports whether a source of one of these names was never read.
func (s *sources) unread(names ...string) bool {
	return slices.ContainsFunc(s.list(), func(st SourceStatus) bool {
		return slices.Contains(names, st.Name) && st.Successes+st.Failures == 0
	})
}

// Printable returns text with U+FFFD in place of what is not UTF-8, such as in names of files.
func Printable(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// Sources returns the state of what is read from disk.
func (s *State) Sources() []SourceStatus {
	snap := s.Current()
	all := s.sources.list()
	for i := range all {
		if st := &all[i]; snap.holds(st.Name) {
			st.Held = true
			st.SHA256, st.OnDisk = snap.files[st.Path], st.SHA256
		}
	}
	return all
}

// Unmatched returns the settings for templates that do not exist, each with its place. Templates come and go, so these are no
// faults; but usually a name is misspelt, and nothing else would show it.
func (s *State) Unmatched(snap *Snapshot) (warnings []string) {
	for _, setting := range snap.Config.Unmatched(snap.Names()) {
		warnings = append(warnings, setting+": there is no such template: correct the name, or add the template")
	}
	if dir := s.Config.Templates.Dir; dir != "" && len(snap.layers[directory]) == 0 && !s.sources.faulty(SourceTemplates, filepath.Clean(dir), filepath.Clean(dir)) {
		warnings = append(warnings, snap.Config.Placed("templates.dir")+": there are no files *.jinja in this folder: name them so, or name another folder")
	}
	return warnings
}
