package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// format is an output format with its template.
type format struct {
	template string
	write    func(answer) string
	// ruled reports whether rules determine how an output is parsed, so that only sessions of the
	// same plan must agree.
	ruled bool
}

// answer is the intended message of a model.
type answer struct {
	reasoning, content string
	calls              []call
}

type call struct{ name, arguments string }

var formats = []format{
	{template: "chatml-reasoning", write: func(a answer) string {
		out := a.reasoning + "\n</think>\n\n" + a.content
		for _, c := range a.calls {
			out += "\n<tool_call>\n{\"name\": \"" + c.name + "\", \"arguments\": " + c.arguments + "}\n</tool_call>"
		}
		return out
	}},
	{template: "chatml-json", ruled: true, write: func(a answer) string {
		return "<one>" + a.reasoning + "</one><two>" + a.reasoning + "</two>" + a.content
	}},
	{template: "recipients", write: func(a answer) string {
		out := "all\n" + a.content
		for _, c := range a.calls {
			out += ">>>" + c.name + "\n" + c.arguments
		}
		return out + "<|eot_id|>"
	}},
	{template: "frames", write: func(a answer) string {
		frame := func(kind, text string) string { return fmt.Sprintf("%s%d:%s,", kind, len(text), text) }
		out := frame("r", a.reasoning) + frame("c", a.content)
		for _, c := range a.calls {
			out += frame("n", c.name) + frame("a", c.arguments) + frame("e", "")
		}
		return out
	}},
}

// talk is an output in a format, with its expected message.
type talk struct {
	format
	output string
	want   string // the parsed message, as JSON
}

// talksOfFormat is the number of outputs in each format.
const talksOfFormat = 25

// prepare generates outputs and parses each in one piece, before the trouble begins.
func prepare(t *testing.T, h *host.Host) (all []talk) {
	t.Helper()
	random := rand.New(rand.NewPCG(*seed, 3<<32))
	for _, f := range formats {
		p, err := h.Plan(t.Context(), f.template, request(t))
		must(t, err)
		for range talksOfFormat {
			a := randomAnswer(random)
			one := talk{format: f, output: f.write(a)}
			one.want = whole(t, p, one.output)
			for _, text := range []string{a.content, a.calls[0].name} {
				if quoted, _ := json.Marshal(text); !f.ruled && !strings.Contains(one.want, strings.Trim(string(quoted), `"`)) {
					t.Fatalf("%s: %q became %s, which has no %s", f.template, one.output, one.want, quoted)
				}
			}
			all = append(all, one)
		}
	}
	return all
}

const tools = `[{"type": "function", "function": {"name": "get_weather", "parameters":
	{"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}}}]`

func request(t *testing.T) *chat.Request {
	t.Helper()
	r, err := chat.ParseRequest([]byte(`{"messages": [{"role": "user", "content": "Weather?"}], "tools": ` + tools + `}`))
	must(t, err)
	return r
}

var vocabulary = []string{"rain ", "Østfold ", "и ещё ", "雨 ", "a < b ", "{}", "\n\n", "☂️ ", "\"quoted\" ", "1,024 ", "– ", "so: "}

func words(random *rand.Rand, n int) string {
	var b strings.Builder
	for range 1 + random.IntN(n) {
		b.WriteString(vocabulary[random.IntN(len(vocabulary))])
	}
	return "x" + b.String() + "y" // formats may trim white space at the ends
}

func randomAnswer(random *rand.Rand) answer {
	a := answer{reasoning: words(random, 100), content: words(random, 200)}
	for range 1 + random.IntN(3) {
		city, _ := json.Marshal(words(random, 40))
		a.calls = append(a.calls, call{"get_weather", fmt.Sprintf(`{"city": %s, "days": %d}`, city, random.IntN(1000))})
	}
	return a
}

