package wire

import (
	"errors"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/dragoman-project/dragoman/internal/cache"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/peg"
	pb "github.com/dragoman-project/dragoman/sdk/proto/dragoman/plugin/v1"
)

// Encoder converts answers to messages. Programs are most of an answer, and most requests of a client have the tools of the one
// before, so it caches the encoded programs. It is safe for concurrent use. The zero value is ready.
type Encoder struct {
	programs cache.Cache[peg.Digest, []byte] // each is a field of a Plan, including its number and length
}

// Answer converts what Handler.Plan returned to a message. An error that is not an answer, because the handler failed, is
// returned.
func (e *Encoder) Answer(plan *handler.Plan, err error) (*pb.PlanResponse, error) {
	var declined *handler.Declined
	switch {
	case errors.As(err, &declined):
		return &pb.PlanResponse{Result: &pb.PlanResponse_Declined{Declined: &pb.Declined{Reason: valid(declined.Reason)}}}, nil
	case err != nil:
		return encodeRequestError(err)
	}
	m, err := e.plan(plan)
	if err != nil {
		return nil, err
	}
	return &pb.PlanResponse{Result: &pb.PlanResponse_Plan{Plan: m}}, nil
}

// encodeRequestError converts an error of code InvalidArgument to a message, and returns any other.
func encodeRequestError(err error) (*pb.PlanResponse, error) {
	var known *fault.Error
	if !errors.As(err, &known) || known.Code != fault.InvalidArgument {
		return nil, err
	}
	message := known.Message
	if known.Remedy != "" {
		message += "; " + known.Remedy
	}
	return &pb.PlanResponse{Result: &pb.PlanResponse_RequestError{RequestError: &pb.RequestError{Path: valid(known.Place), Message: valid(message)}}}, nil
}

// program returns the field of a Plan that holds p.
func (e *Encoder) program(p *peg.Program) ([]byte, error) {
	return e.programs.Get(p.Digest(), func() ([]byte, int, error) {
		m, err := EncodeProgram(p)
		if err != nil {
			return nil, 0, err
		}
		field, err := proto.Marshal(&pb.Plan{Parser: &pb.Plan_Program{Program: m}})
		return field, len(field), err
	})
}

// Decoder converts messages to answers. It caches decoded programs by their bytes: equal bytes are equal programs, whatever
// process sent them for whatever request. Callers share a program and must not change it. A Decoder is safe for concurrent use.
// The zero value is ready.
type Decoder struct {
	programs cache.Cache[cache.Key, *peg.Program]
}

// Answer converts the bytes of a PlanResponse to what Handler.Plan returns. The error is a *handler.Declined, a *fault.Error of
// code InvalidArgument, or Broken.
func (d *Decoder) Answer(data []byte) (*handler.Plan, error) {
	rest, encoded, ok := cutProgram(data)
	if !ok {
		m := new(pb.PlanResponse)
		if err := unmarshal("answer", data, m); err != nil {
			return nil, err
		}
		return decodeAnswer(m)
	}
	program, err := d.program(encoded)
	if err != nil {
		return nil, err
	}
	m := new(pb.Plan)
	if err := unmarshal("plan", rest, m); err != nil {
		return nil, err
	}
	return decodePlan(m, program)
}

// program decodes a program and seals it.
func (d *Decoder) program(encoded []byte) (*peg.Program, error) {
	return d.programs.Get(cache.KeyOf(encoded), func() (*peg.Program, int, error) {
		m := new(pb.Program)
		if err := unmarshal("program", encoded, m); err != nil {
			return nil, 0, err
		}
		p, err := DecodeProgram(m)
		if err != nil {
			return nil, 0, err
		}
		return p.Sealed(), p.Size(), nil
	})
}

// unmarshal decodes a message; path names it in errors.
func unmarshal(path string, data []byte, to proto.Message) error {
	if err := proto.Unmarshal(data, to); err != nil {
		return Broken(path, "invalid message: %v", err)
	}
	return nil
}

func decodeAnswer(m *pb.PlanResponse) (*handler.Plan, error) {
	switch r := m.GetResult().(type) {
	case *pb.PlanResponse_Plan:
		return decodePlan(r.Plan, nil)
	case *pb.PlanResponse_Declined:
		return nil, &handler.Declined{Reason: r.Declined.GetReason()}
	case *pb.PlanResponse_RequestError:
		return nil, fault.Invalid(r.RequestError.GetPath(), r.RequestError.GetMessage())
	}
	return nil, Broken("result", "missing, or unknown to this version of the host")
}

// The numbers of the fields on the way to a program.
var (
	planNumber    = (*pb.PlanResponse)(nil).ProtoReflect().Descriptor().Fields().ByName("plan").Number()
	programNumber = (*pb.Plan)(nil).ProtoReflect().Descriptor().Fields().ByName("program").Number()
	streamNumber  = (*pb.Plan)(nil).ProtoReflect().Descriptor().Fields().ByName("stream").Number()
)

// cutProgram splits the bytes of an answer that is a plan with one program into that program and the rest of the plan. For
// anything else, which may be valid as well, it returns ok = false.
func cutProgram(answer []byte) (rest, program []byte, ok bool) {
	plan, more := fieldOf(answer, planNumber)
	if plan == nil || len(more) > 0 {
		return nil, nil, false
	}
	for at := 0; at < len(plan); {
		number, _, n := protowire.ConsumeField(plan[at:])
		if n < 0 || number == streamNumber || number == programNumber && program != nil {
			return nil, nil, false
		}
		if number == programNumber {
			if program, _ = fieldOf(plan[at:], number); program == nil {
				return nil, nil, false
			}
			rest = slices.Concat(plan[:at], plan[at+n:])
		}
		at += n
	}
	return rest, program, program != nil
}

// fieldOf returns the content of the first field of a message and what follows it; nil if the field has another number or no
// content.
func fieldOf(message []byte, number protowire.Number) (content, more []byte) {
	found, kind, n := protowire.ConsumeTag(message)
	if n < 0 || found != number || kind != protowire.BytesType {
		return nil, nil
	}
	content, length := protowire.ConsumeBytes(message[n:])
	if length < 0 {
		return nil, nil
	}
	return content, message[n+length:]
}
