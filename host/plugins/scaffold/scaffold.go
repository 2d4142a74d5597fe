// Package scaffold generates the beginnings of a plugin: a Go module with a handler for a small format, its manifest, its golden
// cases, a test and a Makefile. The result builds and conforms; the author turns one file, main.go, step by step into a handler
// for another format, and the cases with it.
//
// The files are in the folder files, as templates of text/template with the delimiters << and >>, because the format of the
// example has brackets and braces.
package scaffold

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

//go:embed files
var files embed.FS

// Options are the choices of an author.
type Options struct {
	// Name of the plugin and of its handler: lower-case letters, digits and "-".
	Name string
	// Dir is the folder to write to; it is created. Empty: one with the name of the plugin, in the current folder.
	Dir string
	// Module is the path of the Go module. Empty: example.com/ followed by the name.
	Module string
	// SDK is a checkout of Dragoman to build with. Empty: go.mod requires the published module, and `go mod tidy` completes it.
	SDK string
	// Version is the version of the published module. Empty: v0.0.0, which exists only in a checkout.
	Version string
}

// Requires returns the modules that the checkout requires. Plain `go build` wants all of them in go.mod.
func (o *Options) Requires() (all []module.Version, err error) {
	path := filepath.Join(o.SDK, "go.mod")
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	file, err := modfile.ParseLax(path, data, nil)
	if err != nil {
		return nil, err
	}
	for _, r := range file.Require {
		all = append(all, r.Mod)
	}
	return all, nil
}

// renamed maps the names in the folder files to others.
var renamed = map[string]string{"manifest.yaml": "<<.Name>>.yaml", "gitignore": ".gitignore"}

var validName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

// Write writes a plugin and returns the paths of its files. It overwrites nothing.
func Write(o Options) ([]string, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	texts, err := o.texts()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, err
	}
	if there, err := os.ReadDir(o.Dir); err != nil || len(there) > 0 {
		return nil, errors.Join(err, fmt.Errorf("%s: the folder is not empty; choose another with --dir", o.Dir))
	}
	var written []string
	for _, t := range texts {
		name := filepath.Join(o.Dir, t.name)
		if err := os.WriteFile(name, t.data, 0o644); err != nil {
			return written, err
		}
		written = append(written, name)
	}
	return written, nil
}

// complete sets the defaults.
func (o *Options) complete() (err error) {
	if !validName.MatchString(o.Name) {
		return fmt.Errorf(`name: expected lower-case letters, digits and "-", found %q`, o.Name)
	}
	if o.Dir == "" {
		o.Dir = o.Name
	}
	if o.Module == "" {
		o.Module = "example.com/" + o.Name
	}
	o.Version = cmp.Or(o.Version, "v0.0.0")
	if o.SDK == "" {
		return nil
	}
	if o.SDK, err = filepath.Abs(o.SDK); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(o.SDK, "sdk", "serve.go")); err != nil {
		return fmt.Errorf("sdk: %s is not a checkout of Dragoman: %w", o.SDK, err)
	}
	return nil
}

// text is a file to write.
type text struct {
	name string
	data []byte
}

// texts executes the templates. With a checkout, it adds the go.sum of that.
func (o *Options) texts() (all []text, err error) {
	sources, err := fs.Glob(files, "files/*.tmpl")
	if err != nil {
		return nil, err
	}
	for _, source := range sources {
		name := strings.TrimSuffix(path.Base(source), ".tmpl")
		if other, ok := renamed[name]; ok {
			name = other
		}
		body, err := files.ReadFile(source)
		if err != nil {
			return nil, err
		}
		t := text{}
		if t.data, err = o.fill(string(body)); err != nil {
			return nil, err
		}
		called, err := o.fill(name)
		if err != nil {
			return nil, err
		}
		t.name = string(called)
		all = append(all, t)
	}
	if o.SDK == "" {
		return all, nil
	}
	sums, err := os.ReadFile(filepath.Join(o.SDK, "go.sum"))
	return append(all, text{"go.sum", sums}), err
}

func (o *Options) fill(source string) ([]byte, error) {
	t, err := template.New("").Delims("<<", ">>").Parse(source)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, o)
	return out.Bytes(), err
}
