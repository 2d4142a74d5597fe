package autoparser

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// Part is a part of a dialect that is served only if it is proven. Content is none: it is what everything else is read as.
type Part = dialect.Part

// Proof is whether a part of a dialect is proven, and so whether it is served.
//
// A part is proven if a row of the self-check that contains it was parsed back, and no row was parsed back with a difference in
// this part. No row at all is no proof. Where rows cannot decide, a workaround vouches for a part by setting its fields; one that
// says so vouches for it even where a row failed. What is neither proven nor vouched for is not served: it is read as content.
type Proof struct {
	Part   Part `json:"part"`
	Proven bool `json:"proven"`
	Served bool `json:"served"`
	Passed int  `json:"passed"` // rows with the part that were parsed back
	Failed int  `json:"failed"` // rows that were parsed back with a difference in it
	// Because is the first reason why it is not proven.
	Because string `json:"because,omitempty"`
	// VouchedBy is the workaround that vouches for it.
	VouchedBy string `json:"vouched_by,omitempty"`
}

// String describes the proof in a line.
func (p Proof) String() string {
	switch {
	case p.Proven:
		return fmt.Sprintf("%s: proven by %d answers", p.Part, p.Passed)
	case p.Served:
		return fmt.Sprintf("%s: not proven, but %s vouches for it: %s", p.Part, p.VouchedBy, p.Because)
	}
	return fmt.Sprintf("%s: not proven, so it is read as content: %s", p.Part, p.Because)
}

// Unproven returns the parts that are not served, because they are neither proven nor vouched for.
func (s SelfCheck) Unproven() []Proof {
	return slices.DeleteFunc(slices.Clone(s.Parts), func(p Proof) bool { return p.Served })
}

// lint returns what is not served, the failed rows that do not explain that already, and whether nothing could be checked.
func (s SelfCheck) lint() []string {
	var lint []string
	for _, p := range s.Unproven() {
		lint = append(lint, p.String())
	}
	for _, r := range s.Failures() {
		if !slices.ContainsFunc(s.Unproven(), func(p Proof) bool { return slices.Contains(r.Refutes, p.Part) }) {
			lint = append(lint, fmt.Sprintf("self-check %s: %s", r.ID, r.Failed))
		}
	}
	if s.Passed+s.Failed == 0 {
		lint = append(lint, "the self-check could check nothing: "+s.Rows[0].Skipped)
	}
	return lint
}

// unserved returns the proof of a part that is not served; false if it is served, or if the template has no such part.
func (l *Learned) unserved(part Part) (Proof, bool) {
	for _, p := range l.checked.Unproven() {
		if p.Part == part {
			return p, true
		}
	}
	return Proof{}, false
}

// CallsUnproven returns why calls are read as content; "" if they are not, or if the template has none.
func (l *Learned) CallsUnproven() string {
	p, _ := l.unserved(dialect.PartCalls)
	return p.Because
}

// proofs judges the parts that the template renders, or that the dialect has.
func (c *checker) proofs(rows []SelfCheckDone) []Proof {
	can := c.Template.Capabilities
	rendered := map[Part]bool{dialect.PartReasoning: can.Reasoning, dialect.PartCalls: can.ToolCalls}
	var all []Proof
	for _, part := range dialect.Parts() {
		known := c.Dialect.Has(part)
		if !known && !rendered[part] {
			continue
		}
		p := Proof{Part: part}
		p.judge(rows)
		if !known {
			p.Because = fmt.Sprintf("the template renders %s, but in a way that was not recognised", part)
		}
		p.Proven = p.Because == ""
		if !p.Proven {
			p.VouchedBy = c.voucher(part, p.Failed > 0)
		}
		p.Served = p.Proven || p.VouchedBy != "" && known
		all = append(all, p)
	}
	return all
}

