package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/model"
	"github.com/spf13/cobra"
)

// hostFlags are the flags of commands that open a host for one job.
type hostFlags struct{ workarounds, plugins string }

func (f *hostFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.workarounds, "workarounds", "", "`file` of workarounds (default: the embedded ones)")
	f.addPlugins(cmd)
}

// addPlugins is add without --workarounds, for commands that take files of rules as arguments.
func (f *hostFlags) addPlugins(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.plugins, "plugins", "", "`folder` of plugins (default: the folder plugins beside this binary)")
}

// open returns a host that reads everything once and does not watch for changes. Its warnings are printed only if it opens:
// otherwise the error says the same.
func (f *hostFlags) open(cmd *cobra.Command) (*host.Host, error) {
	return f.openTo(cmd, cmd.ErrOrStderr())
}

// openQuietly is open for another host, whose warnings are those of the first.
func (f *hostFlags) openQuietly(cmd *cobra.Command) (*host.Host, error) {
	return f.openTo(cmd, io.Discard)
}

func (f *hostFlags) openTo(cmd *cobra.Command, warnings io.Writer) (*host.Host, error) {
	cfg := config.Default()
	cfg.Workarounds.File = f.workarounds
	dir, err := pluginsFolder(f.plugins)
	if err != nil {
		return nil, err
	}
	cfg.Plugins.Dir = dir
	cfg.Limits.OutputBytes = math.MaxInt // the output is the user's own, and the command can be interrupted
	log := &heldWriter{}
	logger := slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	h, err := host.New(cmd.Context(), host.Options{Config: cfg, Logger: logger, Version: version, Static: true})
	if err != nil {
		return nil, err
	}
	return h, log.release(warnings)
}

// pluginsFolder returns the folder of plugins that a flag names, by default the one beside the binary.
func pluginsFolder(flag string) (string, error) {
	if flag == "" {
		return pluginsBeside(), nil
	}
	return flag, checkFolder("--plugins", flag)
}

// checkFolder returns an error unless the path that a flag gives is a folder.
func checkFolder(flag, path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("expected a folder, %s is a file", path)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	return nil
}

// pluginsBeside returns the folder named plugins beside the binary, or "".
func pluginsBeside() string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	dir := filepath.Join(filepath.Dir(self), "plugins")
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return ""
	}
	return dir
}

// withHost opens a host, runs work on it, and closes it.
func (f *hostFlags) withHost(cmd *cobra.Command, work func(*host.Host) error) (err error) {
	h, err := f.open(cmd)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close(cmd.Context())) }()
	return work(h)
}

// templateFlags choose a model's template and its tokens.
type templateFlags struct {
	bos, eos, variant string
	download          bool
	note              func(string) // reports what is downloaded
}

func (f *templateFlags) add(cmd *cobra.Command) {
	f.note = func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), text) }
	cmd.Flags().BoolVar(&f.download, "download", false, "download what the cache of Hugging Face lacks of a model that is named ORG/NAME[@REVISION]")
	cmd.Flags().StringVar(&f.bos, "bos", "", "the `token` that begins a text, bos_token (default: the model's)")
	cmd.Flags().StringVar(&f.eos, "eos", "", "the `token` that ends a text, eos_token (default: the model's)")
	cmd.Flags().StringVar(&f.variant, "variant", "", "`name` of the template in a model with several, \"default\" for the one without a name (default: tool_use if the request has tools and the model has it)")
}

// defaultVariant names the template without a name in --variant.
const defaultVariant = "default"

// open reads a template from a file, a model's folder, or the cache of Hugging Face. What is none of these may name an embedded
// template instead.
func (f *templateFlags) open(ctx context.Context, h *host.Host, path string, tools bool) (*host.Detached, error) {
	if path == "" {
		return nil, &usageError{errors.New("the name of the template is empty")}
	}
	if f.download {
		if err := download(ctx, f.note, path); err != nil {
			return nil, err
		}
	}
	variants := []string{cmp.Or(f.variant, defaultVariant)}
	if f.variant == "" && tools {
		variants = []string{model.ToolUse, defaultVariant}
	}
	src, err := readTemplate(ctx, path, variants...)
	if errors.Is(err, fs.ErrNotExist) {
		src, err = f.embedded(ctx, h, path, err)
	}
	if err != nil {
		return nil, err
	}
	if f.bos != "" {
		src.BOSToken = f.bos
	}
	if f.eos != "" {
		src.EOSToken = f.eos
	}
	return h.Detached(src), nil
}

