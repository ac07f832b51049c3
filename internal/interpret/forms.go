package interpret

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// endings map word endings to those of other forms, by language.
var endings = map[string][][]string{
	"en": {{"ies", "y"}, {"sses", "ss"}, {"ches", "ch"}, {"shes", "sh"}, {"xes", "x"}, {"ss", "sses"}, {"s", ""}, {"ay", "ays"}, {"ey", "eys"}, {"oy", "oys"}, {"y", "ies"}, {"ch", "ches"}, {"sh", "shes"}, {"x", "xes"},
		{"ing"}, {"", "s"}},
	"de":      {{"innen", "in", ""}, {"ern", "er"}, {"ungen", "ung"}, {"ung", "ungen"}, {"en", "", "e"}, {"er", "ern", "e"}, {"e", "", "en"}, {"n", ""}, {"s", ""}, {"", "e", "en", "s"}},
	"fr":      {{"eurs", "eur", "euse"}, {"eur", "eurs", "euse"}, {"aux", "al"}, {"ères", "ère"}, {"s", ""}, {"x", ""}, {"", "s"}},
	"es":      {{"ces", "z"}, {"iones", "ión"}, {"ión", "iones"}, {"ores", "or", "ora"}, {"or", "ores", "ora"}, {"es", "", "e"}, {"as", "a", "os"}, {"os", "o", "as"}, {"a", "as", "o"}, {"o", "os", "a"}, {"e", "es"}, {"", "es", "s"}},
	"pt":      {{"ões", "ão"}, {"ão", "ões"}, {"ores", "or", "ora"}, {"or", "ores", "ora"}, {"ns", "m"}, {"m", "ns"}, {"is", "l"}, {"as", "a"}, {"os", "o", "as"}, {"a", "as"}, {"o", "os", "a"}, {"s", ""}, {"", "s", "es"}},
	"it":      {{"che", "ca"}, {"ghe", "ga"}, {"chi", "co"}, {"ori", "ore"}, {"ioni", "ione"}, {"ione", "ioni"}, {"i", "o", "e", "a"}, {"e", "i", "a"}, {"a", "e"}, {"o", "i"}},
	"hi":      {{"ियों", "ी"}, {"ियां", "ी"}, {"ों", ""}, {"ें", ""}, {"े", "ा"}, {"ा", "े"}, {"", "ों", "ें"}},
	"hi-Latn": {{"on", ""}, {"ein", ""}, {"s", ""}, {"", "s"}},
	"ar":      {{"ات", "ة"}, {"ة", "ات"}, {"ون", ""}, {"ين", ""}, {"و", ""}},
}

// forms returns a word and other common forms of it, itself first.
func (v *vocabulary) forms(text string) []string {
	out := []string{text}
	if strings.ContainsAny(text, "0123456789#@.") {
		return out
	}
	add := func(s string) {
		if utf8.RuneCountInString(s) > 2 && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	if v.language == "ar" {
		bare := strings.TrimPrefix(text, "ال")
		if bare != text && utf8.RuneCountInString(bare) > 2 {
			out = append(out, bare, "وال"+bare, "بال"+bare, "لل"+bare)
		} else {
			out = append(out, "ال"+text, "و"+text, "ب"+text, "ل"+text)
		}
		return out
	}
	lower := strings.ToLower(text)
	if acronym(text) {
		if bare, ok := strings.CutSuffix(text, "s"); ok {
			add(bare)
		} else if len(text) > 2 && text == strings.ToUpper(text) {
			add(text + "s")
		}
		return out
	}
	language := v.language
	if language != "hi" && language != "en" && v.levels[lower] == 0 && strings.HasSuffix(lower, "ing") {
		language = "en"
	}
	for _, e := range endings[language] {
		stem, ok := strings.CutSuffix(text, e[0])
		if !ok && capital(text) {
			continue
		}
		if !ok || utf8.RuneCountInString(stem) < 3 || e[0] == "s" && strings.HasSuffix(stem, "s") || language == "en" && (e[0] == "" && (strings.HasSuffix(text, "s") || strings.HasSuffix(text, "ed")) || e[0] == "s" && (strings.HasSuffix(stem, "u") || strings.HasSuffix(stem, "i"))) {
			continue
		}
		for _, to := range e[1:] {
			add(stem + to)
		}
		break
	}
	return out
}

// same are other names of the same thing.
var same = map[string]string{
	"ai": "artificial intelligence", "artificial intelligence": "AI", "ml": "machine learning", "machine learning": "ML", "kubernetes": "k8s",
	"llm": "large language model", "large language models": "LLMs", "ev": "electric vehicle", "evs": "electric vehicles", "electric vehicles": "EVs", "intelligence artificielle": "IA", "inteligencia artificial": "IA",
	"inteligência artificial": "IA", "intelligenza artificiale": "IA", "künstliche intelligenz": "KI", "ki": "künstliche Intelligenz",
	"return to office": "RTO", "javascript": "JS", "postgres": "PostgreSQL", "postgresql": "Postgres", "remote work": "working remotely",
}
