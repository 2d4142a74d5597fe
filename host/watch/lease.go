package watch

// writers is what a lease tells of those who have a file open for writing.
type writers uint8

const (
	unknown writers = iota // no lease is to be had: another owner, or a file system without leases
	none                   // nobody has it open, and nobody can open it before the lease is released
	some                   // somebody has it open
)
