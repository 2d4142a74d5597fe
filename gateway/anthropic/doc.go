// Package anthropic serves Anthropic's messages in front of a gateway.
//
//	request ─read→ chat request ─Gateway.Plan→ Answer ─Begin→ Output ─Next→ pieces ─blocks→ events, or one message
//
// A request of messages is written as a chat request, which everything behind it understands; errors about that name the member of the
// request that it came from. A turn of the assistant becomes one message: its thinking, its text and its calls. A turn of the user is
// divided into the results of tools, and what else it says.
//
// An answer is a list of blocks: thinking, text, calls (tool_use), one after the other. A block begins when something is said that
// belongs to it: white space alone begins none. A block of thinking ends with its signature, which is the thinking itself, sealed:
// clients send it back, with the thinking or without, and the gateway puts it where the template wants it.
//
// The arguments of a call that was broken off are no JSON. In a stream they are what the model wrote; in a message they are a string,
// where those of a whole call are an object.
//
// Words that must not be confused: a *block* is a part of the content in the words of messages, a *part* one in those of chats; a *turn*
// is all that one role says before the other does.
package anthropic
