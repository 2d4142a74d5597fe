package jinja_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"testing"
)

// python is a process that renders with Python's Jinja2.
type python struct {
	in  io.WriteCloser
	out *bufio.Reader
}

// answer is the result of a rendering in Python.
type answer struct {
	Output  *string
	Class   string
	Message string
}

// startPython starts an interpreter with Jinja2. Without one, the test is skipped, or fails if CI=true.
func startPython(t *testing.T) *python {
	t.Helper()
	for _, interpreter := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(interpreter, "-c", "import jinja2.sandbox").Run() != nil {
			continue
		}
		cmd := exec.Command(interpreter, "testdata/jinja2_server.py")
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = in.Close()
			_ = cmd.Wait()
		})
		return &python{in, bufio.NewReaderSize(out, 1<<20)}
	}
	const message = "no python3 has Jinja2: install the Debian package python3-jinja2 to compare with it"
	if os.Getenv("CI") == "true" {
		t.Fatal(message)
	}
	t.Skip(message)
	return nil
}

// render renders in Python.
func (p *python) render(t *testing.T, template string, vars json.RawMessage) answer {
	t.Helper()
	request, err := json.Marshal(map[string]any{"template": template, "vars": vars})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.in.Write(append(request, '\n')); err != nil {
		t.Fatal(err)
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		t.Fatal(err)
	}
	return a
}
