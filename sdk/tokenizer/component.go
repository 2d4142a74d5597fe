package tokenizer

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"

	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/tokenizer/internal/pattern"
)

// component is a normalizer, pre-tokenizer, post-processor or decoder in a tokenizer.json: a type, and members that depend on it.
type component struct {
	Type string `json:"type"`

	// Sequences.
	Normalizers   []jsontext.Value `json:"normalizers"`
	PreTokenizers []jsontext.Value `json:"pretokenizers"`
	Processors    []jsontext.Value `json:"processors"`
	Decoders      []jsontext.Value `json:"decoders"`

	Pattern          *search          `json:"pattern"`
	Content          string           `json:"content"`
	Prepend          string           `json:"prepend"`
	Behavior         behavior         `json:"behavior"`
	Invert           bool             `json:"invert"`
	AddPrefixSpace   *bool            `json:"add_prefix_space"`
	TrimOffsets      bool             `json:"trim_offsets"` // which tokens report, not which they are
	UseRegex         *bool            `json:"use_regex"`
	IndividualDigits bool             `json:"individual_digits"`
	Replacement      string           `json:"replacement"`
	PrependScheme    string           `json:"prepend_scheme"`
	Split            *bool            `json:"split"`
	StripLeft        bool             `json:"strip_left"`
	StripRight       bool             `json:"strip_right"`
	Start            int              `json:"start"`
	Stop             int              `json:"stop"`
	Single           []templatePart   `json:"single"`
	Pair             jsontext.Value   `json:"pair"` // for two texts, which are never given
	SpecialTokens    map[string]named `json:"special_tokens"`
}

// search is what a component looks for: a text or a pattern.
type search struct {
	String *string `json:"String"`
	Regex  *string `json:"Regex"`
}

type templatePart struct {
	SpecialToken *partID `json:"SpecialToken"`
	Sequence     *partID `json:"Sequence"`
}

type partID struct {
	ID     string `json:"id"`
	TypeID int    `json:"type_id"`
}

// named are the tokens that a template means by a name.
type named struct {
	ID     string   `json:"id"`
	IDs    []ID     `json:"ids"`
	Tokens []string `json:"tokens"`
}

// unsupported returns the error for what a tokenizer asks for and this package does not do.
func unsupported(place, format string, args ...any) error {
	return &fault.Error{
		Code: fault.InvalidArgument, Place: place, Message: fmt.Sprintf(format, args...) + " is not supported",
		Remedy: "tokenize with the engine, or with the library that the model was published for",
	}
}

// decodeComponent reads a component; its type is empty if it is null or absent.
func decodeComponent(place string, raw jsontext.Value) (c component, err error) {
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return c, nil
	}
	if err := json.Unmarshal(raw, &c, json.RejectUnknownMembers(true)); err != nil {
		return c, fault.Invalid(place, err.Error())
	}
	if c.Type == "" {
		return c, fault.Invalid(place+".type", "missing")
	}
	return c, nil
}

// each reads the components of a sequence.
func each(place string, all []jsontext.Value, read func(place string, raw jsontext.Value) error) error {
	for i, raw := range all {
		if err := read(place+"["+strconv.Itoa(i)+"]", raw); err != nil {
			return err
		}
	}
	return nil
}

var forms = map[string]norm.Form{"NFC": norm.NFC, "NFD": norm.NFD, "NFKC": norm.NFKC, "NFKD": norm.NFKD}

func (t *Tokenizer) readNormalizer(place string, raw jsontext.Value) error {
	c, err := decodeComponent(place, raw)
	if err != nil || c.Type == "" {
		return err
	}
	add := func(n normalizer) { t.normalizers = append(t.normalizers, n) }
	switch c.Type {
	case "Sequence":
		return each(place+".normalizers", c.Normalizers, t.readNormalizer)
	case "NFC", "NFD", "NFKC", "NFKD":
		add(inForm(forms[c.Type]))
	case "Prepend":
		add(prepended(c.Prepend))
	case "Replace":
		p, literal, err := c.search(place)
		switch {
		case err != nil:
			return err
		case p != nil:
			add(replacedMatches(p, c.Content))
		default:
			add(replaced(literal, c.Content))
		}
	default:
		return unsupported(place, "the normalizer %q", c.Type)
	}
	return nil
}

// search returns what a component looks for.
func (c *component) search(place string) (p *pattern.Pattern, literal string, err error) {
	place += ".pattern"
	switch {
	case c.Pattern == nil || c.Pattern.String == nil && c.Pattern.Regex == nil:
		return nil, "", fault.Invalid(place, "expected an object with String or Regex")
	case c.Pattern.String != nil && *c.Pattern.String == "":
		return nil, "", unsupported(place, "an empty text to look for")
	case c.Pattern.String != nil:
		return nil, *c.Pattern.String, nil
	}
	p, err = pattern.Compile(*c.Pattern.Regex)
	if err != nil {
		return nil, "", unsupported(place+".Regex", "%q: %v: this", *c.Pattern.Regex, err)
	}
	if p.MatchesEmpty() {
		return nil, "", unsupported(place+".Regex", "%q: a pattern that matches nothing at all", *c.Pattern.Regex)
	}
	return p, "", nil
}

// What pre-tokenizers without a pattern of their own split by.
var (
	gpt2Pattern   = pattern.MustCompile(`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`)
	digitPattern  = pattern.MustCompile(`\p{N}`)
	spacePattern  = pattern.MustCompile(`\s+`)
	pointPattern  = pattern.MustCompile("[\\p{P}!-/:-@\\[-`{-~]")
	wordsPatterns = pattern.MustCompile(`[\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}]+|[^\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\s]+`)
)

