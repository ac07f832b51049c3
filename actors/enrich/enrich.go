// Package enrich says what is understood of a post from the post alone and
// from what its watchlist asks for: language, sentiment, the seniority of its
// author, the labels it is classified into, its relevance and its influence.
//
// The rules are small and deterministic: the same post and context give the
// same answer whenever they are asked, nothing else is read or sent, and no
// post is refused. Each idea has a file of its own, with its table or formula
// at the top:
//
//   - language.go: script, then a vote of common words, endings and letters
//   - sentiment.go: a lexicon, emoji, and negation
//   - seniority.go: titles in the author's headline
//   - tags.go: labels by the words of their name and description
//   - relevance.go and influence.go: sums of points
package enrich

import "watchpost"

// Version is the version of the rules; each post says which one understood it.
// It grows with every change of a rule that changes answers.
const Version = 1

// Context is what the watchlist that collected a post asks for.
type Context struct {
	Labels    []watchpost.Label // what its posts are classified into; none: into Keyword
	Objective string            // what it is for, in words
	Keyword   string            // what matched; empty for people and companies
	Entries   int               // how many entries it has; 0: not known
}

// Post fills the derived fields of p: Language, Sentiment, Seniority, Tags,
// Relevance, Influence and Enrichment. It may be called again for a known
// post, by another watchlist or a later scan: new tags then join those that
// the post has, and the rest is computed anew, so that the same call twice is
// the same as once. The slice that Tags was before is not written to.
func Post(p *watchpost.Post, c Context) {
	said := scan(p.Content)
	if !said.letters() {
		said.add(p.ImageText)
	}
	p.Language = language(said)
	p.Sentiment = sentiment(said, p.Language)
	p.Seniority = seniority(p.AuthorHeadline)

	text := newFolded(p.Content, p.ImageText, p.Language)
	tags, fitting := classify(text, p.Content, c)
	p.Tags = merge(p.Tags, tags)
	p.Relevance = relevance(text, c, fitting, p)
	p.Influence = influence(p)
	p.Enrichment = Version
}
