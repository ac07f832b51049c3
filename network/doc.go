// Package network is a stand-in for the professional network: a site with
// members, companies, posts and a forum, at which sessions and people sign in,
// read, search, like, comment, write messages and invite. It exists so that
// the service can be run, shown and tested without the network itself.
//
// The world is a function of a seed and of time: members and companies follow
// from the seed alone, the posts of a day from the seed and that day. A post
// is visible from the moment it is dated, by the Clock; so new posts appear
// while the Clock advances, and a site that is started again shows the same
// world. With a corpus the posts are those of the corpus and no others, but for
// those that accounts write.
//
// What accounts do at the site (posts, likes, comments, messages, invitations) is
// kept in memory, recorded one by one and can be counted: that is how a test
// knows that something was done exactly once.
//
// Pages are HTML for a person: a feed, profiles, companies, searches, posts with
// their comments, messages, invitations. Their markup is stable and says in
// classes and data- attributes what is what, which is what a browser extension
// reads; static/site.js makes the writes, with the token of the page, and says
// in the element #notice how they ended. The content stands a second time in a
// machine-readable block (package page), which is what package headless reads,
// a session without a browser that works the site by the session protocol.
package network
