// Command posts measures the queries over a team's posts beside PostgreSQL and
// SQLite: the same posts, the same questions, asked in turn in one run, every
// count and every page compared. It also measures what the posts of many teams
// cost in memory, and how fast posts come in through the actors.
//
// It is a module of its own so that the peers do not weigh on the service.
// `make bench-posts` at the root runs it in full; see ../README.md.
package main
