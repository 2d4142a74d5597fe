package plugins

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/host/plugins/manifest"
)

func TestProcessesAreConfinedByTheirManifest(t *testing.T) {
	t.Parallel()
	root := os.Getuid() == 0
	for _, c := range []struct {
		keys, want string
		root       bool // requires root
	}{
		{"", "up=true files=true", false},
		{"limits: {open_files: 40}", "up=true files=false", false},
		{"network: none", "up=false", false},
		{"user: nobody", "user=65534 ", true},
		{"{user: 65534, network: none}", "user=65534 up=false", true},
	} {
		t.Run(c.keys, func(t *testing.T) {
			if c.root && !root {
				t.Skip("only root can choose the user")
			}
			b := newBench(t, Options{})
			b.confined(strings.NewReplacer("{user", "user", ", network", "\nnetwork", "none}", "none").Replace(c.keys), map[string]any{"Plan": "confines"})
			b.load()
			if got := declined(t, b.handler("rogue")); !strings.Contains(got, c.want) {
				t.Errorf("got %s, expected %s", got, c.want)
			}
		})
	}
}

func TestImpossibleConfinementsAreRefused(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]string{
		"network: some":                 `network: expected "host" or "none", found "some"`,
		"limits: {memory_bytes: 1000}":  "limits.memory_bytes: expected at least 67108864, found 1000",
		"limits: {open_files: 3}":       "limits.open_files: expected at least 16, found 3",
		"user: nobody-of-that-name":     `user: unknown user "nobody-of-that-name"`,
		"fallback: none":                `fallback: expected "refuse" or "generic", found "none"`,
		"limits: {memory_bytes: 1 GiB}": "cannot unmarshal",
	} {
		b := newBench(t, Options{})
		b.confined(keys, nil)
		if err := b.Load(b.dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, expected %s", keys, err, want)
		}
	}
}

func TestAProcessThatTakesTooMuchMemoryEndsAlone(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	b.confined("limits: {memory_bytes: 300000000}", map[string]any{"Plan": "blow", "Only": "poison"})
	b.load()
	poison := input()
	poison.Template.Name = "poison"
	_, err := b.handler("rogue").Plan(t.Context(), poison)
	wantError[*Unavailable](t, err, "exit status 2")
	pid(t, b.handler("rogue"))
}

func TestAProcessThatNeverAnswersIsReplaced(t *testing.T) {
	t.Parallel()
	b, h := one(t, Options{CallTimeout: time.Second}, map[string]any{"Plan": "spin", "Once": filepath.Join(t.TempDir(), "once")})
	pid(t, h)
	if s := b.state("rogue"); s.Starts != 2 || !strings.Contains(s.LastError, "no answer within 1s") {
		t.Errorf("state %+v", s)
	}
}

func TestTheManifestChoosesTheFallback(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]manifest.Fallback{"": manifest.FallbackRefuse, "fallback: generic": manifest.FallbackGeneric} {
		b := newBench(t, Options{})
		b.confined(keys, map[string]any{"Start": "exit"})
		b.load()
		_, err := b.handler("rogue").Plan(t.Context(), input())
		var down *Unavailable
		if wantError[*Unavailable](t, err, ""); errors.As(err, &down) && down.Fallback != want {
			t.Errorf("%s: %s", keys, down.Fallback)
		}
	}
}

func TestBadExecutablesDoNotReplaceTheOneThatServes(t *testing.T) {
	t.Parallel()
	good, err := os.ReadFile(rogue)
	if err != nil {
		t.Fatal(err)
	}
	foreign := append([]byte(nil), good...)
	foreign[18], foreign[19] = 0xF3, 0x5A // an unknown e_machine
	script := func(text string) []byte { return []byte("#!/bin/sh\n" + text + "\nsleep 100\n") }
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"truncated":                 {good[:len(good)/3], "refused"},
		"another architecture":      {foreign, "exec format error"},
		"not an executable":         {[]byte("hello"), "exec format error"},
		"another protocol":          {script(`echo "1|2|unix|/tmp/x|grpc|"`), "incompatible API version with plugin. Plugin version: 2"},
		"a socket somewhere else":   {script(`echo "1|1|unix|/tmp/x|grpc|"`), "expected a unix socket in the directory"},
		"garbage for its handshake": {script(`head -c 100000 /dev/urandom`), "timeout while waiting for plugin to start"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, h := one(t, Options{StartTimeout: 2 * time.Second}, nil)
			before := pid(t, h)
			path := filepath.Join(b.dir, "rogue")
			_ = os.Remove(path)
			writeExecutable(t, path, c.data)
			if err := b.Load(b.dir); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, expected %s", err, c.want)
			}
			if after := pid(t, b.handler("rogue")); after != before {
				t.Errorf("process %d, then %d", before, after)
			}
		})
	}
}

func TestAHalfWrittenVersionTakesOverOnceItIsComplete(t *testing.T) {
	good, err := os.ReadFile(rogue)
	if err != nil {
		t.Fatal(err)
	}
	whole := slices.Concat(good, []byte("of another version"))
	b, h := one(t, Options{}, nil)
	before := pid(t, h)
	path := filepath.Join(b.dir, "rogue")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range [][]byte{whole[:len(whole)/2], whole[len(whole)/2:]} {
		if _, err := f.Write(part); err != nil {
			t.Fatal(err)
		}
		if err := b.Load(b.dir); err == nil || !strings.Contains(err.Error(), "still being written") {
			t.Errorf("got %v", err)
		}
		if after := pid(t, b.handler("rogue")); after != before {
			t.Errorf("process %d, then %d", before, after)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	b.load()
	if after := pid(t, b.handler("rogue")); after == before {
		t.Error("the complete version does not take over")
	}
}

func TestAProcessHasAGroupAndASocketDirectoryOfItsOwn(t *testing.T) {
	b, h := one(t, Options{}, nil)
	process := pid(t, h)
	if group, err := syscall.Getpgid(process); err != nil || group != process {
		t.Errorf("process %d is in group %d, %v", process, group, err)
	}
	environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", process))
	if err != nil {
		t.Skip("this system does not tell the environment of processes")
	}
	_, dir, _ := strings.Cut(string(environment), "PLUGIN_UNIX_SOCKET_DIR=")
	dir, _, _ = strings.Cut(dir, "\x00")
	sockets, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(sockets) != 1 || !strings.HasPrefix(dir, b.Manager.dir.Path) {
		t.Errorf("in %s there are %q, %v", dir, sockets, err)
	}
	for _, private := range []string{dir, b.Manager.dir.Path} {
		if info, err := os.Stat(private); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v; expected a directory closed to other users", private, info, err)
		}
	}
}

func TestAWrongChecksumOfANewVersionLeavesTheOldOne(t *testing.T) {
	b, h := one(t, Options{}, nil)
	before := pid(t, h)
	b.confined("sha256: "+strings.Repeat("0", 64), nil)
	if err := b.Load(b.dir); err == nil || !strings.Contains(err.Error(), "the manifest says 000") {
		t.Errorf("got %v", err)
	}
	if after := pid(t, b.handler("rogue")); after != before {
		t.Errorf("process %d, then %d", before, after)
	}
}
