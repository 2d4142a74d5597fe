package plugins

import (
	"slices"
	"strconv"

	"github.com/dragoman-project/dragoman/host/plugins/manifest"
	"github.com/dragoman-project/dragoman/host/plugins/process"
)

// Condition is what a plugin is doing.
type Condition string

// The conditions.
const (
	Idle     Condition = "idle"     // no process; one is started when needed
	Starting Condition = "starting" // a process is being started
	Serving  Condition = "serving"  // a process is running
	Failing  Condition = "failing"  // the last process failed; another is started when needed
	Down     Condition = "down"     // it failed too often and stays down until its file changes
	Refused  Condition = "refused"  // its files cannot be used, and there was no version before
	Removed  Condition = "removed"  // its files are gone, and its sessions are finishing
)

// State is the state of one plugin.
type State struct {
	Name      string            `json:"name,omitempty"` // empty where the manifest could not be read
	Version   string            `json:"version,omitempty"`
	Protocol  int               `json:"protocol,omitempty"` // the version of the plugin contract
	Manifest  string            `json:"manifest"`           // its path
	SHA256    string            `json:"sha256,omitempty"`   // of the executable in force
	Handlers  []HandlerState    `json:"handlers,omitempty"`
	Fallback  manifest.Fallback `json:"fallback,omitempty"` // what happens to requests while it is down
	Condition Condition         `json:"state"`
	// PID and Generation identify the process that takes new calls; 0: none. A manager numbers all processes that it starts,
	// across plugins.
	PID        int `json:"pid,omitempty"`
	Generation int `json:"generation,omitempty"`
	Starts     int `json:"starts"`   // starts of processes of this version, failed ones included
	Restarts   int `json:"restarts"` // starts that replaced a failed process
	// Sessions counts the calls and streams under way, on all generations. Draining lists the generations of versions that are
	// no longer in force.
	Sessions  int        `json:"sessions"`
	Draining  []Draining `json:"draining,omitempty"`
	LastError string     `json:"last_error,omitempty"` // why the last process failed
	// Fault is why newer files are not in force.
	Fault string `json:"fault,omitempty"`
}

// HandlerState is the state of one handler.
type HandlerState struct {
	Name     string `json:"name"`
	Match    string `json:"match"`
	Priority int    `json:"priority"`
	// Capabilities lists what the handler can do besides planning, once a process has been started.
	Capabilities []string `json:"capabilities,omitempty"`
}

// CapabilityStreams is the capability of handlers that can parse outputs themselves.
const CapabilityStreams = "streams"

// Draining is a process of a version that is no longer in force; it ends with its last session.
type Draining struct {
	Version    string `json:"version"`
	Generation int    `json:"generation,omitempty"` // 0: its process has died; the next step of a session starts another
	PID        int    `json:"pid,omitempty"`
	Sessions   int    `json:"sessions"`
}

// Status returns the state of every plugin of the directory, and of those that were removed and are not gone yet.
func (m *Manager) Status() []State {
	set := m.current.Load()
	faults := map[string]string{}
	for _, r := range set.faults {
		faults[r.manifest] = r.err.Error()
	}
	var all []State
	for _, s := range set.slots {
		state := s.state()
		state.Fault = faults[state.Manifest]
		delete(faults, state.Manifest)
		all = append(all, state)
	}
	for _, r := range set.faults {
		if text, ok := faults[r.manifest]; ok {
			all = append(all, State{Manifest: r.manifest, Condition: Refused, Fault: text})
		}
	}
	for _, s := range m.retired.list() {
		all = s.drains(all)
	}
	return all
}

// drains adds a slot that is no longer in force to the state of its plugin, which may have been removed.
func (s *slot) drains(all []State) []State {
	old := s.state()
	if old.Sessions == 0 {
		return all
	}
	i := slices.IndexFunc(all, func(p State) bool { return p.Name == old.Name })
	if i < 0 {
		i = len(all)
		all = append(all, State{Name: old.Name, Version: old.Version, Protocol: old.Protocol, Manifest: old.Manifest, Condition: Removed})
	}
	all[i].Sessions += old.Sessions
	all[i].Draining = append(all[i].Draining, Draining{Version: old.Version, Generation: old.Generation, PID: old.PID, Sessions: old.Sessions})
	return all
}

func (s *slot) state() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.manifest
	state := State{
		Name: m.Name, Version: m.Version, Protocol: m.Protocol, Manifest: m.Path, SHA256: s.binary.SHA256, Fallback: m.Fallback,
		Condition: s.condition(), Starts: s.starts, Restarts: s.restarts, Sessions: s.inside,
	}
	for _, h := range m.Handlers {
		known := HandlerState{Name: h.Name, Match: h.Match, Priority: *h.Priority}
		if s.streams[h.Name] {
			known.Capabilities = []string{CapabilityStreams}
		}
		state.Handlers = append(state.Handlers, known)
	}
	if g := s.current; g != nil {
		state.Generation = g.number
		state.PID, _ = strconv.Atoi(g.process.ID())
	}
	if s.lastErr != nil {
		state.LastError = process.ValidText(s.lastErr.Error())
	}
	return state
}

// isDown reports whether the plugin has failed too often.
func (s *slot) isDown() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.condition() == Down
}

// condition returns the condition of the slot, which must be locked.
func (s *slot) condition() Condition {
	switch {
	case s.current != nil:
		return Serving
	case s.starting != nil:
		return Starting
	case s.failures >= maxFailures:
		return Down
	case s.failures > 0:
		return Failing
	}
	return Idle
}
