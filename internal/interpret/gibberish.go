package interpret

import (
	"slices"
	"strings"
	"unicode"
)

// A prompt is gibberish if most of its words are meaningless: runs of
// neighboring keys, letters that no word combines, the same word repeated, or
// only digits. Words of scripts other than Latin and names in the tables are
// never counted as meaningless.

// gibberish returns the tokens that look random, if they make up most of the
// prompt.
func gibberish(tokens []token) (odd []string, ok bool) {
	total, sense, letters := 0, 0, false
	seen := make(map[string]int)
	for _, t := range tokens {
		if !t.content() {
			continue
		}
		total++
		seen[t.norm]++
		letters = letters || strings.ContainsFunc(t.norm, unicode.IsLetter)
		switch {
		case t.kind != word:
			if t.kind == link || !struck(t.norm) {
				sense++
			} else {
				odd = append(odd, t.text)
			}
		case knownWord(t.norm):
			sense++
		case struck(t.norm) && !isAcronym(t.text):
			odd = append(odd, t.text)
		}
	}
	if !letters {
		return odd, true
	}
	// Few different words: test test test, blah blah blah.
	if total >= minWords && len(seen)*3 <= total {
		return repeated(seen), true
	}
	if isLorem(tokens) {
		return odd, true
	}
	switch n := len(odd); {
	case n*2 >= total:
		return odd, true
	case sense == 0 && n*5 >= total*2:
		return odd, true
	}
	return odd, false
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

// repeated returns the words of a prompt that repeats a few words.
func repeated(seen map[string]int) []string {
	var words []string
	for w, n := range seen {
		if n > 1 {
			words = append(words, w)
		}
	}
	slices.Sort(words)
	return words
}

var lorem = wordSet(`lorem ipsum dolor sit amet consectetur adipiscing elit sed eiusmod tempor incididunt labore dolore magna aliqua`)

// isLorem reports whether the words are those of lorem ipsum.
func isLorem(tokens []token) bool {
	n, total := 0, 0
	for _, t := range tokens {
		if t.kind == word {
			total++
			if lorem[t.norm] {
				n++
			}
		}
	}
	return n*2 > total
}

// rows are the rows of letter keys on common keyboards.
var rows = []string{"qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "azertyuiop", "qsdfghjklm", "yxcvbnm", "poiuytrewq", "lkjhgfdsa", "mnbvcxz"}

// rare are pairs of letters that hardly ever occur in English words and names.
var rare = wordSet(`bq bx bz cf cj cx cv cz dx fj fk fq fv fx fz gj gq gv gx gz hj hk hq hx hz jb jc jd jf jg jh jj jk jl jm jp jq jr js
	jt jv jw jx jy jz kq kx kz lx lz mq mx mz pq px qa qb qc qd qe qf qg qh qi qj qk ql qm qn qo qp qr qs qt qv qw qx qy qz sx tq vb vc
	vd vf vg vh vj vk vm vn vp vq vt vw vx vz wj wq wv wx wz xb xd xg xj xk xl xm xn xq xr xs xv xw xz yq zb zc zd zf zg zj zk zn zp zq
	zr zs zv zw zx kj kd dk lk dj sj jn fd df sd fg gf hg gh ds fs sf kl lkj wf pz bn`)

// seldomAlone are rare pairs that count only in words of up to three letters.
var seldomAlone = wordSet(`gh lk ds df sf bn dj kl lz tz kd dk`)

// struck reports whether a normalized word looks like random keys.
func struck(w string) bool {
	letters := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, w)
	if letters == "" {
		return len(w) >= 4 && !isYear(w) && !strings.ContainsAny(w, ".,%/:-")
	}
	for i := range len(letters) {
		if letters[i] < 'a' || letters[i] > 'z' {
			return false // another script
		}
	}
	digits := strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return '0'
		}
		return -1
	}, w)
	switch {
	case len(letters) < 3 || wordsOnKeys[letters]:
		return false
	case sameLetters(letters), onKeys(letters):
		return true
	case len(letters) >= 5 && !strings.ContainsAny(letters, "aeiouy"):
		return true
	case consonants(letters) >= 6:
		return true
	case len(digits) >= 3 && len(letters) >= 4 && mixed(w):
		return true
	}
	return oddPairs(letters)*3 >= len(letters)-1
}

// wordsOnKeys are real words that consist of neighboring keys.
var wordsOnKeys = wordSet(`rhythm rhythms property properties proper prompt pretty power powers type types typewriter write writer writers query
	queries route router were tree trees poor pop quit quite quiet require territory repertoire weird wired power tower towers
	kubectl nginx pytest mysql grpc kafka sqlx https crypt lynch glyph glyphs hymn hymns myths nymph tryst xml html css sql
	hadoop salad flask glass grass gas lads dad dads alaska flash slash dash sad add adds ads fall falls hall shall half
	fjord vlog vlogs strengths lengths aaa aaas baaas saas paas iaas www xxx mmm bcc ccc cnn bbc ipo lgbtq hgv hgvs hvac dvd mvc mvvm
	pdf pdfs dtf pwc kpmg kpis bnb hdfs kfc dhl ups fedex ffmpeg tmux zsh jdbc rdbms dslr nfts nft svg svgs`)

// sameLetters reports whether a word repeats one letter or a short sequence.
func sameLetters(w string) bool {
	for size := 1; size <= 3; size++ {
		if len(w) >= 3*size && len(w)%size == 0 && strings.Repeat(w[:size], len(w)/size) == w {
			return true
		}
	}
	return false
}

// onKeys reports whether a word consists of runs of neighboring keys.
func onKeys(w string) bool {
	covered := 0
	for i := 0; i < len(w); {
		run := longestRun(w[i:])
		if run >= 3 {
			covered += run
			i += run
			continue
		}
		i++
	}
	return len(w) >= 4 && covered*4 >= len(w)*3 && covered >= 4
}

// longestRun returns the length of the prefix of w whose letters are
// neighboring keys.
func longestRun(w string) int {
	best := 1
	for _, row := range rows {
		at := strings.IndexByte(row, w[0])
		if at < 0 {
			continue
		}
		n := 1
		for n < len(w) && at+n < len(row) && w[n] == row[at+n] {
			n++
		}
		best = max(best, n)
	}
	return best
}

// consonants returns the length of the longest run of consonants.
func consonants(w string) int {
	best, run := 0, 0
	for i := range len(w) {
		if strings.IndexByte("aeiouy", w[i]) >= 0 {
			run = 0
			continue
		}
		run++
		best = max(best, run)
	}
	return best
}

func oddPairs(w string) int {
	n := 0
	for i := 0; i+1 < len(w); i++ {
		if pair := w[i : i+2]; rare[pair] && (!seldomAlone[pair] || len(w) <= 3) {
			n++
		}
	}
	return n
}

// mixed reports whether a word alternates between letters and digits more than
// twice.
func mixed(w string) bool {
	changes, before := 0, false
	for i, r := range w {
		digit := unicode.IsDigit(r)
		if i > 0 && digit != before {
			changes++
		}
		before = digit
	}
	return changes > 2
}

func isYear(w string) bool { return len(w) == 4 && (w[:2] == "19" || w[:2] == "20") }

// isAcronym reports whether a word is written as an abbreviation.
func isAcronym(text string) bool {
	return len(text) <= 6 && text == strings.ToUpper(text) && strings.ContainsFunc(text, unicode.IsUpper)
}
