//go:build !race

package jinja_test

// raceDetector reports whether the race detector is on. With it, a process needs more address space than the attacks get.
const raceDetector = false
