// Package watchpost is the domain of the service: its types and rules. The
// rules are pure functions. They do no input or output and get the time as an
// argument, so each can be read next to the clause that it implements, and
// tested alone. The tests of stores and indexes compare against them.
//
// # Terms
//
// The brackets name the section of the specification that defines the term, and
// the file or package with its rules.
//
//   - Network: the professional social network that the service works on
//     (opening paragraph).
//   - Team: the owner of all data; a caller sees only the data of its team (Team
//     and API key; team.go).
//   - Member: a person of a team. The member's browser can work for the team,
//     and the team can act in the member's name (What the service does; team.go).
//   - API key: the secret that authenticates a team (Authentication; team.go).
//   - Plan: the subscription of a team, which sets its quotas (Limits; plan.go).
//   - Quota: a limit of the plan. A request above it is refused, posts above it
//     are dropped and counted (Limits; plan.go).
//   - Account: a member's login on the network, to which the network's daily
//     limits apply (Limits; allowance.go).
//   - Breaker: stops a type of tasks on an account while the network fails them
//     (Agent task; breaker.go).
//   - Allowance: how often an account may do an action in a day or week; tasks
//     above it wait (Limits; allowance.go).
//   - Session: one paired browser extension. Only sessions access the network
//     (Authentication; internal/protocol). A session actor belongs to an account,
//     and has the sessions that are signed in to it.
//   - Liveness: a team's extension counts as active for 48 hours after its last
//     activity (Authentication; allowance.go).
//   - Watchlist: a subject that a team observes, of one of four types
//     (Watchlist; watchlist.go, watchlist_patch.go).
//   - Keyword entry: a keyword with required and excluded words (Keyword entry;
//     keyword.go, internal/text).
//   - Label: a class for the posts of a watchlist, shown as a post's tag
//     (Watchlist; label.go).
//   - List: profiles or companies that several people or company watchlists can
//     follow (Watchlist, list_id; list.go).
//   - Entry: a keyword entry or an element of a list; a scan searches for one
//     entry (Limits).
//   - Scan: one search of the network for an entry's new posts (Limits;
//     watchlist.go, task_sharing.go).
//   - Reference: the name of a profile, company or post in a request (POST
//     /api-people-watchlist and /api-company-watchlist; internal/reference).
//   - Post: a post of the network as a team stores it (Post object; post.go,
//     post_tags.go).
//   - Query: a selection of stored posts and their order (GET /api-posts;
//     postquery.go, internal/text).
//   - Potential lead: an author of relevant posts. A plan limits their number
//     per week (Limits; plan.go, weekly.go).
//   - Engagement: a like, comment or invitation in a member's or company's name
//     (POST /api-like; engagement.go).
//   - Rule: likes or comments on new posts of a watchlist by itself (Limits;
//     engagement_rule.go, engagement_rule_action.go, post_conditions.go,
//     daily_hours.go).
//   - Notification target: where the team gets notice of new posts (Events;
//     notification.go).
//   - Agent task: one piece of work on the network that a caller requests and
//     polls (Agent task; task.go, task_input.go, task_transitions.go,
//     task_lease.go, task_paging.go, task_output.go).
//   - Error: the kind and text of a refused request (Errors; error.go).
//   - Clock: the only source of time; limits reset at midnight and on Mondays,
//     both in UTC (Limits; clock.go, allowance.go).
//
// # Packages
//
//   - . — this package.
//   - actors — one supervised tree of actors per team, the only writer of the
//     team's data. The team actor consists of components: members, invitations, web, sessions,
//     accounts, watchlists, scans, tasks, effects, late results, idempotency, arrivals,
//     rules, notifications and audit.
//   - http (package httpapi) — routes, keys, errors, one file per resource, the gateway for
//     sessions.
//   - http/dashboard — the pages of the dashboard under /app.
//   - persistence — the contract with a database: ordered spaces, fenced atomic
//     commits. In it: teamspace, the keys and records of a team; badger, the
//     embedded engine; postgres, the engine on a database server; postindex,
//     queries over posts; engagementindex, likes and comments by watchlist;
//     storetest, the suite that every engine must pass;
//     enginetest, opens stores of every engine for tests; faultstore, a store
//     with faults; migrate, copies a store into another; backup, writes a store
//     into files and restores it.
//   - cmd/watchpost — the program: one file per command.
//   - internal/text — normalize, stem, match and search texts.
//   - internal/reference — parse references to profiles, companies and posts.
//   - internal/protocol — the frames between sessions and service.
//   - internal/enrich — compute fields of a post (language, sentiment,
//     relevance).
//   - internal/interpret — turn a prompt into keywords, by rules or by a
//     language model.
//   - internal/notify — deliver notifications to chat tools and webhooks.
//   - internal/mail — deliver mail by SMTP or as files.
//   - internal/fakenetwork — the stand-in network for tests and demonstrations.
//     In it: headless, a session without a browser.
//   - internal/cluster — which node serves a team: leases in the database, placement.
//   - internal/backupstore — the files of backups in a folder or an S3-compatible store.
//   - internal/atomicfile — replace files atomically.
//   - internal/tracing — spans for an OpenTelemetry collector.
//   - extension — the browser extension (TypeScript).
//   - specs — the specification as tests against the program, with decision
//     records where it leaves a choice.
//   - deploy — files to run the service.
//
// Imports run one way: internal/text and internal/reference, this package,
// persistence, actors, http, cmd/watchpost. internal/fakenetwork imports this
// package and internal/protocol only. internal/protocol imports no package of
// the module.
package watchpost
