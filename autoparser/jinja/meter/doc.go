// Package meter measures what a rendering costs, and stops one that costs too much.
//
// Templates are hostile until proven otherwise. Go cannot recover from running out of memory or from a
// stack overflow, so costs are counted before they are incurred: Charge counts steps, Grow bytes about to
// be allocated, Touch bytes that are copied or searched, Scan those looked at one by one, Enter and Deeper
// nesting. The clock is read once in a few thousand
// steps.
package meter
