package ordered_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/internal/ordered"
)

func parse(t *testing.T, text string, o ordered.Options) *ordered.Value {
	t.Helper()
	v, err := ordered.ParseWith([]byte(text), o)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestMembersKeepTheirOrderAndTheirText(t *testing.T) {
	v := parse(t, ` {"b": 1.0e0 , "a": [ 1 , "x\n" ] , "é": {}} `, ordered.Options{})
	var found []string
	for name, member := range v.Members() {
		found = append(found, name+"="+string(member.Raw())+" "+member.Path())
	}
	want := []string{`b=1.0e0 b`, `a=[ 1 , "x\n" ] a`, `é={} é`}
	if !reflect.DeepEqual(found, want) {
		t.Errorf("found %q, expected %q", found, want)
	}
	if raw := string(v.Raw()); raw != `{"b": 1.0e0 , "a": [ 1 , "x\n" ] , "é": {}}` {
		t.Errorf("the text of the whole: %s", raw)
	}
	if text := v.Get("a").Items()[1].Text(); text != "x\n" {
		t.Errorf("text %q", text)
	}
	if v.Len() != 3 || v.Get("a").Len() != 2 {
		t.Errorf("%d members, %d items", v.Len(), v.Get("a").Len())
	}
}

func TestPathsNameThePlace(t *testing.T) {
	v := parse(t, `{"messages": [{}, {"content": [{"a b": {"": [null]}}]}]}`, ordered.Options{})
	part := v.Get("messages").Items()[1].Get("content").Items()[0]
	null := part.Get("a b").Get("").Items()[0]
	if path := null.Path(); path != `messages[1].content[0]["a b"][""][0]` {
		t.Errorf("path %s", path)
	}
	for err, want := range map[error]string{
		part.Missing("type", "a string"):          "messages[1].content[0].type: expected a string, found nothing",
		null.Expected("a string", "send one"):     `messages[1].content[0]["a b"][""][0]: expected a string, found null; send one`,
		v.Expected("an array"):                    "expected an array, found an object",
		v.Get("messages").Fault("it is too long"): "messages: it is too long",
	} {
		if err.Error() != want {
			t.Errorf("found %s, expected %s", err, want)
		}
	}
}

func TestErrorsNameTheFault(t *testing.T) {
	shallow := ordered.Options{MaxDepth: 2}
	for _, c := range []struct {
		text, want string
		options    ordered.Options
	}{
		{``, "expected a JSON value, found nothing", ordered.Options{}},
		{`{} 1`, "not JSON: byte 4: more text after the end of the value", ordered.Options{}},
		{`{"a": {"b": 1, "b": 2}}`, "a.b: the object has two members of this name; send it once", ordered.Options{}},
		{`{"a": [1, tru]}`, "a[1]: not JSON: byte 13: invalid character ']' in literal true (expecting 'e')", ordered.Options{}},
		{`["a`, "[0]: not JSON: byte 3: unexpected EOF", ordered.Options{}},
		{"[\"\xff\"]", "[0]: not JSON: byte 2: invalid UTF-8", ordered.Options{}},
		{`[[[1]]]`, "byte 2: nested more than 2 levels deep", shallow},
		{`[[1]]`, "", shallow},
	} {
		_, err := ordered.ParseWith([]byte(c.text), c.options)
		if got := fmt.Sprint(err); got != c.want && (err != nil || c.want != "") {
			t.Errorf("%s: found %s, expected %s", c.text, got, c.want)
		}
	}
}

func TestTheLastOfDuplicatesCountsInThePlaceOfTheFirst(t *testing.T) {
	v := parse(t, "{\"a\": 1, \"b\": 2, \"a\": \"\xff\\ud800\"}", ordered.Options{Tolerant: true})
	if names := v.Names(); !reflect.DeepEqual(names, []string{"a", "b"}) {
		t.Errorf("names %q", names)
	}
	if text := v.Get("a").Text(); text != "\ufffd\ufffd" {
		t.Errorf("text %q", text)
	}
}

func TestDuplicatesAmongManyMembersAreFound(t *testing.T) {
	var b strings.Builder
	for round := range 2 {
		for i := range 100 {
			fmt.Fprintf(&b, `,"%d":%d`, i, i+round)
		}
	}
	v := parse(t, "{"+b.String()[1:]+"}", ordered.Options{Tolerant: true})
	if v.Len() != 100 || string(v.Get("99").Raw()) != "100" {
		t.Errorf("%d members, the last %s", v.Len(), v.Get("99").Raw())
	}
}

func TestAnAbsentValueHasNothing(t *testing.T) {
	var v *ordered.Value
	if v.Get("a").Get("b").Kind() != ordered.Absent || v.Len() != 0 || v.Items() != nil || v.Text() != "" || v.IsTrue() || v.Raw() != nil {
		t.Error("an absent value has something")
	}
	if got := v.Expected("a name").Error(); got != "expected a name, found nothing" {
		t.Error(got)
	}
	for name := range v.Members() {
		t.Errorf("member %q", name)
	}
}

func TestATreeDoesNotShareItsText(t *testing.T) {
	data := []byte(`["a"]`)
	v, err := ordered.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	copy(data, `["b"]`)
	if text := v.Items()[0].Text(); text != "a" {
		t.Errorf("text %q", text)
	}
}

// FuzzParse holds Parse to encoding/json: what both accept, they read alike.
func FuzzParse(f *testing.F) {
	for _, text := range []string{`{"a":[1,2.5e3,"x\u00e9",true,null,{}],"b":{"c":[]}}`, `"\ud83d\ude00"`, ` [ ] `, `{"a":1,"a":2}`, `[1`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := ordered.ParseWith(data, ordered.Options{Tolerant: true})
		if err != nil {
			return
		}
		var want any
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		if err := dec.Decode(&want); err != nil {
			t.Fatalf("encoding/json refuses what was read: %v", err)
		}
		if got := plain(v); !reflect.DeepEqual(got, want) {
			t.Errorf("read %v, expected %v", got, want)
		}
	})
}

// plain returns v as encoding/json decodes it.
func plain(v *ordered.Value) any {
	switch v.Kind() {
	case ordered.Object:
		members := map[string]any{}
		for name, member := range v.Members() {
			members[name] = plain(member)
		}
		return members
	case ordered.Array:
		items := []any{}
		for _, item := range v.Items() {
			items = append(items, plain(item))
		}
		return items
	case ordered.String:
		return v.Text()
	case ordered.Number:
		return json.Number(v.Raw())
	case ordered.Bool:
		return v.IsTrue()
	}
	return nil
}

func BenchmarkParse(b *testing.B) {
	text := []byte(`{"messages":[` + strings.Repeat(`{"role":"user","content":"What is the weather like in Rome today?"},`, 100) + `{"role":"user","content":"x"}]}`)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ordered.Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}
