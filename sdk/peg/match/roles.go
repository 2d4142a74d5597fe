package match

import (
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// speaks says that text of this role is delivered byte by byte.
func speaks(r peg.Role) bool {
	switch r {
	case peg.Content, peg.Reasoning, peg.Arguments, peg.String, peg.QuotedString, peg.Scalar:
		return true
	}
	return false
}

// isWhole says that text of this role is delivered in one piece, when it is complete.
func isWhole(r peg.Role) bool { return r == peg.CallID || r == peg.CallName || r == peg.Key }

// commits says that text of this role, complete, decides between alternatives.
func commits(r peg.Role) bool { return r == peg.CallName || r == peg.Key || speaks(r) }

// bounded says that the beginning and the end of this role matter, not just its text.
func bounded(r peg.Role) bool {
	return r != peg.NoRole && r != peg.Content && r != peg.Reasoning && r != peg.Missing
}

// region is what becomes of a byte; chat.Region in one byte.
type region uint8

const (
	promptRegion region = iota
	contentRegion
	reasoningRegion
	callRegion
	markerRegion
	spaceRegion
	recoveredRegion
	openRegion
)

func (r region) chat() chat.Region {
	return [...]chat.Region{chat.PromptRegion, chat.ContentRegion, chat.ReasoningRegion, chat.CallRegion,
		chat.MarkerRegion, chat.SpaceRegion, chat.RecoveredRegion, chat.OpenRegion}[r]
}

// regionOf is the region of text under a tag.
func regionOf(r peg.Role, outer region) region {
	switch {
	case r == peg.Content:
		return contentRegion
	case r == peg.Reasoning:
		return reasoningRegion
	case speaks(r) || isWhole(r):
		return callRegion
	}
	return outer
}
