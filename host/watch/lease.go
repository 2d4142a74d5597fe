package watch

// writers is what a lease reveals about processes that have a file open for writing.
type writers uint8

const (
	unknown writers = iota // no lease is available: another owner, or a file system without leases
	none                   // no process has it open, or can open it before the lease is released
	some                   // a process has it open
)
