package wire

import (
	"github.com/dragoman-project/dragoman/sdk/handler"
	pb "github.com/dragoman-project/dragoman/sdk/proto/dragoman/plugin/v1"
)

// Description is what a process says of one of its handlers. The cases travel apart.
type Description struct {
	handler.Description
	Streams bool // it is a handler.StreamHandler
}

// EncodeDescription turns a description into a message.
func EncodeDescription(d Description) *pb.HandlerDescription {
	return &pb.HandlerDescription{
		Name: valid(d.Name), Version: valid(d.Version), Match: valid(d.Match), Priority: int32(d.Priority), Streams: d.Streams,
	}
}

// DecodeDescription turns a message into a description.
func DecodeDescription(m *pb.HandlerDescription) Description {
	return Description{Streams: m.GetStreams(), Description: handler.Description{
		Name: m.GetName(), Version: m.GetVersion(), Match: m.GetMatch(), Priority: int(m.GetPriority()),
	}}
}
