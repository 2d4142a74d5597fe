package format

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Strftime is Python's datetime.strftime in the C locale of glibc, with the flags -, _, 0, ^ and #.
func Strftime(t time.Time, format string) string {
	var b strings.Builder
	for format != "" {
		literal, rest, found := strings.Cut(format, "%")
		b.WriteString(literal)
		if !found {
			break
		}
		flags := rest[:len(rest)-len(strings.TrimLeft(rest, "-_0^#"))]
		rest = rest[len(flags):]
		if rest == "" {
			b.WriteString("%" + flags)
			break
		}
		b.WriteString(timeField(t, rest[0], flags))
		format = rest[1:]
	}
	return b.String()
}

// timeNumbers are the numeric fields, with their width and padding.
var timeNumbers = map[byte]struct {
	width int
	pad   string
	of    func(time.Time) int
}{
	'Y': {0, "0", time.Time.Year},
	'C': {2, "0", func(t time.Time) int { return t.Year() / 100 }},
	'y': {2, "0", func(t time.Time) int { return t.Year() % 100 }},
	'm': {2, "0", func(t time.Time) int { return int(t.Month()) }},
	'd': {2, "0", time.Time.Day},
	'e': {2, " ", time.Time.Day},
	'H': {2, "0", time.Time.Hour},
	'k': {2, " ", time.Time.Hour},
	'I': {2, "0", twelve},
	'l': {2, " ", twelve},
	'M': {2, "0", time.Time.Minute},
	'S': {2, "0", time.Time.Second},
	'f': {6, "0", func(t time.Time) int { return t.Nanosecond() / 1000 }},
	'j': {3, "0", time.Time.YearDay},
	'u': {1, "0", func(t time.Time) int { return (int(t.Weekday())+6)%7 + 1 }},
	'w': {1, "0", func(t time.Time) int { return int(t.Weekday()) }},
	'U': {2, "0", func(t time.Time) int { return (t.YearDay() + 6 - int(t.Weekday())) / 7 }},
	'W': {2, "0", func(t time.Time) int { return (t.YearDay() + 6 - (int(t.Weekday())+6)%7) / 7 }},
	'G': {0, "0", func(t time.Time) int { y, _ := t.ISOWeek(); return y }},
	'g': {2, "0", func(t time.Time) int { y, _ := t.ISOWeek(); return y % 100 }},
	'V': {2, "0", func(t time.Time) int { _, w := t.ISOWeek(); return w }},
	's': {0, "0", func(t time.Time) int { return int(t.Unix()) }},
}

func twelve(t time.Time) int { return (t.Hour()+11)%12 + 1 }

// timeTexts are the fields that Go's layouts cover.
var timeTexts = map[byte]string{
	'a': "Mon", 'A': "Monday", 'b': "Jan", 'h': "Jan", 'B': "January", 'p': "PM", 'P': "pm",
	'c': "Mon Jan _2 15:04:05 2006", 'D': "01/02/06", 'x': "01/02/06", 'F': "2006-01-02", 'T': "15:04:05", 'X': "15:04:05",
	'R': "15:04", 'r': "03:04:05 PM",
}

// timeField formats one field. An unknown one is copied.
func timeField(t time.Time, field byte, flags string) string {
	if n, ok := timeNumbers[field]; ok {
		return paddedNumber(n.of(t), n.width, n.pad, flags)
	}
	if layout, ok := timeTexts[field]; ok {
		s := t.Format(layout)
		switch {
		case strings.Contains(flags, "^"):
			s = strings.ToUpper(s)
		case strings.Contains(flags, "#") && field == 'p':
			s = strings.ToLower(s)
		case strings.Contains(flags, "#"):
			s = strings.ToUpper(s)
		}
		return s
	}
	switch field {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case '%':
		return "%"
	case 'z', 'Z': // Python formats a time without a zone
		return ""
	}
	return "%" + flags + string([]byte{field})
}

// paddedNumber formats a number with its flags.
func paddedNumber(n, width int, pad, flags string) string {
	for _, flag := range flags {
		switch flag {
		case '-':
			return strconv.Itoa(n)
		case '_':
			pad = " "
		case '0':
			pad = "0"
		}
	}
	if pad == "0" {
		return fmt.Sprintf("%0*d", width, n)
	}
	return fmt.Sprintf("%*d", width, n)
}
