package match

import (
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

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
	case r.Streams() || r.IsWhole():
		return callRegion
	}
	return outer
}
