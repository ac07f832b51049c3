// Command posts compares queries over a team's posts with PostgreSQL and
// SQLite: the same posts and queries, alternating in one run, with every count
// and page compared. It also measures the memory for the posts of many teams,
// and the rate at which the actors store posts.
//
// It is a separate module, so that the service does not depend on its peers.
// `make bench-posts` at the root runs it in full; see ../README.md.
package main
