// Package batch collects items that many goroutines produce, so that one goroutine can send them together.
//
//	producers ──Put, TryPut, Push──→ Queue ──Next──→ sender
//
// A batch is due as soon as there is an item, unless a producer holds the queue (Hold) because more is about to come that belongs
// together, and no sooner than Pace after the batch before: what comes alone goes at once, and under load batches grow by
// themselves. A queue that holds too much is due whoever holds it, and makes its producers wait: that is how the speed of the
// receiver reaches them.
package batch

import (
	"sync"
	"time"
)

// Options bound a queue. The zero value sends each item as soon as the sender is ready, without a bound.
type Options struct {
	// Pace is the shortest time between two batches.
	Pace time.Duration
	// MaxBytes is the total size of items above which producers wait, and a batch is closed; 0: no bound.
	MaxBytes int
	// MaxItems is the number of items from which a batch is due although the queue is held; 0: no bound.
	MaxItems int
}

// Queue holds items until they are sent. It is safe for concurrent use, but only one goroutine may call Next.
//
//	items: what the next batches will be; sizes: the bytes of each; size: of all
//	taken: the batch that Next returned last, its memory reused
type Queue[T any] struct {
	options Options

	mu      sync.Mutex
	changed sync.Cond // any field below
	items   []T
	sizes   []int // of each
	size    int
	holds   int  // calls of Hold without a Release
	closed  bool // no more items are accepted

	taken []T       // used by Next alone, as sent is
	sent  time.Time // when the last batch was taken
}

// New returns an empty queue.
func New[T any](o Options) *Queue[T] {
	q := &Queue[T]{options: o}
	q.changed.L = &q.mu
	return q
}

// Put adds an item of the given size in bytes, after waiting until the queue is no longer full. It reports whether the queue took
// it, which a closed one does not.
func (q *Queue[T]) Put(item T, size int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.full() && !q.closed {
		q.changed.Wait()
	}
	return q.add(item, size)
}

// TryPut is like Put but returns false if it would have to wait.
func (q *Queue[T]) TryPut(item T, size int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.full() && q.add(item, size)
}

// Push is like Put but does not wait: it is for what must not be delayed, such as cancellations.
func (q *Queue[T]) Push(item T, size int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.add(item, size)
}

// Wait waits until TryPut may succeed. It returns false once the queue is closed.
func (q *Queue[T]) Wait() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.full() && !q.closed {
		q.changed.Wait()
	}
	return !q.closed
}

// Hold keeps items back until Release, so that those added meanwhile go together, unless they are too many.
func (q *Queue[T]) Hold() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.holds++
}

// Release undoes one Hold.
func (q *Queue[T]) Release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.holds--
	q.changed.Broadcast()
}

// Next waits until a batch is due and returns it; the slice is valid until the next call. ok is false once the queue is closed and
// nothing is left in it.
func (q *Queue[T]) Next() (items []T, ok bool) {
	clear(q.taken)
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.due() && !q.closed {
		q.changed.Wait()
	}
	if wait := time.Until(q.sent.Add(q.options.Pace)); wait > 0 && !q.closed {
		q.mu.Unlock()
		time.Sleep(wait) // what is added meanwhile goes with this batch
		q.mu.Lock()
	}
	if len(q.items) == 0 {
		return nil, false
	}
	q.sent = time.Now()
	q.take()
	q.changed.Broadcast()
	return q.taken, true
}

// take moves the next batch from items to taken. An item beyond the bound goes alone: what the receiver accepts alone, it must not
// refuse because of what goes with it.
func (q *Queue[T]) take() {
	n, size := 0, 0
	for n < len(q.items) && (n == 0 || q.options.MaxBytes == 0 || max(size, q.sizes[n]) <= q.options.MaxBytes) {
		size += q.sizes[n]
		n++
	}
	q.taken = append(q.taken[:0], q.items[n:]...)
	clear(q.items[n:])
	q.taken, q.items = q.items[:n], q.taken
	q.sizes, q.size = append(q.sizes[:0], q.sizes[n:]...), q.size-size
}

// Close makes the queue accept no more items. Next returns those that are left.
func (q *Queue[T]) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Broadcast()
}

// Abort closes the queue and discards what is left in it.
func (q *Queue[T]) Abort() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.items, q.sizes, q.size = nil, nil, 0
	q.changed.Broadcast()
}

func (q *Queue[T]) add(item T, size int) bool {
	if q.closed {
		return false
	}
	q.items = append(q.items, item)
	q.sizes = append(q.sizes, size)
	q.size += size
	if q.due() {
		q.changed.Broadcast()
	}
	return true
}

// full reports whether producers have to wait.
func (q *Queue[T]) full() bool { return q.options.MaxBytes > 0 && q.size > q.options.MaxBytes }

// due reports whether the next batch should be sent.
func (q *Queue[T]) due() bool {
	return len(q.items) > 0 && q.holds == 0 || q.full() || q.options.MaxItems > 0 && len(q.items) >= q.options.MaxItems
}
