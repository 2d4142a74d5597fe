package chat

// RequestError is a fault of a request: the client has to change it.
type RequestError struct {
	// Path is the place in the request, such as "messages[2].tool_calls[0].function.name"; empty for the whole.
	Path string
	// Message says what was expected, what was found, and what to do.
	Message string
}

func (e *RequestError) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return e.Path + ": " + e.Message
}
