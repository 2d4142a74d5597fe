package hub

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/sdk/model"
)

const commit = "0123456789abcdef0123456789abcdef01234567"

// fakeHub answers as Hugging Face's hub does: small files itself, after a relative redirect, with git's hash as the ETag; large ones
// by a redirect to another host, with SHA-256 in X-Linked-Etag.
type fakeHub struct {
	files map[string]string
	large []string // of files
	gated bool     // without this token
	token string

	mu      sync.Mutex
	asked   []string // method, path, range
	leaked  bool     // the token came to the other host
	breaks  int      // this many answers with contents break off in the middle
	busy    int      // this many answers are 503
	corrupt bool

	hub, content *httptest.Server
}

func serve(t *testing.T, f *fakeHub) *fakeHub {
	t.Helper()
	f.content = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		f.leaked = f.leaked || r.Header.Get("Authorization") != ""
		f.mu.Unlock()
		f.send(w, r, strings.TrimPrefix(r.URL.Path, "/"))
	}))
	t.Cleanup(f.content.Close)
	f.hub = httptest.NewServer(http.HandlerFunc(f.answer))
	t.Cleanup(f.hub.Close)
	home := t.TempDir()
	t.Setenv("HF_HOME", home)
	t.Setenv("HF_HUB_CACHE", "")
	t.Setenv("HUGGINGFACE_HUB_CACHE", "")
	t.Setenv("HF_HUB_OFFLINE", "")
	t.Setenv("HF_TOKEN", f.token)
	t.Setenv("HF_ENDPOINT", f.hub.URL+"/")
	return f
}

func (f *fakeHub) answer(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.asked = append(f.asked, strings.TrimSpace(r.Method+" "+r.URL.Path+" "+r.Header.Get("Range")))
	busy := f.busy > 0
	f.busy--
	f.mu.Unlock()
	fail := func(status int, code, text string) {
		w.Header().Set("X-Error-Code", code)
		w.Header().Set("X-Error-Message", text)
		w.WriteHeader(status)
	}
	name, resolved := strings.CutPrefix(r.URL.Path, "/org/name/resolve/"+commit+"/")
	cached, redirected := strings.CutPrefix(r.URL.Path, "/api/resolve-cache/")
	switch {
	case busy:
		w.WriteHeader(http.StatusServiceUnavailable)
	case f.gated && r.Header.Get("Authorization") != "Bearer "+f.token:
		fail(http.StatusUnauthorized, "GatedRepo", "Access to model org/name is restricted.")
	case r.URL.Path == "/api/models/org/name/revision/main", r.URL.Path == "/api/models/org/name/revision/"+commit:
		siblings := []string{}
		for file := range f.files {
			siblings = append(siblings, fmt.Sprintf(`{"rfilename":%q}`, file))
		}
		fmt.Fprintf(w, `{"id":"org/name","sha":%q,"siblings":[%s]}`, commit, strings.Join(siblings, ","))
	case strings.HasPrefix(r.URL.Path, "/api/models/org/name/revision/"):
		fail(http.StatusNotFound, "RevisionNotFound", "Invalid rev id")
	case resolved && f.files[name] == "":
		fail(http.StatusNotFound, "EntryNotFound", "Entry not found")
	case resolved && slices.Contains(f.large, name):
		sum := sha256.Sum256([]byte(f.files[name]))
		w.Header().Set("X-Linked-Etag", `"`+hex.EncodeToString(sum[:])+`"`)
		w.Header().Set("X-Linked-Size", fmt.Sprint(len(f.files[name])))
		w.Header().Set("ETag", `"of-the-redirect"`)
		http.Redirect(w, r, strings.Replace(f.content.URL, "127.0.0.1", "localhost", 1)+"/"+name, http.StatusFound)
	case resolved:
		http.Redirect(w, r, "/api/resolve-cache/"+name, http.StatusTemporaryRedirect)
	case redirected:
		sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(f.files[cached]), f.files[cached]))
		w.Header().Set("ETag", `W/"`+hex.EncodeToString(sum[:])+`"`)
		f.send(w, r, cached)
	default: // as for names that do not exist, without a token
		fail(http.StatusUnauthorized, "RepoNotFound", "Invalid username or password.")
	}
}

