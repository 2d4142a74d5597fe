// Package dragoman holds what the binary carries with it: the rules for templates that comparison alone reads wrongly, and
// a few example templates.
//
// Dragoman reads a model's chat template, learns by comparing renderings how that model writes reasoning, content and tool
// calls, renders prompts, constrains sampling, and turns the model's raw text, as it streams, into messages. Programs that
// want this in process import package autoparser; those that add a format of their own import package sdk; the daemon is
// package host, and docs/architecture.md shows how they lie together.
//
// What stands here is the default. The host reads its own copies from disk where it is told to, and they replace these
// while it runs.
package dragoman

import "embed"

// Workarounds is the file of rules that is in force where the host is given no other.
//
//go:embed workarounds.yaml
var Workarounds []byte

// WorkaroundsName is the name of that file.
const WorkaroundsName = "workarounds.yaml"

// Templates are example chat templates, in the folder templates, which a host without templates of its own offers.
//
//go:embed templates/*.jinja
var Templates embed.FS
