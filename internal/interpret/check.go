package interpret

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"watchpost/internal/reference"
)

// Minimum lengths of a prompt.
const (
	minWords = 6
	minChars = 30
)

// Check returns why a prompt is refused, for any interpreter, or nil. It checks
// the reasons in the order of Reasons and returns the first that applies. Two
// reasons are checked elsewhere: no_subject by the interpreter, inferred_slots
// by CheckInferred.
func Check(prompt string) *Refused {
	reason, found := fault(prompt)
	switch reason {
	case "":
		return nil
	case BareProfileLink:
		return refuse(reason, "profile_links", found, exampleOf(wish{}, linkName(found[0]), ""), "The prompt is only a link to a profile. Which topic should the posts be about? To follow what one person posts, create a people watchlist with the profile instead.")
	case BareURL:
		return refuse(reason, "urls", found, exampleOf(wish{}, linkName(found[0]), ""), "The prompt is only a link. What should the posts say about this page, and who should write them? To follow what one company posts, create a company watchlist instead.")
	case Placeholder:
		rest := readable(prompt)
		for _, p := range found {
			rest = strings.ReplaceAll(rest, p, " ")
		}
		found = distinct(found, 20)
		r := refuse(reason, "placeholders", found, exampleOf(read(Prompt{Text: rest}), "", ""), "The prompt has a placeholder that was not filled in. What should stand in place of "+shorten(found[0], exampleChars)+"?")
		r.Missing = found
		return r
	case TooShort:
		return refuseShort(prompt)
	case Gibberish:
		return refuse(reason, "unreadable", found[:min(len(found), 10)], exampleOf(wish{}, "", ""), "The prompt cannot be read as words. What should the posts be about, in a sentence?")
	}
	return refuse(reason, "request", shorten(found[0], exampleChars), exampleOf(wish{}, "content marketing", ""),
		"A watchlist finds what others write; it brings no engagement to your own posts. Which topic do the people you want to reach write about?")
}

// fault returns the first reason to refuse a prompt, with the texts that cause
// it, or "".
func fault(prompt string) (reason string, found []string) {
	tokens := tokenise(prompt)
	if links, profile := bare(tokens); len(links) > 0 {
		if profile {
			return BareProfileLink, links
		}
		return BareURL, links
	}
	if found = placeholders(prompt); len(found) > 0 {
		return Placeholder, found
	}
	if words, chars := size(prompt); words < minWords || chars < minChars {
		return TooShort, nil
	}
	if odd, ok := gibberish(tokens); ok {
		return Gibberish, odd
	}
	if request, ok := ownEngagement(tokens); ok {
		return OwnEngagement, []string{request}
	}
	return "", nil
}

// size counts the words and characters of a prompt. In scripts without spaces,
// two characters count as a word.
func size(prompt string) (words, chars int) {
	s := foldSpace(readable(prompt))
	unspaced := 0
	for f := range strings.FieldsSeq(s) {
		n := len([]rune(f)) - len([]rune(strings.Map(spaced, f)))
		if unspaced += n; n == 0 && hasWord(f) {
			words++
		}
	}
	return words + unspaced/2, utf8.RuneCountInString(s)
}

// spaced drops the characters of scripts that put no spaces between words.
func spaced(r rune) rune {
	if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) {
		return -1
	}
	return r
}

// bare returns the links of a prompt that contains nothing else, and whether
// one of them is a person's. The label of a markdown link adds nothing.
func bare(tokens []token) (links []string, profile bool) {
	asks, label := false, false
	for i, t := range tokens {
		if label = t.text == "[" && labels(tokens[i:]) || label && t.text != "]"; label {
			continue
		}
		switch {
		case t.kind == link:
			links = append(links, t.text)
			_, err := reference.ParseProfile(t.text)
			profile = profile || err == nil
		case !t.content():
		case t.kind != word:
			return nil, false
		case lookup("linking", t.norm) != "":
			asks = true
		case lookup("linkwords", t.norm) == "" && loaded().languages["en"].own[t.norm]&^roleWord == 0:
			return nil, false
		}
	}
	if asks && !profile {
		return nil, false
	}
	return links, profile
}

