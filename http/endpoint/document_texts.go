package endpoint

// Descriptions of the OpenAPI document. An operation without details is described
// by its summary and by its callers.

const apiDescription = "Watches a professional network for posts and acts on it through the browsers of a team's members.\n\n" +
	"A team sends its key in the header `x-api-key`, or as a bearer token, and sees only what is its own. A key with scopes may do a part of it. " +
	"Bodies are JSON, whatever `Content-Type` says; unknown fields and " +
	"parameters are ignored, and `warnings` names such parameters. Ids are UUIDs, moments are RFC 3339 in UTC with milliseconds.\n\n" +
	"A query parameter that takes several values may be repeated (`a=1&a=2`), hold commas (`a=1,2`) or have brackets (`a[]=1&a[]=2`). " +
	"Booleans are `true`, `false`, `1` or `0`.\n\n" +
	"Every error is an object with a text in `error`. Besides those of the operations there are 404 `Not found` for an unknown path and " +
	"405 `Method not allowed`, with `Allow`, for another method. `Temporarily unavailable, retry later` comes with `Retry-After`."

// Tags of operations: the chapters of the document.
const (
	TagAdmin         = "Administration"
	TagChanges       = "Changes"
	TagDeprecated    = "Deprecated"
	TagEngagement    = "Engagement"
	TagJournal       = "Journal"
	TagKeys          = "Keys"
	TagNotifications = "Notifications"
	TagOps           = "Operation"
	TagPosts         = "Posts"
	TagRules         = "Auto-engagement"
	TagSessions      = "Sessions"
	TagSignIn        = "Signing in"
	TagTasks         = "Agent tasks"
	TagTeam          = "Team"
	TagWatchlists    = "Watchlists"
)

// tags are the chapters of the document, in reading order.
var tags = []struct{ name, text string }{
	{TagWatchlists, "What the service looks for: keywords, forum threads, people, companies. The service scans for them by itself."},
	{TagPosts, "What the watchlists collected, with filters, orders and pages."},
	{TagChanges, "What has changed, in order, without a gap and without a repetition: for programs that follow."},
	{TagEngagement, "Likes and comments in the name of a member or of a company, and what was done so far."},
	{TagRules, "Rules that like new posts of a watchlist or comment on them in members' names."},
	{TagJournal, "What was done on the network, with a chain of hashes that shows later changes."},
	{TagNotifications, "Messages about new posts to chat tools, mailboxes and signed webhooks."},
	{TagKeys, "Keys that may do a part of what the team's key may, for programs and agents."},
	{TagTasks, "Work that a member's browser does on the network. The reply has an id at once; ask for its status until it is final."},
	{TagSignIn, "From an email to a key: a code is mailed and redeemed. Sessions get their token here, too."},
	{TagTeam, "The team as its members see it."},
	{TagSessions, "How a browser extension, or a headless session, speaks with the service."},
	{TagAdmin, "The operator's surface. It exists when the service was given an admin token."},
	{TagDeprecated, "Paths of older clients. The endpoints of watchlists take prompts, too."},
	{TagOps, "Is the service alive, and can it serve?"},
}

const (
	detailShown = "With `id` it shows that watchlist whole; without, a list of all watchlists of this kind with what they have in common."
	detailGone  = "At the reply the watchlist and the posts that nothing else collected are gone from every answer, and its place in the plan is free. " +
		"Its scans are dropped; tasks that were made already go on."
	detailPatch  = "Changes the fields that are given and leaves the others. "
	detailFollow = "The watchlist follows a list of its own, or the one that `list_id` names, which then gets the new entries for all who follow it."
	detailWords  = "A keyword is a text, or an object with words that must or must not occur beside it. `results` tells of each entry whether it was taken.\n\n" +
		"Instead of keywords, `prompt` may say in a sentence what to look for. With `strict` a prompt that leaves something to be inferred is refused."
	detailEnabled = "A disabled one takes only a change with `disable: false`. A prompt replaces keywords and labels and excludes the other fields."
	detailDone    = "The task is done by the member's session and can be asked for like an agent task; a company's page acts through its member. "
	detailOnce    = "A like that was asked for before is answered with the task of then."
)

// description says who may call.
func (a Access) description() string {
	scope := "the scope `" + InWords(a.scopes, "or") + "`"
	if len(a.scopes) > 1 {
		scope = "the scope of the task's type (" + InWords(a.scopes, "or") + ")"
	}
	key := "Needs the team's key, or a key with " + scope + ", in `x-api-key` or as a bearer token."
	switch a.who {
	case public:
		return "Needs no key."
	case teams:
		return key
	case requiresExtension:
		return key + " An extension of the team must have been active within the last 48 hours."
	case operators:
		return "For operators: needs the admin token as a bearer token."
	case sessions:
		return "For sessions: needs the session's token as a bearer token."
	case checked:
	}
	return ""
}

