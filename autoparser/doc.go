// Package autoparser learns from a chat template how its model writes an answer, renders prompts with it, and plans requests.
//
//	source ──Open──→ Template      compiled, and what it can do: found by rendering, ability.go
//	       ──Learn─→ Learned       questions asked (probe), answers compared (diff), a dialect concluded (detect),
//	                               corrected by workarounds (workaround)
//	       ──Plan──→ session.Draft a prompt in the form that the template wants, normalise.go and render.go,
//	                               and a program that parses what the model writes (assemble)
//	       ──PlanBy→ session.Draft the same prompt, and the program of another handler
//
// Nothing is known beforehand of any format. A template is asked to render made-up conversations, in pairs that differ in
// one thing, and what differs between the renderings is how it writes that thing. Explain prints every stage, and for every
// field of the dialect the comparison, or the workaround, that decided it: a wrong answer can be followed to where it was
// taught.
//
// What was learned is checked on demand: SelfCheck renders answers that the template was not learned from and reads them
// back, Rewrites finds out whether a prompt only grows (selfcheck.go, stability.go).
//
// No template is refused that renders. One that cannot be read has a dialect in which everything is content, and a lint
// that says why. What is learned depends on the template and the rules alone: the package reads no file, logs nothing, and
// starts no goroutine.
//
// Words that must not be confused: a *capability* is what a template can render, the *dialect* is how it writes it; a
// *normalisation* fits a conversation to a capability, a *workaround* corrects the dialect.
package autoparser
