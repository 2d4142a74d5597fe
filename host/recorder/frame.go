package recorder

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/dragoman-project/dragoman/sdk/fault"
)

// kind is what a frame holds.
type kind byte

const (
	recordingFrame kind = iota + 1
	templateFrame
	programFrame
)

const (
	frameHead = 4 + 4 + 1 // length, checksum, kind
	// maxFrame bounds the bytes of a frame, sealed or not, and of what it holds.
	maxFrame = 32 << 20
	// magic begins the first line of a segment. The id of the key follows.
	magic   = "dragoman recordings 1 "
	openKey = "open" // the id of no key
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Key seals recordings at rest. A nil Key seals nothing.
type Key struct {
	aead cipher.AEAD
	id   string // tells a wrong key before anything is opened
}

// NewKey returns the key that is derived from a secret of any length; nil if the secret is empty.
func NewKey(secret string) (*Key, error) {
	if secret == "" {
		return nil, nil
	}
	const size, idSize = 32, 8
	derived, err := hkdf.Key(sha256.New, []byte(secret), nil, "dragoman recordings", size+idSize)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(derived[:size])
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	return &Key{aead, hex.EncodeToString(derived[size:])}, nil
}

// head returns the first line of a segment.
func (k *Key) head() string {
	if k == nil {
		return magic + openKey + "\n"
	}
	return magic + k.id + "\n"
}

// checkHead returns the length of the first line of a segment, or an error for one that cannot be read with the key.
func (k *Key) checkHead(segment []byte) (int, error) {
	head := k.head()
	if strings.HasPrefix(string(segment[:min(len(segment), len(head))]), head) {
		return len(head), nil
	}
	const longest = 80
	line, _, whole := strings.Cut(string(segment[:min(len(segment), longest)]), "\n")
	id, known := strings.CutPrefix(line, magic)
	switch {
	case !whole || !known:
		return 0, errors.New("not a file of recordings")
	case k == nil:
		return 0, &fault.Error{Code: fault.InvalidArgument, Message: "the recordings are sealed", Remedy: "give their key: recorder.key_file, or --key-file"}
	case id == openKey:
		return 0, &fault.Error{Code: fault.InvalidArgument, Message: "the recordings are not sealed", Remedy: "give no key"}
	}
	return 0, &fault.Error{Code: fault.InvalidArgument, Message: "the recordings are sealed with another key", Remedy: "give the key that was configured when they were written"}
}

// appendFrame appends a frame that begins at an offset of its segment.
func (k *Key) appendFrame(dst []byte, at int64, what kind, body []byte) []byte {
	start := len(dst)
	dst = append(dst, make([]byte, frameHead)...)
	dst[start+frameHead-1] = byte(what)
	if most := s2.MaxEncodedLen(len(body)); k == nil {
		dst = slices.Grow(dst, most)
		dst = dst[:len(dst)+len(s2.Encode(dst[len(dst):len(dst)+most], body))] // in place
	} else {
		dst = k.aead.Seal(dst, nil, s2.Encode(nil, body), place(at, what))
	}
	frame := dst[start:]
	binary.LittleEndian.PutUint32(frame, uint32(len(frame)-frameHead))
	binary.LittleEndian.PutUint32(frame[4:], crc32.Checksum(frame[frameHead-1:], castagnoli))
	return dst
}

// place is authenticated with a sealed frame, so that frames cannot trade places.
func place(at int64, what kind) []byte {
	return append(binary.LittleEndian.AppendUint64(nil, uint64(at)), byte(what))
}

// errTorn is the error for a frame that is not whole.
var errTorn = errors.New("incomplete")

// nextFrame returns the kind and the length of the frame that data begins with, after checking that it is whole.
func nextFrame(data []byte) (what kind, length int, err error) {
	if len(data) < frameHead {
		return 0, 0, errTorn
	}
	size := binary.LittleEndian.Uint32(data)
	if size > maxFrame {
		return 0, 0, fmt.Errorf("a frame of %d bytes; expected at most %d", size, maxFrame)
	}
	length = frameHead + int(size)
	if len(data) < length {
		return 0, 0, errTorn
	}
	if crc32.Checksum(data[frameHead-1:length], castagnoli) != binary.LittleEndian.Uint32(data[4:]) {
		return 0, 0, errors.New("a frame with a wrong checksum")
	}
	return kind(data[frameHead-1]), length, nil
}

// openFrame returns the body of a whole frame at an offset.
func (k *Key) openFrame(frame []byte, at int64) ([]byte, error) {
	what, packed := kind(frame[frameHead-1]), frame[frameHead:]
	if k != nil {
		var err error
		if packed, err = k.aead.Open(nil, nil, packed, place(at, what)); err != nil {
			return nil, errors.New("a frame that was changed after it was sealed")
		}
	}
	size, err := s2.DecodedLen(packed)
	if err != nil || size > maxFrame {
		return nil, fmt.Errorf("a frame that expands to %d bytes; expected at most %d", size, maxFrame)
	}
	return s2.Decode(nil, packed)
}

// newStem returns the name of a segment that begins now, without its extension. Names sort by time.
func newStem(now time.Time) string {
	var random [1]byte
	_, _ = rand.Read(random[:]) // never fails
	return fmt.Sprintf("%013x%x", now.UnixMicro(), random)
}
