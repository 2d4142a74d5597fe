package scan

// odd marks the bytes that are not plain.
var odd = func() (t [256]bool) {
	for c := range byte(' ') {
		t[c] = true
	}
	t['"'], t['\''], t['\\'] = true, true, true
	return t
}()

// IsPlain reports whether c is plain in strings of every notation: neither a quote nor a backslash nor a control character.
func IsPlain(c byte) bool { return !odd[c] }