// labels reports whether the bracket at the start of tokens labels a link.
func labels(tokens []token) bool {
	i := slices.IndexFunc(tokens, func(t token) bool { return t.text == "]" })
	return i > 0 && i+2 < len(tokens) && tokens[i+1].kind == open && tokens[i+2].kind == link
}

// A placeholder is text in brackets that a template left to fill in. Brackets
// have other uses, which are not placeholders: markdown links, citations,
// generic types, tags like [Hiring], and quoted phrases.
var (
	templated = regexp.MustCompile(`\{\{[^{}\n]{0,80}\}\}|\$\{[^{}\n]{0,80}\}|<%[^%\n]{0,80}%>|%\([^)\n]{1,40}\)s|\[\[[^\[\]\n]{0,80}\]\]`)
	bracketed = regexp.MustCompile(`\[[^\[\]\n]{0,80}\]|\{[^{}\n]{0,80}\}|<[^<>\n]{1,80}>|\([^()\n]{1,80}\)`)
	quoting   = regexp.MustCompile("\"[^\"\n]*\"|“[^”\n]*”|`[^`\n]*`")
	inviting  = regexp.MustCompile(`^(?:(?:insert|your|fill|enter|placeholder) .|tbd)`)
)

// placeholders returns the placeholders of a prompt as written.
func placeholders(prompt string) []string {
	blank := func(q string) string { return strings.Repeat(" ", len(q)) }
	masked := quoting.ReplaceAllStringFunc(readable(prompt), func(q string) string {
		inner := strings.Trim(q, "\"“”`")
		if at := bracketed.FindString(inner); at != "" && at == inner && unfilled(inner) {
			return q // the quotes of a template, around a placeholder
		}
		return blank(q)
	})
	found := templated.FindAllString(masked, -1)
	masked = templated.ReplaceAllStringFunc(masked, blank)
	for _, at := range bracketed.FindAllStringIndex(masked, -1) {
		before, _ := utf8.DecodeLastRuneInString(masked[:at[0]])
		attached := at[0] > 0 && (inWord(before) || before == ']') || strings.HasPrefix(masked[at[1]:], "(") // Map[K], [label](link)
		if s := masked[at[0]:at[1]]; !attached && unfilled(s) {
			found = append(found, s)
		}
	}
	return found
}

// unfilled reports whether text in brackets is a placeholder. Round brackets
// are ordinary punctuation, so their text must ask for input.
func unfilled(bracket string) bool {
	inner := bracket[1 : len(bracket)-1]
	lower := strings.ToLower(inner)
	known, words := false, 0
	for w := range strings.FieldsFuncSeq(lower, func(r rune) bool { return !inWord(r) && r != '.' && r != '\'' }) {
		known = known || lookup("unfilled", strings.Trim(w, ".'0123456789")) != ""
		words++
	}
	switch {
	case literalTag(bracket):
		return false
	case bracket[0] == '(':
		return inviting.MatchString(lower) || strings.HasSuffix(lower, " here") && known
	case bracket[0] == '<':
		return inviting.MatchString(lower) || known && !strings.ContainsAny(inner, "=/@&")
	case strings.Trim(inner, " ._-?…") == "":
		return true
	case known:
		return !strings.ContainsAny(inner, ":\"")
	case strings.ContainsAny(inner, ",:;\"'()=|/") || !strings.ContainsFunc(inner, unicode.IsLetter):
		return false
	case inner == strings.ToUpper(inner): // not an abbreviation
		return strings.ContainsAny(inner, " _") || len(inner) > 8
	}
	return inner == lower && words <= 5
}

// literalTag reports whether text is a tag in brackets that occurs in posts.
func literalTag(s string) bool {
	return len(s) > 2 && s[0] == '[' && lookup("tags", strings.ToLower(strings.TrimSpace(s[1:len(s)-1]))) != ""
}

