package code

import (
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Region is what becomes of a byte: chat.Region in one byte.
type Region uint8

// The regions.
const (
	PromptRegion Region = iota
	contentRegion
	reasoningRegion
	callRegion
	markerRegion
	SpaceRegion
	recoveredRegion
	OpenRegion
)

// Chat returns the region as reports name it.
func (r Region) Chat() chat.Region {
	return [...]chat.Region{chat.PromptRegion, chat.ContentRegion, chat.ReasoningRegion, chat.CallRegion,
		chat.MarkerRegion, chat.SpaceRegion, chat.RecoveredRegion, chat.OpenRegion}[r]
}

// regionOf returns the region of text under a tag of role r.
func regionOf(r peg.Role, outer Region) Region {
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

// bounded reports whether the beginning and the end of the role matter, besides its text.
func bounded(r peg.Role) bool {
	return r != peg.NoRole && r != peg.Content && r != peg.Reasoning && r != peg.Missing
}
