package actors

import (
	"strings"

	"watchpost/internal/enrich"
	"watchpost/internal/text"
	"watchpost/watchpost"
)

// Texts that the rules for posts cannot bear, in the tests of this package.
const (
	noUnderstanding = "cannot be understood"
	noMatch         = "cannot be matched"
)

func init() {
	understand, match := understandPost, matchPost
	understandPost = func(r *enrich.Rules, p *watchpost.Post, t text.Text) {
		if strings.Contains(p.Content, noUnderstanding) {
			panic("about " + p.Content)
		}
		understand(r, p, t)
	}
	matchPost = func(m text.Matcher, t text.Text) bool {
		if strings.Contains(t.String(), noMatch) {
			var none []int
			return none[len(noMatch)] > 0
		}
		return match(m, t)
	}
}
