// Package headless is a session without a browser: it works the stand-in
// network for the service by the session protocol, as the browser extension
// does in a member's browser.
//
// # How a task goes through a session
//
// What the service hands out is journalled first, done second, reported third:
//
//	task ── journal: received ── accepted ─┬─ a read: do it ──────────────────────┐
//	                                       └─ a write: look at the page,          │
//	                                          journal: acting + witness ── acting │
//	                                          go ── journal: begun ── act ────────┤
//	ack ── journal: removed ◄── result ◄── journal: done ◄────────────────────────┘
//
// The service is authoritative for what a task is and whose; the page is
// authoritative for whether a write was done; the journal only remembers what
// to ask. A process that dies loses nothing but time: the next one with the
// same journal sends done results again, starts reads anew, and looks at the
// page for every write that it may have begun (see write.go).
//
// # Who runs what
//
// Run's goroutine keeps the connection (run.go): it dials, says hello, and
// hands every frame to the session (frames.go) one by one. One worker
// goroutine does the tasks, one at a time (worker.go). They meet in the
// session's mutex and in the journal. What is to be sent is never kept in
// memory for later: after each welcome the open tasks say again what the
// service has not acknowledged.
package headless
