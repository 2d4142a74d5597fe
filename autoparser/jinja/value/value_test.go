package value_test

import (
	"context"
	"math/big"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/meter"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// newHeap returns a heap with the default limits.
func newHeap() *value.Heap {
	return &value.Heap{Meter: meter.New(context.Background(), meter.Limits{}.WithDefaults())}
}

// The snippets of package jinja specify values and operators against Python; these are examples for readers.
func TestOperatorsAreThoseOfPython(t *testing.T) {
	list := value.ListOf(value.Int(1), value.String("a"))
	for _, c := range []struct {
		a    value.Value
		op   string
		b    value.Value
		want string
	}{
		{value.Int(-7), "//", value.Int(2), "-4"},
		{value.Int(7), "/", value.Int(2), "3.5"},
		{value.True, "+", value.Int(1), "2"},
		{value.Int(2), "**", value.Int(100), new(big.Int).Lsh(big.NewInt(1), 100).String()},
		{value.String("a"), "*", value.Int(3), "'aaa'"},
		{value.Markup("<"), "+", value.String("<"), "Markup('<&lt;')"},
		{list, "+", list, "[1, 'a', 1, 'a']"},
		{value.Int(1), "+", value.String("a"), "TypeError: unsupported operand type(s) for +: 'int' and 'str'"},
		{value.Int(1), "%", value.Int(0), "ZeroDivisionError: integer division or modulo by zero"},
	} {
		if got := arithmetic(c.a, c.op, c.b); got != c.want {
			t.Errorf("%s %s %s: got %s, want %s", value.Printed(c.a), c.op, value.Printed(c.b), got, c.want)
		}
	}
}

// arithmetic returns the repr of the result, or the exception.
func arithmetic(a value.Value, op string, b value.Value) (out string) {
	defer func() {
		if p := recover(); p != nil {
			f := failure.Recovered(p)
			out = f.Class + ": " + f.Message
		}
	}()
	h := newHeap()
	return h.Repr(h.Arithmetic(op, a, b))
}

func TestKeysThatAreEqualInPythonAreOneKey(t *testing.T) {
	h, o := newHeap(), value.NewObject()
	for _, key := range []value.Value{value.Int(1), value.True, value.Float(1), value.String("1")} {
		o.Put(h, key, value.String("last"))
	}
	if got := h.Repr(o); got != "{1: 'last', '1': 'last'}" {
		t.Error(got)
	}
}

func TestObjectsKeepTheirOrder(t *testing.T) {
	o := value.NewObject()
	for i := range 30 {
		o.Set(string(rune('z'-i%26))+strings.Repeat("x", i/26), value.Int(int64(i)))
	}
	o.Set("z", value.String("again"))
	if keys := o.Keys(); len(keys) != 30 || keys[0] != "z" || keys[29] != "wx" || o.Len() != 30 {
		t.Errorf("%q", keys)
	}
	if v, ok := o.Get("z"); !ok || v != value.String("again") {
		t.Errorf("z is %v", v)
	}
	if v, ok := o.Get("nope"); ok {
		t.Errorf("nope is %v", v)
	}
}

func TestJSONIsDecodedInOrderAndByTheSpellingOfNumbers(t *testing.T) {
	v, err := value.Decode([]byte(`{"b": 1, "a": [1.0, 1e2, -0, 12345678901234567890123, 1.50, "ü\u00fc\n", null, true], "b": 2}`))
	if err != nil {
		t.Fatal(err)
	}
	got := newHeap().Repr(v)
	if want := `{'b': 2, 'a': [1.0, 100.0, 0, 12345678901234567890123, 1.5, 'üü\n', None, True]}`; got != want {
		t.Errorf("\ngot  %s\nwant %s", got, want)
	}
	text, err := value.Encode(v)
	if want := `{"b":2,"a":[1.0,100.0,0,12345678901234567890123,1.5,"üü\n",null,true]}`; string(text) != want || err != nil {
		t.Errorf("\ngot  %s, %v\nwant %s", text, err, want)
	}
}

func TestBadJSONIsRefused(t *testing.T) {
	for _, text := range []string{``, `{`, `[1,]`, `{"a" 1}`, `nul`, `1 2`, `'a'`, `NaN`, strings.Repeat("[", 600) + strings.Repeat("]", 600)} {
		if v, err := value.Decode([]byte(text)); err == nil {
			t.Errorf("%.20q was decoded to %v", text, v)
		}
	}
}

// The place of an error must not depend on the length of the text before it, which may exceed a read buffer.
func TestFaultsInJSONHaveTheirPlace(t *testing.T) {
	for _, before := range []int{0, 100, 5000, 70000} {
		text := `{"before":"` + strings.Repeat("x", before) + `","messages":[{"role":1},{"content":nul}]}`
		_, err := value.Decode([]byte(text))
		if err == nil || !strings.Contains(err.Error(), "messages[1].content: not JSON") {
			t.Errorf("%d characters before: %v", before, err)
		}
	}
}

// FuzzDecode checks that decoding and encoding preserve values.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"messages": [{"role": "user", "content": "a\u00e9\n"}], "n": 1, "x": 1.5, "none": null, "o": {"k": []}}`))
	f.Add([]byte(`[1, -0, 1.0, 1e400, 123456789012345678901234567890, "\ud800", "\u0000", {"a": 1, "a": 2}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := value.Decode(data)
		if err != nil {
			return
		}
		text, err := value.Encode(v)
		if err != nil {
			return // a number too large for Python to print
		}
		w, err := value.Decode(text)
		if err != nil {
			return // infinity
		}
		again, err := value.Encode(w)
		if err != nil || string(again) != string(text) {
			t.Errorf("%s became %s, %v", text, again, err)
		}
	})
}
