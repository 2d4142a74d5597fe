package handler

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// StreamResult is the result of parsing an output. Output that breaks the format is not an error but a Status.
//
// The other fields are for the report on the output, as far as the handler knows them. Offsets are into the output: the host adds
// the generation prompt, and finds calls of unknown tools itself.
type StreamResult struct {
	Status chat.Status
	Notes  []string // for people
	// Spans assign each byte of the output to a region: each begins where the one before ends. Nil: unknown.
	Spans []chat.Span
	// Faults are the places where the output broke the format, in order; there are none unless Status is Malformed or Trailing.
	Faults []chat.Fault
	// MissingMarkers are in the order of the first place where each is missing.
	MissingMarkers []chat.MissingMarker
	// MaxHeld is the largest number of bytes that were undecided at the end of a chunk.
	MaxHeld int
}

// The limits of a result. A text is at most MaxResultText bytes long.
const (
	MaxResultSpans   = 1 << 16
	MaxResultFaults  = 32
	MaxResultMarkers = 32
	MaxResultNotes   = 32
	MaxResultText    = 1 << 10
)

// regions are the regions of an output.
var regions = []chat.Region{
	chat.ContentRegion, chat.ReasoningRegion, chat.CallRegion, chat.MarkerRegion, chat.SpaceRegion, chat.RecoveredRegion, chat.OpenRegion,
}

// Report converts the result to the report on an output, with the lengths of the generation prompt and the output. It sanitizes
// the result, and notes what it removes.
func (r StreamResult) Report(prompt, output int) *chat.Report {
	removed := r.Sanitize(output)
	report := &chat.Report{Status: r.Status, Notes: append(r.Notes, removed...), PromptLength: prompt, Length: prompt + output, MaxHeld: r.MaxHeld}
	if len(r.Spans) > 0 && prompt > 0 {
		report.Spans = append(report.Spans, chat.Span{Region: chat.PromptRegion, End: prompt})
	}
	for _, s := range r.Spans {
		report.Spans = append(report.Spans, chat.Span{Region: s.Region, Start: prompt + s.Start, End: prompt + s.End})
	}
	for _, f := range r.Faults {
		report.Faults = append(report.Faults, chat.Fault{At: prompt + f.At, Farthest: prompt + f.Farthest, Message: f.Message})
	}
	for _, m := range r.MissingMarkers {
		report.MissingMarkers = append(report.MissingMarkers, chat.MissingMarker{Marker: m.Marker, At: prompt + m.At, Count: m.Count})
	}
	return report
}

// Sanitize removes what cannot be true of an output of that length, or exceeds the limits, and returns a note for each removal.
// Results come from other processes.
func (r *StreamResult) Sanitize(output int) (removed []string) {
	for _, part := range []struct {
		name     string
		sanitize func(output int) (why string)
	}{
		{"spans", r.sanitizeSpans},
		{"faults", r.sanitizeFaults},
		{"missing markers", r.sanitizeMarkers},
		{"notes", r.sanitizeNotes},
		{"the held bytes", r.sanitizeHeld},
	} {
		if why := part.sanitize(output); why != "" {
			removed = append(removed, fmt.Sprintf("removed from the handler's report: %s: %s", part.name, why))
		}
	}
	return removed
}

// sanitizeSpans keeps the spans if every byte of the output is in exactly one.
func (r *StreamResult) sanitizeSpans(output int) (why string) {
	if len(r.Spans) > 0 {
		why = spansFault(r.Spans, output)
	}
	if why != "" {
		r.Spans = nil
	}
	return why
}

func (r *StreamResult) sanitizeFaults(output int) (why string) {
	if len(r.Faults) > 0 && r.Status != chat.Malformed && r.Status != chat.Trailing {
		r.Faults = nil
		return fmt.Sprintf("the status is %s", r.Status)
	}
	r.Faults, why = keep(r.Faults, MaxResultFaults, func(f, before chat.Fault) string {
		if f.Farthest < f.At || f.Farthest > output {
			return fmt.Sprintf("it is at byte %d, but its farthest byte is %d", f.At, f.Farthest)
		}
		return cmp.Or(placeFault(f.At, before.At, output), textFault(f.Message))
	})
	return why
}

func (r *StreamResult) sanitizeMarkers(output int) (why string) {
	seen := map[string]bool{}
	r.MissingMarkers, why = keep(r.MissingMarkers, MaxResultMarkers, func(m, before chat.MissingMarker) string {
		switch {
		case m.Count < 1:
			return fmt.Sprintf("it is missing %d times", m.Count)
		case seen[m.Marker]:
			return fmt.Sprintf("%q is a duplicate", m.Marker)
		}
		seen[m.Marker] = true
		return cmp.Or(placeFault(m.At, before.At, output), textFault(m.Marker))
	})
	return why
}

func (r *StreamResult) sanitizeNotes(int) (why string) {
	r.Notes, why = keep(r.Notes, MaxResultNotes, func(note, _ string) string { return textFault(note) })
	return why
}

func (r *StreamResult) sanitizeHeld(output int) (why string) {
	if r.MaxHeld < 0 || r.MaxHeld > output {
		why = fmt.Sprintf("%d bytes of an output of %d", r.MaxHeld, output)
		r.MaxHeld = 0
	}
	return why
}

// keep returns the valid items of a list, at most most. The text describes the first of the others, and their number; it is empty
// if there are none. fault returns what is wrong with an item after the last valid one.
func keep[T any](list []T, most int, fault func(item, before T) string) (kept []T, others string) {
	var before T
	n := 0
	for i, item := range list {
		why := fmt.Sprintf("more than %d", most)
		if len(kept) < most {
			why = fault(item, before)
		}
		if why == "" {
			kept, before = append(kept, item), item
			continue
		}
		if n++; n == 1 {
			others = fmt.Sprintf("number %d: %s", i+1, why)
		}
	}
	if n > 1 {
		others += fmt.Sprintf("; and %d more", n-1)
	}
	return kept, others
}

// placeFault returns what is wrong with a place after another one; empty if nothing is.
func placeFault(at, before, output int) string {
	switch {
	case at < 0 || at > output:
		return fmt.Sprintf("byte %d of an output of %d", at, output)
	case at < before:
		return fmt.Sprintf("byte %d comes after byte %d", at, before)
	}
	return ""
}

// textFault returns what is wrong with a text; empty if nothing is.
func textFault(text string) string {
	switch {
	case text == "":
		return "its text is empty"
	case len(text) > MaxResultText:
		return fmt.Sprintf("its text has %d bytes; at most %d are allowed", len(text), MaxResultText)
	}
	return ""
}

// spansFault returns why the spans do not contain every byte of an output once; empty if they do.
func spansFault(spans []chat.Span, output int) string {
	if len(spans) > MaxResultSpans {
		return fmt.Sprintf("%d spans; at most %d are allowed", len(spans), MaxResultSpans)
	}
	at := 0
	for i, s := range spans {
		switch {
		case !slices.Contains(regions, s.Region):
			return fmt.Sprintf("span %d: unknown region %q; expected one of %q", i+1, s.Region, regions)
		case s.Start != at:
			return fmt.Sprintf("span %d begins at byte %d, expected %d", i+1, s.Start, at)
		case s.End <= s.Start || s.End > output:
			return fmt.Sprintf("span %d from byte %d to %d is empty, or outside of the output's %d bytes", i+1, s.Start, s.End, output)
		}
		at = s.End
	}
	if at != output {
		return fmt.Sprintf("the bytes from %d on are in no span", at)
	}
	return ""
}
