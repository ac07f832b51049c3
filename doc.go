// Package watchpost holds the words of the service and its rules. The rules
// are pure functions: they do no input or output and get the time as an
// argument, so that each can be read next to the clause that it implements and
// tested alone. Of this module the package imports internal/text and
// internal/reference only. What stores and finds
// things is tested against them.
//
// # The words
//
// In brackets stands the section of the specification that a word comes from,
// and the file here that has its rules.
//
//   - The network: the professional social network that the service works on
//     (opening paragraph).
//   - Team: who owns everything, and the border of what a caller may see (Team
//     and API key; team.go).
//   - Member: a person of a team, whose browser may work for it and in whose
//     name it may act (What the service does; team.go).
//   - API key: the secret that stands for a whole team (Authentication; team.go).
//   - Plan: what a team pays for; it sets the quotas (Limits; plan.go).
//   - Quota: how much of a thing a plan includes; beyond it a request is
//     refused (Limits; plan.go).
//   - Account: a member's login on the network, to which the network's daily
//     limits apply (Limits; allowance.go).
//   - Allowance: how often an account may do a kind of work in a day or week;
//     beyond it work waits (Limits; allowance.go).
//   - Session: one paired browser extension, the only place from which the
//     network is touched (Authentication; package internal/protocol).
//   - Liveness: a team's extension counts as active for 48 hours after its
//     last sign of life (Authentication; allowance.go).
//   - Watchlist: what a team wants to be told of, of one of four types
//     (Watchlist; watchlist.go, watchlist_patch.go).
//   - Keyword entry: a keyword with the words that must and must not occur
//     beside it (Keyword entry; keyword.go, internal/text).
//   - Label: a class into which the posts of a watchlist are sorted, shown as a
//     post's tag (Watchlist; label.go).
//   - List: the profiles or companies that people and company watchlists
//     follow, which several of them may share (Watchlist, list_id; list.go).
//   - Entry: a keyword entry or an element of a list, that is, what one scan
//     looks for (Limits).
//   - Scan: one look at the network for an entry's new posts (Limits;
//     watchlist.go).
//   - Reference: how a caller names a profile, company or post (POST
//     /api-people-watchlist and /api-company-watchlist; internal/reference).
//   - Post: a post of the network as a team stores it (Post object; post.go).
//   - Query: which stored posts are asked for, in which order (GET /api-posts;
//     postquery.go, internal/text).
//   - Potential lead: an author of relevant posts, of whom a plan counts so
//     many per week (Limits; plan.go).
//   - Engagement: a like or comment in a member's or company's name (POST
//     /api-like; task.go).
//   - Agent task: one piece of work on the network that a caller asked for and
//     polls (Agent task; task.go).
//   - Error: what a refused request is told, by kind and text (Errors;
//     error.go).
//   - Clock: the one source of time; limits begin anew at midnight and on
//     Mondays, both in UTC (Limits; clock.go, allowance.go).
//
// # The tree
//
//   - . — this package: words and rules.
//   - actors — one supervised tree of actors per team, the only writer of the
//     team's data.
//   - http — routes, keys, errors, one file per resource, the sessions' gateway.
//   - persistence — the contract with a database: ordered spaces, fenced atomic
//     commits. In it: badger, the embedded engine; storetest, the suite that
//     every engine must pass; teamspace, every key and record; postindex, the
//     queries over posts.
//   - cmd/watchpost — the program: one file per command.
//   - internal/text — normalize, stem, match and search texts.
//   - internal/reference — parse the names of profiles, companies and posts.
//   - internal/protocol — the frames between sessions and service.
//   - internal/enrich — the computed fields of a post (language, sentiment,
//     relevance).
//   - internal/interpret — what a prompt asks for, by rules or a language model.
//   - internal/mail — mail by SMTP or as files.
//   - internal/fakenetwork — a network for tests and demonstrations. In it:
//     headless, a session without a browser.
//   - internal/atomicfile — files that are replaced atomically.
//   - extension — the browser extension (TypeScript), the session of a member's
//     browser.
//   - specs — the specification as tests against the program, and the records
//     of what was decided where it is silent.
//   - deploy — what is needed to run it.
//
// Imports go one way: this package, persistence, actors, http, cmd/watchpost;
// internal/fakenetwork imports this package and internal/protocol only.
package watchpost