// whole parses an output in one piece and returns the message as JSON.
func whole(t *testing.T, p *host.Planned, output string) string {
	t.Helper()
	s := p.Session(t.Context(), session.Options{NoIDs: true})
	_, err := s.Feed([]byte(output))
	must(t, err)
	r, err := s.Finish(false)
	must(t, err)
	return text(r.Message)
}

func text(m chat.Message) string {
	data, err := json.Marshal(m)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// speaker runs one session after the other.
type speaker struct {
	t      *testing.T
	host   *host.Host
	talks  []talk
	count  *tally
	random *rand.Rand
	calm   bool // whether every refusal is a failure
}

// talk runs sessions until over ends, and finishes the last one.
func (s *speaker) talk(over context.Context) {
	for over.Err() == nil {
		if !s.say(s.t.Context(), s.talks[s.random.IntN(len(s.talks))]) {
			time.Sleep(time.Duration(s.random.IntN(100)) * time.Millisecond)
		}
	}
}

// say runs one session and reports whether it began.
func (s *speaker) say(ctx context.Context, one talk) bool {
	p, err := s.host.Plan(ctx, one.template, request(s.t))
	if err != nil {
		if s.count.refused.Add(1); s.calm || fault.CodeOf(err) != fault.Unavailable {
			s.count.lost.Add(1)
			s.t.Errorf("%s: no plan: %v", one.template, err)
		}
		return false
	}
	if one.ruled {
		one.want = whole(s.t, p, one.output)
	}
	got, err := s.listen(ctx, p, one.output)
	if errors.Is(err, errNotBegun) && !s.calm {
		s.count.refused.Add(1)
		return false
	}
	s.count.sessions.Add(1)
	s.count.bytes.Add(int64(len(one.output)))
	if err != nil {
		s.count.lost.Add(1)
		s.t.Errorf("%s: the session failed: %v", one.template, err)
	} else if got != one.want {
		s.count.wrong.Add(1)
		s.t.Errorf("%s: the output %q became\n%s\nwant\n%s", one.template, one.output, got, one.want)
	}
	return true
}

// errNotBegun means that a plugin became unavailable between its plan and the first chunk.
var errNotBegun = errors.New("the session does not begin")

// listen parses an output chunk by chunk and returns the message that its deltas add up to.
func (s *speaker) listen(ctx context.Context, p *host.Planned, output string) (string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	session := p.Session(ctx, session.Options{NoIDs: true})
	var sum sum
	for rest := output; rest != ""; {
		n := min(len(rest), 1+s.random.IntN(1+len(output)/10))
		deltas, err := session.Feed([]byte(rest[:n]))
		sum.add(deltas)
		if rest == output && fault.CodeOf(err) == fault.Unavailable {
			return "", errNotBegun
		}
		if err != nil {
			return "", err
		}
		rest = rest[n:]
		if !s.calm {
			time.Sleep(time.Duration(s.random.IntN(100)) * time.Millisecond)
		}
	}
	r, err := session.Finish(false)
	if err != nil {
		return "", err
	}
	sum.add(r.Deltas)
	if message := text(r.Message); message != text(sum.message()) {
		return "", fmt.Errorf("its deltas add up to %s, its message is %s", text(sum.message()), message)
	}
	return text(sum.message()), nil
}

// sum accumulates deltas as a client does.
type sum struct {
	reasoning, content string
	calls              []chat.Call
}

func (s *sum) add(deltas []chat.Delta) {
	for _, d := range deltas {
		s.reasoning += d.ReasoningContent
		s.content += d.Content
		for _, c := range d.ToolCalls {
			for len(s.calls) <= c.Index {
				s.calls = append(s.calls, chat.Call{})
			}
			s.calls[c.Index].Name += c.Name
			s.calls[c.Index].Arguments += c.Arguments
		}
	}
}

func (s *sum) message() chat.Message {
	m := chat.Message{Role: chat.RoleAssistant, ReasoningContent: s.reasoning, ToolCalls: s.calls}
	if s.content != "" {
		m.Content = chat.TextContent(s.content)
	}
	return m
}
