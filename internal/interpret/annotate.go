package interpret

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// outsideCommunities drops the names of communities.
func outsideCommunities(tokens []token) []token {
	var out []token
	for i := 0; i < len(tokens); i++ {
		switch {
		case i+1 < len(tokens) && lookup("communities", norms(tokens[i:i+2])) != "":
			i++
		case lookup("communities", tokens[i].norm) != "", community.MatchString(tokens[i].text):
		default:
			out = append(out, tokens[i])
		}
	}
	return out
}

// annotate assigns classes to words, and joins words that form one term.
func annotate(tokens []token, v *vocabulary) []token {
	var out []token
	first := true
	capitals := slices.ContainsFunc(tokens, func(t token) bool { return capital(t.text) })
	for i := 0; i < len(tokens); {
		t := tokens[i]
		t.first = first
		t.line = i > 0 && tokens[i-1].text == "\n"
		first = t.kind == stop || t.text == "\n" || t.text == ":"
		if t.kind == link {
			t.text = linkKeyword(t.text)
			t.norm = key(t.text)
		}
		if t.kind != word || t.class != 0 {
			out = append(out, t)
			i++
			continue
		}
		if rest, ok := strings.CutPrefix(t.norm, "و"); ok && v.language == "ar" && v.levels[t.norm] == 0 && v.classes[t.norm] == 0 && (v.levels[rest] > 0 || strings.HasPrefix(rest, "ال")) {
			// "and" is a prefix
			size := len(t.text) - len(strings.TrimPrefix(t.text, "و"))
			out = append(out, token{kind: word, text: "و", norm: "و", class: andWord, from: t.from, to: t.from + size})
			tokens[i].from += size
			tokens[i].text, tokens[i].norm = strings.TrimPrefix(t.text, "و"), rest
			continue
		}
		if particle := v.particle(t, tokens[i+1:]); particle != nil {
			t.text, t.norm, t.to = t.text+" "+particle.text, t.norm+" "+particle.norm, particle.to
			out = append(out, t)
			i += 2
			continue
		}
		t, n := v.match(t, tokens[i:], capitals)
		out = append(out, t)
		i += n
	}
	for i := 0; i < len(out); i++ {
		if i+1 < len(out) && out[i].first && out[i].class == 0 && capital(out[i+1].text) && plain(out[i]) && plain(out[i+1]) && v.language != "de" {
			out[i].first = false // Six Nations
		}
		if out[i].is(placeWord) {
			out = placeList(out, i+1)
		}
	}
	return out
}

// particle returns the particle that a participle is one term with, as in burned out,
// or nil. Verbs of requests and intents are in the tables, with their particles.
func (v *vocabulary) particle(t token, rest []token) *token {
	if v.language != "en" || len(rest) == 0 || lookup("particles", rest[0].norm) == "" || rest[0].kind != word ||
		capital(t.text) && !t.first || v.classes[t.norm] != 0 || v.intents[t.norm] != nil {
		return nil
	}
	joined := t.norm + " " + rest[0].norm
	participle := strings.HasSuffix(t.norm, "ed") || strings.HasSuffix(t.norm, "ing") || lookup("participles", t.norm) != ""
	last := len(rest) == 1 || rest[1].kind != word || v.classes[rest[1].norm]&ofWord == 0 // out of
	if !participle || !last || v.classes[joined] != 0 || v.intents[joined] != nil {
		return nil
	}
	return &rest[0]
}

// placeList makes the names of a list of places places too: in Leeds or Bradford.
func placeList(tokens []token, from int) []token {
	list, known := slices.Clone(tokens[:from]), false
	for i := from; i < len(tokens); {
		n := i
		for n < len(tokens) && n < i+2 && tokens[n].kind == word && tokens[n].class == 0 && tokens[n].intent == nil && tokens[n].place == nil && capital(tokens[n].text) {
			n++
		}
		t := tokens[i]
		switch {
		case n > i:
			t.text, t.norm, t.to = texts(tokens[i:n]), norms(tokens[i:n]), tokens[n-1].to
			t.place = &place{t.text, []string{t.text}}
		case t.place != nil:
			known, n = true, i+1
		}
		if n == i || n < len(tokens) && plain(tokens[n]) {
			break
		}
		if list = append(list, t); i > from && tokens[i-1].is(andWord|orWord) && known {
			return append(list, tokens[n:]...)
		}
		for i = n; i < len(tokens) && (tokens[i].text == "," || tokens[i].is(andWord|orWord)); i++ {
			list = append(list, tokens[i])
		}
		if i == n {
			break
		}
	}
	return tokens
}

