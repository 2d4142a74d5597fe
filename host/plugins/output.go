package plugins

import (
	"bufio"
	"errors"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"sync"
)

const (
	// maxLine is how much of a line that a plugin prints is kept.
	maxLine = 4 << 10
	// maxLines is how many lines one process gets into the log.
	maxLines = 1000
	// tailLines is how many of the last lines are told when a process ends, and tailLine how many bytes of each.
	tailLines = 5
	tailLine  = 200
)

// eachLine calls use for every line of r, cut to maxLine bytes, until r ends; bytes that are no text are replaced. However long
// a line is, it is read: a pipe that nobody empties would block the process.
func eachLine(r io.Reader, use func(line string)) {
	reader := bufio.NewReaderSize(r, maxLine)
	for begins := true; ; {
		line, err := reader.ReadSlice('\n')
		if begins && len(line) > 0 {
			use(valid(strings.TrimRight(string(line), "\r\n")))
		}
		begins = !errors.Is(err, bufio.ErrBufferFull)
		if err != nil && begins {
			return
		}
	}
}

// valid is text from a process as status and errors can tell it: a message with bytes that are no text cannot be sent.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// lineLog logs what a process prints, up to a limit, and remembers the last lines.
type lineLog struct {
	log *slog.Logger

	mu    sync.Mutex
	lines int
	last  []string
}

func (l *lineLog) line(stream, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last = append(l.last, valid(text[:min(len(text), tailLine)])); len(l.last) > tailLines {
		l.last = l.last[1:]
	}
	switch l.lines++; {
	case l.lines < maxLines:
		l.log.Info("plugin output", "stream", stream, "text", text)
	case l.lines == maxLines:
		l.log.Warn("the plugin prints too much; nothing more of it is logged")
	}
}

// tail is the end of what the process printed.
func (l *lineLog) tail() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.last, " | ")
}

// writer logs what is written to it, for output that comes over the connection.
func (l *lineLog) writer(stream string) io.WriteCloser {
	r, w := io.Pipe()
	go eachLine(r, func(line string) { l.line(stream, line) })
	return w
}

// handshake is the form of the line by which a plugin says where it listens.
var handshake = regexp.MustCompile(`^\d+\|\d+\|(unix|tcp)\|[^|]+\|`)

// relayHandshake passes the handshake on and logs every other line: what a library prints at its start, or a handler later,
// does not get in the way. It closes to when from ends.
func relayHandshake(from io.Reader, to io.WriteCloser, log *lineLog) {
	found := false
	eachLine(from, func(line string) {
		if found || !handshake.MatchString(line) {
			log.line("stdout", line)
			return
		}
		found = true
		_, _ = io.WriteString(to, line+"\n")
	})
	_ = to.Close()
}
