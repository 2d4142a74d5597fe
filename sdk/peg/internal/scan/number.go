package scan

// number is the state of the recogniser of JSON numbers.
type number uint8

const (
	numNone     number = iota // not a number
	numStart                  // nothing read
	numMinus                  // after the sign
	numZero                   // after a leading zero
	numDigits                 // within the integer
	numPoint                  // after the point
	numFraction               // within the fraction
	numE                      // after the e
	numSign                   // after the sign of the exponent
	numExponent               // within the exponent
)

// next returns the state after c; numNone if c cannot follow.
func (n number) next(c byte) number {
	switch digit := c >= '0' && c <= '9'; {
	case digit:
		return n.digit(c)
	case c == '-' && n == numStart:
		return numMinus
	case c == '.' && (n == numZero || n == numDigits):
		return numPoint
	case c|0x20 == 'e' && (n == numZero || n == numDigits || n == numFraction):
		return numE
	case (c == '+' || c == '-') && n == numE:
		return numSign
	}
	return numNone
}

func (n number) digit(c byte) number {
	switch n {
	case numStart, numMinus:
		if c == '0' {
			return numZero
		}
		return numDigits
	case numDigits, numFraction, numExponent:
		return n
	case numPoint:
		return numFraction
	case numE, numSign:
		return numExponent
	}
	return numNone
}

// complete reports whether the number may end here.
func (n number) complete() bool {
	return n == numZero || n == numDigits || n == numFraction || n == numExponent
}

// IsNumeric reports whether c may be part of a number.
func IsNumeric(c byte) bool {
	return c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.' || c|0x20 == 'e'
}

// foreign reports whether c continues the number in another notation, such as 0x10 or 1_000, or breaks it.
func (n number) foreign(c byte) bool {
	base := n == numZero && (c|0x20 == 'x' || c|0x20 == 'o' || c|0x20 == 'b')
	return base || c == '_' || IsNumeric(c)
}
