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

// Encoder turns answers into messages. Programs are most of an answer, and most requests of a client have the tools of the one
// before, so it keeps the bytes of the programs that were sent last. Many may use it at once. The zero value is ready.
type Encoder struct {
	programs cache.Cache[peg.Digest, []byte] // each a field of a Plan, its number and length included
}

// Answer turns what Handler.Plan returned into a message. The error is one that is no answer: the handler failed.
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

// encodeRequestError turns an error that blames the request into a message. Any other is returned: the handler failed.
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

// program is the field of a Plan that holds a program.
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

// Decoder turns messages into answers. It keeps the programs that were decoded last, by their bytes: equal bytes are equal
// programs, whichever process sent them and whatever it was asked. Callers share such a program, and must not change it. Many
// may use a decoder at once. The zero value is ready.
type Decoder struct {
	programs cache.Cache[cache.Key, *peg.Program]
}

// Answer turns the bytes of a PlanResponse into what Handler.Plan returns. The error is a *handler.Declined, a
// *fault.Error of code InvalidArgument, or Broken.
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

// program is a program of these bytes, sealed.
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

// unmarshal reads a message.
func unmarshal(path string, data []byte, to proto.Message) error {
	if err := proto.Unmarshal(data, to); err != nil {
		return Broken(path, "cannot be read: %v", err)
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
	return nil, Broken("result", "is missing or unknown to this version of the host")
}

// The numbers of the fields on the way to a program.
var (
	planNumber    = (*pb.PlanResponse)(nil).ProtoReflect().Descriptor().Fields().ByName("plan").Number()
	programNumber = (*pb.Plan)(nil).ProtoReflect().Descriptor().Fields().ByName("program").Number()
	streamNumber  = (*pb.Plan)(nil).ProtoReflect().Descriptor().Fields().ByName("stream").Number()
)

// cutProgram takes the program out of the bytes of an answer that is a plan, and nothing else, with one program: the rest is
// that of the plan. Of other answers it says no; they can be valid, too.
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

// fieldOf is the content of the field at the beginning of a message, and what follows the field; nil: it is another field, or not
// one with a content.
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