// gibberish returns the words that look random, and whether the prompt has no
// meaning: most of its words are random, it has no letters, or it repeats few
// words.
func gibberish(tokens []token) (odd []string, ok bool) {
	total, sense, lorem, letters := 0, 0, 0, false
	seen := map[string]bool{}
	for _, t := range tokens {
		if !t.content() {
			continue
		}
		total++
		seen[t.norm] = true
		letters = letters || strings.ContainsFunc(t.norm, unicode.IsLetter)
		if lookup("lorem", t.norm) != "" {
			lorem++
		}
		switch {
		case t.kind == link, t.kind == word && knownWord(t.norm):
			sense++
		case struck(t.norm) && (t.kind != word || !acronym(t.text) || len(t.text) > 6):
			odd = append(odd, t.text)
		case t.kind != word:
			sense++
		}
	}
	repeats := total >= minWords && len(seen)*3 <= total
	return odd, !letters || repeats || lorem*2 > total || len(odd)*2 >= total || sense == 0 && len(odd)*5 >= total*2
}

// knownWord reports whether a word belongs to a supported language.
func knownWord(w string) bool {
	for _, v := range loaded().languages {
		if v.own[w] != 0 || v.levels[w] != 0 {
			return true
		}
	}
	return loaded().places[w] != nil
}

// keyRows are the rows of letter keys on common keyboards.
const keyRows = "qwertyuiop asdfghjkl zxcvbnm qwertzuiop azertyuiop qsdfghjklm yxcvbnm"

// struck reports whether an unknown normalized word looks like random keys: a
// repeated sequence, neighboring keys, no vowel, or pairs of letters that few
// words contain. Words of scripts other than Latin do not.
func struck(w string) bool {
	letters := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, w)
	n := len(letters)
	if n == 0 {
		return len(w) >= 4 && !strings.ContainsAny(w, ".,%/:-") && (len(w) != 4 || w[0] != '1' && w[0] != '2')
	}
	if n < 3 || strings.Trim(letters, "abcdefghijklmnopqrstuvwxyz") != "" {
		return false
	}
	for size := 1; size <= 3; size++ {
		if n >= 3*size && n%size == 0 && strings.Repeat(letters[:size], n/size) == letters {
			return true
		}
	}
	keys, odd, changes := 0, 0, 0
	for i := range n - 1 {
		pair := letters[i : i+2]
		if strings.Contains(keyRows, pair) || strings.Contains(keyRows, string([]byte{pair[1], pair[0]})) {
			keys++
		}
		if loaded().pairs[pair] < rarePair {
			odd++
		}
	}
	for i := 1; i < len(w); i++ {
		if (w[i] <= '9') != (w[i-1] <= '9') {
			changes++
		}
	}
	return n > 3 && keys*4 >= (n-1)*3 || n > 4 && !strings.ContainsAny(letters, "aeiouy") || changes > 2 && n > 3 || odd*3 >= n-1
}

// A watchlist searches for posts of other people. Some prompts ask instead for
// likes, comments or reach of the writer's own posts. The patterns require an
// own post (my latest post, our newsletter) as the object of the engagement.
// Other people's posts, and posts about engagement, are ordinary subjects.
const (
	ownText = `(?:(?:my|our|mine)(?: own)?(?: [a-z0-9-]+){0,3}? (?:posts?|contents?|articles?|videos?|pages?|profiles?|reels?|newsletters?|` +
		`updates?|publications?|podcasts?|blogs?|carousels?|polls?|announcements?|accounts?|feed)` +
		`|(?:posts?|articles?|content|videos)(?: of)? (?:of )?(?:mine|ours)|(?:what|everything|anything|posts|content|the posts?|a post)(?: that| which)? (?:i|we|our page)(?: have| just)? (?:post|write|publish|share)(?:e?d|e?s)?)\b`
	acts   = `(?:auto-like|(?:lik|comment|engag|interact|repost|reshar|shar|react|reply|boost|promot|upvot|amplify|support|view|celebrat|sav)(?:e|es|ed|ing|s|ies)?(?: on| with| to)?)`
	counts = `(?:likes?|comments?|engagements?|reactions?|shares?|reposts?|views?|impressions?|reach|visibility|traction|upvotes?|` +
		`interactions?|followers|subscribers|replies|clicks|attention|exposure|traffic)`
	several = `(?:,? (?:and|or)? ?(?:more )?`
)

