// Package hub downloads the files of models that hold templates and tokenizers, from Hugging Face's hub or what speaks like it, into
// the cache that Hugging Face's own tools use and package model reads:
//
//	models--ORG--NAME/refs/main               the hash of the commit
//	models--ORG--NAME/snapshots/COMMIT/FILE   → blobs/HASH
//	models--ORG--NAME/blobs/HASH              a file's content; HASH.incomplete while it is downloaded
//
// A file counts only when it is complete: its content is compared with its hash before it gets its name, all files are linked when
// the last one is there, and the revision points to the commit at the end. What was interrupted is resumed.
package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/dragoman-project/dragoman/sdk/model"
)

// Hub is where models are downloaded from.
type Hub struct {
	endpoint string
	token    string
	cache    string
	client   *http.Client
	note     func(string)
	pause    time.Duration // before the second attempt; each further one waits twice as long
}

const (
	defaultEndpoint = "https://huggingface.co"
	attempts        = 4
	firstPause      = 500 * time.Millisecond
	answerTime      = 30 * time.Second // for the header of an answer, and between two pieces of its body
	maxRedirects    = 10
)

// ErrOffline is the error where the environment forbids downloads.
var ErrOffline = errors.New("HF_HUB_OFFLINE is set, and so nothing is downloaded; unset it, or give the path of the model's files")

// FromEnvironment returns the hub that HF_ENDPOINT names, by default Hugging Face's, with the token in HF_TOKEN or of `hf auth login`. It
// reports to note, for people, what it downloads.
func FromEnvironment(note func(string)) (*Hub, error) {
	switch strings.ToUpper(os.Getenv("HF_HUB_OFFLINE")) {
	case "1", "ON", "YES", "TRUE":
		return nil, ErrOffline
	}
	h := &Hub{endpoint: defaultEndpoint, token: token(), cache: model.CacheDir(), note: note, pause: firstPause}
	if e := os.Getenv("HF_ENDPOINT"); e != "" {
		u, err := url.Parse(e)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
			return nil, fmt.Errorf("HF_ENDPOINT: invalid URL %q; expected one like %s", e, defaultEndpoint)
		}
		h.endpoint = strings.TrimRight(e, "/")
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = answerTime
	h.client = &http.Client{Transport: transport, CheckRedirect: follow}
	return h, nil
}

// token returns the user's token; "" for none.
func token() string {
	if t := strings.TrimSpace(os.Getenv("HF_TOKEN")); t != "" {
		return t
	}
	kept, _ := os.ReadFile(filepath.Join(model.HubHome(), "token")) // most users have none
	return strings.TrimSpace(string(kept))
}

type metadataKey struct{}

// follow follows redirects, to another host with the content of a file only. The token does not go along: http.Client drops it.
func follow(r *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case len(via) >= maxRedirects:
		return fmt.Errorf("more than %d redirects", maxRedirects)
	case r.URL.Host != first.URL.Host && r.Context().Value(metadataKey{}) != nil:
		return http.ErrUseLastResponse // that answer has the hash; another host's may not
	case first.URL.Scheme == "https" && r.URL.Scheme != "https":
		return fmt.Errorf("redirect from https to %s", r.URL.Redacted())
	}
	return nil
}

// Fetch downloads what the cache lacks of a model.
func (h *Hub) Fetch(ctx context.Context, repo model.Repo) error {
	commit, names, err := h.list(ctx, repo)
	if err != nil {
		return err
	}
	dir := repo.Dir(h.cache)
	files := make([]file, len(names))
	for i, name := range names {
		if files[i], err = h.describe(ctx, repo, commit, name); err != nil {
			return err
		}
		if err := h.download(ctx, repo, files[i]); err != nil {
			return fmt.Errorf("%s: %s: %w", repo, name, err)
		}
	}
	for _, f := range files {
		if err := link(filepath.Join(dir, "blobs", f.hash), filepath.Join(dir, "snapshots", commit, filepath.FromSlash(f.name))); err != nil {
			return err
		}
	}
	if repo.Revision == commit {
		return nil
	}
	return replace(filepath.Join(dir, "refs", filepath.FromSlash(repo.Revision)), []byte(commit))
}

// commitHash matches the hash of a commit.
var commitHash = regexp.MustCompile(`^[0-9a-f]{40}$`)

// maxListing limits the answer with the names of a model's files.
const maxListing = 32 << 20