// voucher returns the name of the first workaround that vouches for a part; "" if none does. One that sets fields of the part
// vouches for it, too, unless a row refutes it.
func (l *Learned) voucher(part Part, refuted bool) string {
	for _, w := range l.Workarounds {
		sets := slices.ContainsFunc(w.Changes, func(c workaround.Change) bool { return part.Owns(c.Field) })
		if slices.Contains(w.Vouches, part) || sets && !refuted {
			return w.Rule
		}
	}
	return ""
}

// judge counts the rows that passed and failed, and sets the first reason against the part.
func (p *Proof) judge(rows []SelfCheckDone) {
	skipped := "nothing renders it"
	for _, r := range rows {
		exercised := slices.Contains(r.Exercises, p.Part)
		switch {
		case slices.Contains(r.Refutes, p.Part):
			if p.Failed++; p.Because == "" {
				p.Because = fmt.Sprintf("self-check %s: %s", r.ID, r.Failed)
			}
		case exercised && r.Skipped != "":
			skipped = fmt.Sprintf("self-check %s: %s", r.ID, r.Skipped)
		case exercised:
			p.Passed++
		}
	}
	if p.Passed == 0 && p.Because == "" {
		p.Because = "nothing could be checked: " + skipped
	}
}

// partsOf returns the parts that an answer consists of.
func partsOf(m chat.Message) []Part {
	var all []Part
	if m.ReasoningContent != "" {
		all = append(all, dialect.PartReasoning)
	}
	if len(m.ToolCalls) > 0 {
		all = append(all, dialect.PartCalls)
	}
	return all
}

// refuted returns the parts in which an answer was parsed back differently. A call without a marker that is read as content,
// behind content, speaks against nothing: such calls are known by being the whole answer. Text that was added to content speaks against
// reasoning if it contains one of its markers, and otherwise against what the answer consists of. The content of an answer that
// consists of nothing else speaks against nothing: neither reasoning nor calls were read.
func (c *checker) refuted(exercised []Part, want, got chat.Message) []Part {
	if t := c.Dialect.Tools; contentText(want.Content) != "" && len(got.ToolCalls) == 0 && t.Format != dialect.ToolsNone && blank(t.SectionStart+t.PerCallStart) {
		return nil
	}
	var all []Part
	if strings.TrimSpace(want.ReasoningContent) != strings.TrimSpace(got.ReasoningContent) {
		all = append(all, dialect.PartReasoning)
	}
	if callsDiffer(want, got, "") != "" {
		all = append(all, dialect.PartCalls)
	}
	r := c.Dialect.Reasoning
	for _, marker := range []string{r.Start, r.End} {
		if marker = strings.TrimSpace(marker); len(all) == 0 && marker != "" && strings.Contains(contentText(got.Content), marker) && !strings.Contains(contentText(want.Content), marker) {
			all = append(all, dialect.PartReasoning)
		}
	}
	if len(all) == 0 {
		return exercised
	}
	return all
}

// served returns a dialect without the parts that are not served.
func served(d dialect.Dialect, unproven []Proof) dialect.Dialect {
	for _, p := range unproven {
		d = d.Without(p.Part)
	}
	return d
}

// speech returns a request as the program sees it if no calls are served: without tools. A request that insists on a call is
// refused.
func (l *Learned) speech(r *chat.Request) (*chat.Request, []string, error) {
	p, unserved := l.unserved(dialect.PartCalls)
	switch {
	case !unserved || len(r.Tools) == 0 || r.ToolChoice.Mode == chat.ToolNone:
		return r, nil, nil
	case r.ToolChoice.Mode != chat.ToolAuto:
		return nil, nil, fault.Invalid("tool_choice", fmt.Sprintf(
			"calls of this template are read as content, because it is not proven how it writes them (%s); leave tool_choice out, or add a plugin or a workaround for the template", p.Because))
	}
	without := *r
	without.Tools, without.ToolChoice = nil, chat.ToolChoice{}
	return &without, []string{"calls of this template are read as content: it is not proven how it writes them: " + p.Because}, nil
}
