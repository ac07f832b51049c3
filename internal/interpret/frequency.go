package interpret

import (
	"regexp"
	"strconv"
	"strings"

	"watchpost"
)

// Scan frequencies in the supported languages. Each pattern has a number of
// hours; a digit in the prompt divides or multiplies it.
var frequencies = []struct {
	hours   float64
	pattern *regexp.Regexp
}{
	{24, regexp.MustCompile(`^(?:(once|twice|thrice|one time|(?:\d+|two|three|four) times) (?:a|per|each|every) day|(?:ein|zwei|drei)mal (?:täglich|am tag|pro tag)|(?:une|deux|trois|\d) fois par jour|(?:una vez|dos veces|tres veces|\d veces) (?:al|por) (?:día|dia)|(?:uma vez|duas vezes|três vezes) (?:ao|por) dia|(?:una volta|due volte|tre volte) al giorno|din me(?:in)? (?:ek|do|teen) baar|दिन में (?:एक|दो|तीन) बार|(?:مرة|مرتين) (?:يوميا|في اليوم))`)},
	{1, regexp.MustCompile(`^(?:every|alle|toutes les|cada|ogni|a cada|har) (\d+) (?:hours?|hrs?|h|stunden|heures|horas|ore|ghante)`)},
	{24, regexp.MustCompile(`^(?:every|alle|tous les|cada|ogni|a cada|har) (\d+) (?:days?|tage|jours|días|dias|giorni|din)`)},
	{1, regexp.MustCompile(`^(?:hourly|every hour|each hour|once an hour|stündlich|jede stunde|toutes les heures|chaque heure|cada hora|a cada hora|ogni ora|har ghante|हर घंटे|كل ساعة)`)},
	{48, regexp.MustCompile(`^(?:every other day|every second day|every two days|jeden zweiten tag|alle zwei tage|tous les deux jours|cada dos días|a cada dois dias|ogni due giorni|ek din chhod kar|हर दूसरे दिन|كل يومين)`)},
	{72, regexp.MustCompile(`^(?:once a week|once per week|weekly(?: is fine| digest)?|every week|each week|einmal (?:pro|die) woche|wöchentlich|jede woche|chaque semaine|toutes les semaines|une fois par semaine|cada semana|toda semana|semanalmente|una vez por semana|uma vez por semana|ogni settimana|una volta (?:alla|a) settimana|har hafte|हर हफ्ते|हर सप्ताह|أسبوعيا|كل أسبوع|every month|monthly)`)},
	{24, regexp.MustCompile(`^(?:daily|every day|each day|every morning|every evening|once daily|täglich|jeden tag|jeden morgen|chaque jour|tous les jours|quotidiennement|cada día|cada dia|todos los días|todos os dias|todo dia|diariamente|a diario|ogni giorno|tutti i giorni|giornalmente|har din|har roz|roz|हर दिन|हर रोज़|रोज़|रोज|يوميا|كل يوم|every single day)`)},
}

// windows are time expressions that say nothing about the subject.
var windows = regexp.MustCompile(`^(?:(?:of|in|from|during|over|within) )?(?:(?:the )?(?:last|past|previous|this|next|current) (?:few |couple of |\d+ |two |three |seven )?(?:hours?|days?|weeks?|months?|years?|quarters?|morning|evening)|right now|these days|diese woche|diesen monat|letzte woche|cette semaine|ce mois|esta semana|este mes|este mês|questa settimana|is hafte|इस हफ्ते|هذا الأسبوع|هذا الشهر|as soon as possible|in real time|real-time|asap)`)

var counted = map[string]float64{
	"twice": 2, "thrice": 3, "two": 2, "three": 3, "four": 4, "zwei": 2, "drei": 3, "deux": 2, "trois": 3, "dos": 2, "tres": 3, "duas": 2, "tres veces": 3, "três": 3,
	"due": 2, "tre": 3, "do": 2, "teen": 3, "दो": 2, "तीन": 3, "مرتين": 2,
}

// frequency removes time expressions from a prompt and returns the stated
// number of hours between scans, or 0.
func frequency(tokens []token) ([]token, int) {
	var out []token
	hours := 0
	for i := 0; i < len(tokens); {
		n, h := timeAt(tokens[i:])
		if n == 0 {
			out = append(out, tokens[i])
			i++
			continue
		}
		if hours == 0 {
			hours = h
		}
		i += n
	}
	return out, hours
}

// timeAt returns how many of the first tokens state a time, and the hours.
func timeAt(tokens []token) (int, int) {
	n := 0
	for n < len(tokens) && n < 7 && tokens[n].kind == word {
		n++
	}
	if n == 0 {
		return 0, 0
	}
	s := strings.ToLower(texts(tokens[:n])) + " "
	if m := windows.FindString(s); m != "" && ends(s, m) {
		return strings.Count(strings.TrimSpace(m), " ") + 1, 0
	}
	for _, f := range frequencies {
		m := f.pattern.FindStringSubmatch(s)
		if m == nil || !ends(s, m[0]) {
			continue
		}
		hours := f.hours
		for w := range strings.FieldsSeq(strings.NewReplacer("mal ", " mal ").Replace(m[0] + " ")) {
			k := counted[w]
			if d, err := strconv.Atoi(w); err == nil {
				k = float64(d)
			}
			switch {
			case k == 0:
			case len(m) > 1 && m[1] != "" && f.pattern == frequencies[1].pattern, f.pattern == frequencies[2].pattern:
				hours *= k
			case f.pattern == frequencies[0].pattern:
				hours /= k
			}
		}
		return strings.Count(strings.TrimSpace(m[0]), " ") + 1, Nearest(hours)
	}
	return 0, 0
}

// ends reports whether a match ends at the end of a word.
func ends(s, match string) bool {
	return strings.HasPrefix(s[len(match):], " ") || strings.HasSuffix(match, " ")
}

// Nearest returns the allowed number of hours nearest to h.
func Nearest(h float64) int {
	best := watchpost.FetchFrequencies[0]
	for _, f := range watchpost.FetchFrequencies {
		if diff(float64(f), h) < diff(float64(best), h) {
			best = f
		}
	}
	return best
}

func diff(a, b float64) float64 { return max(a-b, b-a) }
