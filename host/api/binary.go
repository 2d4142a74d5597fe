package api

import (
	"encoding"
	"fmt"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// protoCodec is protobuf's binary format with a limit on the number of nested messages: an empty one takes two bytes of a body,
// which may be compressed, and a hundred bytes of memory.
type protoCodec struct{}

var _ connect.Codec = protoCodec{}

// maxWithin is how many messages may be nested in one, at any depth. Only bodies with more bytes can exceed it.
const maxWithin = 1 << 19

// Name is part of the content type.
func (protoCodec) Name() string { return "proto" }

// Marshal writes a protobuf message.
func (c protoCodec) Marshal(m any) ([]byte, error) { return c.MarshalAppend(nil, m) }

// MarshalAppend appends a protobuf message, or an answer of a stream, to a text.
func (protoCodec) MarshalAppend(text []byte, m any) ([]byte, error) {
	if a, ok := m.(encoding.BinaryAppender); ok {
		return a.AppendBinary(text)
	}
	msg, ok := m.(proto.Message)
	if !ok {
		return nil, fmt.Errorf("%T is not a protobuf message", m)
	}
	return proto.MarshalOptions{}.MarshalAppend(text, msg)
}

// Unmarshal reads a protobuf message.
func (protoCodec) Unmarshal(text []byte, m any) error {
	msg, ok := m.(proto.Message)
	if !ok {
		return fmt.Errorf("%T is not a protobuf message", m)
	}
	md := msg.ProtoReflect().Descriptor()
	if len(text) > maxWithin && messagesIn(text, md) > maxWithin {
		return tooManyWithin()
	}
	if fast, ok := m.(decoder); ok && fast.Decode(text) {
		return nil
	}
	if err := proto.Unmarshal(text, msg); err != nil {
		return fmt.Errorf("invalid %s: %w", md.FullName(), err)
	}
	return nil
}

// decoder is a message with a decoder of its own, which returns false for what it leaves to protobuf.
type decoder interface{ Decode(text []byte) bool }

func tooManyWithin() error {
	return fmt.Errorf("more than %d nested messages; send less at once", maxWithin)
}

// messagesIn counts the messages nested in an encoded message. It stops at malformed parts, which decoding reports.
func messagesIn(text []byte, md protoreflect.MessageDescriptor) (count int) {
	for len(text) > 0 {
		number, kind, n := protowire.ConsumeTag(text)
		if n < 0 {
			return count
		}
		size := protowire.ConsumeFieldValue(number, kind, text[n:])
		if size < 0 {
			return count
		}
		if f := md.Fields().ByNumber(number); f != nil && f.Message() != nil && kind == protowire.BytesType {
			value, _ := protowire.ConsumeBytes(text[n:])
			count += 1 + messagesIn(value, f.Message())
		}
		text = text[n+size:]
	}
	return count
}
