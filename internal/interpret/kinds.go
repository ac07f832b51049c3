package interpret

import (
	"slices"
	"strings"
)

// SlotKind is the slot of Parts for the kinds of post. The API has none: a prompt sets no
// condition there.
const SlotKind = "kind"

// Kinds returns the kinds of post that a prompt asks for. A post has one of them.
func Kinds(prompt string) []string {
	w := read(Prompt{Text: prompt})
	return w.kinds()
}

// kinds are those of the words for kinds of post, each once.
func (w *wish) kinds() (kinds []string) {
	for _, l := range w.kinded {
		kinds = union(kinds, l.kinds)
	}
	return kinds
}

// kindOf returns the kind that a token of the prompt asks for, or "".
func (w *wish) kindOf(t token) string {
	for _, l := range w.kinded {
		for i, asked := range l.words {
			if asked.from == t.from && t.to > 0 {
				return l.kinds[i]
			}
		}
	}
	return ""
}

// readKinds finds the words that ask for a kind of post, and makes them words of the
// request, so that they are no part of a subject. They ask for it only where a request
// stands: “videos about”, “image posts”, “posts with images”, “only polls” at an end. Next to
// other words they are a part of a subject, as in video editors.
func (w *wish) readKinds(tokens []token) {
	sentence := 0
	for i := 0; i < len(tokens); {
		if tokens[i].kind == stop || tokens[i].text == "\n" {
			sentence = i + 1
		}
		l := kindsAt(tokens, i)
		if l.to == i {
			i++
			continue
		}
		if negated := slices.ContainsFunc(tokens[sentence:i], func(t token) bool { return t.is(notWord) }); !negated {
			k := kindReader{kindList: l, tokens: tokens, sentence: sentence, language: w.vocab.language}
			if from, to, ok := k.asked(); ok {
				w.kinded = append(w.kinded, l)
				for at := from; at < to; at++ {
					if tokens[at].kind == word && !tokens[at].is(andWord|orWord) {
						tokens[at].class, tokens[at].intent = frameWord, nil
					}
				}
			}
		}
		i = l.to
	}
}

// kindList is a list of words for kinds, as in polls and videos. It ends where it begins if
// there is none.
type kindList struct {
	from, to int
	words    []token
	kinds    []string // of each word
}

// kindsAt returns the list of words for kinds at a place.
func kindsAt(tokens []token, from int) kindList {
	l := kindList{from: from, to: from}
	for at := from; at < len(tokens); {
		n := min(2, len(tokens)-at)
		for n > 0 && lookup("kinds", norms(tokens[at:at+n])) == "" {
			n--
		}
		if n == 0 || slices.ContainsFunc(tokens[at:at+n], func(t token) bool { return t.kind != word }) {
			break
		}
		for _, t := range tokens[at : at+n] {
			l.words, l.kinds = append(l.words, t), append(l.kinds, lookup("kinds", norms(tokens[at:at+n])))
		}
		at += n
		l.to = at
		for at < len(tokens) && (tokens[at].is(andWord|orWord) || tokens[at].text == "," || lookup("articles", tokens[at].norm) != "") {
			at++
		}
	}
	return l
}

// kindReader decides whether a list of words for kinds asks for them.
type kindReader struct {
	kindList
	tokens   []token
	sentence int // where it begins
	language string
}

// at returns a token. There is the end of a sentence before the first and behind the last.
func (k *kindReader) at(i int) token {
	if i < k.sentence || i >= len(k.tokens) {
		return token{kind: stop}
	}
	return k.tokens[i]
}

// asked reports whether the kinds are asked for, and the tokens that say so.
func (k *kindReader) asked() (from, to int, ok bool) {
	before, after := k.at(k.from-1), k.at(k.to)
	if begin, ok := k.behindPosts(); ok {
		return begin, k.to, true
	}
	if joined := lookup("joined", after.norm) != ""; joined || isPost(after) { // video posts
		end := k.to
		if joined {
			end++
		}
		whole := joined || strings.Contains(k.at(end).norm, " ") || k.ends(k.at(end+1)) || k.by(end+1) // no video post production
		return k.from, end, whole && isPost(k.at(end)) && k.heads(k.from)
	}
	if slices.Contains(k.kinds, "text") {
		return 0, 0, false // the word is too common
	}
	switch {
	case before.is(onlyWord) && !k.at(k.from-2).content() && !after.content(): // , only polls
		return k.from - 1, k.to, true
	case after.is(onlyWord) && !before.content() && !k.at(k.to+1).content(): // , polls only
		return k.from, k.to + 1, true
	case strings.HasPrefix(k.language, "hi") && before.is(aboutWord): // the preposition follows
		return k.from, k.to, k.ends(after) || after.is(frameWord)
	case before.is(andWord|orWord) || before.text == ",": // another word for posts is in the list
		return 0, 0, false
	}
	end := k.to
	if k.at(end).is(placeWord) && lookup("languages", k.at(end+1).norm) != "" { // videos in English
		end += 2
	}
	return k.from, k.to, k.heads(k.from) && (k.at(end).is(aboutWord) || k.at(end).text == ":" || k.by(end))
}

// behindPosts reports whether the kinds follow a word for posts that contain them, as in
// posts with images, or publications vidéo. begin is the first token behind that word.
func (k *kindReader) behindPosts() (begin int, ok bool) {
	if !k.ends(k.at(k.to)) && !k.at(k.to).is(ofWord) && !k.by(k.to) {
		return 0, false
	}
	at, contains := k.from-1, false
	for ; at >= k.sentence && k.from-at <= 5; at-- {
		t := k.at(at)
		last := t.norm[strings.LastIndexByte(t.norm, ' ')+1:]
		contains = contains || lookup("bearing", last) != ""
		if isPost(t) {
			begin = at + 1
			if contains && lookup("bearing", last) != "" { // posts with, in one token
				begin = at
			}
			describes := begin == k.from || begin == k.from-1 && k.at(begin).is(ofWord|placeWord) // publications vidéo
			describes = describes && k.language != "en" && k.language != "de"
			return begin, (describes || contains && !slices.Contains(k.kinds, "text")) && k.heads(at)
		}
		if lookup("articles", t.norm) == "" && lookup("bearing", last) == "" && !t.is(stopWord|ofWord|placeWord|mustWord|onlyWord) {
			return 0, false
		}
	}
	return 0, false
}

// isPost reports whether a token begins with a word for posts.
func isPost(t token) bool {
	first, _, _ := strings.Cut(t.norm, " ")
	return t.kind == word && lookup("posts", first) != ""
}

// heads reports whether there are only words of a request, and people who write, before a
// place of the sentence.
func (k *kindReader) heads(to int) bool {
	return !slices.ContainsFunc(k.tokens[k.sentence:to], func(t token) bool {
		request := t.is(stopWord|frameWord|onlyWord|andWord|orWord|selfWord|meWord) && !t.is(aboutWord) || t.kind >= pause && t.kind != stop ||
			lookup("languages", t.norm) != "" || t.intent != nil && (t.intent.name == "buy" || t.intent.name == "question")
		return !request && (!t.is(roleWord|seniorityWord) || !k.at(to-1).is(frameWord))
	})
}

// ends reports whether no further word belongs to the one before the token.
func (k *kindReader) ends(t token) bool {
	return t.kind >= pause || t.is(aboutWord|notWord|onlyWord|placeWord|labelWord|aimWord)
}

// by reports whether the writers of the posts follow, as in videos by founders.
func (k *kindReader) by(at int) bool {
	return lookup("byline", k.at(at).norm) != "" && k.at(at+1).is(roleWord|seniorityWord)
}