// embedded returns the embedded template of a name; noFile is why it is no file.
func (f *templateFlags) embedded(ctx context.Context, h *host.Host, name string, noFile error) (src host.TemplateSource, err error) {
	src, _, err = h.Template(ctx, name)
	switch {
	case err != nil:
		err = fmt.Errorf("%w; %w", noFile, err)
	case f.variant != "" && f.variant != defaultVariant:
		err = fmt.Errorf("%s: embedded templates have no variants; leave out --variant, or name a model's folder", name)
	}
	return src, err
}

// readTemplate reads a model's template: the first of the variants that it has.
func readTemplate(ctx context.Context, path string, variants ...string) (host.TemplateSource, error) {
	m, err := untilInterrupted(ctx, func() (*model.Model, error) { return model.Load(path) })
	if err != nil {
		return host.TemplateSource{}, err
	}
	src := host.TemplateSource{Name: m.Name, BOSToken: m.BOSToken, EOSToken: m.EOSToken, Origin: path, SpecialTokens: m.SpecialTokens}
	var names []string
	for _, v := range m.Variants {
		names = append(names, cmp.Or(v.Name, defaultVariant))
	}
	for _, name := range variants {
		at := slices.Index(names, name)
		if at < 0 {
			continue
		}
		src.Source = m.Variants[at].Source
		return src, nil
	}
	return src, fmt.Errorf("%s: no template named %q; choose one of %q with --variant", path, variants[0], names)
}

// requestFlags are the flags that describe a request.
type requestFlags struct {
	request, tools string
	noThinking     bool
}

func (f *requestFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.request, "request", "", "`file` of a chat request in OpenAI's JSON, - for standard input (default: a greeting)")
	cmd.Flags().StringVar(&f.tools, "tools", "", "`file` of a JSON array of tools, in place of the request's")
	cmd.Flags().BoolVar(&f.noThinking, "no-thinking", false, "set enable_thinking to false")
}

// greeting is the default request.
const greeting = `{"messages":[{"role":"user","content":"Hello!"}]}`

func (f *requestFlags) read(cmd *cobra.Command) (*chat.Request, error) {
	if err := inputOnce(f.request, f.tools); err != nil {
		return nil, err
	}
	text := []byte(greeting)
	if f.request != "" {
		var err error
		if text, err = readJSON(cmd, f.request); err != nil {
			return nil, err
		}
	}
	req, err := chat.ParseRequest(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", called(f.request), err)
	}
	if f.noThinking {
		req.EnableThinking = new(bool)
	}
	if f.tools != "" {
		req.Tools, err = readTools(cmd, f.tools)
	}
	return req, err
}

// readTools reads a JSON array of tools, as in a request.
func readTools(cmd *cobra.Command, path string) ([]chat.Tool, error) {
	data, err := readJSON(cmd, path)
	if err != nil {
		return nil, err
	}
	var tools json.RawMessage
	if err := json.Unmarshal(data, &tools); err != nil {
		return nil, fmt.Errorf("%s: expected a JSON array of tools: %w", called(path), err)
	}
	req, err := chat.ParseRequest(slices.Concat([]byte(greeting[:len(greeting)-1]+`,"tools":`), tools, []byte("}")))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", called(path), err)
	}
	return req.Tools, nil
}

// readFile reads a file, or standard input for "-".
func readFile(cmd *cobra.Command, path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(cmd.InOrStdin())
	}
	return untilInterrupted(cmd.Context(), func() ([]byte, error) { return os.ReadFile(path) })
}

// readJSON is readFile without a byte order mark.
func readJSON(cmd *cobra.Command, path string) ([]byte, error) {
	data, err := readFile(cmd, path)
	return bytes.TrimPrefix(data, []byte("\uFEFF")), err
}

// inputOnce returns an error if more than one of the paths is standard input, which can be read only once.
func inputOnce(paths ...string) error {
	if at := slices.Index(paths, "-"); at >= 0 && slices.Contains(paths[at+1:], "-") {
		return &usageError{errors.New("standard input can be one file only")}
	}
	return nil
}

// called returns the name of a file in errors.
func called(path string) string {
	switch path {
	case "-":
		return "standard input"
	case "":
		return "the request"
	}
	return path
}
