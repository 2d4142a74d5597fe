// Package suggest derives, from outputs that are read badly, rules under which they might be read well.
//
//	outputs ─Seen.Badness→ those that are read badly ─Candidates→ fields of the dialect that differ from what is seen
//
// It knows no models and no markers. It looks for what a format cannot do without: a call has the name of a tool that the request
// offers, in an object of JSON or in markup, and arguments behind it; reasoning stands between two tags before everything else, or
// ends with a tag that nothing opened. What stands around these, where the dialect expects something else, is a candidate.
//
// A candidate is a guess. Whoever uses it reads all outputs again under it, and keeps it only if some are read better and none worse.
//
// Words that must not be confused: an output is *bad* if its reading shows that the format was another one; a *candidate* is a set of
// fields; a *suggestion*, in package host, is a rule with a candidate that has been verified.
package suggest
