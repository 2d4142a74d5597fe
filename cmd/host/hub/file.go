package hub

import (
	"context"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/dragoman-project/dragoman/sdk/model"
)

// file is a file of a model on the hub.
type file struct {
	name string
	url  string
	hash string // of git, or SHA-256
	size int64
}

// maxFile limits the size of one file. The largest tokenizers have some 40 MB.
const maxFile = 256 << 20

// contentHash matches the hashes of files: git's for small ones, SHA-256 for large ones.
var contentHash = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// describe asks for the hash and the size of a file.
func (h *Hub) describe(ctx context.Context, repo model.Repo, commit, name string) (f file, err error) {
	f = file{name: name, url: h.endpoint + "/" + repo.ID + "/resolve/" + commit + "/" + name}
	var header http.Header
	err = h.retry(ctx, func() error {
		res, err := h.do(context.WithValue(ctx, metadataKey{}, true), http.MethodHead, f.url, repo, nil)
		if err != nil {
			return err
		}
		header = res.Header
		f.size = res.ContentLength
		return res.Body.Close()
	})
	if err != nil {
		return f, err
	}
	f.hash = header.Get("X-Linked-Etag")
	if f.hash == "" {
		f.hash = header.Get("Etag")
	}
	f.hash = strings.Trim(strings.TrimPrefix(f.hash, "W/"), `"`)
	if !contentHash.MatchString(f.hash) {
		return f, fmt.Errorf("%s: ETag: expected the hash of the file, found %.80q; check HF_ENDPOINT", f.url, f.hash)
	}
	if linked := header.Get("X-Linked-Size"); linked != "" {
		if f.size, err = strconv.ParseInt(linked, 10, 64); err != nil {
			return f, fmt.Errorf("%s: X-Linked-Size: %w", f.url, err)
		}
	}
	if f.size < 0 || f.size > maxFile {
		return f, fmt.Errorf("%s: %d bytes; expected at most %d", f.url, f.size, maxFile)
	}
	return f, nil
}

// download puts the content of a file into the cache, unless it is there. Other processes that download it are waited for.
func (h *Hub) download(ctx context.Context, repo model.Repo, f file) error {
	dir := repo.Dir(h.cache)
	blob := filepath.Join(dir, "blobs", f.hash)
	if _, err := os.Stat(blob); err == nil {
		return nil
	}
	unlock, err := lock(ctx, filepath.Join(h.cache, ".locks", filepath.Base(dir), f.hash+".lock"))
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := os.Stat(blob); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(blob), 0o755); err != nil {
		return err
	}
	partial := blob + ".incomplete"
	h.note(fmt.Sprintf("downloading %s of %s, %d bytes", f.name, repo, f.size))
	if err := h.retry(ctx, func() error { return h.receive(ctx, repo, f, partial) }); err != nil {
		return err
	}
	if err := verify(partial, f); err != nil {
		return errors.Join(err, os.Remove(partial)) // the next attempt begins anew
	}
	return os.Rename(partial, blob)
}

// receive appends to a file what it lacks.
func (h *Hub) receive(ctx context.Context, repo model.Repo, f file, partial string) (err error) {
	out, err := os.OpenFile(partial, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	has, err := out.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if has > f.size {
		has = 0
	}
	if has == f.size && has > 0 {
		return nil
	}
	header := http.Header{}
	if has > 0 {
		header.Set("Range", fmt.Sprintf("bytes=%d-", has))
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	res, err := h.do(ctx, http.MethodGet, f.url, repo, header)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	begins := fmt.Sprintf("bytes %d-", has)
	if res.StatusCode != http.StatusPartialContent || !strings.HasPrefix(res.Header.Get("Content-Range"), begins) {
		has = 0 // the whole file comes
		if res.StatusCode == http.StatusPartialContent {
			return fmt.Errorf("expected the bytes from %s on, found %q", begins, res.Header.Get("Content-Range"))
		}
	}
	if err := out.Truncate(has); err != nil {
		return err
	}
	if _, err := out.Seek(has, io.SeekStart); err != nil {
		return err
	}
	stalled := time.AfterFunc(answerTime, func() { cancel(errStalled) })
	defer stalled.Stop()
	n, err := io.Copy(out, io.LimitReader(&awake{res.Body, stalled}, f.size-has+1))
	switch {
	case errors.Is(context.Cause(ctx), errStalled):
		return errStalled
	case err != nil:
		return fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err)
	case has+n < f.size:
		return fmt.Errorf("%w: received %d of %d bytes", io.ErrUnexpectedEOF, has+n, f.size)
	}
	return nil
}

var errStalled = fmt.Errorf("no byte came for %v", answerTime)

// awake puts off a timer with every read.
type awake struct {
	io.Reader
	timer *time.Timer
}

func (a *awake) Read(p []byte) (int, error) {
	n, err := a.Reader.Read(p)
	a.timer.Reset(answerTime)
	return n, err
}

// verify compares a file with its hash.
func verify(path string, f file) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	var sum hash.Hash
	if len(f.hash) == hex.EncodedLen(sha1.Size) {
		sum = sha1.New()
		fmt.Fprintf(sum, "blob %d\x00", f.size) // as git does
	} else {
		sum = sha256.New()
	}
	if _, err := io.Copy(sum, in); err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != f.hash {
		return fmt.Errorf("the received content has the hash %s, expected %s; try again", got, f.hash)
	}
	return nil
}

// lockPause is how long lock waits before it tries again.
const lockPause = 50 * time.Millisecond

// lock locks a file, as Hugging Face's own tools do. It waits until ctx ends.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return func() { _ = f.Close() }, nil
		case !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR):
			return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), f.Close())
		case <-time.After(lockPause):
		}
	}
}

// link makes a file a symbolic link to a blob.
func link(blob, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	relative, err := filepath.Rel(filepath.Dir(to), blob)
	if err != nil {
		return err
	}
	if now, err := os.Readlink(to); err == nil && now == relative {
		return nil
	}
	next := to + "." + rand.Text()
	if err := os.Symlink(relative, next); err != nil {
		return err
	}
	return os.Rename(next, to)
}

// replace writes a file at once.
func replace(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	next := path + "." + rand.Text()
	if err := os.WriteFile(next, content, 0o644); err != nil {
		return err
	}
	return os.Rename(next, path)
}
