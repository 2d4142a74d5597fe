package chat

// Status is how a parse ended.
type Status string

// The ways in which a parse can end.
const (
	// Complete: the output followed the format to its end.
	Complete Status = "complete"
	// Truncated: the output ended within the format, or the engine cut it off where more could have followed.
	Truncated Status = "truncated"
	// Malformed: the output broke the format; what could not be read was delivered as content.
	Malformed Status = "malformed"
	// Trailing: the output followed the format, and more text came after its end.
	Trailing Status = "trailing"
)

// Region is the part that a byte of the output plays.
type Region string

// The regions of an output.
const (
	PromptRegion    Region = "prompt"    // part of the generation prompt, not written by the model
	ContentRegion   Region = "content"   // delivered as content
	ReasoningRegion Region = "reasoning" // delivered as reasoning
	CallRegion      Region = "call"      // id, name or arguments of a call
	MarkerRegion    Region = "marker"    // markup of the format
	SpaceRegion     Region = "space"     // white space around markup, not delivered
	RecoveredRegion Region = "recovered" // delivered as content because the output broke the format
	OpenRegion      Region = "open"      // undecided when the output ended: the beginning of something incomplete
)

// Span is a run of bytes of one region. Start and End are byte offsets into generation prompt + output, End exclusive.
type Span struct {
	Region Region `json:"region"`
	Start  int    `json:"start"`
	End    int    `json:"end"`
}

// Fault is a place where the output broke the format.
type Fault struct {
	At       int    `json:"at"`       // byte offset into generation prompt + output where recovery began
	Farthest int    `json:"farthest"` // the farthest byte offset that the parser reached
	Message  string `json:"message"`  // what was expected and what was found
}

// MissingMarker is a marker of the format that the output lacks: the model omitted it, or the engine stripped it. What it
// marks is read nevertheless, and the status of the report does not depend on it.
type MissingMarker struct {
	Marker string `json:"marker"` // its text, without white space around it
	At     int    `json:"at"`     // byte offset into generation prompt + output where it is first missing
	Count  int    `json:"count"`  // how often it is missing
}

// Report describes how an output was parsed. Its spans cover every byte exactly once.
type Report struct {
	Status       Status   `json:"status"`
	Length       int      `json:"length"`                  // bytes of generation prompt + output
	PromptLength int      `json:"prompt_length"`           // bytes of the generation prompt
	Spans        []Span   `json:"spans,omitempty"`         //
	Faults       []Fault  `json:"faults,omitempty"`        // in order; empty unless Malformed or Trailing
	UnknownTools []string `json:"unknown_tools,omitempty"` // names of calls that no tool of the request has
	Notes        []string `json:"notes,omitempty"`         // repairs, and other remarks for people
	MaxHeld      int      `json:"max_held"`                // the most bytes that were undecided at the end of a chunk

	MissingMarkers []MissingMarker `json:"missing_markers,omitempty"` // in the order of their first places

	Tokens *TokenCounts `json:"tokens,omitempty"` // nil where the output came as text
}

// TokenCounts counts the tokens of an output that came as token ids. A token counts for the first part of the message that it has
// text of; those of markers count only in Output.
type TokenCounts struct {
	Output    int `json:"output"`    // all
	Reasoning int `json:"reasoning"` // read as reasoning
	Content   int `json:"content"`   // read as content
	Calls     int `json:"calls"`     // read as calls: their names, ids and arguments
}

// Miss counts a marker that is missing at byte offset at.
func (r *Report) Miss(marker string, at int) {
	for i := range r.MissingMarkers {
		if m := &r.MissingMarkers[i]; m.Marker == marker {
			m.Count++
			return
		}
	}
	r.MissingMarkers = append(r.MissingMarkers, MissingMarker{Marker: marker, At: at, Count: 1})
}
