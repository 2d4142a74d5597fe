package process

import (
	"bytes"
	"io"
	"log/slog"
	"strings"
	"testing"
)

func TestLongLinesAreCutAndNoneIsLost(t *testing.T) {
	long := strings.Repeat("x", 3*MaxLine)
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"lines", "a\nb\r\n\nc", []string{"a", "b", "", "c"}},
		{"nothing", "", nil},
		{"a long line", long + "\nshort\n", []string{long[:MaxLine], "short"}},
		{"a long line at the end", "short\n" + long, []string{"short", long[:MaxLine]}},
		{"a line of just the length", long[:MaxLine-1] + "\nb\n", []string{long[:MaxLine-1], "b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			eachLine(iotest{strings.NewReader(c.text)}, func(line string) { got = append(got, line) })
			if strings.Join(got, "|") != strings.Join(c.want, "|") || len(got) != len(c.want) {
				t.Errorf("got %d lines %.100q, expected %.100q", len(got), got, c.want)
			}
		})
	}
}

// iotest is a reader that returns at most 100 bytes at a time.
type iotest struct{ r io.Reader }

func (r iotest) Read(p []byte) (int, error) { return r.r.Read(p[:min(len(p), 100)]) }

type buffer struct{ bytes.Buffer }

func (b *buffer) Close() error { return nil }

func TestOnlyTheHandshakePasses(t *testing.T) {
	for text, want := range map[string]string{
		"1|1|unix|/run/x|grpc|\n":                     "1|1|unix|/run/x|grpc|\n",
		"hello\n1|1|unix|/run/x|grpc|\nmore\n":        "1|1|unix|/run/x|grpc|\n",
		"1|1|unix|/a|grpc|\n1|1|unix|/b|grpc|\n":      "1|1|unix|/a|grpc|\n",
		"a|b|c|d|e\n1|\n":                             "",
		strings.Repeat("1|", MaxLine) + "\nno more\n": "",
	} {
		var passed buffer
		relayHandshake(strings.NewReader(text), &passed, &Log{Log: slog.New(slog.DiscardHandler)})
		if passed.String() != want {
			t.Errorf("%.60q: %q passes, expected %q", text, passed.String(), want)
		}
	}
}

func TestAProcessCannotFloodTheLog(t *testing.T) {
	var out bytes.Buffer
	l := &Log{Log: slog.New(slog.NewTextHandler(&out, nil))}
	for range 3 * maxLines {
		l.line("stderr", "again")
	}
	if n := strings.Count(out.String(), "\n"); n != maxLines {
		t.Errorf("%d lines are logged", n)
	}
	if !strings.Contains(out.String(), "prints too much") || strings.Count(l.tail(), "again") != tailLines {
		t.Errorf("the tail is %q", l.tail())
	}
}
