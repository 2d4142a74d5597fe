package plugins

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// Confinement is how the processes of a plugin are held. The zero value, completed, limits memory and open files.
type Confinement struct {
	// User is the name or number of the user that processes run as; empty: that of the host. Only root may choose.
	User string `yaml:"user"`
	// Network is NetworkHost or NetworkNone; empty: NetworkHost.
	Network string `yaml:"network"`
	// Limits bound what one process may use.
	Limits Limits `yaml:"limits"`
}

// Limits bound what one process may use. A process that wants more gets errors from the system.
type Limits struct {
	// MemoryBytes is how much memory it may allocate (RLIMIT_DATA). 0: DefaultMemory.
	MemoryBytes int64 `yaml:"memory_bytes"`
	// OpenFiles is how many files and sockets it may have open (RLIMIT_NOFILE). 0: DefaultOpenFiles.
	OpenFiles int64 `yaml:"open_files"`
}

// The networks of processes. The socket by which a process speaks with its host is a file, and works in both.
const (
	NetworkHost = "host" // that of the host
	NetworkNone = "none" // a namespace of its own, without any interface that is up
)

// The limits that a manifest need not state.
const (
	DefaultMemory    = 2 << 30
	DefaultOpenFiles = 1024
)

// The least that a process can start with.
const (
	minMemory    = 64 << 20
	minOpenFiles = 16
)

func (c *Confinement) complete() {
	c.Network = cmp.Or(c.Network, NetworkHost)
	c.Limits.MemoryBytes = cmp.Or(c.Limits.MemoryBytes, DefaultMemory)
	c.Limits.OpenFiles = cmp.Or(c.Limits.OpenFiles, DefaultOpenFiles)
}

// check reports faults; each names its key.
func (c *Confinement) check(fault func(key, format string, args ...any)) {
	if c.Network != NetworkHost && c.Network != NetworkNone {
		fault("network", "expected %q or %q, found %q", NetworkHost, NetworkNone, c.Network)
	} else if c.Network == NetworkNone && !confines {
		fault("network", "this system has no namespaces for networks; leave it out")
	}
	if c.Limits.MemoryBytes < minMemory {
		fault("limits.memory_bytes", "expected at least %d, found %d", minMemory, c.Limits.MemoryBytes)
	}
	if c.Limits.OpenFiles < minOpenFiles {
		fault("limits.open_files", "expected at least %d, found %d", minOpenFiles, c.Limits.OpenFiles)
	}
	if _, err := c.credential(); err != nil {
		fault("user", "%v", err)
	}
}

// credential is what the processes run as; nil: as the host does.
func (c *Confinement) credential() (*syscall.Credential, error) {
	if c.User == "" {
		return nil, nil
	}
	u, err := user.Lookup(c.User)
	if err != nil {
		if u, err = user.LookupId(c.User); err != nil {
			return nil, fmt.Errorf("there is no user %q on this system", c.User)
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

// admit lets a credential into the private directories of a process, and to the copy that it runs. The directory above them
// can be passed then, but not be listed.
func (d *runDir) admit(c *syscall.Credential, b binary, private ...string) error {
	if c == nil {
		return nil
	}
	if err := os.Chmod(d.path, 0o711); err != nil {
		return err
	}
	if err := os.Chmod(b.path, 0o555); err != nil {
		return err
	}
	for _, dir := range private {
		if err := os.Chown(dir, int(c.Uid), int(c.Gid)); err != nil {
			return err
		}
	}
	return nil
}

// explainStart adds to an error of starting a process what its confinement has to do with it.
func (c *Confinement) explainStart(err error) error {
	if errors.Is(err, syscall.EACCES) {
		return fmt.Errorf("%w; the folder for copies of plugins must be on a file system that lets programs run", err)
	}
	if err != nil && c.Network == NetworkNone {
		return fmt.Errorf("%w; network: none needs a host that is root, or a system that lets users make namespaces (user.max_user_namespaces above 0)", err)
	}
	return err
}
