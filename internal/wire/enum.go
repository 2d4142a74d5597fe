package wire

import (
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/peg"
	pb "github.com/dragoman-project/dragoman/sdk/proto/dragoman/plugin/v1"
)

// pair is a value and its number in messages.
type pair[V, M comparable] struct {
	value   V
	message M
}

// enum is a table of values and their numbers in messages. Anything without a row is unknown.
type enum[V, M comparable] []pair[V, M]

func (e enum[V, M]) encode(v V) (m M, ok bool) {
	for _, p := range e {
		if p.value == v {
			return p.message, true
		}
	}
	return m, false
}

func (e enum[V, M]) decode(m M) (v V, ok bool) {
	for _, p := range e {
		if p.message == m {
			return p.value, true
		}
	}
	return v, false
}

var roles = enum[peg.Role, pb.Role]{
	{peg.Content, pb.Role_ROLE_CONTENT},
	{peg.Reasoning, pb.Role_ROLE_REASONING},
	{peg.Call, pb.Role_ROLE_CALL},
	{peg.CallID, pb.Role_ROLE_CALL_ID},
	{peg.CallName, pb.Role_ROLE_CALL_NAME},
	{peg.Arguments, pb.Role_ROLE_ARGUMENTS},
	{peg.Object, pb.Role_ROLE_OBJECT},
	{peg.Array, pb.Role_ROLE_ARRAY},
	{peg.Key, pb.Role_ROLE_KEY},
	{peg.String, pb.Role_ROLE_STRING},
	{peg.QuotedString, pb.Role_ROLE_QUOTED_STRING},
	{peg.Scalar, pb.Role_ROLE_SCALAR},
	{peg.Missing, pb.Role_ROLE_MISSING},
}

var modes = enum[grammar.Mode, pb.GrammarMode]{
	{grammar.Free, pb.GrammarMode_GRAMMAR_MODE_FREE},
	{grammar.Lazy, pb.GrammarMode_GRAMMAR_MODE_LAZY},
	{grammar.Strict, pb.GrammarMode_GRAMMAR_MODE_STRICT},
	{grammar.Free, pb.GrammarMode_GRAMMAR_MODE_UNSPECIFIED},
}

var kinds = enum[chat.EventKind, pb.EventKind]{
	{chat.ContentText, pb.EventKind_EVENT_KIND_CONTENT},
	{chat.ReasoningText, pb.EventKind_EVENT_KIND_REASONING},
	{chat.CallBegin, pb.EventKind_EVENT_KIND_CALL_BEGIN},
	{chat.CallID, pb.EventKind_EVENT_KIND_CALL_ID},
	{chat.CallName, pb.EventKind_EVENT_KIND_CALL_NAME},
	{chat.CallArguments, pb.EventKind_EVENT_KIND_CALL_ARGUMENTS},
	{chat.CallEnd, pb.EventKind_EVENT_KIND_CALL_END},
}

var regions = enum[chat.Region, pb.Region]{
	{chat.ContentRegion, pb.Region_REGION_CONTENT},
	{chat.ReasoningRegion, pb.Region_REGION_REASONING},
	{chat.CallRegion, pb.Region_REGION_CALL},
	{chat.MarkerRegion, pb.Region_REGION_MARKER},
	{chat.SpaceRegion, pb.Region_REGION_SPACE},
	{chat.RecoveredRegion, pb.Region_REGION_RECOVERED},
	{chat.OpenRegion, pb.Region_REGION_OPEN},
}

var statuses = enum[chat.Status, pb.StreamStatus]{
	{chat.Complete, pb.StreamStatus_STREAM_STATUS_COMPLETE},
	{chat.Truncated, pb.StreamStatus_STREAM_STATUS_TRUNCATED},
	{chat.Malformed, pb.StreamStatus_STREAM_STATUS_MALFORMED},
	{chat.Trailing, pb.StreamStatus_STREAM_STATUS_TRAILING},
	{chat.Complete, pb.StreamStatus_STREAM_STATUS_UNSPECIFIED},
}
