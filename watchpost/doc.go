// Package watchpost is the domain of the service: its types and rules. The
// rules are pure functions. They do no input or output and get the time as an
// argument, so each can be read next to the clause that it implements, and
// tested alone. The tests of stores and indexes compare against them.
//
// # Terms
//
// The brackets name the section of specs/api.md or specs/protocol.md that defines
// the term, and the file or package with its rules.
//
//   - Network: the professional social network that the service works on
//     (api.md#what-the-service-does).
//   - Team: the owner of all data; a caller sees only the data of its team
//     (api.md#team; team.go).
//   - Member: a person of a team. The member's browser can work for the team,
//     and the team can act in the member's name (api.md#what-the-service-does;
//     team.go).
//   - API key: the secret that authenticates a team (api.md#authentication;
//     team.go).
//   - Plan: the subscription of a team, which sets its quotas
//     (api.md#plan-quotas; plan.go).
//   - Quota: a limit of the plan. A request above it is refused, posts above it
//     are dropped and counted (api.md#plan-quotas; plan.go).
//   - Account: a member's login on the network, to which the network's daily
//     limits apply (api.md#daily-allowances; allowance.go).
//   - Breaker: stops a type of tasks on an account while the network fails them
//     (protocol.md#errors-of-a-task; breaker.go).
//   - Allowance: how often an account may do an action in a day or week; tasks
//     above it wait (api.md#daily-allowances; allowance.go).
//   - Session: one paired browser extension. Only sessions access the network
//     (protocol.md#how-a-session-and-the-service-talk; internal/protocol). A
//     session actor belongs to an account, and has the sessions that are signed
//     in to it.
//   - Liveness: a team's extension counts as active for 48 hours after its last
//     activity (api.md#the-extension-window; allowance.go).
//   - Watchlist: a subject that a team observes, of one of four types
//     (api.md#watchlist; watchlist.go).
//   - Keyword entry: a keyword with required and excluded words
//     (api.md#keyword-entry; keyword.go, internal/text).
//   - Label: a class for the posts of a watchlist, shown as a post's tag
//     (api.md#creating-watchlists; label.go).
//   - List: profiles or companies that several people or company watchlists can
//     follow (api.md#lists; list.go).
//   - Entry: a keyword entry or an element of a list; a scan searches for one
//     entry (api.md#scans).
//   - Scan: one search of the network for an entry's new posts (api.md#scans;
//     watchlist.go, task.go, scanplan).
//   - Reference: the name of a profile, company or post in a request
//     (api.md#creating-watchlists; internal/reference).
//   - Post: a post of the network as a team stores it (api.md#post; post.go).
//   - Query: a selection of stored posts and their order (api.md#filters;
//     postquery.go, internal/text, internal/langcode).
//   - Potential lead: an author of relevant posts. A plan limits their number
//     per week (api.md#weekly-posts-and-leads; plan.go).
//   - Engagement: a like, comment or invitation in a member's or company's name
//     (api.md#engagement; engagement.go).
//   - Rule: likes or comments on new posts of a watchlist by itself
//     (api.md#auto-engagement; engagement_rule.go, engagement_rule_action.go,
//     post_conditions.go, daily_hours.go).
//   - Notification target: where the team gets notice of new posts
//     (api.md#events; notification.go).
//   - Agent task: one piece of work on the network that a caller requests and
//     polls (api.md#agent-task; task.go, task_input.go, task_transitions.go,
//     task_lease.go, task_paging.go, task_output.go).
//   - Error: the kind and text of a refused request (api.md#errors; error.go).
//   - Clock: the only source of time; limits reset at midnight and on Mondays,
//     both in UTC (api.md#test-clock; clock.go, allowance.go, internal/testclock).
//
// # Packages
//
//   - . — this package. In it, subjects that it does not need itself: forecast, when
//     what waits is done; scanplan, the scans that watchlists need and may have; trend,
//     posts by time and group.
//   - actors — one supervised tree of actors per team, the only writer of the
//     team's data. The team actor consists of components: members, invitations,
//     web, sessions, accounts, watchlists, scans, tasks, effects, late results,
//     idempotency, arrivals, rules, notifications and audit.
//   - http (package httpapi) — composes the server of its rooms: endpoint, what all
//     endpoints share (routes, keys, errors, the API document); api, a file per resource;
//     gateway, where sessions connect; admin, for operators; edge, forwarding in a cluster;
//     docs, the reference page; dashboard, the pages under /app.
//   - persistence — the contract with a database: ordered spaces, fenced atomic
//     commits. In it: teamspace, the keys and records of a team; badger, the
//     embedded engine; postgres, the engine on a database server; postindex,
//     queries over posts; engagementindex, likes and comments by watchlist;
//     storetest, the suite that every engine must pass;
//     enginetest, opens stores of every engine for tests; faultstore, a store
//     with faults; migrate, copies a store into another; backup, writes a store
//     into files and restores it; format, the version of the data and its
//     migrations.
//   - cmd/watchpost — the program: one file per command.
//   - internal/text — normalize, stem, match and search texts.
//   - internal/langcode — names and codes of languages.
//   - internal/reference — parse references to profiles, companies and posts.
//   - internal/protocol — the frames between sessions and service.
//   - internal/enrich — compute fields of a post (language, sentiment,
//     relevance).
//   - internal/interpret — turn a prompt into keywords, by rules or by a
//     language model.
//   - internal/words — the texts of pages and mails in nine languages.
//   - internal/notify — deliver notifications to chat tools and webhooks.
//   - internal/mail — deliver mail by SMTP or as files. In it: outgoing, the mails that
//     the service sends.
//   - internal/fakenetwork — the stand-in network for tests and demonstrations.
//     In it: headless, a session without a browser.
//   - internal/cluster — which node serves a team: leases in the database, placement.
//   - internal/lives — play simulations from seeds, for tests.
//   - internal/testclock — a clock that can be set forward.
//   - internal/doctor — check a service and its surroundings.
//   - internal/backupstore — the files of backups in a folder or an S3-compatible store.
//   - internal/atomicfile — replace files atomically.
//   - internal/useragent — names of browsers.
//   - internal/tracing — spans for an OpenTelemetry collector.
//   - extension — the browser extension (TypeScript).
//   - specs — the specification as tests against the program, with decision
//     records where it leaves a choice.
//   - deploy — files to run the service.
//
// Imports run one way: internal/text, internal/langcode and internal/reference, this package,
// persistence, actors, http/endpoint, the other rooms of http, http, cmd/watchpost.
// internal/fakenetwork imports this package and internal/protocol only. internal/protocol imports no package of
// the module.
package watchpost
