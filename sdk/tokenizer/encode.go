package tokenizer

import "github.com/dragoman-project/dragoman/internal/work"

// encoder encodes one text.
type encoder struct {
	*Tokenizer
	workspace *workspace
	literal   bool
	meter     *work.Meter

	ids    []ID
	tokens []Token // in place of ids, if ranges is set
	ranges bool

	// Where pieces lie, if ranges is set: in what the edits of layers made of input[base:].
	base   int
	layers []edits // the last one first
}

func (e *encoder) run(text string, o Options) {
	var repairs edits
	repaired := text
	if e.ranges {
		repaired = valid(text, &repairs)
	} else {
		repaired = valid(text, nil)
	}
	w, _ := e.workspaces.Get().(*workspace)
	if w == nil {
		w = &workspace{}
	}
	w.meter = e.meter
	e.workspace = w
	if o.AddSpecial {
		e.addAll(e.begin, 0)
	}
	start := len(e.tokens)
	for s := range e.raw.spans(repaired, e.literal) {
		e.meter.Spend(1)
		e.base, e.layers = s.from, e.layers[:0]
		if s.token != nil {
			e.add(s.token.ID, 0, s.to-s.from)
		} else {
			e.segment(repaired[s.from:s.to], s.from == 0)
		}
	}
	if len(repairs) > 0 {
		for i := start; i < len(e.tokens); i++ {
			t := &e.tokens[i]
			t.From, t.To = repairs.old(t.From, t.To)
		}
	}
	if o.AddSpecial {
		e.addAll(e.end, len(text))
	}
	w.meter = nil
	e.workspaces.Put(w)
}

// add appends a token, of a range of the pieces.
func (e *encoder) add(id ID, from, to int) {
	if !e.ranges {
		e.ids = append(e.ids, id)
		return
	}
	for _, l := range e.layers {
		from, to = l.old(from, to)
	}
	e.tokens = append(e.tokens, Token{id, e.base + from, e.base + to})
}

// addAll appends tokens that stand for no text.
func (e *encoder) addAll(ids []ID, at int) {
	for _, id := range ids {
		if e.ranges {
			e.tokens = append(e.tokens, Token{id, at, at})
		} else {
			e.ids = append(e.ids, id)
		}
	}
}

// segment appends the tokens of a text between the added tokens that are found before normalisation.
func (e *encoder) segment(text string, first bool) {
	if e.ranges || len(text) < keptFrom {
		e.encodeSegment(text, first)
		return
	}
	hit := true
	ids, err := e.segments.GetWithin(e.meter.Context(), segment{text, first, e.literal}, func() ([]ID, int, error) {
		hit = false
		start := len(e.ids)
		e.encodeSegment(text, first)
		ids := append([]ID(nil), e.ids[start:]...)
		return ids, len(text) + 4*len(ids), nil
	})
	if err != nil {
		e.meter.Check() // the context has ended while another caller was encoding the segment
	}
	if hit {
		e.ids = append(e.ids, ids...)
	}
}

func (e *encoder) encodeSegment(text string, first bool) {
	var layers []edits
	noted := &layers
	if !e.ranges {
		noted = nil
	}
	text = normalized(e.normalizers, text, first, noted, e.meter)
	for s := range e.normal.spans(text, e.literal) {
		e.meter.Spend(1)
		e.layers = reversed(e.layers[:0], layers)
		if s.token != nil {
			e.add(s.token.ID, s.from, s.to)
			continue
		}
		e.part(text[s.from:s.to], s.from, first && s.from == 0)
	}
}

// part appends the tokens of a text without added tokens.
func (e *encoder) part(text string, at int, first bool) {
	var layers []edits
	if !e.ranges {
		e.split(normalized(e.prepare, text, first, nil, e.meter), 0, 0)
		return
	}
	text = normalized(e.prepare, text, first, &layers, e.meter)
	outer := e.layers
	e.layers = append(reversed(nil, layers), edits{{0, 0, 0, at}})
	e.layers = append(e.layers, outer...)
	e.split(text, 0, 0)
}

// reversed appends layers to dst, the last one first.
func reversed(dst, layers []edits) []edits {
	for i := len(layers) - 1; i >= 0; i-- {
		if len(layers[i]) > 0 {
			dst = append(dst, layers[i])
		}
	}
	return dst
}

// split splits a text by the splitters from a level on.
func (e *encoder) split(text string, at, level int) {
	e.meter.Spend(1)
	if level == len(e.splitters) {
		e.model.encode(e, text, at)
		return
	}
	e.splitters[level].split(text, e.meter, func(from, to int) { e.split(text[from:to], at+from, level+1) })
}
