// Package network is a stand-in for the professional network: a site with
// members, companies, posts and a forum, at which sessions and people sign in,
// read, search, like, comment, write messages and invite. It exists so that
// the service can be run, shown and tested without the network itself.
//
// The world is a function of a seed and of time: members and companies follow
// from the seed alone, the posts of a day from the seed and that day. A post
// is visible from the moment it is dated, by the Clock; so new posts appear
// while the Clock advances, and a site that is started again shows the same
// world. With a corpus the posts are those of the corpus and no others.
//
// What accounts do at the site (likes, comments, messages, invitations) is
// kept in memory, recorded one by one and can be counted: that is how a test
// knows that something was done exactly once.
//
// Pages are HTML for a person and carry their content a second time in a
// machine-readable block (package page). Package headless is a session that
// works the site by the session protocol.
package network
