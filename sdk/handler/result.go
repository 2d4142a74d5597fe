package handler

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// StreamResult is how the parse of an output ended. Output that breaks the format is no error but a Status.
//
// The rest is for the report on the output, as far as the handler knows it. Offsets are into the output: the host adds the
// generation prompt, and finds by itself which calls are of unknown tools.
type StreamResult struct {
	Status chat.Status
	Notes  []string // what a person should know
	// Spans say what became of each byte of the output: each begins where the one before ends. Nil: not told.
	Spans []chat.Span
	// Faults are where the output broke the format, in order; none unless Status is Malformed or Trailing.
	Faults []chat.Fault
	// MissingMarkers are in the order of where each is missing first.
	MissingMarkers []chat.MissingMarker
	// MaxHeld is the most bytes that had come and were not decided at the end of a chunk.
	MaxHeld int
}

// Limits of what a result tells of an output. A text is at most MaxResultText bytes long.
const (
	MaxResultSpans   = 1 << 16
	MaxResultFaults  = 32
	MaxResultMarkers = 32
	MaxResultNotes   = 32
	MaxResultText    = 1 << 10
)

// regions are those that bytes of an output can be in.
var regions = []chat.Region{
	chat.ContentRegion, chat.ReasoningRegion, chat.CallRegion, chat.MarkerRegion, chat.SpaceRegion, chat.RecoveredRegion, chat.OpenRegion,
}

// Report is the result as the report on an output of so many bytes, behind a generation prompt of so many. What is left out
// of the result is in the notes.
func (r StreamResult) Report(prompt, output int) *chat.Report {
	left := r.Confine(output)
	report := &chat.Report{Status: r.Status, Notes: append(r.Notes, left...), PromptLength: prompt, Length: prompt + output, MaxHeld: r.MaxHeld}
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

// Confine leaves out what cannot be said of an output of so many bytes, or is beyond the limits, and says what that is and why.
// A result may come from anywhere.
func (r *StreamResult) Confine(output int) (left []string) {
	for _, part := range []struct {
		name    string
		confine func(output int) (why string)
	}{
		{"spans", r.confineSpans},
		{"faults", r.confineFaults},
		{"missing markers", r.confineMarkers},
		{"notes", r.confineNotes},
		{"how much was held", r.confineHeld},
	} {
		if why := part.confine(output); why != "" {
			left = append(left, fmt.Sprintf("left out of what the handler reports, %s: %s", part.name, why))
		}
	}
	return left
}

// confineSpans keeps them if they hold every byte of the output once.
func (r *StreamResult) confineSpans(output int) (why string) {
	if len(r.Spans) > 0 {
		why = spansFault(r.Spans, output)
	}
	if why != "" {
		r.Spans = nil
	}
	return why
}

func (r *StreamResult) confineFaults(output int) (why string) {
	if len(r.Faults) > 0 && r.Status != chat.Malformed && r.Status != chat.Trailing {
		r.Faults = nil
		return fmt.Sprintf("the status is %s", r.Status)
	}
	r.Faults, why = keep(r.Faults, MaxResultFaults, func(f, before chat.Fault) string {
		if f.Farthest < f.At || f.Farthest > output {
			return fmt.Sprintf("it is at byte %d and its farthest byte is %d", f.At, f.Farthest)
		}
		return cmp.Or(placeFault(f.At, before.At, output), textFault(f.Message))
	})
	return why
}

func (r *StreamResult) confineMarkers(output int) (why string) {
	told := map[string]bool{}
	r.MissingMarkers, why = keep(r.MissingMarkers, MaxResultMarkers, func(m, before chat.MissingMarker) string {
		switch {
		case m.Count < 1:
			return fmt.Sprintf("it is missing %d times", m.Count)
		case told[m.Marker]:
			return fmt.Sprintf("%q is told already", m.Marker)
		}
		told[m.Marker] = true
		return cmp.Or(placeFault(m.At, before.At, output), textFault(m.Marker))
	})
	return why
}

func (r *StreamResult) confineNotes(int) (why string) {
	r.Notes, why = keep(r.Notes, MaxResultNotes, func(note, _ string) string { return textFault(note) })
	return why
}

func (r *StreamResult) confineHeld(output int) (why string) {
	if r.MaxHeld < 0 || r.MaxHeld > output {
		why = fmt.Sprintf("%d bytes, the output has %d", r.MaxHeld, output)
		r.MaxHeld = 0
	}
	return why
}

// keep keeps what nothing is wrong with, up to so many items. The text says what is wrong with the first of the others, and
// how many they are; empty: there are none. Before an item stands the last that is kept.
func keep[T any](list []T, most int, wrong func(item, before T) string) (kept []T, left string) {
	var before T
	others := 0
	for i, item := range list {
		why := fmt.Sprintf("at most %d are told", most)
		if len(kept) < most {
			why = wrong(item, before)
		}
		if why == "" {
			kept, before = append(kept, item), item
			continue
		}
		if others++; others == 1 {
			left = fmt.Sprintf("number %d: %s", i+1, why)
		}
	}
	if others > 1 {
		left += fmt.Sprintf("; and %d more", others-1)
	}
	return kept, left
}

// placeFault says what is wrong with a place behind another one; empty: nothing is.
func placeFault(at, before, output int) string {
	switch {
	case at < 0 || at > output:
		return fmt.Sprintf("byte %d, the output has %d", at, output)
	case at < before:
		return fmt.Sprintf("byte %d comes after byte %d", at, before)
	}
	return ""
}

// textFault says what is wrong with a text; empty: nothing is.
func textFault(text string) string {
	switch {
	case text == "":
		return "it has no text"
	case len(text) > MaxResultText:
		return fmt.Sprintf("its text has %d bytes, at most %d are told", len(text), MaxResultText)
	}
	return ""
}

// spansFault says why spans do not hold every byte of an output once; empty: they do.
func spansFault(spans []chat.Span, output int) string {
	if len(spans) > MaxResultSpans {
		return fmt.Sprintf("there are %d, at most %d are told", len(spans), MaxResultSpans)
	}
	at := 0
	for i, s := range spans {
		switch {
		case !slices.Contains(regions, s.Region):
			return fmt.Sprintf("span %d is of region %q, expected one of %q", i+1, s.Region, regions)
		case s.Start != at:
			return fmt.Sprintf("span %d begins at byte %d, expected %d", i+1, s.Start, at)
		case s.End <= s.Start || s.End > output:
			return fmt.Sprintf("span %d of bytes %d to %d does not lie in the output's %d", i+1, s.Start, s.End, output)
		}
		at = s.End
	}
	if at != output {
		return fmt.Sprintf("the bytes from %d on are in none", at)
	}
	return ""
}
