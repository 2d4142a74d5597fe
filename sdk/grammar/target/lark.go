package target

import (
	"github.com/dragoman-project/dragoman/sdk/grammar/target/lark"
)

// lark returns one grammar for the whole output. If lazy, it begins with text that contains no
// trigger.
func (tr *translation) lark(c Constraint) (string, error) {
	o := lark.Options{Lazy: c.Lazy, Specials: c.Specials, Scans: c.Scans, Work: c.Work}
	if c.Lazy {
		var err error
		if o.Words, err = tr.triggerWords(c.Triggers); err != nil {
			return "", err
		}
	}
	return lark.Write(tr.grammar, o, tr.notes), nil
}
