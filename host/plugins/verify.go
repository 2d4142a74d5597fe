package plugins

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/host/plugins/manifest"
	"github.com/dragoman-project/dragoman/sdk/conformance"
)

// Verify examines the executable of a plugin before it is installed: whether a host would accept it with the manifest beside it,
// and whether its process and its handlers conform. Before each demand it calls progress, unless that is nil.
func Verify(ctx context.Context, executable string, progress func(handler, demand string)) []conformance.Report {
	began := time.Now()
	result := conformance.Result{Demand: "manifest", Text: "a host starts it from the manifest beside it, and both agree"}
	manifest, err := manifestOf(executable)
	if err == nil {
		err = tryOut(ctx, manifest)
	}
	if err != nil {
		result.Fault, result.Remedy = err.Error(), "see docs/plugins.md for the keys of a manifest, and for what hosts start"
	}
	result.Took = time.Since(began)

	o := conformance.Options{CompileMatch: compiles, Progress: progress}
	if manifest != nil {
		o.Directory = manifest.Directory()
		o.Settings, _ = manifest.EncodedOptions()
	}
	reports := conformance.CheckBinary(ctx, executable, o)
	reports[0].Results = append([]conformance.Result{result}, reports[0].Results...)
	return reports
}

func compiles(match string) error {
	_, err := workaround.CompilePredicate(match)
	return err
}

// manifestOf reads the manifest beside an executable that names it.
func manifestOf(executable string) (*manifest.Manifest, error) {
	if _, err := os.Stat(executable); err != nil {
		return nil, err
	}
	paths, err := findManifests(filepath.Dir(executable))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		m, err := manifest.Read(path, supported().versions())
		if m != nil && m.Executable == filepath.Base(executable) {
			return m, err
		}
		if m == nil && strings.TrimSuffix(path, filepath.Ext(path)) == executable {
			return nil, err
		}
	}
	return nil, fmt.Errorf("no manifest names it; write %s.yaml", executable)
}

// tryOut starts a plugin as a host does, and stops it.
func tryOut(ctx context.Context, manifest *manifest.Manifest) (err error) {
	m, err := New(Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close(ctx)) }()
	s, err := m.slotFor(manifest.Path, nil)
	if err != nil {
		return err
	}
	next, err := newSet("").with(s)
	if err != nil {
		return err
	}
	m.current.Store(next)
	return s.warm(ctx)
}