var engagements = []*regexp.Regexp{
	// like and comment on my latest post
	regexp.MustCompile(`\b` + acts + several + acts + `)* (?:(?:all|each|every|any|some|one|this|that|the) )?(?:of )?` + ownText),
	// more comments on our posts; reach of my articles
	regexp.MustCompile(`\b` + counts + several + counts + `)* (?:on|for|of|to|from|under|at|in) (?:(?:all|each|every|any) )?(?:of )?` + ownText),
	// make my post go viral; my posts need more likes
	regexp.MustCompile(`\b(?:mak|get|help|push|grow|boost|promote|increas|let)(?:e|ing|ting)? ` + ownText + `.*\b(?:viral|more|seen|noticed|liked|shared|better|trending|popular|higher)\b`),
	regexp.MustCompile(ownText + ` (?:[a-z]+ ){0,5}?(?:more |few |any |no )` + counts),
	// help me get more followers; I want more likes
	regexp.MustCompile(`^(?:(?:please|hi|hello|hey|can|could|you|i|we|want|need|would|like|i'd|id|to|help|me|us|my) )*` +
		`(?:get|gain|grow|growing|increase|increasing|boost|buy|want|need|give|bring|send|raise|improve|maximi[sz]e|generate) ` +
		`(?:(?:me|us|my|our|some|for|a|lot|of|lots|way|more|extra|additional|many|free|\d+k?|post|social|organic|profile|page) )*` +
		counts + several + counts + `)*(?: (?:on|for|from|to|in|every|fast|quickly|please|this|here|as|by|and|so|now|with)\b|$)`),
}

var (
	// subjectMark matches a prompt that also says what others write about. Asking
	// for followers is then only its purpose.
	subjectMark = regexp.MustCompile(`\b(?:posts?|people|founders|anyone|someone|conversations|discussions|threads|engineers|marketers|creators)(?: [a-z-]+){0,3} ` +
		`(?:about|on|mentioning|discussing|asking|who|that|talking|complaining|wondering)\b`)
	// byWriter matches the words before an act of the writer: topics that I could
	// share on our page.
	byWriter = regexp.MustCompile(`\b(?:(?:i|we) (?:can|could|should)|(?:can|could|should) (?:i|we)|i|we) (?:[a-z]+ )?$`)
)

// ownEngagement returns the words that ask for engagement on the writer's own
// posts.
func ownEngagement(tokens []token) (string, bool) {
	var words []string
	for _, t := range tokens {
		switch t.kind {
		case word, stop:
			words = append(words, t.norm)
		case pause:
		default:
			words = append(words, `"`)
		}
	}
	code, known := detectLanguage(words)
	if known && code != "en" { // a possessive of the writer, and a word for engagement
		has := func(c class) bool {
			return slices.ContainsFunc(words, func(w string) bool { return loaded().languages[code].own[w]&c != 0 })
		}
		return strings.Join(words, " "), has(meWord) && has(gainWord)
	}
	for sentence := range strings.SplitSeq(strings.Join(words, " "), " . ") {
		sentence = strings.Trim(sentence, " .")
		for i, re := range engagements {
			at := re.FindStringIndex(sentence)
			if at == nil || i == len(engagements)-1 && subjectMark.MatchString(sentence) || byWriter.MatchString(sentence[:at[0]]) && !strings.HasPrefix(sentence, "how ") {
				continue
			}
			found := sentence[at[0]:at[1]]
			ofOthers := slices.ContainsFunc(strings.Fields(found), func(w string) bool { return lookup("others", strings.TrimSuffix(w, "'s")) != "" })
			if !ofOthers {
				return found, true
			}
		}
	}
	return "", false
}