// list returns the commit of a revision, and the names of its files that matter.
func (h *Hub) list(ctx context.Context, repo model.Repo) (commit string, names []string, err error) {
	place := h.endpoint + "/api/models/" + repo.ID + "/revision/" + url.PathEscape(repo.Revision)
	var listing struct {
		SHA      string `json:"sha"`
		Siblings []struct {
			Name string `json:"rfilename"`
		} `json:"siblings"`
	}
	err = h.retry(ctx, func() error {
		res, err := h.do(ctx, http.MethodGet, place, repo, nil)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		if err := json.NewDecoder(io.LimitReader(res.Body, maxListing)).Decode(&listing); err != nil {
			return fmt.Errorf("%s: not an answer of a hub: %w; check HF_ENDPOINT", place, err)
		}
		return nil
	})
	if err != nil {
		return "", nil, err
	}
	if !commitHash.MatchString(listing.SHA) {
		return "", nil, fmt.Errorf("%s: sha: expected the hash of a commit, found %.60q; check HF_ENDPOINT", place, listing.SHA)
	}
	for _, s := range listing.Siblings {
		if model.InRepo(s.Name) {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return "", nil, fmt.Errorf("%s has neither a chat template nor a tokenizer among its %d files; name the model that it was made from", repo, len(listing.Siblings))
	}
	return listing.SHA, names, nil
}

// refused is the error of an answer with a status that is one.
type refused struct {
	status int
	text   string
}

func (e *refused) Error() string { return e.text }

// do sends a request and returns the answer, if its status is no error.
func (h *Hub) do(ctx context.Context, method, place string, repo model.Repo, header http.Header) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, place, nil)
	if err != nil {
		return nil, err
	}
	for name, values := range header {
		r.Header[name] = values
	}
	r.Header.Set("User-Agent", "dragoman")
	r.Header.Set("Accept-Encoding", "identity") // lengths and hashes are those of the file
	if h.token != "" {
		r.Header.Set("Authorization", "Bearer "+h.token)
	}
	res, err := h.client.Do(r)
	if err != nil {
		return nil, err
	}
	if res.StatusCode < http.StatusBadRequest {
		return res, nil
	}
	_ = res.Body.Close()
	return nil, &refused{res.StatusCode, h.explain(res, repo)}
}

// explain returns the error for an answer of the hub.
func (h *Hub) explain(res *http.Response, repo model.Repo) string {
	code, has := res.Header.Get("X-Error-Code"), "set HF_TOKEN"
	if h.token != "" {
		has = "use a token (HF_TOKEN) that has access"
	}
	switch {
	case code == "GatedRepo":
		return fmt.Sprintf("%s is gated: accept its conditions at %s/%s, and %s", repo, h.endpoint, repo.ID, has)
	case code == "RevisionNotFound":
		return fmt.Sprintf("%s has no revision %q; name a branch, a tag or the hash of a commit", repo.ID, repo.Revision)
	case res.StatusCode == http.StatusUnauthorized, code == "RepoNotFound", code == "" && res.StatusCode == http.StatusNotFound:
		return fmt.Sprintf("%s has no model %s, or it is private: correct the name, or %s", h.endpoint, repo.ID, has)
	case res.StatusCode == http.StatusForbidden:
		return fmt.Sprintf("%s refuses access to %s: %s", h.endpoint, repo.ID, has)
	}
	text := fmt.Sprintf("%s: %s", res.Request.URL.Redacted(), res.Status)
	if why := res.Header.Get("X-Error-Message"); why != "" {
		text += fmt.Sprintf(": %.200s", why)
	}
	return text
}

// retry repeats what can work the next time.
func (h *Hub) retry(ctx context.Context, do func() error) error {
	for attempt := 1; ; attempt++ {
		err := do()
		if err == nil || attempt == attempts || ctx.Err() != nil || !passing(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(h.pause << (attempt - 1)):
		}
	}
}

// passing reports whether an error may be over soon: the network's, and those of a server that has too much to do.
func passing(err error) bool {
	var answer *refused
	var network *url.Error
	switch {
	case errors.As(err, &answer):
		return answer.status == http.StatusTooManyRequests || answer.status >= http.StatusInternalServerError
	case errors.As(err, &network):
		return true
	}
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, errStalled)
}

// Unreachable reports whether an error of Fetch means that the hub did not answer, so that what is in the cache may do.
func Unreachable(err error) bool { return passing(err) }
