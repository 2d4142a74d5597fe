package process

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
	// MaxLine is how much is kept of a line that a plugin prints.
	MaxLine = 4 << 10
	// maxLines is how many lines of one process are logged.
	maxLines = 1000
	// tailLines is how many of the last lines are reported when a process ends, and tailLine how many bytes of each.
	tailLines = 5
	tailLine  = 200
)

// eachLine calls use for every line of r, cut to maxLine bytes and made valid UTF-8, until r ends. Lines of any length are
// read to their end: a pipe that is not emptied would block the process.
func eachLine(r io.Reader, use func(line string)) {
	reader := bufio.NewReaderSize(r, MaxLine)
	for begins := true; ; {
		line, err := reader.ReadSlice('\n')
		if begins && len(line) > 0 {
			use(ValidText(strings.TrimRight(string(line), "\r\n")))
		}
		begins = !errors.Is(err, bufio.ErrBufferFull)
		if err != nil && begins {
			return
		}
	}
}

// ValidText returns text from a process as valid UTF-8, without which a message that contains it could not be sent.
func ValidText(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// Log logs what a process prints, up to a limit, and keeps the last lines.
type Log struct {
	Log *slog.Logger

	mu    sync.Mutex
	lines int
	last  []string
}

func (l *Log) line(stream, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last = append(l.last, ValidText(text[:min(len(text), tailLine)])); len(l.last) > tailLines {
		l.last = l.last[1:]
	}
	switch l.lines++; {
	case l.lines < maxLines:
		l.Log.Info("plugin output", "stream", stream, "text", text)
	case l.lines == maxLines:
		l.Log.Warn("the plugin prints too much; the rest is not logged")
	}
}

// tail returns the last lines that the process printed.
func (l *Log) tail() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.last, " | ")
}

// Writer returns a writer that logs what is written to it, for output that arrives over the connection.
func (l *Log) Writer(stream string) io.WriteCloser {
	r, w := io.Pipe()
	go eachLine(r, func(line string) { l.line(stream, line) })
	return w
}

// handshake matches the line by which a plugin says where it listens.
var handshake = regexp.MustCompile(`^\d+\|\d+\|(unix|tcp)\|[^|]+\|`)

// relayHandshake passes the handshake on and logs every other line, so that what a library prints at its start does not get
// in the way. It closes to when from ends.
func relayHandshake(from io.Reader, to io.WriteCloser, log *Log) {
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
