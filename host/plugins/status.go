package plugins

import "strconv"

// Condition is what a plugin is doing.
type Condition string

// The conditions.
const (
	Idle     Condition = "idle"     // no process; one is started when it is needed
	Starting Condition = "starting" // a process is being started
	Serving  Condition = "serving"  // a process answers
	Failing  Condition = "failing"  // the last process failed; another is tried when it is needed
	Down     Condition = "down"     // it failed too often and stays down until its file changes
	Refused  Condition = "refused"  // what the directory holds cannot be used, and nothing was there before
)

// State is what a manager knows of one plugin.
type State struct {
	Name       string         `json:"name,omitempty"` // empty where the manifest could not be read
	Version    string         `json:"version,omitempty"`
	Manifest   string         `json:"manifest"`         // its path
	SHA256     string         `json:"sha256,omitempty"` // of the executable in force
	Handlers   []HandlerState `json:"handlers,omitempty"`
	Condition  Condition      `json:"condition"`
	PID        int            `json:"pid,omitempty"`
	Generation int            `json:"generation,omitempty"` // of the process; a manager counts all that it starts
	Starts     int            `json:"starts"`               // how often a process was started or tried to
	Sessions   int            `json:"sessions"`             // calls and streams under way
	LastError  string         `json:"last_error,omitempty"` // why the last process failed
	// Fault is why a newer content of the directory is not in force.
	Fault string `json:"fault,omitempty"`
}

// HandlerState is what a manager knows of one handler.
type HandlerState struct {
	Name     string `json:"name"`
	Match    string `json:"match"`
	Priority int    `json:"priority"`
}

// Status tells the state of every plugin of the directory.
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
	return all
}

func (s *slot) state() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := State{
		Name: s.manifest.Name, Version: s.manifest.Version, Manifest: s.manifest.path, SHA256: s.binary.sha256,
		Condition: s.condition(), Starts: s.starts,
	}
	for _, h := range s.manifest.Handlers {
		state.Handlers = append(state.Handlers, HandlerState{Name: h.Name, Match: h.Match, Priority: *h.Priority})
	}
	if g := s.current; g != nil {
		state.Generation, state.Sessions = g.number, g.sessions()
		state.PID, _ = strconv.Atoi(g.process.ID())
	}
	if s.lastErr != nil {
		state.LastError = s.lastErr.Error()
	}
	return state
}

// condition is what the slot, which must be locked, is doing.
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