// send sends a file, and breaks off if that is wanted.
func (f *fakeHub) send(w http.ResponseWriter, r *http.Request, name string) {
	f.mu.Lock()
	f.asked = append(f.asked, strings.TrimSpace("send "+r.Method+" "+name+" "+r.Header.Get("Range")))
	breaks := r.Method == http.MethodGet && f.breaks > 0
	if breaks {
		f.breaks--
	}
	corrupt := f.corrupt
	f.mu.Unlock()
	text := f.files[name]
	if corrupt {
		text = strings.Repeat("x", len(text))
	}
	if !breaks {
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(text))
		return
	}
	w.Header().Set("Content-Length", fmt.Sprint(len(text)))
	_, _ = w.Write([]byte(text[:len(text)/2]))
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// whole are the files of a model, among others that nothing here reads.
func whole() map[string]string {
	return map[string]string{
		"tokenizer.json":                           `{"model":{}}` + strings.Repeat(" ", 10_000),
		"tokenizer_config.json":                    `{"bos_token":"<s>","eos_token":"</s>"}`,
		"chat_template.jinja":                      `{{ messages[0].content }}`,
		"additional_chat_templates/tool_use.jinja": `tools`,
		"model.safetensors":                        "weights",
		"README.md":                                "read me",
		"additional_chat_templates/../../x.jinja":  "out of the folder",
	}
}

// fetch downloads org/name, without pauses.
func fetch(t *testing.T, name string) error {
	t.Helper()
	repo, ok := model.ParseRepo(name)
	if !ok {
		t.Fatalf("%s is no name", name)
	}
	h, err := FromEnvironment(func(string) {})
	if err != nil {
		return err
	}
	h.pause = time.Millisecond
	return h.Fetch(t.Context(), repo)
}

func TestADownloadedModelIsFoundByItsName(t *testing.T) {
	f := serve(t, &fakeHub{files: whole(), large: []string{"tokenizer.json"}, token: "secret"})
	if _, err := model.Load("org/name"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "--download") {
		t.Fatalf("before the download: %v", err)
	}
	if err := fetch(t, "org/name"); err != nil {
		t.Fatal(err)
	}
	m, err := model.Load("org/name")
	if err != nil {
		t.Fatal(err)
	}
	if m.Name != "org/name" || len(m.Variants) != 2 || m.Variants[0].Source != f.files["chat_template.jinja"] || m.EOSToken != "</s>" {
		t.Errorf("loaded %+v", m)
	}
	if f.leaked {
		t.Error("the token was sent to another host")
	}
	// The layout is that of Hugging Face's tools: relative links into blobs, named after the hash.
	dir := filepath.Join(model.CacheDir(), "models--org--name")
	target, err := os.Readlink(filepath.Join(dir, "snapshots", commit, "additional_chat_templates", "tool_use.jinja"))
	if err != nil || !strings.HasPrefix(target, "../../../blobs/") {
		t.Errorf("the link is %q (%v)", target, err)
	}
	ref, err := os.ReadFile(filepath.Join(dir, "refs", "main"))
	if err != nil || string(ref) != commit {
		t.Errorf("the ref is %q (%v)", ref, err)
	}
	blobs, err := os.ReadDir(filepath.Join(dir, "blobs"))
	if err != nil || len(blobs) != 4 {
		t.Errorf("%d blobs (%v), expected the 4 files that matter", len(blobs), err)
	}
	if _, err := model.Load("org/name@" + commit); err != nil {
		t.Errorf("by the hash: %v", err)
	}
	if _, err := model.Load("org/name@other"); err == nil || !strings.Contains(err.Error(), `the revision "other"`) {
		t.Errorf("another revision: %v", err)
	}

	f.asked = nil
	if err := fetch(t, "org/name"); err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(f.asked, func(a string) bool { return strings.HasPrefix(a, "send GET") }); i >= 0 {
		t.Errorf("what is in the cache was downloaded again: %s", f.asked[i])
	}
}

