package model

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// Repo names a model on a hub: "org/name", or "org/name@revision".
type Repo struct {
	ID       string // "org/name"
	Revision string // a branch, a tag or the hash of a commit
}

// MainRevision is the revision of a name without one.
const MainRevision = "main"

// repoName matches what the hub accepts as names, and revisions without what would lead out of a folder.
var repoName = regexp.MustCompile(`^([A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*)(?:@([A-Za-z0-9][\w.-]*(?:/[A-Za-z0-9][\w.-]*)*))?$`)

// maxRepoName is the longest name that the hub accepts, in bytes.
const maxRepoName = 96

// ParseRepo parses the name of a model on a hub, and reports whether it is one.
func ParseRepo(name string) (r Repo, ok bool) {
	m := repoName.FindStringSubmatch(name)
	if m == nil || len(m[1]) > maxRepoName || strings.Contains(name, "..") || strings.Contains(m[1], "--") {
		return Repo{}, false
	}
	return Repo{ID: m[1], Revision: cmp.Or(m[2], MainRevision)}, true
}

func (r Repo) String() string {
	if r.Revision == MainRevision {
		return r.ID
	}
	return r.ID + "@" + r.Revision
}

// CacheDir returns the folder in which Hugging Face's tools keep models: HF_HUB_CACHE, the folder hub in HF_HOME, or
// ~/.cache/huggingface/hub.
func CacheDir() string {
	if dir := cmp.Or(os.Getenv("HF_HUB_CACHE"), os.Getenv("HUGGINGFACE_HUB_CACHE")); dir != "" {
		return expand(dir)
	}
	return filepath.Join(HubHome(), "hub")
}

// HubHome returns the folder of Hugging Face's tools: HF_HOME, or ~/.cache/huggingface.
func HubHome() string {
	if dir := os.Getenv("HF_HOME"); dir != "" {
		return expand(dir)
	}
	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		cache = "~/.cache"
	}
	return filepath.Join(expand(cache), "huggingface")
}

// expand replaces a leading ~ by the user's home.
func expand(dir string) string {
	rest, ok := strings.CutPrefix(dir, "~")
	if home, err := os.UserHomeDir(); ok && err == nil && (rest == "" || rest[0] == '/') {
		return home + rest
	}
	return dir
}

// Dir returns the folder of a model in a cache, whether it exists or not.
func (r Repo) Dir(cache string) string {
	return filepath.Join(cache, "models--"+strings.ReplaceAll(r.ID, "/", "--"))
}

// Find returns the folder with the files of a model in the cache. The error is fs.ErrNotExist where the cache lacks the model or the
// revision.
func (r Repo) Find() (string, error) {
	cache := CacheDir()
	dir := r.Dir(cache)
	commit := r.Revision
	if ref, err := os.ReadFile(filepath.Join(dir, "refs", filepath.FromSlash(r.Revision))); err == nil {
		commit = strings.TrimSpace(string(ref))
	}
	if !filepath.IsLocal(commit) {
		return "", fmt.Errorf("%s: invalid content; expected the hash of a commit", filepath.Join(dir, "refs", r.Revision))
	}
	snapshot := filepath.Join(dir, "snapshots", commit)
	if info, err := os.Stat(snapshot); err == nil && info.IsDir() {
		return snapshot, nil
	}
	what := "the model " + r.ID
	if _, err := os.Stat(dir); err == nil {
		what = fmt.Sprintf("the revision %q of %s", r.Revision, r.ID)
	}
	return "", &notCached{fmt.Sprintf("%s is neither a path nor in the cache of Hugging Face: %s lacks %s; download it with --download, or give the path of its files", r, cache, what)}
}

// notCached is the error of Find.
type notCached struct{ text string }

func (e *notCached) Error() string { return e.text }

func (e *notCached) Is(target error) bool { return target == fs.ErrNotExist }

// resolve returns the path of a model at a place, and its name. A path that exists wins over the name of a model in the cache.
func resolve(place string) (found, name string, err error) {
	_, err = os.Stat(place)
	if err == nil {
		return place, modelName(place), nil
	}
	repo, ok := ParseRepo(place)
	if !ok || !errors.Is(err, fs.ErrNotExist) {
		return "", "", err
	}
	found, err = repo.Find()
	return found, repo.ID, err
}

// InRepo reports whether a file of a model on the hub is one of those that hold its templates and its
// tokenizer, or describe its use.
func InRepo(name string) bool {
	switch name {
	case tokenizerFile, configFile, "special_tokens_map.json", generationFile, modelFile, bareFile, "chat_template.json":
		return true
	}
	dir, base := path.Split(name)
	return dir == namedDir+"/" && path.Ext(base) == ".jinja" && filepath.IsLocal(base)
}
