package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkRecordedStreams streams outputs through two daemons in processes of their own, one of which records everything, in turn,
// and compares their processor time.
func BenchmarkRecordedStreams(b *testing.B) {
	const streams, pieces = 40, 300
	var daemons [2]*process
	for i := range daemons {
		dir := b.TempDir()
		var flags []string
		if i == 1 {
			flags = []string{"--recorder-dir", filepath.Join(dir, "recordings")}
		}
		daemons[i] = restarting(b, dir, append(flags, "--log-access", "none")...)
		daemons[i].stream(b, pieces) // what is learned is kept
	}
	var used [2]time.Duration
	for b.Loop() {
		for i, p := range daemons {
			before := p.processorTime(b)
			for range streams {
				p.stream(b, pieces)
			}
			used[i] += p.processorTime(b) - before
		}
	}
	b.ReportMetric(100*(used[1].Seconds()/used[0].Seconds()-1), "%more")
	b.ReportMetric(float64(used[0].Nanoseconds())/float64(b.N*streams*pieces), "ns/piece")
	for _, p := range daemons {
		p.end(b, syscall.SIGTERM)
	}
}

// stream sends an output in pieces, each when the answer to the one before has come.
func (p *process) stream(b *testing.B, pieces int) {
	b.Helper()
	in, out := io.Pipe()
	req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, "http://daemon/v1/parse/stream", in)
	must(b, err)
	go func() {
		_, _ = fmt.Fprintf(out, `{"start": {"template": "chatml-json", "request": %s}}`+"\n"+`{"text": "w "}`+"\n", toolRequest)
	}() // the client reports it
	res, err := p.client.Do(req)
	must(b, err)
	defer res.Body.Close()
	answers := bufio.NewReader(res.Body)
	for i := range pieces {
		if _, err := answers.ReadSlice('\n'); err != nil {
			b.Fatal(err)
		}
		_, err := fmt.Fprintf(out, `{"text": "w%d "}`+"\n", i)
		must(b, err)
	}
	must(b, out.Close())
	_, err = io.Copy(io.Discard, answers)
	must(b, err)
}

// processorTime returns the processor time of the daemon so far.
func (p *process) processorTime(b *testing.B) time.Duration {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	must(b, err)
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	const user, kernel, tick = 11, 12, time.Second / 100 // behind the name of the command; see proc(5)
	var ticks int
	for _, i := range []int{user, kernel} {
		n, err := strconv.Atoi(fields[i])
		must(b, err)
		ticks += n
	}
	return time.Duration(ticks) * tick
}
