// Package headless is a session without a browser: it works on the stand-in
// network for the service by the session protocol, as the browser extension
// does in a member's browser.
//
// # How a task goes through a session
//
// A session first writes a task to its journal, then does it, then reports it:
//
//	task ── journal: received ── accepted ─┬─ a read: do it ──────────────────────┐
//	                                       └─ a write: look at the page,          │
//	                                          journal: acting + witness ── acting │
//	                                          go ── journal: begun ── act ────────┤
//	ack ── journal: removed ◄── result ◄── journal: done ◄────────────────────────┘
//
// The service is authoritative for a task's input and owner; the page is
// authoritative for whether a write was done; the journal only remembers what
// to check. A process that dies loses only time. The next process with the same
// journal sends finished results again, restarts reads, and looks at the page
// for each write that may have begun (see write.go).
//
// # Goroutines
//
// Run's goroutine keeps the connection (connect.go): it dials, sends hello, and
// passes each frame to the session (frames.go). One worker goroutine does the
// tasks, one at a time (worker.go). The two share the session's mutex and the
// journal. Unsent frames are never kept in memory for later: after each welcome
// the open tasks repeat every frame that the service has not acknowledged.
package headless
