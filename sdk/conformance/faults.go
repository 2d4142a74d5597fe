package conformance

import (
	"errors"
	"fmt"
	"strings"
)

// faults collects what is wrong with the cases and requests that a demand looks at.
type faults []*finding

// finding is what is wrong with one of them, and with others in the same way.
type finding struct {
	name   string
	err    error
	others []string
}

// add adds what is wrong with name; nil: nothing is.
func (f *faults) add(name string, err error) {
	if err == nil {
		return
	}
	for _, known := range *f {
		if known.err.Error() == err.Error() {
			known.others = append(known.others, name)
			return
		}
	}
	*f = append(*f, &finding{name: name, err: err})
}

// join is the error that tells all faults, each of them once; nil if there are none.
func (f faults) join() error {
	errs := make([]error, len(f))
	for i, one := range f {
		errs[i] = fmt.Errorf("%s: %w", one.name, one.err)
		if len(one.others) > 0 {
			errs[i] = fmt.Errorf("%w\n  the same of %s", errs[i], listed(one.others))
		}
	}
	return errors.Join(errs...)
}

// maxListed is how many names are told.
const maxListed = 4

func listed(names []string) string {
	if more := len(names) - maxListed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxListed], ", "), more)
	}
	return strings.Join(names, ", ")
}
