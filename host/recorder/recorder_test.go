package recorder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
	"github.com/dragoman-project/dragoman/sdk/session"
)

const spoken = "Hm, 雨.</think>It is <b>5</b>."

// output returns an output of a program that reads reasoning up to "</think>", then content.
func output(t testing.TB) *Output {
	t.Helper()
	var b peg.Builder
	thought := b.Rule("thought", b.Seq(b.Tag(peg.Reasoning, b.Until("</think>")), b.Lit("</think>")))
	program := b.Build(b.Seq(b.Lit(">"), thought, b.Tag(peg.Content, b.Rest()), b.End()))
	req, err := chat.ParseRequest([]byte(`{"messages":[{"role":"system","content":"The code is 1234."},{"role":"user","content":"Who is ada@example.org?"}],"user":"u-7"}`))
	if err != nil {
		t.Fatal(err)
	}
	return &Output{
		Source: Template{Name: "model/tool", Hash: "h1", Source: "{{ x }}", BOSToken: "<s>"}, Request: req, Generation: 3, RulesHash: "r",
		Draft: &session.Draft{Handler: "autoparser", Prompt: "Who is ada@example.org?>", GenerationPrompt: ">",
			Plan: handler.Plan{Program: program.Sealed(), ThinkingEnds: []string{"</think>"}}},
	}
}

// settings returns the settings of a recorder that keeps everything.
func settings(t testing.TB) config.Recorder {
	c := config.Default().Recorder
	c.Dir = t.TempDir()
	return c
}

