// Package store keeps texts on disk for a while: what clients of the gateway want to find again. Each owner sees its own alone.
//
// It is bounded in bytes and in age. To make room, the owner with the most bytes loses its oldest text, so that no owner can displace the
// others. The file is bbolt's:
//
//	owner ─→ texts: key → time, text
//	      ─→ order: time, key → size of the text      the oldest first
//	      ─→ bytes: the sum of the sizes
//
// The file itself does not shrink: what was deleted makes room for what comes.
package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"time"

	"go.etcd.io/bbolt"

	"github.com/dragoman-project/dragoman/sdk/fault"
)

// Options bound a store.
type Options struct {
	// MaxBytes is how much is kept, and MaxAge how long.
	MaxBytes int
	MaxAge   time.Duration
}

// Store keeps texts. It is safe for concurrent use, of one process.
type Store struct {
	Options
	db   *bbolt.DB
	now  func() time.Time
	stop context.CancelFunc
	done chan struct{}
}

// lockTime is how long Open waits for another process that has the file open.
const lockTime = 500 * time.Millisecond

// Open opens the store in a file, or creates it. Until Close it deletes what has become too old.
func Open(path string, o Options) (*Store, error) { return open(path, o, time.Now) }

func open(path string, o Options, now func() time.Time) (*Store, error) {
	const ownerOnly os.FileMode = 0o600
	db, err := bbolt.Open(path, ownerOnly, &bbolt.Options{Timeout: lockTime})
	if err != nil {
		return nil, &fault.Error{Code: fault.Unavailable, Place: path, Message: fmt.Sprintf("cannot open the store: %v", err), Remedy: "give each daemon a file of its own, in a folder that it may write", Err: err}
	}
	s := &Store{Options: o, db: db, now: now, done: make(chan struct{})}
	if err := s.expire(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	var ctx context.Context
	ctx, s.stop = context.WithCancel(context.Background())
	go s.watch(ctx)
	return s, nil
}

// Close closes the file.
func (s *Store) Close() error {
	s.stop()
	<-s.done
	return s.db.Close()
}

// watch deletes what is too old, again and again.
func (s *Store) watch(ctx context.Context) {
	defer close(s.done)
	const rounds = 100 // within MaxAge
	tick := time.NewTicker(max(s.MaxAge/rounds, time.Second))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = s.expire() // Put meets the same failure, and returns it
		}
	}
}

// The names within the bucket of an owner.
var texts, order, sum = []byte("texts"), []byte("order"), []byte("bytes")

// owned returns the name of an owner's bucket, which must not be empty.
func owned(owner string) []byte { return append([]byte("owner "), owner...) }

// timeSize is the length of a time in the file.
const timeSize = 8

// Put keeps a text under a key. It replaces another one there.
func (s *Store) Put(owner, key string, text []byte) error {
	if len(text) > s.MaxBytes {
		return &fault.Error{Code: fault.LimitExceeded, Message: fmt.Sprintf("expected at most %d bytes to store, found %d", s.MaxBytes, len(text)), Remedy: "raise engines.store.max_bytes"}
	}
	return s.db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(owned(owner))
		if err != nil {
			return err
		}
		for _, name := range [][]byte{texts, order} {
			if _, err := b.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		if err := remove(b, []byte(key)); err != nil {
			return err
		}
		if err := s.makeRoom(tx, len(text)); err != nil {
			return err
		}
		at := binary.BigEndian.AppendUint64(nil, uint64(s.now().UnixNano()))
		return errors.Join(b.Bucket(texts).Put([]byte(key), append(at[:timeSize:timeSize], text...)),
			b.Bucket(order).Put(append(at[:timeSize:timeSize], key...), binary.BigEndian.AppendUint64(nil, uint64(len(text)))),
			addBytes(b, len(text)))
	})
}

// Get returns the text under a key.
func (s *Store) Get(owner, key string) (text []byte, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		if b := tx.Bucket(owned(owner)); b != nil {
			if kept := b.Bucket(texts).Get([]byte(key)); kept != nil && !s.isOld(kept) {
				text = bytes.Clone(kept[timeSize:])
				return nil
			}
		}
		return unknown(key)
	})
	return text, err
}

// Delete deletes the text under a key.
func (s *Store) Delete(owner, key string) error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		if b := tx.Bucket(owned(owner)); b != nil && b.Bucket(texts).Get([]byte(key)) != nil {
			return remove(b, []byte(key))
		}
		return unknown(key)
	})
}

func unknown(key string) error {
	return &fault.Error{Code: fault.NotFound, Message: fmt.Sprintf("%q is not stored, or not any more", key)}
}

// isOld reports whether what begins with a time is too old.
func (s *Store) isOld(kept []byte) bool {
	return s.now().Sub(time.Unix(0, int64(binary.BigEndian.Uint64(kept)))) > s.MaxAge //nolint:gosec // Put wrote it
}

// expire deletes what is too old.
func (s *Store) expire() error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(_ []byte, b *bbolt.Bucket) error {
			for oldest := first(b); oldest != nil && s.isOld(oldest); oldest = first(b) {
				if err := remove(b, oldest[timeSize:]); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// makeRoom deletes until a text of this size fits.
func (s *Store) makeRoom(tx *bbolt.Tx, size int) error {
	for {
		var most *bbolt.Bucket
		all := 0
		err := tx.ForEach(func(_ []byte, b *bbolt.Bucket) error {
			if all += bytesOf(b); most == nil || bytesOf(b) > bytesOf(most) {
				most = b
			}
			return nil
		})
		if err != nil || all+size <= s.MaxBytes {
			return err
		}
		if err := remove(most, first(most)[timeSize:]); err != nil {
			return err
		}
	}
}

// first returns the time and the key of an owner's oldest text, or nil for an owner without texts.
func first(b *bbolt.Bucket) []byte {
	at, _ := b.Bucket(order).Cursor().First()
	return bytes.Clone(at)
}

// remove deletes the text under a key of an owner, if there is one.
func remove(b *bbolt.Bucket, key []byte) error {
	kept := b.Bucket(texts).Get(key)
	if kept == nil {
		return nil
	}
	size, at := len(kept)-timeSize, append(bytes.Clone(kept[:timeSize]), key...)
	return errors.Join(b.Bucket(texts).Delete(key), b.Bucket(order).Delete(at), addBytes(b, -size))
}

// bytesOf returns how much an owner has.
func bytesOf(b *bbolt.Bucket) int {
	if n := b.Get(sum); n != nil {
		return int(binary.BigEndian.Uint64(n)) //nolint:gosec // addBytes wrote it
	}
	return 0
}

func addBytes(b *bbolt.Bucket, n int) error {
	return b.Put(sum, binary.BigEndian.AppendUint64(nil, uint64(bytesOf(b)+n))) //nolint:gosec // never negative
}
