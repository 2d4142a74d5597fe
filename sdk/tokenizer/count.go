package tokenizer

import "context"

// Count returns the number of tokens of a text. What is long and was encoded before, such as the beginning of a conversation, costs
// little; see the package's comment. The work ends with ctx, whose cause is then the error.
//
// A prompt is counted as it is rendered, with the zero Options. The tokens of an output that an engine has not counted are those of
// its text; those of its reasoning or content alone are about those of that part, because a token can reach over its end. Where the
// ids of an output are known, session.TokenSession counts them exactly.
func (t *Tokenizer) Count(ctx context.Context, text string, o Options) (n int, err error) {
	err = t.borrowed(ctx, text, o, func(ids []ID) error {
		n = len(ids)
		return nil
	})
	return n, err
}

// CountShared is Count that returns also how many tokens, from the beginning, are those of another text: of a conversation's previous
// prompt, whose tokens an engine need not read again. An empty text shares nothing.
func (t *Tokenizer) CountShared(ctx context.Context, text, previous string, o Options) (n, shared int, err error) {
	err = t.borrowed(ctx, text, o, func(ids []ID) error {
		n = len(ids)
		if previous == "" {
			return nil
		}
		return t.borrowed(ctx, previous, o, func(before []ID) error {
			shared = Shared(ids, before)
			return nil
		})
	})
	return n, shared, err
}

// Shared returns how many ids two lists have in common, from the beginning.
func Shared(a, b []ID) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// borrowed calls use with the ids of a text, which are valid during the call.
func (t *Tokenizer) borrowed(ctx context.Context, text string, o Options, use func([]ID) error) error {
	buffer, _ := t.counts.Get().(*[]ID)
	if buffer == nil {
		buffer = new([]ID)
	}
	defer t.counts.Put(buffer)
	ids, err := t.appendWithin(ctx, (*buffer)[:0], text, o)
	if err != nil {
		return err
	}
	*buffer = ids
	return use(ids)
}