func TestAPathWinsOverAName(t *testing.T) {
	serve(t, &fakeHub{files: whole()})
	if err := fetch(t, "org/name"); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := errors.Join(os.MkdirAll("org/name", 0o755), os.WriteFile("org/name/chat_template.jinja", []byte("local"), 0o644)); err != nil {
		t.Fatal(err)
	}
	if m, err := model.Load("org/name"); err != nil || m.Variants[0].Source != "local" || m.Name != "name" {
		t.Errorf("loaded %+v, %v", m, err)
	}
}

func TestABrokenDownloadIsResumed(t *testing.T) {
	f := serve(t, &fakeHub{files: whole(), large: []string{"tokenizer.json"}, breaks: 2})
	if err := fetch(t, "org/name"); err != nil {
		t.Fatal(err)
	}
	resumed := slices.ContainsFunc(f.asked, func(a string) bool { return strings.HasPrefix(a, "send GET ") && strings.Contains(a, " bytes=") })
	if !resumed {
		t.Errorf("no request for the rest of a file: %q", f.asked)
	}
	if _, err := model.Load("org/name"); err != nil {
		t.Error(err)
	}
}

func TestAWrongContentIsNotUsed(t *testing.T) {
	f := serve(t, &fakeHub{files: whole(), corrupt: true})
	if err := fetch(t, "org/name"); err == nil || !strings.Contains(err.Error(), "hash") {
		t.Fatalf("got %v", err)
	}
	if _, err := model.Load("org/name"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a model that is not whole was found: %v", err)
	}
	f.corrupt = false
	if err := fetch(t, "org/name"); err != nil {
		t.Errorf("the next attempt: %v", err)
	}
}

func TestWhatTheHubRefusesSaysWhatToDo(t *testing.T) {
	for name, test := range map[string]struct {
		hub   *fakeHub
		model string
		want  string
	}{
		"gated":            {&fakeHub{files: whole(), gated: true, token: ""}, "org/name", "accept its conditions at"},
		"unknown":          {&fakeHub{files: whole()}, "org/other", "correct the name, or set HF_TOKEN"},
		"unknown revision": {&fakeHub{files: whole()}, "org/name@v9", `no revision "v9"`},
		"no template":      {&fakeHub{files: map[string]string{"model.gguf": "x"}}, "org/name", "neither a chat template nor a tokenizer"},
		"overloaded":       {&fakeHub{files: whole(), busy: 100}, "org/name", "503"},
	} {
		t.Run(name, func(t *testing.T) {
			f := serve(t, test.hub)
			if f.gated {
				f.token = "of the owner"
			}
			err := fetch(t, test.model)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, expected %q", err, test.want)
			}
			if Unreachable(err) != (name == "overloaded") {
				t.Errorf("%v: unreachable is %v", err, Unreachable(err))
			}
		})
	}
}

func TestAnOverloadedHubIsAskedAgain(t *testing.T) {
	serve(t, &fakeHub{files: whole(), busy: 2})
	if err := fetch(t, "org/name"); err != nil {
		t.Error(err)
	}
}

func TestOfflineNothingIsSent(t *testing.T) {
	f := serve(t, &fakeHub{files: whole()})
	t.Setenv("HF_HUB_OFFLINE", "1")
	if err := fetch(t, "org/name"); !errors.Is(err, ErrOffline) || len(f.asked) > 0 {
		t.Errorf("got %v after %q", err, f.asked)
	}
}

func TestConcurrentDownloadsShareTheirWork(t *testing.T) {
	f := serve(t, &fakeHub{files: whole(), large: []string{"tokenizer.json"}})
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if err := fetch(t, "org/name"); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	sent := map[string]int{}
	for _, a := range f.asked {
		if strings.HasPrefix(a, "send GET") {
			sent[a]++
		}
	}
	for what, n := range sent {
		if n > 1 {
			t.Errorf("%s: %d times", what, n)
		}
	}
}

func TestADownloadEndsWithItsContext(t *testing.T) {
	serve(t, &fakeHub{files: whole(), busy: 100})
	h, err := FromEnvironment(func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	h.pause = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if err := h.Fetch(ctx, model.Repo{ID: "org/name", Revision: "main"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
