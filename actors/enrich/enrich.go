// Package enrich says what is understood of a post from the post alone and
// from what its watchlist asks for: language, sentiment, the seniority of its
// author, the labels it is classified into, its relevance and its influence.
//
// The rules are small and deterministic: the same post and context give the
// same answer whenever they are asked, nothing else is read or sent, and no
// post is refused. Each idea has a file or package of its own:
//
//   - language: script, then a small linear model; sentiment: another. Their
//     files are part of the program, and train makes them
//   - seniority.go: titles in the author's headline
//   - tags.go: labels by the words of their name and description
//   - relevance.go and influence.go: sums of points
//
// specs/understanding.md has all of it on one page, and what was measured.
package enrich

import (
	"strings"

	"watchpost"
	"watchpost/actors/enrich/language"
	"watchpost/actors/enrich/sentiment"
)

// Version is the version of the rules; each post says which one understood it.
// It grows with every change of a rule that changes answers.
const Version = 2

// Context is what the watchlist that collected a post asks for.
type Context struct {
	Labels    []watchpost.Label // what its posts are classified into; none: into Keyword
	Objective string            // what it is for, in words
	Keyword   string            // what matched; empty for people and companies
	Entries   int               // how many entries it has; 0: not known
}

// Rules are what a Context asks for, made ready to be compared with many posts.
// They may be used by several goroutines.
type Rules struct {
	Context
	keyword   string // normalised
	labels    []label
	objective []string // its content words
}

// NewRules prepares what a watchlist asks for.
func NewRules(c Context) *Rules {
	r := &Rules{
		Context: c, keyword: strings.TrimSpace(watchpost.Normalise(c.Keyword)),
		objective: contentWords(watchpost.Normalise(c.Objective)),
	}
	for _, l := range c.Labels {
		r.labels = append(r.labels, newLabel(l))
	}
	return r
}

// Post fills the derived fields of p: Language, Sentiment, Seniority, Tags,
// Relevance, Influence and Enrichment. It may be called again for a known
// post, by another watchlist or a later scan: new tags then join those that
// the post has, and the rest is computed anew, so that the same call twice is
// the same as once. The slice that Tags was before is not written to.
func Post(p *watchpost.Post, c Context) {
	NewRules(c).Post(p, watchpost.NewText(p.Content).WithImage(p.ImageText))
}

// Post is the function Post with p's text normalised already.
func (r *Rules) Post(p *watchpost.Post, text watchpost.Text) {
	said := p.Content
	p.Language = language.Detect(said)
	if p.Language == watchpost.Undetermined && p.ImageText != "" {
		said += "\n" + p.ImageText
		p.Language = language.Detect(said)
	}
	p.Sentiment = sentiment.Of(said, p.Language)
	p.Seniority = seniority(p.AuthorHeadline)

	t := newFolded(p.Content, text, p.Language)
	tags, fitting := r.classify(t, p.Content)
	p.Tags = MergeTags(p.Tags, tags)
	p.Relevance = r.relevance(t, fitting, p)
	p.Influence = influence(p)
	p.Enrichment = Version
}
