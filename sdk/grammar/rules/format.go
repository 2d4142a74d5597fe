package rules

import (
	"strings"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/charset"
)

// FormatRule returns the rule for a string format: date, time, date-time, or one of the UUIDs.
func (b *Set) FormatRule(name string) *cfg.Expr {
	if strings.HasPrefix(name, "uuid") {
		name = "uuid"
	}
	return b.Value(name, Spelling{})
}

func (b *Set) formatBody(name string) *cfg.Expr {
	digits := func(lo, hi rune) *cfg.Expr { return cfg.Chars(charset.Range{Lo: lo, Hi: hi}) }
	digit := digits('0', '9')
	switch name {
	case "date":
		month := cfg.Alt(cfg.Seq(cfg.Text("0"), digits('1', '9')), cfg.Seq(cfg.Text("1"), digits('0', '2')))
		day := cfg.Alt(cfg.Seq(cfg.Text("0"), digits('1', '9')), cfg.Seq(digits('1', '2'), digit), cfg.Seq(cfg.Text("3"), digits('0', '1')))
		return cfg.Seq(cfg.Times(4, 4, digit), cfg.Text("-"), month, cfg.Text("-"), day)
	case "time":
		hour := cfg.Alt(cfg.Seq(digits('0', '1'), digit), cfg.Seq(cfg.Text("2"), digits('0', '3')))
		sixty := cfg.Seq(digits('0', '5'), digit)
		zone := cfg.Alt(cfg.Text("Z"), cfg.Seq(cfg.Class(charset.Of("+-")), hour, cfg.Text(":"), sixty))
		return cfg.Seq(hour, cfg.Text(":"), sixty, cfg.Text(":"), sixty, cfg.Optional(cfg.Text("."), cfg.Times(3, 3, digit)), zone)
	case "date-time":
		return cfg.Seq(b.FormatRule("date"), cfg.Text("T"), b.FormatRule("time"))
	case "uuid":
		hex := func(n int) *cfg.Expr { return cfg.Times(n, n, hexDigit()) }
		return cfg.Seq(hex(8), cfg.Text("-"), hex(4), cfg.Text("-"), hex(4), cfg.Text("-"), hex(4), cfg.Text("-"), hex(12))
	}
	return cfg.Nothing
}
