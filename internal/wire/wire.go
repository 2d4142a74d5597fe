// Package wire converts between the protobuf messages of the plugin contract and the values that handlers and the host
// work with. Protobuf stops here: apart from the code that serves or calls the RPCs, nothing uses a generated type. Package chatapi
// does the same for the daemon's API, and package adminapi for its services for operators.
//
// Every type has a pair of functions, EncodeX and DecodeX, and decoding what was encoded yields an equal value. Messages come
// from another process, which may be of another version and in another language, so decoding trusts nothing:
//
//	foreign bytes ──protobuf──→ message ──DecodeX──→ value whose references and kinds are valid
//	                                         └─────→ *fault.Error of code Internal: a fault of the plugin, never a panic
//
// Whether a decoded program may run is a further question (peg.Program.Validate), which the host asks once the program is
// bound to its prompt.
//
// Words that must not be confused: a *fault of the plugin* is a message that breaks the contract (Broken); a *request
// error* is a plugin's verdict on a client's request (code InvalidArgument), and a *decline* its refusal to serve it
// (*handler.Declined): both are ordinary answers.
package wire

import (
	"fmt"

	"github.com/dragoman-project/dragoman/sdk/fault"
)

// What both sides agree on before the first RPC. The cookie prevents plugins from being run by hand; it is not a secret.
const (
	// ProtocolVersion is the major version of the contract, dragoman.plugin.v1.
	ProtocolVersion = 1
	// CookieKey and CookieValue are the environment variable that tells a plugin that a host started it.
	CookieKey   = "DRAGOMAN_PLUGIN"
	CookieValue = "8f0d1e6a-handler"
	// ServiceName is the name under which go-plugin dispenses the service.
	ServiceName = "handler"
	// LifelineKey is the environment variable with the number of a file descriptor at which a plugin reads end of file when
	// the host has ended; the plugin then exits, too.
	LifelineKey = "DRAGOMAN_LIFELINE_FD"
	// OptionsKey is the environment variable with the options of the manifest, a JSON object.
	OptionsKey = "DRAGOMAN_PLUGIN_OPTIONS"
	// DirectoryKey is the environment variable with the directory of the manifest.
	DirectoryKey = "DRAGOMAN_PLUGIN_DIR"
	// MaxMessage is the largest message, in bytes, that either side accepts.
	MaxMessage = 64 << 20
)

// Broken returns the error of a message that breaks the contract at path, such as "plan.program.nodes[7].repeat.child".
func Broken(path, format string, args ...any) *fault.Error {
	return &fault.Error{Code: fault.Internal, Place: path, Message: fmt.Sprintf(format, args...)}
}
