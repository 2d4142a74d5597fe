// Package scaffold writes the beginnings of a plugin: a Go module of its own with a handler for a small format, its manifest,
// its golden cases, a test and a Makefile. What it writes builds and conforms; its author changes one file, main.go, step by
// step into the format that is wanted, and the cases with it.
//
// The files stand in the folder files, as templates of text/template between << and >>, because the format of the example has
// brackets and braces.
package scaffold

import (
	"bytes"
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
)

//go:embed files
var files embed.FS

// Options say what is written.
type Options struct {
	// Name of the plugin and of its handler: lower-case letters, digits and "-".
	Name string
	// Dir is the folder to write to; it is made. Empty: one named as the plugin, here.
	Dir string
	// Module is the path of the Go module. Empty: example.com/ and the name.
	Module string
	// SDK is a checkout of Dragoman to build with. Empty: go.mod asks for the published module.
	SDK string
}

// renamed are the files that are called otherwise in the folder files.
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
		return nil, errors.Join(err, fmt.Errorf("%s: the folder is not empty; name another with --dir", o.Dir))
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

// complete fills in what options leave out.
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
	if o.SDK == "" {
		return nil
	}
	if o.SDK, err = filepath.Abs(o.SDK); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(o.SDK, "sdk", "serve.go")); err != nil {
		return fmt.Errorf("sdk: %s is no checkout of Dragoman: %w", o.SDK, err)
	}
	return nil
}

// text is a file to be written.
type text struct {
	name string
	data []byte
}

// texts fills in the templates. With a checkout, go.sum is the one that stands there.
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
