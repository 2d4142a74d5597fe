package chaos

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// folder is the path of what the host reads: rules.yaml, templates/ and plugins/.
type folder string

func (f folder) rules() string     { return filepath.Join(string(f), "rules.yaml") }
func (f folder) templates() string { return filepath.Join(string(f), "templates") }
func (f folder) plugins() string   { return filepath.Join(string(f), "plugins") }

// file is a file in the folder, with its valid and invalid contents.
type file struct {
	path string
	mode os.FileMode
	good func(version int) []byte
	bad  [][]byte
	// vital reports whether a plugin is unloaded without the file.
	vital bool
}

// files returns all files of the folder.
func (f folder) files(t *testing.T) []file {
	t.Helper()
	all := []file{{path: f.rules(), mode: 0o644, good: rules, bad: [][]byte{[]byte("version: ["), {}, []byte("version: 1\nworkarounds: [{nmae: x}]\n")}}}
	for name, source := range sources {
		all = append(all, file{
			path: filepath.Join(f.templates(), name+".jinja"), mode: 0o644,
			good: func(version int) []byte { return fmt.Appendf(nil, "{# version %d #}%s", version, source) },
			bad:  [][]byte{[]byte("{% for %}"), {}, []byte(source[:len(source)-9])},
		})
	}
	for name, manifest := range map[string]string{"functionary": "../../plugins/functionary/functionary.yaml", "frames": "testdata/frames/frames.yaml"} {
		said, err := os.ReadFile(manifest)
		must(t, err)
		binary, err := os.ReadFile(filepath.Join(built, name))
		must(t, err)
		all = append(all, file{
			path: filepath.Join(f.plugins(), name+".yaml"), mode: 0o644, vital: true,
			good: func(version int) []byte {
				return fmt.Appendf(nil, "%s\noptions: {version: %d}\n", bytes.TrimSpace(said), version)
			},
			bad: [][]byte{[]byte("name: ["), {}, bytes.Replace(said, []byte("1.0.0"), []byte("9.9.9"), 1), append(said[:len(said):len(said)], "\nsha256: 00\n"...)},
		}, file{
			path: filepath.Join(f.plugins(), name), mode: 0o755, vital: true,
			good: func(version int) []byte { return fmt.Appendf(binary[:len(binary):len(binary)], "version %d", version) },
			bad:  [][]byte{binary[:len(binary)/2], []byte("no program"), {}, []byte("#!/bin/sh\nexit 3\n"), []byte("#!/bin/sh\necho '1|9|unix|/tmp/x|grpc|'\n")},
		})
	}
	return all
}

// sources maps the names of templates for plugins to their sources.
var sources = map[string]string{
	"recipients": `{# answers to >>>all, calls to >>>${recipient} #}{% for m in messages %}<|start_header_id|>{{ m.role }}<|end_header_id|>

{{ m.content }}<|eot_id|>{% endfor %}{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>

>>>{% endif %}`,
	"frames": `{# frames #}{% for m in messages %}{{ m.role }}: {{ m.content }}
{% endfor %}{% if add_generation_prompt %}assistant: {% endif %}`,
}

// rules returns a file of rules whose reasoning markers alternate with the version.
func rules(version int) []byte {
	marker := []string{"one", "two"}[version%2]
	return fmt.Appendf(nil, `version: 1
workarounds:
  - name: reasoning-%d
    because: the test says so
    when: name == "chatml-json"
    set:
      reasoning: {mode: tag_based, start: "<%s>", end: "</%s>"}
`, version, marker, marker)
}

// newFolder creates a folder of valid files.
func newFolder(t *testing.T) folder {
	t.Helper()
	f := folder(t.TempDir())
	must(t, os.Mkdir(f.templates(), 0o755))
	must(t, os.Mkdir(f.plugins(), 0o755))
	for _, file := range f.files(t) {
		must(t, os.WriteFile(file.path, file.good(0), file.mode))
	}
	return f
}

// write replaces the content of the file in a randomly chosen style.
func (f file) write(random *rand.Rand, content []byte) error {
	switch random.IntN(3) {
	case 0: // as editors and package managers do
		next := filepath.Join(filepath.Dir(f.path), "."+filepath.Base(f.path)+".new")
		if err := os.WriteFile(next, content, f.mode); err != nil {
			return err
		}
		return os.Rename(next, f.path)
	case 1: // as cp does
		return os.WriteFile(f.path, content, f.mode)
	default: // in pieces
		return f.writePieces(random, content)
	}
}

func (f file) writePieces(random *rand.Rand, content []byte) error {
	out, err := os.OpenFile(f.path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, f.mode)
	if err != nil {
		return err
	}
	defer out.Close()
	for rest := content; len(rest) > 0; {
		n := min(len(rest), 1+random.IntN(1+len(content)/3))
		if _, err := out.Write(rest[:n]); err != nil {
			return err
		}
		rest = rest[n:]
		nap(random, 10)
	}
	return nil
}
