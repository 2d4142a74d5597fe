// Package meter counts what a rendering costs, and stops one that costs too much.
//
// Templates are hostile until proven otherwise. Go cannot recover from memory that runs out or a stack that overflows, so
// whoever makes a value or goes deeper counts it first: Charge counts steps, Grow bytes that are about to be allocated,
// Touch bytes that are read, Enter and Deeper depth. The clock is looked at once in a few thousand steps.
package meter