func newRecorder(t testing.TB, c config.Recorder) *Recorder {
	t.Helper()
	r, err := New(c, "v1", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// record records an output in pieces of so many bytes.
func (r *Recorder) record(t testing.TB, o *Output, text string, size int) {
	t.Helper()
	tape := r.Begin(o)
	p, err := session.New(t.Context(), o.Draft, o.Request, session.PlanOptions{ParseOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	result, err := p.Parse(t.Context(), []byte(text), false, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for piece := range slices.Chunk([]byte(text), size) {
		tape.Fed(piece, nil)
	}
	tape.End(result.Report, false)
}

// all returns the recordings of a folder, and what could not be read.
func all(t testing.TB, f *Folder) (found []*Recording, notes []string) {
	t.Helper()
	for r, err := range f.Each(t.Context(), Filter{}) {
		if err != nil {
			notes = append(notes, err.Error())
			continue
		}
		found = append(found, r)
	}
	return found, notes
}

func TestARecordingPlaysWhatWasRecorded(t *testing.T) {
	for _, secret := range []string{"", "a secret"} {
		c := settings(t)
		c.Key = secret
		r := newRecorder(t, c)
		o := output(t)
		for size := 1; size <= len(spoken); size++ {
			r.record(t, o, spoken, size)
		}
		r.Close()
		found, notes := all(t, r.Folder())
		if len(found) != len(spoken) || len(notes) > 0 {
			t.Fatalf("%d recordings, notes %q", len(found), notes)
		}
		player := NewPlayer()
		for i, one := range found {
			plan, err := player.Plan(t.Context(), one)
			if err != nil {
				t.Fatal(err)
			}
			_, result, err := Play(t.Context(), one, plan, session.Options{})
			if err != nil || result.Message.ReasoningContent != "Hm, 雨." || result.Message.Content.Join("") != "It is <b>5</b>." {
				t.Errorf("played %+v, %v", result.Message, err)
			}
			result.Report.MaxHeld = one.Report.MaxHeld // depends on the pieces
			if diff := cmp.Diff(one.Report, result.Report); diff != "" {
				t.Errorf("(-recorded +played)\n%s", diff)
			}
			if want := (len(spoken) + i) / (i + 1); one.Summary.Pieces != want || one.Source.Source != "{{ x }}" {
				t.Errorf("pieces of %d bytes: %d, want %d", i+1, one.Summary.Pieces, want)
			}
			got, err := r.Folder().Get(t.Context(), one.ID)
			if err != nil || !bytes.Equal(got.Output, []byte(spoken)) {
				t.Errorf("got %+v, %v", got, err)
			}
		}
	}
}

func TestPiecesKeepTheirSpecialTokens(t *testing.T) {
	r := newRecorder(t, settings(t))
	tape := r.Begin(output(t))
	special := [][]match.Range{nil, {}, {{Start: 0, End: 3}, {Start: 5, End: 6}}}
	for _, s := range special {
		tape.Fed([]byte("abcdef"), s)
	}
	tape.End(&chat.Report{Status: chat.Complete}, true)
	r.Close()
	found, _ := all(t, r.Folder())
	var got [][]match.Range
	at := time.Duration(0)
	for p := range found[0].Each() {
		if got = append(got, p.Special); p.At < at {
			t.Errorf("a piece came at %v, after one at %v", p.At, at)
		}
		at = p.At
	}
	if diff := cmp.Diff(special, got); diff != "" || !found[0].Limited {
		t.Errorf("limited %t (-want +got)\n%s", found[0].Limited, diff)
	}
}

func TestOnlyWhatIsChosenIsRecorded(t *testing.T) {
	complete, malformed := &chat.Report{Status: chat.Complete}, &chat.Report{Status: chat.Malformed}
	for _, test := range []struct {
		name   string
		change func(*config.Recorder)
		report *chat.Report
		want   int
	}{
		{"everything", func(*config.Recorder) {}, complete, 1},
		{"no share", func(c *config.Recorder) { c.Share = 0 }, complete, 0},
		{"no share, but always", func(c *config.Recorder) { c.Share = 0 }, malformed, 1},
		{"never", func(c *config.Recorder) { c.Share, c.Always = 0, nil }, malformed, 0},
		{"another mark", func(c *config.Recorder) { c.Share, c.Always = 0, []string{"truncated"} }, malformed, 0},
		{"a pattern", func(c *config.Recorder) { c.Templates = []string{"other", "model/*"} }, complete, 1},
		{"another template", func(c *config.Recorder) { c.Templates = []string{"model", "tool"} }, malformed, 0},
	} {
		c := settings(t)
		test.change(&c)
		r := newRecorder(t, c)
		tape := r.Begin(output(t))
		tape.Fed([]byte("x"), nil)
		tape.End(test.report, false)
		r.Begin(output(t)).Drop()
		r.Close()
		if found, _ := all(t, r.Folder()); len(found) != test.want {
			t.Errorf("%s: %d recordings, want %d", test.name, len(found), test.want)
		}
		if used := r.memory.Load(); used != 0 {
			t.Errorf("%s: %d bytes of memory are still counted", test.name, used)
		}
	}
}

func TestMarksSayWhatIsUnusual(t *testing.T) {
	report := &chat.Report{Status: chat.Trailing, MissingMarkers: []chat.MissingMarker{{}}, UnknownTools: []string{"f"}}
	if got := marksOf(report, true); !slices.Equal(got, []Mark{Malformed, MissingMarkers, UnknownTools, Unproven}) {
		t.Error(got)
	}
}

func TestWhatIsRedactedIsNotOnDisk(t *testing.T) {
	c := settings(t)
	c.RedactRoles, c.RedactMembers, c.RedactPatterns = []string{"system"}, []string{"user"}, []string{`[\w.]+@[\w.]+`}
	r := newRecorder(t, c)
	const answer = `Hm.</think>Ada is {"mail": "ada@example.org"}.`
	r.record(t, output(t), answer, 3)
	r.Close()
	found, _ := all(t, r.Folder())
	const want = `{"messages":[{"role":"system","content":"[redacted]"},{"role":"user","content":"Who is [redacted]?"}],"add_generation_prompt":true,"user":"[redacted]"}`
	if got := found[0]; string(got.Request) != want || got.PromptTail != "" || string(got.Output) != `Hm.</think>Ada is {"mail": "xxxxxxxxxxxxxxx"}.` {
		t.Errorf("recorded %s, %q, %q", got.Request, got.PromptTail, got.Output)
	}
	if _, err := found[0].ChatRequest(); err != nil {
		t.Error(err)
	}
}

func TestMaskedTextStaysWellFormed(t *testing.T) {
	c := settings(t)
	c.RedactPatterns = []string{`\d[\d ]+`, `secret.*?!`}
	d := newRecorder(t, c).rules.Load().redaction
	text := []byte(`{"n": 407 12, "s": "secret\n\"é\"!", "t": 1}`)
	if d.mask(text); string(text) != `{"n": 111 11, "s": "xxxxxx\n\"xx\"x", "t": 1}` {
		t.Errorf("%s", text)
	}
}

func TestSealedRecordingsNeedTheirKey(t *testing.T) {
	c := settings(t)
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("right\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.KeyFile = file
	r := newRecorder(t, c)
	r.record(t, output(t), spoken, 4)
	r.Close()
	for _, s := range paths(t, c.Dir) {
		if data, _ := os.ReadFile(s); bytes.Contains(data, []byte("think")) || bytes.Contains(data, []byte("ada")) {
			t.Error("the folder holds plain text")
		}
	}
	wrong, err := NewKey("wrong")
	if err != nil {
		t.Fatal(err)
	}
	for name, key := range map[string]*Key{"the recordings are sealed with another key": wrong, "the recordings are sealed": nil} {
		_, err := Open(c.Dir, key).List(t.Context(), Filter{})
		var known *fault.Error
		if !errors.As(err, &known) || known.Message != name || known.Remedy == "" {
			t.Errorf("with a wrong key: %v, want %q", err, name)
		}
	}
}

// paths returns the paths of a folder's segments.
func paths(t *testing.T, dir string) (all []string) {
	t.Helper()
	found, err := segments(dir)
	if err != nil || len(found) == 0 {
		t.Fatalf("%d segments, %v", len(found), err)
	}
	for _, s := range found {
		all = append(all, s.path)
	}
	return all
}

func TestTheOldestRecordingsMakeRoom(t *testing.T) {
	c := settings(t)
	c.Bytes = 64 << 10
	r := newRecorder(t, c)
	var last string
	for i := range 200 {
		last = fmt.Sprintf("Hm.</think>%d %s", i, strings.Repeat("all different ", 40))
		o := output(t)
		o.Source.Source = fmt.Sprint(i, strings.Repeat("abc", i))
		r.record(t, o, last, 64)
	}
	r.Close()
	size := int64(0)
	for _, path := range paths(t, c.Dir) {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	found, notes := all(t, r.Folder())
	if size > 64<<10 || len(found) < 20 || len(found) == 200 || len(notes) > 0 || string(found[len(found)-1].Output) != last {
		t.Errorf("%d recordings in %d bytes, notes %q", len(found), size, notes)
	}
	if n := r.Counts(); n[Written] != 200 {
		t.Errorf("counted %v", n)
	}
}

func TestOldRecordingsGo(t *testing.T) {
	c := settings(t)
	r := newRecorder(t, c)
	r.record(t, output(t), spoken, 4)
	r.Close()
	path := paths(t, c.Dir)[0]
	past := time.Now().Add(-c.Age - time.Hour)
	if err := os.Chtimes(path, past, past); err != nil {
		t.Fatal(err)
	}
	next := newRecorder(t, c)
	next.record(t, output(t), "Hm.</think>new", 4)
	next.Close()
	if found, _ := all(t, next.Folder()); len(found) != 1 || string(found[0].Output) != "Hm.</think>new" {
		t.Errorf("%d recordings are left", len(found))
	}
}

// full is a segment on a disk without room after so many bytes.
type full struct {
	*os.File
	room   *int
	broken bool // it cannot even be shortened
}

func (f *full) Write(p []byte) (int, error) {
	n := min(len(p), max(0, *f.room))
	*f.room -= n
	written, err := f.File.Write(p[:n])
	if err == nil && n < len(p) {
		err = errors.New("no space left on device")
	}
	return written, err
}

func (f *full) Truncate(size int64) error {
	if f.broken {
		return errors.New("input/output error")
	}
	return f.File.Truncate(size)
}

func TestAFullDiskLosesRecordingsAndNothingElse(t *testing.T) {
	for _, broken := range []bool{false, true} {
		c := settings(t)
		w, room := newWriter(c.Dir, nil), 2500
		create := w.open
		w.open = func(path string) (file, error) {
			f, err := create(path)
			if err != nil {
				return nil, err
			}
			return &full{f.(*os.File), &room, broken}, nil
		}
		var log strings.Builder
		r, err := start(c, "v1", slog.New(slog.NewTextHandler(&log, nil)), w)
		if err != nil {
			t.Fatal(err)
		}
		o := output(t)
		for range 30 {
			r.record(t, o, spoken, 4)
		}
		r.Close()
		n := r.Counts()
		if n[Written] == 0 || n[Failed] == 0 || n[Written]+n[Failed] != 30 {
			t.Errorf("counted %v", n)
		}
		found, notes := all(t, r.Folder())
		if uint64(len(found)) != n[Written] || broken == (len(notes) == 0) {
			t.Errorf("broken %t: %d recordings of %d, notes %q", broken, len(found), n[Written], notes)
		}
		if strings.Count(log.String(), "no space left") != 1 {
			t.Errorf("the log has\n%s", log.String())
		}
	}
}

func TestABusyWriterLosesRecordings(t *testing.T) {
	c := settings(t)
	w := newWriter(c.Dir, nil)
	ready, create := make(chan struct{}), w.open
	w.open = func(path string) (file, error) {
		<-ready // the disk hangs
		return create(path)
	}
	r, err := start(c, "v1", slog.New(slog.DiscardHandler), w)
	if err != nil {
		t.Fatal(err)
	}
	o, report := output(t), &chat.Report{Status: chat.Complete}
	for range queued + 10 {
		r.Begin(o).End(report, false)
	}
	close(ready)
	r.Close()
	if n := r.Counts(); n[Busy] < 9 || n[Written]+n[Busy] != queued+10 || r.memory.Load() != 0 {
		t.Errorf("counted %v, memory %d", n, r.memory.Load())
	}
}

func TestTapesAreBounded(t *testing.T) {
	r := newRecorder(t, settings(t))
	report, piece := &chat.Report{Status: chat.Complete}, make([]byte, 1<<20)
	fed := func(pieces int) *Tape {
		tape := r.Begin(output(t))
		for range pieces {
			tape.Fed(piece, nil)
		}
		return tape
	}
	fed(maxTape/len(piece)+1).End(report, false)
	if n := r.Counts(); n[TooLarge] != 1 {
		t.Errorf("counted %v", n)
	}
	var running []*Tape
	for range maxMemory/maxTape + 2 {
		running = append(running, fed(maxTape/len(piece)-1))
	}
	if used := r.memory.Load(); used > maxMemory {
		t.Errorf("%d bytes are used", used)
	}
	for _, tape := range running {
		tape.End(report, false)
	}
	r.Close()
	if n := r.Counts(); n[NoMemory] < 2 || r.memory.Load() != 0 {
		t.Errorf("counted %v, memory %d", n, r.memory.Load())
	}
}

// TestATornSegmentIsReadUpToItsLastWholeRecording cuts a segment at every byte, as a killed daemon can leave it.
func TestATornSegmentIsReadUpToItsLastWholeRecording(t *testing.T) {
	c := settings(t)
	r := newRecorder(t, c)
	o := output(t)
	for range 3 {
		r.record(t, o, spoken, 4)
	}
	r.Close()
	path := paths(t, c.Dir)[0]
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before := 0
	for n := range data {
		if err := os.WriteFile(path, data[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		found, notes := all(t, r.Folder())
		s, err := (*Key)(nil).segment("", data[:n])
		between := err == nil && s.torn == nil // recordings: nothing is torn
		if len(found) < before || len(found) > 2 || between != (len(notes) == 0) {
			t.Errorf("the first %d bytes have %d recordings, notes %q", n, len(found), notes)
		}
		listed, err := r.Folder().List(t.Context(), Filter{})
		if err != nil || len(listed.Recordings) != len(found) || len(listed.Notes) != len(notes) {
			t.Errorf("the first %d bytes: listed %+v, %v", n, listed, err)
		}
		before = len(found)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, notes := all(t, r.Folder()); len(notes) != 1 || !strings.Contains(notes[0], "wrong checksum") {
		t.Errorf("a changed byte: notes %q", notes)
	}
}

func TestListsHaveTheNewestFirstInPages(t *testing.T) {
	c := settings(t)
	c.Bytes = 32 << 10 // several segments
	r := newRecorder(t, c)
	for range 30 {
		r.record(t, output(t), spoken, 4)
	}
	r.Close()
	whole, err := r.Folder().List(t.Context(), Filter{})
	if err != nil {
		t.Fatal(err)
	}
	var paged []Summary
	for f := (Filter{Limit: 7}); ; f.Before = paged[len(paged)-1].ID {
		page, err := r.Folder().List(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		if paged = append(paged, page.Recordings...); !page.More {
			break
		}
	}
	if diff := cmp.Diff(whole.Recordings, paged); diff != "" || len(paged) != 30 {
		t.Errorf("%d recordings (-whole +paged)\n%s", len(paged), diff)
	}
	if !slices.IsSortedFunc(paged, func(a, b Summary) int { return b.At.Compare(a.At) }) {
		t.Error("they are not sorted")
	}
	for name, f := range map[string]Filter{"template": {Template: "other*"}, "mark": {Marks: []Mark{Unproven}}, "time": {Since: time.Now()}} {
		if none, err := r.Folder().List(t.Context(), f); err != nil || len(none.Recordings) > 0 {
			t.Errorf("%s: %d recordings, %v", name, len(none.Recordings), err)
		}
	}
}

func TestUnknownIdsAreNotFound(t *testing.T) {
	r := newRecorder(t, settings(t))
	for id, want := range map[string]fault.Code{"": fault.InvalidArgument, "../x-1": fault.InvalidArgument, "0123456789abcde-5": fault.NotFound} {
		if _, err := r.Folder().Get(t.Context(), id); fault.CodeOf(err) != want {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestADocumentIsARecording(t *testing.T) {
	c := settings(t)
	c.Key = "k"
	r := newRecorder(t, c)
	r.record(t, output(t), spoken, 4)
	r.Close()
	found, _ := all(t, r.Folder())
	data, err := found[0].Document()
	if err != nil {
		t.Fatal(err)
	}
	again, err := ReadDocument(data)
	if diff := cmp.Diff(found[0], again, cmp.AllowUnexported(Recording{}, details{})); diff != "" || err != nil {
		t.Errorf("%v (-recorded +read)\n%s", err, diff)
	}
}

func TestEveryByteIsExplained(t *testing.T) {
	r := newRecorder(t, settings(t))
	r.record(t, output(t), spoken, 4)
	r.Close()
	found, _ := all(t, r.Folder())
	plan, err := NewPlayer().Plan(t.Context(), found[0])
	if err != nil {
		t.Fatal(err)
	}
	e, err := Explain(t.Context(), found[0], plan)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range e.Claims {
		got = append(got, fmt.Sprintf("%s %q by %q", c.Region, c.Text, c.Rule))
	}
	want := []string{
		`prompt ">" by "program"`, `reasoning "Hm, 雨." by "thought"`, `marker "</think>" by "thought"`, `content "It is <b>5</b>." by "program"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestWatchersGetWhatIsWritten(t *testing.T) {
	r := newRecorder(t, settings(t))
	ctx, cancel := context.WithCancel(t.Context())
	seen, others := r.Watch(ctx, Filter{Template: "model/*"}), r.Watch(ctx, Filter{Template: "other"})
	r.record(t, output(t), spoken, 4)
	if one := <-seen; one.Template != "model/tool" || one.ID == "" {
		t.Errorf("saw %+v", one)
	}
	cancel()
	r.Close()
	if len(others) > 0 {
		t.Error("a filter lets everything through")
	}
}

// FuzzSegment reads foreign bytes as a segment.
func FuzzSegment(f *testing.F) {
	r := newRecorder(f, settings(f))
	r.record(f, output(f), spoken, 4)
	r.Close()
	found, _ := all(f, r.Folder())
	data, err := found[0].Document()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(magic + openKey + "\n"))
	body, err := found[0].encode(1, 2)
	if err != nil {
		f.Fatal(err)
	}
	f.Add((*Key)(nil).appendFrame([]byte(magic+openKey+"\n"), 0, recordingFrame, body))
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, err := (*Key)(nil).segment("x", data); err == nil {
			for at := range s.frames {
				if one, err := s.recording(at, func(*Summary) bool { return true }); err == nil && !one.whole() {
					t.Error("a recording whose pieces are not its output")
				}
			}
		}
		if one, _, _, err := decode(data); err == nil {
			for range one.Each() {
			}
		}
	})
}
