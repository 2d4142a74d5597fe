package batch_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dragoman-project/dragoman/internal/batch"
)

// next returns the next batch as text, or "over" after the last.
func next(q *batch.Queue[int]) string {
	items, ok := q.Next()
	if !ok {
		return "over"
	}
	return fmt.Sprint(items)
}

func same(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestASingleItemIsDueAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := batch.New[int](batch.Options{Pace: time.Second})
		start := time.Now()
		go func() { q.Put(1, 1) }()
		same(t, next(q), "[1]")
		if waited := time.Since(start); waited > 0 {
			t.Errorf("Next waited for %v", waited)
		}
	})
}

func TestItemsWithinThePaceAreOneBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := batch.New[int](batch.Options{Pace: time.Second})
		q.Put(1, 1)
		same(t, next(q), "[1]")
		start := time.Now()
		go func() {
			for i := range 3 {
				q.Put(2+i, 1)
				time.Sleep(400 * time.Millisecond)
			}
		}()
		same(t, next(q), "[2 3 4]")
		if waited := time.Since(start); waited != time.Second {
			t.Errorf("Next waited for %v", waited)
		}
		time.Sleep(time.Second) // until the producer has ended
	})
}

func TestHeldItemsAreOneBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := batch.New[int](batch.Options{})
		q.Hold()
		q.Hold()
		go func() {
			for i := range 3 {
				q.Put(i, 1)
				time.Sleep(time.Second)
				if i > 0 {
					q.Release()
				}
			}
		}()
		same(t, next(q), "[0 1 2]")
	})
}

func TestAHeldQueueIsDueWhenItIsFull(t *testing.T) {
	for name, o := range map[string]batch.Options{"items": {MaxItems: 3}, "bytes": {MaxBytes: 2}} {
		t.Run(name, func(t *testing.T) {
			q := batch.New[int](o)
			q.Hold()
			for i := range 3 {
				q.Put(i, 1)
			}
			same(t, next(q), "[0 1 2]")
		})
	}
}

// TestABatchEndsAtTheBound pushes items of these sizes. A batch ends with the one that exceeds ten; a larger one goes alone.
func TestABatchEndsAtTheBound(t *testing.T) {
	q := batch.New[int](batch.Options{MaxBytes: 10})
	for _, size := range []int{4, 4, 4, 30, 10, 1, 0, 0} {
		q.Push(size, size)
	}
	q.Close()
	for _, want := range []string{"[4 4 4]", "[30]", "[10 1]", "[0 0]"} {
		same(t, next(q), want)
	}
	if left, ok := q.Next(); ok {
		t.Errorf("%v is left", left)
	}
}

func TestProducersWaitForTheSender(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := batch.New[int](batch.Options{MaxBytes: 10})
		put := 0
		go func() {
			for i := range 9 {
				q.Put(i, 6)
				put++
			}
		}()
		synctest.Wait()
		if put != 2 {
			t.Errorf("%d items were accepted, expected one more than fits", put)
		}
		if q.TryPut(9, 0) {
			t.Error("a full queue accepts more")
		}
		if !q.Push(9, 0) {
			t.Error("Push is refused by a full queue")
		}
		same(t, next(q), "[0 1]")
		synctest.Wait()
		if put != 4 || q.TryPut(9, 0) {
			t.Errorf("%d items were accepted after a batch", put)
		}
		waited := false
		go func() { waited = q.Wait() }()
		synctest.Wait()
		if waited {
			t.Error("Wait returns although the queue is full")
		}
		same(t, next(q), "[9 2 3]")
		for range 3 {
			synctest.Wait()
			next(q)
		}
		synctest.Wait()
		if !waited || put != 9 {
			t.Errorf("%d items were accepted in the end", put)
		}
	})
}

func TestAClosedQueueReturnsTheRest(t *testing.T) {
	q := batch.New[int](batch.Options{Pace: time.Hour})
	q.Hold()
	q.Put(1, 1)
	q.Close()
	if q.Put(2, 1) || q.TryPut(2, 1) || q.Push(2, 1) || q.Wait() {
		t.Error("a closed queue accepts more")
	}
	same(t, next(q), "[1]")
	same(t, next(q), "over")
}

func TestAnAbortedQueueIsEmpty(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := batch.New[int](batch.Options{MaxBytes: 1})
		q.Put(1, 9)
		var took bool
		go func() { took = q.Put(2, 1) }()
		synctest.Wait()
		q.Abort()
		synctest.Wait()
		if took {
			t.Error("an aborted queue accepts more")
		}
		same(t, next(q), "over")
	})
}

// TestNothingIsLostOrReordered lets many producers fill a small queue.
func TestNothingIsLostOrReordered(t *testing.T) {
	const producers, items = 8, 1000
	q := batch.New[[2]int](batch.Options{MaxBytes: 50, MaxItems: 7})
	var wg sync.WaitGroup
	for p := range producers {
		wg.Go(func() {
			for i := range items {
				if i%10 == 0 {
					q.Hold()
					defer q.Release()
				}
				for i%2 == 0 && !q.TryPut([2]int{p, i}, 1+i%20) {
					q.Wait()
				}
				if i%2 == 1 {
					q.Put([2]int{p, i}, 1+i%20)
				}
			}
		})
	}
	go func() {
		wg.Wait()
		q.Close()
	}()
	var got [producers][]int
	for batch, ok := q.Next(); ok; batch, ok = q.Next() {
		for _, item := range batch {
			got[item[0]] = append(got[item[0]], item[1])
		}
	}
	for p, numbers := range got {
		if len(numbers) != items || !slices.IsSorted(numbers) {
			t.Errorf("producer %d: %d items arrived, in order: %v", p, len(numbers), slices.IsSorted(numbers))
		}
	}
}
