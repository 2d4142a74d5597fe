//go:build !race

package jinja_test

// raceDetector tells that the race detector is on, which needs more address space than a limited process has.
const raceDetector = false
