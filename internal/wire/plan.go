package wire

import (
	"errors"
	"strings"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/peg"
	pb "github.com/dragoman-project/dragoman/sdk/proto/dragoman/plugin/v1"
)

// EncodeInput converts the input of the handler called name to a message.
func EncodeInput(name string, in handler.Input) (*pb.PlanRequest, error) {
	request, err := in.Request.MarshalJSON()
	if err != nil {
		return nil, err
	}
	m := &pb.PlanRequest{
		Handler: name,
		Template: &pb.Template{
			Name: valid(in.Template.Name), Source: valid(in.Template.Source),
			BosToken: valid(in.Template.BOSToken), EosToken: valid(in.Template.EOSToken),
		},
		Request: request,
	}
	if now := in.Request.Now; !now.IsZero() {
		m.Now = timestamppb.New(now)
	}
	return m, nil
}

// DecodeInput converts a message to the input of a handler.
func DecodeInput(m *pb.PlanRequest) (handler.Input, error) {
	request, err := chat.ParseRequest(m.GetRequest())
	if err != nil {
		return handler.Input{}, err
	}
	if m.GetNow() != nil {
		request.Now = m.GetNow().AsTime()
	}
	t := m.GetTemplate()
	return handler.Input{Request: request, Template: handler.Template{
		Name: t.GetName(), Source: t.GetSource(), BOSToken: t.GetBosToken(), EOSToken: t.GetEosToken(),
	}}, nil
}

// plan converts a handler's plan to a message.
func (e *Encoder) plan(p *handler.Plan) (*pb.Plan, error) {
	mode, ok := modes.encode(p.Grammar)
	if !ok {
		return nil, Broken("plan.grammar", "unknown mode %d", p.Grammar)
	}
	m := &pb.Plan{
		Prefill: valid(p.Prefill), Grammar: mode, PreservedTokens: p.PreservedTokens, Stops: p.Stops, Notes: validAll(p.Notes),
	}
	if p.Ending != (handler.Ending{}) {
		m.Ending = &pb.Ending{Old: p.Ending.Old, New: p.Ending.New}
	}
	if p.SupportsThinking {
		m.Thinking = &pb.Thinking{Start: p.ThinkingStart, Ends: p.ThinkingEnds}
	}
	for _, d := range p.Delimiters {
		m.Delimiters = append(m.Delimiters, &pb.Delimiter{Role: d.Role, Delimiter: d.Delimiter})
	}
	return m, errors.Join(encodeRequest(m, p), e.parser(m, p), encodeTriggers(m, p))
}

func encodeRequest(m *pb.Plan, p *handler.Plan) (err error) {
	if p.Request != nil {
		m.Request, err = p.Request.MarshalJSON()
	}
	return err
}

func (e *Encoder) parser(m *pb.Plan, p *handler.Plan) error {
	switch {
	case p.Program != nil && p.Stream != nil:
		return Broken("plan.parser", "both a program and a stream")
	case p.Stream != nil:
		m.Parser = &pb.Plan_Stream{Stream: &pb.StreamPlan{Token: p.Stream.Token}}
	case p.Program != nil:
		field, err := e.program(p.Program)
		if err != nil {
			return err
		}
		m.ProtoReflect().SetUnknown(field) // written unchanged
	default:
		return Broken("plan.parser", "neither a program nor a stream")
	}
	return nil
}

func encodeTriggers(m *pb.Plan, p *handler.Plan) error {
	for _, t := range p.Triggers {
		switch t.Type {
		case grammar.TriggerWord:
			m.Triggers = append(m.Triggers, &pb.GrammarTrigger{Trigger: &pb.GrammarTrigger_Word{Word: t.Value}})
		case grammar.TriggerPattern:
			m.Triggers = append(m.Triggers, &pb.GrammarTrigger{Trigger: &pb.GrammarTrigger_Pattern{Pattern: t.Value}})
		case grammar.TriggerFull:
			m.Triggers = append(m.Triggers, &pb.GrammarTrigger{Trigger: &pb.GrammarTrigger_FullPattern{FullPattern: t.Value}})
		default:
			return Broken("plan.triggers", "unknown type %q", t.Type)
		}
	}
	return nil
}

// decodePlan converts a message to a plan, whose program may be decoded already. The error is Broken.
func decodePlan(m *pb.Plan, program *peg.Program) (*handler.Plan, error) {
	mode, ok := modes.decode(m.GetGrammar())
	if !ok {
		return nil, Broken("plan.grammar", "unknown value %v", m.GetGrammar())
	}
	p := &handler.Plan{
		Program: program, Prefill: m.GetPrefill(), Ending: handler.Ending{Old: m.GetEnding().GetOld(), New: m.GetEnding().GetNew()}, Grammar: mode,
		PreservedTokens: m.GetPreservedTokens(), Stops: m.GetStops(), Notes: m.GetNotes(),
		SupportsThinking: m.GetThinking() != nil, ThinkingStart: m.GetThinking().GetStart(), ThinkingEnds: m.GetThinking().GetEnds(),
	}
	for _, d := range m.GetDelimiters() {
		p.Delimiters = append(p.Delimiters, handler.Delimiter{Role: d.GetRole(), Delimiter: d.GetDelimiter()})
	}
	for _, decode := range []func(*handler.Plan, *pb.Plan) error{decodeRequest, decodeParser, decodeTriggers} {
		if err := decode(p, m); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func decodeRequest(p *handler.Plan, m *pb.Plan) error {
	if len(m.GetRequest()) == 0 {
		return nil
	}
	request, err := chat.ParseRequest(m.Request)
	if err != nil {
		return Broken("plan.request", "%v", err)
	}
	p.Request = request
	return nil
}

func decodeParser(p *handler.Plan, m *pb.Plan) (err error) {
	switch parser := m.GetParser().(type) {
	case *pb.Plan_Program:
		if p.Program, err = DecodeProgram(parser.Program); err != nil {
			return err
		}
	case *pb.Plan_Stream:
		if n := len(parser.Stream.GetToken()); n > handler.MaxToken {
			return Broken("plan.stream.token", "%d bytes, at most %d are allowed", n, handler.MaxToken)
		}
		p.Stream = &handler.StreamPlan{Token: parser.Stream.GetToken()}
	default:
		if p.Program == nil {
			return Broken("plan.parser", "missing, or unknown to this version of the host")
		}
	}
	return nil
}

func decodeTriggers(p *handler.Plan, m *pb.Plan) error {
	for _, t := range m.GetTriggers() {
		switch value := t.GetTrigger().(type) {
		case *pb.GrammarTrigger_Word:
			p.Triggers = append(p.Triggers, grammar.Trigger{Type: grammar.TriggerWord, Value: value.Word})
		case *pb.GrammarTrigger_Pattern:
			p.Triggers = append(p.Triggers, grammar.Trigger{Type: grammar.TriggerPattern, Value: value.Pattern})
		case *pb.GrammarTrigger_FullPattern:
			p.Triggers = append(p.Triggers, grammar.Trigger{Type: grammar.TriggerFull, Value: value.FullPattern})
		default:
			return Broken("plan.triggers", "a trigger is missing, or unknown to this version of the host")
		}
	}
	return nil
}

// validAll applies valid to each of texts.
func validAll(texts []string) (all []string) {
	for _, text := range texts {
		all = append(all, valid(text))
	}
	return all
}

// valid returns text with invalid UTF-8 replaced, as messages require.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
