package process

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// Confinement restricts the processes of a plugin. The zero value, completed, limits memory and open files.
type Confinement struct {
	// User is the name or number of the user that processes run as; empty: the user of the host. Only root can choose another.
	User string `yaml:"user"`
	// Network is NetworkHost or NetworkNone; empty: NetworkHost.
	Network string `yaml:"network"`
	// Limits bound what each process may use.
	Limits Limits `yaml:"limits"`
}

// Limits bound what one process may use. Beyond them the system returns errors to the process.
type Limits struct {
	// MemoryBytes is how much memory it may allocate (RLIMIT_DATA). 0: DefaultMemory.
	MemoryBytes int64 `yaml:"memory_bytes"`
	// OpenFiles is how many files and sockets it may have open (RLIMIT_NOFILE). 0: DefaultOpenFiles.
	OpenFiles int64 `yaml:"open_files"`
}

// The networks of processes. The socket between a process and its host is a file, and works in both.
const (
	NetworkHost = "host" // the network of the host
	NetworkNone = "none" // a network namespace of its own, with no interface up
)

// The default limits.
const (
	DefaultMemory    = 2 << 30
	DefaultOpenFiles = 1024
)

// The smallest limits with which a process can start.
const (
	minMemory    = 64 << 20
	minOpenFiles = 16
)

// Complete sets the defaults.
func (c *Confinement) Complete() {
	c.Network = cmp.Or(c.Network, NetworkHost)
	c.Limits.MemoryBytes = cmp.Or(c.Limits.MemoryBytes, DefaultMemory)
	c.Limits.OpenFiles = cmp.Or(c.Limits.OpenFiles, DefaultOpenFiles)
}

// Check reports faults, each with its key.
func (c *Confinement) Check(fault func(key, format string, args ...any)) {
	if c.Network != NetworkHost && c.Network != NetworkNone {
		fault("network", "expected %q or %q, found %q", NetworkHost, NetworkNone, c.Network)
	} else if c.Network == NetworkNone && !confines {
		fault("network", "this system has no network namespaces; leave it out")
	}
	if c.Limits.MemoryBytes < minMemory {
		fault("limits.memory_bytes", "expected at least %d, found %d", minMemory, c.Limits.MemoryBytes)
	}
	if c.Limits.OpenFiles < minOpenFiles {
		fault("limits.open_files", "expected at least %d, found %d", minOpenFiles, c.Limits.OpenFiles)
	}
	if _, err := c.Credential(); err != nil {
		fault("user", "%v", err)
	}
}

// Credential returns the user that processes run as; nil: that of the host.
func (c *Confinement) Credential() (*syscall.Credential, error) {
	if c.User == "" {
		return nil, nil
	}
	u, err := user.Lookup(c.User)
	if err != nil {
		if u, err = user.LookupId(c.User); err != nil {
			return nil, fmt.Errorf("unknown user %q on this system", c.User)
		}
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	if os.Geteuid() != 0 && os.Geteuid() != int(uid) {
		return nil, fmt.Errorf("only root can run a plugin as %s; this host runs as user %d", c.User, os.Geteuid())
	}
	if os.Geteuid() != 0 {
		return nil, nil
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

// explainStart adds to an error of starting a process how its confinement may have caused it.
func (c *Confinement) explainStart(err error) error {
	if errors.Is(err, syscall.EACCES) {
		return fmt.Errorf("%w; the directory for copies of plugins must be on a file system without noexec", err)
	}
	if err != nil && c.Network == NetworkNone {
		return fmt.Errorf("%w; network: none needs root, or user namespaces (user.max_user_namespaces above 0)", err)
	}
	return err
}
