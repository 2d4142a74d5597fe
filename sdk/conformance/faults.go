package conformance

import (
	"errors"
	"fmt"
	"strings"
)

// faults collects the faults that a demand finds in cases and requests.
type faults []*finding

// finding is the fault of a case or request, and the names of others with the same error.
type finding struct {
	name   string
	err    error
	others []string
}

// add adds the error of a case or request, if there is one.
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

// join returns an error with each fault once; nil if there are none.
func (f faults) join() error {
	errs := make([]error, len(f))
	for i, one := range f {
		errs[i] = fmt.Errorf("%s: %w", one.name, one.err)
		if len(one.others) > 0 {
			errs[i] = fmt.Errorf("%w\n  the same for %s", errs[i], listed(one.others))
		}
	}
	return errors.Join(errs...)
}

// maxListed is how many names are listed.
const maxListed = 4

func listed(names []string) string {
	if more := len(names) - maxListed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxListed], ", "), more)
	}
	return strings.Join(names, ", ")
}
