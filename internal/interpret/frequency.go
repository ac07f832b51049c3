package interpret

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"watchpost/watchpost"
)

// windows are time expressions that say nothing about the subject.
var windows = regexp.MustCompile(`^(?:(?:of|in|from|during|over|within) )?(?:(?:the )?(?:last|past|previous|this|next|current) (?:few |couple of |\d+ |two |three |seven )?(?:hours?|days?|weeks?|months?|years?|quarters?|morning|evening)|right now|these days|diese woche|diesen monat|letzte woche|cette semaine|ce mois|esta semana|este mes|este mês|questa settimana|is hafte|इस हफ्ते|هذا الأسبوع|هذا الشهر|as soon as possible|in real time|real-time|asap) `)

// maxTimeWords bounds the words of a time expression.
const maxTimeWords = 7

// frequency removes time expressions from a prompt. It returns the stated number
// of hours between scans, or 0, and the tokens that state it.
func frequency(tokens []token) (out []token, hours int, stated []token) {
	for i := 0; i < len(tokens); {
		n, h := timeAt(tokens[i:])
		if n == 0 {
			out = append(out, tokens[i])
			i++
			continue
		}
		if hours == 0 && h != 0 {
			hours, stated = h, tokens[i:i+n]
		}
		i += n
	}
	return out, hours, stated
}

// timeAt returns how many of the first tokens state a time, and the hours. In
// the table (times) "#" stands for a number, which divides or multiplies the
// hours.
func timeAt(tokens []token) (int, int) {
	n, number := 0, 1.0
	var said []string
	for n < len(tokens) && n < maxTimeWords && tokens[n].kind == word {
		said = append(said, tokens[n].norm)
		n++
	}
	if m := windows.FindString(strings.ToLower(texts(tokens[:n])) + " "); m != "" {
		return strings.Count(m, " "), 0
	}
	for i, w := range said {
		if d, err := strconv.ParseFloat(cmp.Or(lookup("numbers", w), w), 64); err == nil && d > 0 {
			number, said[i] = d, "#"
			break
		}
	}
	for ; n > 0; n-- {
		value := lookup("times", strings.Join(said[:n], " "))
		hours, err := strconv.ParseFloat(strings.Trim(value, "/*"), 64)
		switch {
		case err != nil:
			continue
		case value[0] == '/':
			hours /= number
		case value[0] == '*':
			hours *= number
		}
		return n, Nearest(hours)
	}
	return 0, 0
}

// Nearest returns the allowed number of hours nearest to h.
func Nearest(h float64) int {
	best := watchpost.FetchFrequencies[0]
	for _, f := range watchpost.FetchFrequencies {
		if max(float64(f)-h, h-float64(f)) < max(float64(best)-h, h-float64(best)) {
			best = f
		}
	}
	return best
}
