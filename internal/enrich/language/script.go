package language

import "watchpost/internal/langcode"

// script is a class of scripts that distinguishes languages. The first four
// are used by several languages each, which a model distinguishes; each other
// belongs to one.
type script int

const (
	latin script = iota
	cyrillic
	arabic
	devanagari
	han
	kana
	hangul
	greek
	hebrew
	armenian
	georgian
	bengali
	gurmukhi
	gujarati
	tamil
	telugu
	kannada
	malayalam
	sinhala
	thai
	lao
	burmese
	khmer
	amharic
	otherScript
	scriptCount

	modelled = han // scripts before it have a model
)

// scriptCodes holds the language of the scripts that belong to one.
var scriptCodes = [scriptCount]string{
	han: "zh", kana: "ja", hangul: "ko", greek: "el", hebrew: "he", armenian: "hy", georgian: "ka",
	bengali: "bn", gurmukhi: "pa", gujarati: "gu", tamil: "ta", telugu: "te", kannada: "kn", malayalam: "ml",
	sinhala: "si", thai: "th", lao: "lo", burmese: "my", khmer: "km", amharic: "am", otherScript: langcode.Undetermined,
}

// blocks is the table of scripts, in the order of their code points.
var blocks = []struct {
	last   rune
	script script
}{
	{0x24f, latin}, {0x2ff, otherScript}, {0x36f, latin}, {0x3ff, greek}, {0x52f, cyrillic}, {0x58f, armenian}, {0x5ff, hebrew},
	{0x6ff, arabic}, {0x74f, otherScript}, {0x77f, arabic}, {0x89f, otherScript}, {0x8ff, arabic}, {0x97f, devanagari},
	{0x9ff, bengali}, {0xa7f, gurmukhi}, {0xaff, gujarati}, {0xb7f, otherScript}, {0xbff, tamil}, {0xc7f, telugu},
	{0xcff, kannada}, {0xd7f, malayalam}, {0xdff, sinhala}, {0xe7f, thai}, {0xeff, lao}, {0xfff, otherScript},
	{0x109f, burmese}, {0x10ff, georgian}, {0x11ff, hangul}, {0x139f, amharic}, {0x177f, otherScript}, {0x17ff, khmer},
	{0x1dff, otherScript}, {0x1eff, latin}, {0x1fff, greek}, {0x2e7f, otherScript}, {0x2fdf, han}, {0x303f, otherScript},
	{0x30ff, kana}, {0x312f, han}, {0x318f, hangul}, {0x31ef, han}, {0x31ff, kana}, {0x33ff, otherScript}, {0x9fff, han},
	{0xabff, otherScript}, {0xd7ff, hangul}, {0xf8ff, otherScript}, {0xfaff, han}, {0xfb4f, hebrew}, {0xfdff, arabic},
	{0xfe6f, otherScript}, {0xfeff, arabic}, {0xff60, latin}, {0xff9f, kana}, {0xffdc, hangul}, {0x1ffff, otherScript}, {0x3ffff, han},
}

// scriptOf returns the script of a letter.
func scriptOf(r rune) script {
	switch {
	case r < 0x250:
		return latin
	case r >= 0x400 && r < 0x530:
		return cyrillic
	}
	lo, hi := 0, len(blocks)
	for lo < hi {
		if mid := (lo + hi) / 2; blocks[mid].last < r {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == len(blocks) {
		return otherScript
	}
	return blocks[lo].script
}
