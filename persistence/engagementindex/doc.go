// Package engagementindex lists what a team did on the posts of each watchlist, newest
// first, and counts it by day and author, so that a page reads no more than it shows
// and the days that it counts.
//
// An interaction belongs to a target, the key of a post as a task names it. The flags of
// the target say which stored post that is, and the post which watchlists have collected
// it. The index has:
//
//	entries   each interaction by its target, with the watchlists that list it
//	links     the targets of each stored post
//	moments   the interactions of each watchlist, ordered by time
//	counts    of each watchlist by author and day, and by day alone
//
// A change of an interaction, a link or a post's watchlists changes the index in the same
// batch. A post may have more interactions than a batch holds: then a todo names the
// target, and Mend goes on. A build that does not know the index leaves it behind the
// posts; State.Posts, or the record that such builds keep of engagements, tells, and
// Mend builds it again.
package engagementindex
