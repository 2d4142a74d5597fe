package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/sdk"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// hostile answers with programs that are valid but try to cost more than their size. The name of the first tool says which.
type hostile struct{}

var _ sdk.Handler = hostile{}

func (hostile) Describe() sdk.Description {
	return sdk.Description{Name: "soak-hostile", Version: "1.0.0", Match: `source contains "<hostile>"`, Priority: 100}
}

func (hostile) Plan(_ context.Context, in sdk.Input) (*sdk.Plan, error) {
	var b peg.Builder
	body, mode := b.Lit("!"), grammar.Strict
	if tools := in.Request.Tools; len(tools) > 0 && programs[tools[0].Name] != nil {
		body = programs[tools[0].Name](&b)
	}
	if slices.ContainsFunc(b.Build(body).Nodes, func(n peg.Node) bool { return n.Op == peg.Trigger }) {
		mode = grammar.Lazy
	}
	return &sdk.Plan{Program: b.Build(b.Seq(b.Prompt(), body, b.End())), Grammar: mode}, nil
}

// programs are the hostile programs, each near a limit of what a program may have.
var programs = map[string]func(*peg.Builder) peg.ID{
	"delimiters": func(b *peg.Builder) peg.ID { return b.Until(numbered(90_000, "aaaaaaaaaaaaaaaaaaaaaaaa%d")...) },
	"alphabet":   func(b *peg.Builder) peg.ID { return b.Until(letters(5000, "abcdefghijklmnop")...) },
	"overlaps":   func(b *peg.Builder) peg.ID { return b.Seq(b.Until(numbered(20_000, "ab%dab")...), b.Lit("x")) },
	"long":       func(b *peg.Builder) peg.ID { return b.Until(strings.Repeat("a", 1<<20) + "b") },
	"untils": func(b *peg.Builder) peg.ID {
		return b.Seq(each(40_000, "a%da", func(s string) peg.ID { return b.Until(s) })...)
	},
	"classes": func(b *peg.Builder) peg.ID { return classes(b, 400, 20_000) },
	"nothing": func(b *peg.Builder) peg.ID { return doubled(b, 60, b.Empty()) },
	"doubled": func(b *peg.Builder) peg.ID { return doubled(b, 60, b.Lit("a")) },
	"nested":  func(b *peg.Builder) peg.ID { return nested(b, 30_000) },
	"optional": func(b *peg.Builder) peg.ID {
		return b.Seq(each(30_000, "%d", func(s string) peg.ID { return b.Optional(b.Lit(s)) })...)
	},
	"punctuation": func(b *peg.Builder) peg.ID { return punctuation(b, 2000) },
}

// numbered returns the numbers from 0 to n-1 in a format.
func numbered(n int, format string) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(format, i)
	}
	return all
}

// letters returns texts that begin with different characters.
func letters(n int, end string) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = string(rune(0x4E00+i)) + end
	}
	return all
}

// each returns a node for each of n numbered texts.
func each(n int, format string, node func(string) peg.ID) []peg.ID {
	kids := make([]peg.ID, n)
	for i, text := range numbered(n, format) {
		kids[i] = node(text)
	}
	return kids
}

// classes returns a choice of n texts before the same large class.
func classes(b *peg.Builder, n, size int) peg.ID {
	ranges := make([]peg.Range, size)
	for i := range ranges {
		ranges[i] = peg.Range{Lo: rune(0x100 + 2*i), Hi: rune(0x100 + 2*i)}
	}
	class := b.Chars(1, 1<<30, ranges...)
	var kids []peg.ID
	for _, text := range numbered(n, "%d") {
		kids = append(kids, b.Seq(b.Lit(text), class))
	}
	return b.Choice(kids...)
}

// doubled returns a node 2 to the times, of few nodes that are shared.
func doubled(b *peg.Builder, times int, node peg.ID) peg.ID {
	for range times {
		node = b.Seq(node, node)
	}
	return node
}

// nested returns choices whose first alternatives are choices.
func nested(b *peg.Builder, depth int) peg.ID {
	node := b.Lit("a")
	for i := range depth {
		node = b.Choice(node, b.Lit(fmt.Sprint("b", i)))
	}
	return node
}

// punctuation returns a trigger that begins with nothing telling.
func punctuation(b *peg.Builder, n int) peg.ID {
	var kids []peg.ID
	for range n {
		kids = append(kids, b.Choice(b.Lit(strings.Repeat("{", 500)), b.Lit(strings.Repeat("[", 500))))
	}
	return b.Trigger("trigger", b.Seq(kids...))
}
