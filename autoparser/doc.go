// Package autoparser learns from a chat template how its model writes answers, renders prompts with it, and plans requests.
//
//	source ──Open──→ Template      compiled
//	       ──Learn─→ Learned       capabilities found by rendering (ability.go), questions asked (probe), answers compared
//	                               (diff), a dialect concluded (detect), corrected by workarounds (workaround), and the
//	                               parts of it dropped that the self-check does not prove (selfcheck.go, proof.go)
//	       ──Plan──→ session.Draft a prompt in the form that the template wants, normalise.go and render.go,
//	                               and a program that parses what the model writes (assemble)
//	       ──PlanBy→ session.Draft the same prompt, and the program of another handler
//
// No format is known in advance. A template renders made-up conversations, in pairs that differ in one thing, and the
// difference between the renderings is how it writes that thing. Explain prints every stage, and for every field of the
// dialect the comparison or the workaround that decided it, so that a wrong conclusion can be traced to what taught it.
//
// What was learned is checked: the self-check renders answers that were not learned from and parses them back. Reasoning and
// calls are served only if it proves them, or if a workaround vouches for them (selfcheck.go, proof.go). On demand, Rewrites
// finds out whether prompts only grow (stability.go).
//
// Every template that renders is accepted. If its format cannot be learned, its dialect treats all output as content, and Lint
// returns the reason. What is learned depends on the template and the rules alone: the package reads no files, does not log,
// and starts no goroutines. All that renders ends with its context and has a budget, for all renderings together.
//
// Words that must not be confused: a *capability* is what a template can render, the *dialect* is how it writes it; a
// *normalisation* fits a conversation to a capability, a *workaround* corrects the dialect.
package autoparser