func (t *Tokenizer) readPreTokenizer(place string, raw jsontext.Value) error {
	c, err := decodeComponent(place, raw)
	if err != nil || c.Type == "" {
		return err
	}
	if t.spelledBytes {
		return unsupported(place, "the pre-tokenizer %q after ByteLevel", c.Type)
	}
	add := func(s splitter) { t.splitters = append(t.splitters, s) }
	switch c.Type {
	case "Sequence":
		return each(place+".pretokenizers", c.PreTokenizers, t.readPreTokenizer)
	case "Split":
		p, literal, err := c.search(place)
		if err == nil && !slices.Contains(behaviors, c.Behavior) {
			err = fault.Invalid(place+".behavior", fmt.Sprintf("unknown behavior %q; expected one of %q", c.Behavior, behaviors))
		}
		add(splitter{pattern: p, literal: literal, behavior: c.Behavior, inverted: c.Invert})
		return err
	case "ByteLevel":
		t.spelledBytes = true
		if c.AddPrefixSpace == nil || *c.AddPrefixSpace {
			if len(t.splitters) > 0 {
				return unsupported(place+".add_prefix_space", "a space before each piece")
			}
			t.prepare = append(t.prepare, prefixed(" ", false))
		}
		if c.UseRegex == nil || *c.UseRegex {
			add(splitter{pattern: gpt2Pattern, behavior: isolated})
		}
	case "Digits":
		s := splitter{pattern: digitPattern, behavior: contiguous}
		if c.IndividualDigits {
			s.behavior = isolated
		}
		add(s)
	case "Punctuation":
		add(splitter{pattern: pointPattern, behavior: cmp.Or(c.Behavior, isolated)})
	case "WhitespaceSplit":
		add(splitter{pattern: spacePattern, behavior: removed})
	case "Whitespace":
		add(splitter{pattern: wordsPatterns, behavior: removed, inverted: true})
	case "Metaspace":
		return t.readMetaspace(place, &c)
	default:
		return unsupported(place, "the pre-tokenizer %q", c.Type)
	}
	return nil
}

// scheme returns when a Metaspace puts a space before a text: "always", "first" or "never".
func (c *component) scheme(place string) (string, error) {
	scheme := c.PrependScheme
	if scheme == "" {
		scheme = "always"
		if c.AddPrefixSpace != nil && !*c.AddPrefixSpace {
			scheme = "never"
		}
	}
	if !slices.Contains([]string{"always", "first", "never"}, scheme) {
		return "", fault.Invalid(place+".prepend_scheme", fmt.Sprintf("unknown scheme %q; expected always, first or never", scheme))
	}
	return scheme, nil
}

func (t *Tokenizer) readMetaspace(place string, c *component) error {
	scheme, err := c.scheme(place)
	switch {
	case err != nil:
		return err
	case len(t.splitters) > 0:
		return unsupported(place, "Metaspace after another pre-tokenizer")
	case c.Replacement == "":
		return fault.Invalid(place+".replacement", "missing")
	}
	t.prepare = append(t.prepare, replaced(" ", c.Replacement))
	if scheme != "never" {
		t.prepare = append(t.prepare, prefixed(c.Replacement, scheme == "first"))
	}
	if c.Split == nil || *c.Split {
		t.splitters = append(t.splitters, splitter{literal: c.Replacement, behavior: mergedWithNext})
	}
	return nil
}

func (t *Tokenizer) readPostProcessor(place string, raw jsontext.Value) error {
	c, err := decodeComponent(place, raw)
	if err != nil || c.Type == "" {
		return err
	}
	switch c.Type {
	case "ByteLevel": // trims offsets
	case "Sequence":
		return each(place+".processors", c.Processors, t.readPostProcessor)
	case "TemplateProcessing":
		ids := &t.begin
		for i, part := range c.Single {
			if part.Sequence != nil {
				ids = &t.end
				continue
			}
			if part.SpecialToken == nil {
				return fault.Invalid(fmt.Sprintf("%s.single[%d]", place, i), "expected an object with SpecialToken or Sequence")
			}
			known, ok := c.SpecialTokens[part.SpecialToken.ID]
			if !ok {
				return fault.Invalid(fmt.Sprintf("%s.single[%d]", place, i), fmt.Sprintf("the token %q is missing in special_tokens", part.SpecialToken.ID))
			}
			*ids = append(*ids, known.IDs...)
		}
	default:
		return unsupported(place, "the post-processor %q", c.Type)
	}
	return nil
}

func (t *Tokenizer) readDecoder(place string, raw jsontext.Value) error {
	c, err := decodeComponent(place, raw)
	if err != nil || c.Type == "" {
		return err
	}
	d := &t.decoding
	switch c.Type {
	case "Fuse":
	case "Sequence":
		return each(place+".decoders", c.Decoders, t.readDecoder)
	case "ByteLevel":
		d.byteLevel = true
	case "ByteFallback":
		d.fallback = true
	case "Replace":
		p, literal, err := c.search(place)
		if err == nil && p != nil {
			err = unsupported(place+".pattern", "a pattern in a decoder")
		}
		d.replace = append(d.replace, replacing{literal, c.Content})
		return err
	case "Strip":
		if c.Stop != 0 || c.Start > 1 {
			return unsupported(place, "stripping more than one character at the beginning")
		}
		d.strip, d.stripped = c.Start, c.Content
	case "Metaspace":
		scheme, err := c.scheme(place)
		d.replace = append(d.replace, replacing{c.Replacement, " "})
		if scheme != "never" {
			d.firstToken, d.stripped = true, " "
		}
		return err
	default:
		return unsupported(place, "the decoder %q", c.Type)
	}
	return nil
}
