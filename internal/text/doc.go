// Package text normalizes texts, matches keywords, parses and evaluates
// searches, and stems words. Its functions are pure and independent of posts
// and watchlists.
package text
