// Package enrich computes derived fields of a post from the post and its
// watchlist: language, sentiment, the seniority of its author, the labels that
// fit, its relevance and its influence.
//
// The rules are small and deterministic: the same post and context always give
// the same result, nothing else is read or sent, and no post is refused. Each
// rule has its file or package:
//
//   - language: script, then a small linear model; sentiment: another. The
//     models are embedded in the program, and train trains them
//   - seniority.go: titles in the author's headline
//   - tags.go: labels by the words of their name and description
//   - relevance.go and influence.go: sums of points
//
// specs/understanding.md has the rules and measurements on one page.
package enrich

import (
	"strings"

	"watchpost/internal/enrich/language"
	"watchpost/internal/enrich/sentiment"
	"watchpost/internal/langcode"
	"watchpost/internal/text"
	"watchpost/watchpost"
)

// Version is the version of the rules, stored with each post. It increases with
// every change of a rule that changes results.
const Version = 3

// Context is the part of a watchlist that the rules use.
type Context struct {
	Labels    []watchpost.Label // labels for its posts; none: Keyword
	Objective string            // its purpose, as text
	Keyword   string            // the matched one; empty for people and companies
	Entries   int               // number of its entries; 0: unknown
}

// Rules are a Context prepared for many posts. They are safe for concurrent use.
type Rules struct {
	Context
	keyword   string // normalised
	labels    []label
	objective []string // its content words
}

// NewRules prepares a Context.
func NewRules(c Context) *Rules {
	r := &Rules{
		Context: c, keyword: strings.TrimSpace(text.Normalize(c.Keyword)),
		objective: contentWords(text.Normalize(c.Objective)),
	}
	for _, l := range c.Labels {
		r.labels = append(r.labels, newLabel(l))
	}
	return r
}

// Post fills the derived fields of p: Language, Sentiment, Seniority, Tags,
// Relevance, Influence and Enrichment. It may be called again for a known
// post, for another watchlist or a later scan. It then adds tags to those of the
// post and recomputes the other fields, so it is idempotent. It does not write
// to the old slice of Tags.
func Post(p *watchpost.Post, c Context) {
	NewRules(c).Post(p, text.New(p.Content).WithImage(p.ImageText))
}

// Tags returns the tags that the rules give a post whose language is known.
func (r *Rules) Tags(p *watchpost.Post, text text.Text) []watchpost.Tag {
	tags, _ := r.classify(newFolded(p.Content, text, p.Language), p.Content)
	return MergeTags(nil, tags)
}

// Post is the function Post with p's text normalised already.
func (r *Rules) Post(p *watchpost.Post, text text.Text) {
	said := p.Content
	p.Language = language.Detect(said)
	if p.Language == langcode.Undetermined && p.ImageText != "" {
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
