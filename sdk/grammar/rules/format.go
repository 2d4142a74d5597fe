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
	digit := digits('0', '9')
	switch name {
	case "date":
		return date()
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

func digits(lo, hi rune) *cfg.Expr { return cfg.Chars(charset.Range{Lo: lo, Hi: hi}) }

// date returns the days of the calendar.
func date() *cfg.Expr {
	digit, of := digits('0', '9'), func(chars string) *cfg.Expr { return cfg.Class(charset.Of(chars)) }
	year := func(e ...*cfg.Expr) *cfg.Expr { return cfg.Seq(append(e, cfg.Text("-"))...) }
	day := func(last ...*cfg.Expr) *cfg.Expr {
		return cfg.Alt(append(last, cfg.Seq(cfg.Text("0"), digits('1', '9')), cfg.Seq(cfg.Text("1"), digit))...)
	}
	twenties := cfg.Seq(cfg.Text("2"), digit)
	long := cfg.Seq(cfg.Alt(cfg.Seq(cfg.Text("0"), of("13578")), cfg.Seq(cfg.Text("1"), of("02"))), cfg.Text("-"), day(twenties, cfg.Seq(cfg.Text("3"), of("01"))))
	short := cfg.Seq(cfg.Alt(cfg.Seq(cfg.Text("0"), of("469")), cfg.Text("11")), cfg.Text("-"), day(twenties, cfg.Text("30")))
	february := cfg.Seq(cfg.Text("02-"), day(cfg.Seq(cfg.Text("2"), digits('0', '8'))))
	fourth := cfg.Alt(cfg.Seq(of("2468"), of("048")), cfg.Seq(of("13579"), of("26")))
	leap := cfg.Alt(cfg.Seq(digit, digit, cfg.Alt(fourth, cfg.Seq(cfg.Text("0"), of("48")))), cfg.Seq(cfg.Alt(fourth, cfg.Seq(cfg.Text("0"), of("048"))), cfg.Text("00")))
	return cfg.Alt(cfg.Seq(year(cfg.Times(4, 4, digit)), cfg.Alt(long, short, february)), cfg.Seq(year(leap), cfg.Text("02-29")))
}
