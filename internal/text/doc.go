// Package text compares texts: it normalizes them, matches keywords, parses
// and evaluates searches, and stems words. Its functions are pure and know
// nothing of posts or watchlists.
package text
