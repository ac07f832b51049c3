// Package model is the ownership protocol of package cluster as a state machine that is
// small enough to try all that can happen: two nodes, a team that belongs to the second
// when both are members, and a database.
//
// Each of Steps stands for a function of cluster, a statement, or something outside: a
// process ends, the database restarts, a lease ends, a statement is given up and arrives
// late, a request is doubled. A statement and its answer are two steps, so everything may
// happen between them. Explore takes all steps in all states, within Bounds. In no state
//
//   - both nodes serve the team;
//   - a node answers from memory that lacks a change which the store has;
//   - the store takes changes of both nodes.
//
// From each state the team can be served again, also when one of the nodes never does
// anything more and its lease ends (Explored.Stuck).
//
// State knows only whether a lease has ended, and that no node removes another before:
// Lease checks that with ticks. Rules are planted faults. Explore finds each of them.
// Package cluster compares its own functions with the model in every transition
// (TestModel there). A Follower tells whether what happens to real nodes is possible in the
// model: package cluster/sim follows its lives with one.
//
// A failure prints the shortest way to the wrong state, a step per line. To see it again:
//
//	go test -run TestEveryInterleaving ./internal/cluster/model
//
// There is no chance in it. WATCHPOST_LONG explores larger bounds.
//
// The model takes for granted that clocks run at the same rate, that a process which
// refuses connections to all has ended or serves no requests, that only one process has an
// address at a time, and that an acknowledged statement survives a failover of the
// database.
package model
