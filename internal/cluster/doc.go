// Package cluster decides which node of a cluster serves a team: membership is a
// lease in the database of the store, and placement is a hash over the members.
//
// Correctness of the data does not depend on this package: the store accepts
// writes under the newest epoch of a space only. The package decides who tries,
// and keeps a node from answering from memory about a team that another node has
// taken over.
//
//   - Lease: each node renews its row once per second for five seconds. The node
//     counts the time from before it sent the renewal, by a clock that runs on while
//     the process or the machine is suspended. The others count it from when they
//     first saw the renewal, each by its own clock. So its own lease ends before they
//     remove it, and it serves nothing after that.
//     The renewal returns the rows that have not changed since the last one, and all of them
//     when there is another view.
//   - View: the members under a version. A row that no one has renewed is deleted by
//     another node, which increments the version. A row that is still there can be
//     renewed, even late: owners change with the version only, and what a node has in
//     memory stays.
//   - Membership: a node joins when most of the others reach it, and steps out when
//     they do not any more.
//   - Placement: the owner of a name is the member with the highest hash of both.
//   - Handover: a node that sees a new view ends the actors of names that it no longer
//     owns, a few at a time, and then confirms the view. An owner begins with a name
//     when every member has confirmed the view, or when the last owner has handed
//     over that name; names that it owned before too it serves all the while.
//   - Death: a node holds a session lock in the database. When a connection to it
//     is refused and the lock is free, its row is deleted at once; when it cannot be
//     connected to in another way, after two renewals that it has missed.
package cluster
