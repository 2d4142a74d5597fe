package reply

import (
	"github.com/dragoman-project/dragoman/gateway"
	"github.com/dragoman-project/dragoman/gateway/engine"
)

// Count adds up the usage of all outputs, whose prompt counts once; nil if an engine did not count.
func Count(outputs []*gateway.Output) *engine.Usage {
	total := new(engine.Usage)
	for i, o := range outputs {
		u := o.Usage()
		if u == nil {
			return nil
		}
		if i == 0 {
			total.Prompt, total.Cached = u.Prompt, u.Cached
		}
		total.Completion += u.Completion
		if u.Reasoning != nil {
			sum := *u.Reasoning
			if total.Reasoning != nil {
				sum += *total.Reasoning
			}
			total.Reasoning = &sum
		}
	}
	return total
}
