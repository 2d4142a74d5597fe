// Package seal gives clients texts to keep that only the gateway can read: the reasoning of a model, which comes back with the next
// request of a conversation and is put where the template wants it. APIs call it encrypted content, or a signature.
//
// A sealed text is authenticated, and bound to what it is for; it says nothing about its length beyond its own. Keys may be several, so
// that one can be replaced: the first seals, all open.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
)

// Reasoning is the purpose of sealed reasoning. All APIs have the same, so that a conversation may change between them.
const Reasoning = "reasoning"

// Sealer seals and opens texts. It is safe for concurrent use.
type Sealer struct {
	aeads []cipher.AEAD
}

// ErrUnknown is the error of Open for a text that no key opens: it was altered, or sealed with another key or for something else.
var ErrUnknown = errors.New("sealed by another gateway, or altered")

// New returns a Sealer with these secrets, which may be of any length. Without any, it makes one up: what it seals is opened until the
// end of the process.
func New(secrets ...string) (*Sealer, error) {
	if len(secrets) == 0 {
		secrets = []string{rand.Text()}
	}
	s := new(Sealer)
	for _, secret := range secrets {
		key, err := hkdf.Key(sha256.New, []byte(secret), nil, "dragoman sealed texts", 32)
		if err != nil {
			return nil, err
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, err
		}
		aead, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return nil, err
		}
		s.aeads = append(s.aeads, aead)
	}
	return s, nil
}

// Seal returns the sealed form of a text, for a purpose such as Reasoning, in the characters of base64.
func (s *Sealer) Seal(purpose, text string) string {
	return base64.StdEncoding.EncodeToString(s.aeads[0].Seal(nil, nil, []byte(text), []byte(purpose)))
}

// Open returns the text that was sealed for a purpose. The error is ErrUnknown.
func (s *Sealer) Open(purpose, sealed string) (string, error) {
	data, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil {
		return "", ErrUnknown
	}
	for _, aead := range s.aeads {
		if text, err := aead.Open(nil, nil, data, []byte(purpose)); err == nil {
			return string(text), nil
		}
	}
	return "", ErrUnknown
}
