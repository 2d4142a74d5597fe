package check

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/dragoman-project/dragoman/sdk/cases"
	"golang.org/x/sync/errgroup"
)

type runner struct {
	Options
	subject Subject
}

// job is a case in the queue. The result is complete when done is closed.
type job struct {
	test   *cases.Case
	result Result
	done   chan struct{}
}

// Run runs all cases of the inputs, several concurrently, and writes the results in the order of the cases. The error is that of
// reading, of writing, or of ctx, never that of a case. If reading fails, the cases before are still run and reported. When ctx
// ends, Run returns without waiting for cases that ignore it.
func Run(ctx context.Context, subject Subject, inputs []Input, o Options) (Tally, error) {
	r := &runner{Options: o, subject: subject}
	workers := o.Workers
	if workers < 1 {
		workers = 2
	}
	// Jobs are sent to the workers in the order of the cases, and to the printer, which waits for each.
	work, ordered := make(chan *job), make(chan *job, 4*workers)
	outer := ctx
	group, ctx := errgroup.WithContext(ctx)
	var unread error // not the group's, since that would drop the cases that were read
	group.Go(func() error {
		defer close(work)
		defer close(ordered)
		unread = r.read(ctx, inputs, work, ordered)
		return nil
	})
	for range workers {
		group.Go(func() error {
			for j := range work {
				r.judge(ctx, j.test, &j.result)
				close(j.done)
			}
			return nil
		})
	}
	tally := make(chan Tally, 1)
	group.Go(func() error {
		t, err := r.print(ctx, ordered)
		tally <- t
		return err
	})
	ended := make(chan error, 1)
	go func() { ended <- group.Wait() }()
	select {
	case err := <-ended:
		if err == nil {
			err = unread
		}
		return <-tally, err
	case <-outer.Done():
		return <-tally, outer.Err() // printing ends with ctx
	}
}

// Judge runs one case. Of the options, it uses Splits and Seed.
func Judge(ctx context.Context, subject Subject, c *cases.Case, o Options) Result {
	r := &runner{Options: o, subject: subject}
	result := Result{ID: c.ID, Kind: c.Kind, Template: c.Template}
	r.judge(ctx, c, &result)
	return result
}

// read sends a job for every line that is not blank.
func (r *runner) read(ctx context.Context, inputs []Input, work, ordered chan<- *job) error {
	for _, input := range inputs {
		for c, err := range cases.Read(input.Reader) {
			j := &job{test: c, done: make(chan struct{})}
			var line *cases.LineError
			switch {
			case errors.As(err, &line):
				j.unreadable(input.Name, line)
			case err != nil:
				return fmt.Errorf("%s: %w", input.Name, err)
			default:
				j.result = Result{ID: c.ID, Kind: c.Kind, Template: c.Template, Where: place(input.Name, c.Line)}
			}
			if err := send(ctx, ordered, j); err != nil {
				return err
			}
			if c == nil {
				continue
			}
			if err := send(ctx, work, j); err != nil {
				return err
			}
		}
	}
	return nil
}

// unreadable completes the job of a line without a case.
func (j *job) unreadable(file string, line *cases.LineError) {
	where := place(file, line.Line)
	j.result = Result{ID: where, Where: where}
	j.result.fail("not a case: " + line.Err.Error())
	close(j.done)
}

func place(file string, line int) string { return fmt.Sprintf("%s:%d", file, line) }

func send(ctx context.Context, to chan<- *job, j *job) error {
	select {
	case to <- j:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// print writes each result when it is complete, and the tally at the end.
func (r *runner) print(ctx context.Context, ordered <-chan *job) (tally Tally, err error) {
	report, results := buffered(r.Report), buffered(r.Results)
	out := json.NewEncoder(results)
	out.SetEscapeHTML(false)
	for {
		j, err := next(ctx, ordered)
		if err != nil {
			return tally, errors.Join(err, report.Flush(), results.Flush())
		}
		if j == nil {
			break
		}
		if j.result.OK() {
			tally.Passed++
		} else {
			tally.Failed++
		}
		if r.Progress != nil {
			r.Progress(tally)
		}
		r.write(report, &j.result)
		if err := report.Flush(); err != nil {
			return tally, fmt.Errorf("writing the report: %w", err)
		}
		if err := out.Encode(j.result.line()); err != nil {
			return tally, fmt.Errorf("writing results: %w", err)
		}
	}
	fmt.Fprintf(report, "%d passed, %d failed\n", tally.Passed, tally.Failed)
	return tally, errors.Join(report.Flush(), results.Flush())
}

// next waits until the next job is complete; nil means that there is none.
func next(ctx context.Context, ordered <-chan *job) (*job, error) {
	select {
	case j, more := <-ordered:
		if !more {
			return nil, nil
		}
		select {
		case <-j.done:
			return j, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// write writes a result to the report, if it is to be there.
func (r *runner) write(w io.Writer, result *Result) {
	switch {
	case !result.OK():
		fmt.Fprintf(w, "FAIL %s\n%s\n", result.title(), indent(result.Why))
	case r.Remarks && len(result.Remarks) > 0:
		fmt.Fprintf(w, "note %s\n", result.title())
	default:
		return
	}
	if r.Remarks {
		for _, remark := range result.Remarks {
			fmt.Fprintln(w, indent(remark))
		}
	}
}

func buffered(w io.Writer) *bufio.Writer {
	if w == nil {
		w = io.Discard
	}
	return bufio.NewWriter(w)
}
