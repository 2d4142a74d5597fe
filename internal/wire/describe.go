package wire

import (
	"github.com/dragoman-project/dragoman/sdk/handler"
	pb "github.com/dragoman-project/dragoman/sdk/proto/dragoman/plugin/v1"
)

// Description describes a handler of a process. The cases are requested separately.
type Description struct {
	handler.Description
	Streams bool // whether it is a handler.StreamHandler
}

// EncodeDescription converts a description to a message.
func EncodeDescription(d Description) *pb.HandlerDescription {
	return &pb.HandlerDescription{
		Name: valid(d.Name), Version: valid(d.Version), Match: valid(d.Match), Priority: int32(d.Priority), Streams: d.Streams,
	}
}

// DecodeDescription converts a message to a description.
func DecodeDescription(m *pb.HandlerDescription) Description {
	return Description{Streams: m.GetStreams(), Description: handler.Description{
		Name: m.GetName(), Version: m.GetVersion(), Match: m.GetMatch(), Priority: int(m.GetPriority()),
	}}
}
