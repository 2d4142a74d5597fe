// Package load has the gateway under load: many streams, an engine in a process of its own, and the gateway in another. `make load` runs
// it with the streams of a busy server and limits; the test alone runs a short form without.
package load
