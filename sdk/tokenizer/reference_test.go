package tokenizer

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// encoded is a text with what the reference makes of it; see judges/tokens.mjs.
type encoded struct {
	Text    []byte `json:"text"`
	IDs     []ID   `json:"ids"`
	Whole   []ID   `json:"whole"`   // with the tokens that begin and end a text
	Decoded []byte `json:"decoded"` // of IDs
	Plain   []byte `json:"plain"`   // without special tokens
}

// small calls test for each of the small vocabularies in testdata, with texts and what the reference makes of them.
func small(t *testing.T, test func(t *testing.T, tk *Tokenizer, all []encoded)) {
	folders, err := filepath.Glob("testdata/*/reference.jsonl")
	if err != nil || len(folders) == 0 {
		t.Fatalf("%d vocabularies: %v", len(folders), err)
	}
	for _, path := range folders {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			tk, err := Open(filepath.Dir(path))
			if err != nil {
				t.Fatal(err)
			}
			file, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			var all []encoded
			for lines := bufio.NewScanner(file); lines.Scan(); {
				var e encoded
				if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
					t.Fatal(err)
				}
				all = append(all, e)
			}
			test(t, tk, all)
		})
	}
}

func TestIdsAndTextsAreThoseOfTheReference(t *testing.T) {
	small(t, func(t *testing.T, tk *Tokenizer, all []encoded) {
		for _, e := range all {
			text := string(e.Text)
			if got := tk.Encode(text, Options{}); !slices.Equal(got, e.IDs) {
				t.Errorf("%q: ids %d, want %d", text, got, e.IDs)
			}
			if got := tk.Encode(text, Options{AddSpecial: true}); !slices.Equal(got, e.Whole) {
				t.Errorf("%q: whole %d, want %d", text, got, e.Whole)
			}
			if got := tk.Decode(e.IDs, false); got != string(e.Decoded) {
				t.Errorf("%q: decoded %q, want %q", text, got, e.Decoded)
			}
			if got := tk.Decode(e.IDs, true); got != string(e.Plain) {
				t.Errorf("%q: decoded without special tokens %q, want %q", text, got, e.Plain)
			}
		}
	})
}

// TestRangesCoverTheText holds that tokens with ranges are the same tokens, that their ranges begin and end in order, and that they
// cover the text but for what a splitter removes.
func TestRangesCoverTheText(t *testing.T) {
	small(t, func(t *testing.T, tk *Tokenizer, all []encoded) {
		for _, e := range all {
			text := string(e.Text)
			tokens := tk.AppendTokens(nil, text, Options{})
			var ids []ID
			from, covered := 0, 0
			for _, token := range tokens {
				ids = append(ids, token.ID)
				if token.From < from || token.To < token.From || token.To > len(text) {
					t.Errorf("%q: range %d-%d after one from %d", text, token.From, token.To, from)
				}
				if token.From > covered && strings.Trim(text[covered:token.From], "Z") != "" {
					t.Errorf("%q: no token covers %q", text, text[covered:token.From])
				}
				from, covered = token.From, max(covered, token.To)
			}
			if !slices.Equal(ids, e.IDs) {
				t.Errorf("%q: ids %d, want %d", text, ids, e.IDs)
			}
		}
	})
}

// TestWhatIsDecodedIsNeverTakenBack decodes ids one by one: the texts add up to that of all, and no text ends within a
// character.
func TestWhatIsDecodedIsNeverTakenBack(t *testing.T) {
	small(t, func(t *testing.T, tk *Tokenizer, all []encoded) {
		for _, e := range all {
			d, text := tk.NewDecoder(), ""
			for _, id := range e.IDs {
				out, added := d.Append(nil, id)
				if added > len(out) || added > 0 && tk.added[id] == nil || strings.ToValidUTF8(string(out), "") != string(out) {
					t.Errorf("%q: token %d: %q, %d of it added", e.Text, id, out, added)
				}
				text += string(out)
			}
			if text += string(d.Finish(nil)); text != string(e.Decoded) {
				t.Errorf("%q: decoded %q, want %q", e.Text, text, e.Decoded)
			}
		}
	})
}

// TestSegmentsThatAreKeptGiveTheSameIds encodes each text behind and before long segments, twice.
func TestSegmentsThatAreKeptGiveTheSameIds(t *testing.T) {
	small(t, func(t *testing.T, tk *Tokenizer, all []encoded) {
		long := strings.Repeat("the template ", keptFrom/8)
		for _, e := range all {
			text := long + string(e.Text) + long
			fresh := &Tokenizer{}
			*fresh = Tokenizer{
				vocabulary: tk.vocabulary, model: tk.model, added: tk.added, addedIDs: tk.addedIDs, raw: tk.raw, normal: tk.normal,
				normalizers: tk.normalizers, prepare: tk.prepare, splitters: tk.splitters, spelledBytes: tk.spelledBytes,
			}
			want := fresh.Encode(text, Options{})
			for range 2 {
				if got := tk.Encode(text, Options{}); !slices.Equal(got, want) {
					t.Errorf("%q: ids %d, want %d", e.Text, got, want)
				}
			}
		}
	})
}
