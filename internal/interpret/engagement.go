package interpret

import (
	"regexp"
	"strings"
)

// A watchlist searches for posts of other people. Some prompts ask instead for
// likes, comments or reach of the writer's own posts. The patterns require an
// own post (my latest post, our newsletter) as the object of the engagement.
// Other people's posts, and posts about engagement, are ordinary subjects.
const (
	ownText = `(?:(?:my|our|mine)(?: own)?(?: [a-z0-9-]+){0,3}? (?:posts?|contents?|articles?|videos?|pages?|profile|profiles|reels?|newsletters?|` +
		`updates?|publications?|podcasts?|blogs?|carousels?|polls?|announcements?|account|accounts|feed)` +
		`|(?:posts?|articles?|content|videos) of (?:mine|ours)|(?:what|everything|anything|posts|content|the posts?|a post)(?: that| which)? (?:i|we)(?: have| just)? (?:post|write|publish|share|posted|wrote|published|shared))\b`
	acts = `(?:like|liking|likes|liked|auto-like|comment on|comments on|commenting on|commented on|engage with|engages with|engaged with|engaging with|interact with|interacts with|` +
		`interacting with|interacted with|repost|reposting|reposted|reshare|share|sharing|shared|react to|reacting to|reacted to|reply to|replying to|` +
		`boost|boosting|promote|promoting|upvote|upvoting|amplify|amplifying|support|supporting|view|viewed|viewing|celebrate|save)`
	counts = `(?:likes?|comments?|engagements?|reactions?|shares?|reposts?|views?|impressions?|reach|visibility|traction|upvotes?|` +
		`interactions?|followers|subscribers|replies|clicks|attention|exposure|traffic)`
)

var engagements = []*regexp.Regexp{
	// like and comment on my latest post
	regexp.MustCompile(`\b` + acts + `(?: (?:and|or|,) ?` + acts + `)* (?:all |each |every |any |some |one |this |that |the )?(?:of )?` + ownText),
	// more comments on our posts; reach of my articles
	regexp.MustCompile(`\b` + counts + `(?:,? (?:and|or|,)? ?` + counts + `)* (?:on|for|of|to|from|under|at|in) (?:all |each |every |any )?(?:of )?` + ownText),
	// make my post go viral; get our content seen
	regexp.MustCompile(`\b(?:make|making|get|getting|help|helping|push|pushing|grow|growing|boost|promote|increase|let) ` + ownText +
		`(?: [a-z0-9-]+){0,5}? (?:to )?(?:go |going |be |get |become |perform |rank |reach |trend|grow|viral|more|seen|noticed|liked|shared|better|trending|popular|higher)`),
	// my posts need more likes; our last video deserves comments
	regexp.MustCompile(ownText + ` (?:need|needs|get|gets|got|deserve|deserves|should get|could use|has|have|with|receives?) (?:a lot |lots |way |some |many )?(?:of )?(?:more |few |any |no )?` + counts),
	// help me get more followers; I want more likes
	regexp.MustCompile(`^(?:please |hi |hello |hey |can you |could you |i |we |want |need |would like |i'd like |id like |to |help |me |us |you )*` +
		`(?:get|gain|grow|growing|increase|increasing|boost|buy|want|need|give|bring|send|raise|improve|maximise|maximize|generate)(?: me| us| my| our| some| for)* ` +
		`(?:a lot (?:of )?|lots of |way )?(?:more |extra |additional |many |free |\d+k? )?(?:post |social |organic |profile |page )?` + counts +
		`(?:,? (?:and|or)? ?(?:more )?` + counts + `)*(?: (?:on|for|from|to|in|every|fast|quickly|please|this|here|as|by|and|so|now|with)\b|$)`),
}

// subjectMark matches a prompt that also says what others write about. Asking
// for followers is then only its purpose.
var subjectMark = regexp.MustCompile(`\b(?:posts?|people|founders|anyone|someone|conversations|discussions|threads|engineers|marketers|creators)(?: [a-z-]+){0,3} ` +
	`(?:about|on|mentioning|discussing|asking|who|that|talking|complaining|wondering)\b`)

// ownEngagement returns the words that ask for engagement on the writer's own
// posts.
func ownEngagement(tokens []token) (string, bool) {
	var words []string
	for _, t := range tokens {
		switch t.kind {
		case word:
			words = append(words, t.norm)
		case stop:
			words = append(words, ".")
		case pause:
			words = append(words, ",")
		default:
			words = append(words, `"`)
		}
	}
	for sentence := range strings.SplitSeq(strings.Join(words, " "), " . ") {
		sentence = strings.ReplaceAll(strings.Trim(sentence, " .,"), " ,", "")
		for i, re := range engagements {
			at := re.FindStringIndex(sentence)
			if at == nil {
				continue
			}
			found := sentence[at[0]:at[1]]
			if i == len(engagements)-1 && subjectMark.MatchString(sentence) || byWriter(sentence[:at[0]]) || ofOthers(found) {
				continue
			}
			return found, true
		}
	}
	return foreignEngagement(words)
}

// foreignEngagement is ownEngagement for other languages than English. It
// matches a sentence with a possessive of the writer, a word for engagement,
// and no subject mark.
func foreignEngagement(words []string) (string, bool) {
	code, known := detectLanguage(words)
	if !known || code == "en" {
		return "", false
	}
	own := loaded().languages[code].own
	mine, gains := false, 0
	for _, w := range words {
		mine = mine || own[w]&meWord != 0
		if own[w]&gainWord != 0 {
			gains++
		}
	}
	return strings.Join(words, " "), mine && gains > 0
}

// ofOthers reports whether the posts belong to people around the writer, for
// example colleagues.
func ofOthers(found string) bool {
	for w := range strings.FieldsSeq(found) {
		if others[strings.TrimSuffix(w, "'s")] {
			return true
		}
	}
	return false
}

var others = wordSet(`competitor competitors customer customers client clients rival rivals prospect prospects friend friends colleague colleagues boss
	supplier suppliers partner partners investor investors users employees candidates favourite favorite industry niche`)

// byWriter reports whether the writer would act on the own post, as in: topics
// that I could share on our page.
func byWriter(before string) bool {
	fields := strings.Fields(before)
	for i := len(fields) - 1; i >= 0 && i >= len(fields)-2; i-- {
		switch fields[i] {
		case "could", "can", "i", "we", "should":
			return i > 0 && (fields[i] == "i" || fields[i] == "we" || fields[i-1] == "i" || fields[i-1] == "we")
		}
	}
	return false
}
