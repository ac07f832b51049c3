// Package fakenetwork is a stand-in for the professional network: a site with
// members, companies, posts and a forum. Sessions and people sign in, read,
// search, like, comment, send messages and invitations. It makes the service
// runnable and testable without the real network.
//
// The world is a function of a seed and of time: members and companies follow
// from the seed alone, the posts of a day from the seed and that day. A post
// is visible from its date, by the Clock. New posts therefore appear while the
// Clock advances, and a restarted site shows the same world. With a corpus,
// the world's posts are those of the corpus; accounts can still write posts.
//
// The site keeps the actions of accounts (posts, likes, comments, messages,
// invitations) in memory and records each one, so that a test can count them
// and check that a write happened exactly once.
//
// Pages are HTML for people: a feed, profiles, companies, searches, posts with
// their comments, messages, invitations. Their markup is stable and identifies
// content by classes and data- attributes, which a browser extension reads.
// static/site.js makes the writes, with the token of the page, and shows their
// result in the element #notice. A machine-readable block (package page)
// repeats the content; package headless, a session without a browser, reads
// it.
//
// SinglePage serves the same network as a single-page site, which renders in
// the browser from its own API; folder app has its script.
package fakenetwork
