package api

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/host/recorder"
)

// linesBody is a request body that comes line by line, as an engine writes pieces.
type linesBody struct{ left []string }

// Read returns a line.
func (b *linesBody) Read(p []byte) (int, error) {
	if len(b.left) == 0 {
		return 0, io.EOF
	}
	n := copy(p, b.left[0])
	if b.left[0] = b.left[0][n:]; b.left[0] == "" {
		b.left = b.left[1:]
	}
	return n, nil
}

// unsent is an answer that goes nowhere.
type unsent struct{ *httptest.ResponseRecorder }

// Write implements io.Writer.
func (u unsent) Write(p []byte) (int, error) { return len(p), nil }

// processorTime returns the processor time of this process so far, the kernel's included.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// BenchmarkRecorder streams outputs through a daemon with a recorder that keeps everything, and through one without, in turn, and
// compares the processor time of the whole process, in which there is no network: what is measured is what the daemon does, and the
// writing of recordings.
func BenchmarkRecorder(b *testing.B) {
	for _, pieces := range []int{300, 3000} {
		b.Run(fmt.Sprintf("pieces=%d", pieces), func(b *testing.B) {
			lines := []string{startLine + "\n"}
			for i := range pieces {
				lines = append(lines, line(fmt.Sprintf("w%d ", i%1000))+"\n")
			}
			var servers [2]*Server
			var hosts [2]*host.Host
			for i := range servers {
				cfg := config.Default()
				if i == 1 {
					cfg.Recorder.Dir = b.TempDir()
				}
				h, err := host.New(b.Context(), host.Options{Config: cfg, Logger: slog.New(slog.DiscardHandler)})
				if err != nil {
					b.Fatal(err)
				}
				defer h.Close(b.Context())
				hosts[i], servers[i] = h, New(h, Options{})
			}
			var used [2]time.Duration
			run := func(i int) {
				const streams = 20
				runtime.GC()
				before, written := processorTime(b), hosts[1].Recordings()[recorder.Written]
				for range streams {
					r := httptest.NewRequest(http.MethodPost, "http://localhost"+linesPath, &linesBody{append([]string(nil), lines...)}).WithContext(b.Context())
					r.Header.Set("Content-Type", linesType)
					w := unsent{httptest.NewRecorder()}
					servers[i].ServeHTTP(w, r)
					if w.Code != http.StatusOK {
						b.Fatal(w.Code, strings.TrimSpace(w.Body.String()))
					}
				}
				for i == 1 && hosts[1].Recordings()[recorder.Written] < written+streams {
					time.Sleep(100 * time.Microsecond)
				}
				used[i] += processorTime(b) - before
			}
			run(0)
			run(1)
			used = [2]time.Duration{}
			for b.Loop() {
				run(0)
				run(1)
			}
			b.ReportMetric(100*(used[1].Seconds()/used[0].Seconds()-1), "%more")
			b.ReportMetric(float64(used[0].Nanoseconds())/float64(20*b.N*pieces), "ns/piece")
		})
	}
}
