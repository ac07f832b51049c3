// Package sim plays lives of a cluster from a seed: three to five nodes, one database, a
// network between them, and clients. It consists of tests, so no part of it is in the program.
//
// The nodes are real (cluster.Node, cluster.Contacts), and so are the forwarding of
// requests (http/edge, with http/endpoint around it) and the registry that activates and ends actors
// (actors/root). They run in one bubble of testing/synctest, and a scheduler that follows a
// seed chooses which goroutine, mailbox, timer or message goes on next. Not real are:
//
//   - the database (server_test.go): the statements of cluster and of the store as functions of a table, one
//     at a time. A restart or failover keeps every acknowledged statement, as a synchronous standby does;
//     what is on its way is lost, or carried out without a reply. Its clock steps.
//   - the connections (network_test.go): whole requests and replies travel, not bytes or TLS.
//   - the team (service_test.go): a small actor that counts, in place of the service's. Its
//     writes have an Idempotency-Key.
//   - old builds (process.old): they read all rows with each renewal, and refuse to hand over one name.
//
// # Faults
//
// Nodes are killed, stopped, drained, frozen and added; nothing leaves a process after its
// end. Parties are cut from each other, sometimes in one way only; the database restarts or
// fails over, and its clock steps; messages are lost, doubled or late. A frozen process is one whose goroutines get no turn: what arrives waits. A lost
// message ends its connection, and the sender learns of that later.
//
// # Checks
//
//   - at most one node serves a team, after each step (world.check);
//   - no commit lacks an earlier one (world.stored);
//   - no read is older than a change that was acknowledged when it was sent, a write has
//     one count, and an acknowledged write is stored (asked.reply);
//   - a request is answered or refused in time by a node that runs (asked.late);
//   - a node that has drained serves nothing as long as others do not drain (process.gaveUp);
//   - in lives of two nodes and one team, each change is a step of the model of ownership
//     (TestModel);
//   - when all faults have ended, each node serves each team within 10 seconds (world.heal).
//
// README.md says how to play a failure again.
package sim