// match returns the longest entry of the tables at the start of tokens as one
// token, and its number of tokens.
func (v *vocabulary) match(t token, tokens []token, capitals bool) (token, int) {
	most := 0
	for most < len(tokens) && most < v.longest && tokens[most].kind == word && (most == 0 || tokens[most].class == 0) {
		most++
	}
	for n := most; n > 0; n-- {
		norm := norms(tokens[:n])
		c, in, p := v.classes[norm], v.intents[norm], loaded().places[norm]
		if c == 0 && n == 1 && v.language == "en" {
			c = roleByEnding(t, v)
		}
		if p != nil && !located(tokens[:n], capitals, v) {
			p = nil
		}
		if n == 1 && c != 0 && acronym(t.text) && c&structural == 0 && v.levels[norm] < 30 && p == nil && c&(roleWord|seniorityWord) == 0 && t.text != strings.ToLower(t.text) && len(t.text) > 1 {
			c = 0 // IT, not it
		}
		if c == 0 && in == nil && p == nil {
			continue
		}
		if p != nil || c&onlyWord != 0 && !t.first && capital(t.text) && n < most && capital(tokens[n].text) { // Just Eat
			c, in = 0, nil
		}
		t.text, t.norm, t.class, t.intent, t.place, t.to = texts(tokens[:n]), norm, c, in, p, tokens[n-1].to
		return t, n
	}
	return t, 1
}

// roleByEnding returns roleWord for words like dentists, politicians and CPOs.
func roleByEnding(t token, v *vocabulary) class {
	one, many := strings.CutSuffix(t.norm, "s")
	if many && (acronym(t.text) && v.classes[one]&roleWord != 0 || strings.HasSuffix(one, "ist") || strings.HasSuffix(one, "ician")) {
		return roleWord
	}
	return 0
}

// located reports whether words that equal the name of a place mean the place.
// In scripts with capitals they must be capitalized or not be a common word.
func located(tokens []token, capitals bool, v *vocabulary) bool {
	t := tokens[0]
	r, _ := utf8.DecodeRuneInString(t.text)
	switch {
	case !unicode.Is(unicode.Latin, r):
		return true
	case utf8.RuneCountInString(norms(tokens)) <= 3:
		return t.text == strings.ToUpper(t.text)
	case unicode.IsUpper(r):
		return true
	}
	return !capitals || v.level(t.norm) < 22
}

func capital(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r)
}

// acronym reports whether a word is in capitals or has capitals inside.
func acronym(s string) bool {
	n := 0
	for i, r := range s {
		if unicode.IsUpper(r) && (i > 0 || len(s) == 1 || s == strings.ToUpper(s)) {
			n++
		}
	}
	return n > 0 && utf8.RuneCountInString(s) > 1
}

// isName reports whether a token is written as a name: capitalized inside a
// sentence, or with digits.
func (v *vocabulary) isName(t token) bool {
	switch {
	case t.kind == quoted || t.kind == hashtag || t.kind == link:
		return true
	case t.kind != word || t.place != nil:
		return false
	case acronym(t.text) || strings.ContainsFunc(t.text, unicode.IsDigit) && strings.ContainsFunc(t.text, unicode.IsLetter):
		return true
	case !capital(t.text):
		return false
	case v.language == "de":
		return v.level(t.norm) == 0 && t.class == 0 && t.intent == nil && !t.first && !germanNoun(t.norm)
	}
	return !t.first || v.level(t.norm) == 0 && t.class == 0 && t.intent == nil
}

// germanNoun reports whether a word has a typical ending of German nouns.
// German capitalizes all nouns, so such a word is not a name.
func germanNoun(s string) bool {
	for _, end := range []string{"ung", "ungen", "heit", "keit", "schaft", "tion", "tionen", "en", "er", "ern", "e", "ie", "ik", "tum", "mus", "nis", "ment", "ens", "el", "em", "es"} {
		if strings.HasSuffix(s, end) && len(s) > len(end)+3 {
			return true
		}
	}
	return len(s) > 9
}

// digits reports whether a word is a number.
func digits(s string) bool { return strings.Trim(s, "0123456789.,-/") == "" }

// shouted reports whether a word is in capitals.
func shouted(s string) bool { return s == strings.ToUpper(s) }