// detailExport describes exports.
const detailExport = "The rows are of one moment, and are sent as they are read. A reply that was cut off has no end; `after` goes on behind its last whole row. " +
	"In CSV, a list is one cell, with `; ` between its values, and a text that a spreadsheet would take for a formula has an apostrophe before it."

// details describe operations beyond their summaries, by operation id.
var details = map[string]string{ //nolint:gosec // descriptions, no credentials
	"createKeywordWatchlist": detailWords, "createForumWatchlist": detailWords,
	"createPeopleWatchlist": detailFollow, "createCompanyWatchlist": detailFollow,
	"getKeywordWatchlist": detailShown, "getForumWatchlist": detailShown, "getPeopleWatchlist": detailShown, "getCompanyWatchlist": detailShown,
	"deleteKeywordWatchlist": detailGone, "deleteForumWatchlist": detailGone, "deletePeopleWatchlist": detailGone, "deleteCompanyWatchlist": detailGone,
	"updateKeywordWatchlist": detailPatch + detailEnabled,
	"updateForumWatchlist":   detailPatch + detailEnabled,
	"updatePeopleWatchlist":  detailPatch + "A disabled one takes every change.",
	"updateCompanyWatchlist": detailPatch + "A disabled one takes every change.",

	"getPosts": "`count` is the number of posts that match, on all pages; a page past the end is empty. Ties in every order are broken by date and id, " +
		"so that pages of a still set never overlap.",
	"getLeads": "The filters select posts, and each author of such a post is one lead, told of by the newest post. `count` is the number of leads on all pages. " +
		"`contacted` goes by the messages and invitations that were sent, under each name of the person that the team's tasks have shown.",
	"getChanges": "Changes come in the order in which they became durable. Keep `cursor` together with what you did with the changes, and send it next: " +
		"then you see each once. `matched` is one change for each watchlist, also when another one had the post; `updated` tells of counters, texts, tags, bookmark, likes and comments. " +
		"`data` is the post as `GET /api-posts` shows it now, a task as get-task-status does, a watchlist as its GET does, and of an interaction what was done, or the task that failed. " +
		"Changes are kept for 7 days, at most a million of them.\n\n" +
		"A client that asks for `text/event-stream` gets them as a stream: `id` is the cursor, `Last-Event-ID` is honoured, and a comment comes every 15 seconds.",
	"exportPosts":        "In the order of their ids. " + detailExport,
	"exportLeads":        detailExport,
	"exportInteractions": "The newest first. " + detailExport,
	"bookmarkPost":       "Saved posts are found with `is_saved`.",
	"createLike":         detailDone + detailOnce,
	"createComment":      detailDone,
	"getInteractions":    "The newest first, with the totals of all pages and a graph of the last seven days.",
	"queryInteractions":  "The same as with GET.",

	"createEngagementRule": "The rule acts on posts that are new to the watchlist from now on. Comments wait for approval unless `approval` is false. " +
		"Rules act once on a post, and on one post of an author in a week. Templates may contain `{author_name}`, `{first_name}`, `{keyword}` and `{label}`; " +
		"a template whose variable has no value for a post, such as `{first_name}` of a company, is passed over for it; which template is taken depends on the post. Of several accounts the one acts that can act soonest. A change of the rule applies to what waits; at most 200 actions of all rules wait.",
	"tryEngagementRule":    "It looks at up to 1,000 posts that the watchlist collected in the last 30 days. Nothing is stored and nothing is done on the network.",
	"getEngagementRules":   "The oldest first. `stopped` tells that all rules of the team are stopped. `next` continues in `after`.",
	"updateEngagementRule": detailPatch + "With `stop`, instead of an id, all rules of the team are stopped or act again: what is proposed or queued is withdrawn, and so are tasks that no session has begun.",
	"deleteEngagementRule": "Actions that wait are withdrawn. What was done stays.",
	"getEngagementActions": "Open actions first, oldest first; then those that ended in the last 14 days, newest first. `next` continues in `after`.",
	"decideEngagementAction": "An action waits for 72 hours, then it lapses. `comment_text` replaces the proposed comment. An approved action waits for its turn: " +
		"a browser of the account, the working hours of the rule, the pause of the account since its last action has ended, and the rule's part of the day. What the rule says then holds: " +
		"it is skipped when the post does not meet the conditions any more.",

	"createNotificationTarget": "The target is told of posts that are new to the watchlist, or to any, from now on. " + targetNeeds() + ". Addresses of private networks are refused when they are connected to; redirects are not followed. With an `alert` the target is told of a day, once, in place of each post: when the day is a spike as `GET /api-trends` defines it, of the posts that meet the conditions, and has `minimum` posts. It may have neither `min_relevance` nor `max_age_hours`. The messages of a webhook have `type` (`posts.new`, `posts.alert` or `test`), `timestamp` and `data` with `target_id` and `posts`, which are post objects of `GET /api-posts`; `posts.alert` has `alert` with `of`, `day`, `count`, `usual` and `words`, the latest posts of the day, and `posts_url` and `trends_url` if the operator has set the address of the service. They are signed as Standard Webhooks; " +
		"the reply shows `secret` only once.",
	"getNotificationTargets":    "The oldest first, with those that `slack_webhook_url` of a watchlist makes.",
	"updateNotificationTarget":  detailPatch + "A target that was paused is resumed.",
	"deleteNotificationTarget":  "One that a watchlist's `slack_webhook_url` makes goes with that field.",
	"getNotificationDeliveries": "The newest first, at most 100. An unknown target has none.",
	"sendNotification":          "The reply says what became of it. A success resumes a target that was paused. Deliveries are tried for 24 hours, without quiet hours; then the target is paused, as it is at once after 410.",

	"createAPIKey": "The reply shows `key` only once; a repetition with the same `Idempotency-Key` has `key` null. A key with scopes gives no more than it has: no other scopes, no later end, no higher limits, no other networks. " +
		"`daily_limits` bounds the units of an action that tasks of the key need on a UTC day, those of keys that it made included. `networks` are the address ranges (CIDR) that may use it.",
	"getAPIKeys":   "The oldest first, without the keys themselves. The last use is noted once a minute, and of a team without activity once an hour. The team's key is not among them.",
	"updateAPIKey": detailPatch + "`expires_at: null` means that it does not expire, `daily_limits: {}` and `networks: []` that it is not limited. `daily_limits` replaces all of them.",
	"deleteAPIKey": "From the reply on the key is refused. Tasks that it created go on, and keys that it made stay.",

	"getTaskStatus": "`pending` becomes `completed` or `failed`, and stays so. While it is pending, `pending_reason` says what it waits for and " +
		"`not_before` until when at least. `wait` asks to be answered when it has ended; without it, the status of a task that is running comes with its end, or after 2 seconds. " +
		"Most tasks take less than a minute. What clients read first is at the top, too.",
	"getTasks": "With inputs and outputs, as getTaskStatus shows them. Tasks of all askers are there, those of rules too; scans of watchlists are not.",
	"cancelTask": "It becomes `failed` with the code `cancelled`; what it had of an allowance is given back, and the same may be asked for again. No session acts for it from the reply on. Cancelling it again is the same. " +
		"409 tells that a session reads for it, or acts, or that it has ended.",
	"getTeam": "Shows of each member the extension, the network account and what is left of today's allowances; of the plan, what is used.",

	"sendOTP":        "The reply is the same whether or not the address is known and whether or not a mail went out.",
	"verifyOTP":      "A new address becomes the first admin of a new free team. `invitations` are pending ones of other teams; `accept` accepts one. Where no team can be made, a 404 has `invitations`, and the code can be sent again with `accept`. A code holds six digits, works once, for ten minutes and for five tries.",
	"signInSession":  "An address without a team is answered by a 404 with `invitations` when some are pending; the code can be sent again with `accept`. The token is shown here only. Without TLS it is given on loopback only.",
	"signOutSession": "An unknown token gets the same reply: its session has ended already.",
	"poll": "The same messages as on the WebSocket. The first poll of a session begins with `hello`; one is held for up to 25 seconds and ends when " +
		"another comes. What the service sent is sent again until the session speaks of it.",

	"createTeam":        "The email becomes the team's first admin. The key is shown here and by rotate-key only.",
	"listTeams":         "Without keys and members.",
	"updateTeam":        "When plan_expires_at has passed, the plan is free. Nothing is deleted when the new plan includes less: creating is refused until there is room again.",
	"addMember":         "The member is told by mail and signs in with that address. With `invite`, the address is only asked: it is no member, and free for other teams, until the person accepts at a sign-in.",
	"mailInvitation":    "Once a day. Its 14 days begin again.",
	"updateMember":      "Agent calls that name nobody are done in the name of the admin who has been in the team longest.",
	"releaseAccount":    "The account that one of the member's sessions reports next becomes the member's; others may use the former one. Until then the member's sessions get no tasks.",
	"removeMember":      "Writes that are already being done keep their day to be reported; history stays.",
	"openSession":       "The token is shown here only.",
	"createPairingCode": "It works once, for ten minutes.",
	"rotateKey":         "The old key ends with the reply.",
	"revealKey":         "The log notes it.",
	"deleteTeam": "Removes members, sessions, keys, watchlists, posts, tasks and mails' codes. From the first moment the team does not exist for any caller; " +
		"the reply comes when nothing is left. A deletion that was interrupted goes on by itself at the next start, or with the next request.",
	"readClock": "Exists with a test clock only.",
	"setClock": "Takes `advance`, a duration, or `set`, a moment; never back. All that falls due on the way has happened before the reply. " +
		"Exists with a test clock only.",

	"healthz": "Says that the process runs, whatever the state of its parts.",
	"readyz":  "Says whether requests would be served; for load balancers.",
}
