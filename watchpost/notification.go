package watchpost

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"
)

// TargetID names a notification target. The target that a watchlist's
// slack_webhook_url makes has the id of the watchlist.
type TargetID string

// NotificationTarget is where the team hears of new posts.
type NotificationTarget struct {
	ID        TargetID
	Name      string
	Kind      TargetKind
	Watchlist WatchlistID `json:",omitempty"` // empty: all
	URL       string      `json:",omitempty"`
	Chat      string      `json:",omitempty"` // of Telegram
	Emails    []string    `json:",omitempty"` // of members
	// Sealed is the encrypted secret: the key of a webhook's signatures, or the
	// token of a Telegram bot.
	Sealed []byte `json:",omitempty"`
	If     PostConditions
	// Alert tells of days with many posts in place of the posts.
	Alert Alert `json:",omitzero"`
	// Batch is how long posts are gathered before they are delivered together. An alert
	// does not wait for it.
	Batch    time.Duration `json:",omitempty"`
	Quiet    DailyHours    // when nothing is delivered
	PerHour  int           // deliveries at most
	Disabled bool          `json:",omitempty"`

	CreatedAt time.Time
}

// Bounds and defaults of notifications.
const (
	MaxNotificationTargets = 20 // of a team
	MaxBatchTime           = 24 * time.Hour
	MaxPerHour             = 600
	DefaultPerHour         = 60
	MaxTargetEmails        = 25
	MaxQueuedPosts         = 1000 // of a target; further posts are counted and dropped
	PostsPerDelivery       = 20
	MaxSendsNow            = 60 // tests and repetitions of a team in an hour
	// DeliveryPatience is how many attempts at least an hour apart fail before a delivery
	// is given up and its target paused: a day of trying, without the time in which
	// nothing could be tried, such as quiet hours.
	DeliveryPatience = 25
)

// TextTargetNotFound is the error for an unknown target.
const TextTargetNotFound = "Target not found"

// TextSendsNow is the error of a test or repetition beyond the rate of its target, or of
// the team.
const TextSendsNow = "Too many messages in this hour"

// HourlyCount counts the actions of an hour.
type HourlyCount struct {
	Hour  time.Time `json:"hour,omitzero"`
	Times int       `json:"times,omitempty"`
}

// At returns the count in the hour of now.
func (c HourlyCount) At(now time.Time) HourlyCount {
	if hour := now.Truncate(time.Hour); !c.Hour.Equal(hour) {
		return HourlyCount{Hour: hour}
	}
	return c
}

// Clean returns the target in canonical form. plain allows addresses without TLS.
// The error names the first field that is invalid, as the API does.
func (t NotificationTarget) Clean(plain bool) (NotificationTarget, error) {
	var err error
	if t.Name, err = CleanName(t.Name); err != nil {
		return t, Errorf(Invalid, "Invalid 'name'")
	}
	kind := NotificationKindOf(t.Kind)
	if kind == nil {
		return t, Errorf(Invalid, "Invalid 'type'")
	}
	for _, need := range kind.Needs {
		if !t.meets(need.Field, plain) {
			return t, Errorf(Invalid, "Invalid '%s'", need.Field)
		}
	}
	if err = t.CleanCounted(); err != nil {
		return t, err
	}
	if t.Batch < 0 || t.Batch > MaxBatchTime {
		return t, Errorf(Invalid, "Invalid 'batch_minutes'")
	}
	if t.Quiet, err = t.Quiet.Clean("quiet_hours"); err != nil {
		return t, err
	}
	if t.Quiet.always() {
		return t, Errorf(Invalid, "Invalid 'quiet_hours'")
	}
	if t.PerHour < 1 || t.PerHour > MaxPerHour {
		return t, Errorf(Invalid, "Invalid 'max_per_hour'")
	}
	return t, nil
}

// SlackTarget returns the target that a watchlist's slack_webhook_url makes; ok is
// false if the watchlist has none.
func (w *Watchlist) SlackTarget() (t NotificationTarget, ok bool) {
	return NotificationTarget{
		ID: TargetID(w.ID), Name: w.Name, Kind: TargetSlack, Watchlist: w.ID, URL: w.SlackURL, PerHour: DefaultPerHour, CreatedAt: w.CreatedAt,
	}, w.SlackURL != ""
}

// Wants reports whether the target gets, or its alert counts, a post that is new to a
// watchlist.
func (t *NotificationTarget) Wants(p *Post, w WatchlistID, tagging *Tagging, now time.Time) bool {
	of := t.conditions()
	return !t.Disabled && (t.Watchlist == "" || t.Watchlist == w) && of.Hold(p, map[WatchlistID]bool{w: true}, tagging, now)
}

// conditions are those of the posts that the target is about.
func (t *NotificationTarget) conditions() PostConditions {
	c := t.If
	if t.Alert.Of == AlertNegativeSurge {
		c.Sentiments = []string{sentimentNegative}
	}
	return c
}

// Counted returns the query of the posts that the alert of the target counts. tagging says
// which watchlists and tags the team has.
func (t *NotificationTarget) Counted(tagging *Tagging) PostQuery {
	live := tagging.Live
	if t.Watchlist != "" {
		live = map[WatchlistID]bool{t.Watchlist: tagging.Live[t.Watchlist]}
	}
	c := t.conditions()
	return c.query(live, tagging)
}

// DeliveryState is the state of a delivery.
type DeliveryState string

// The states.
const (
	DeliveryPending   DeliveryState = "pending"
	DeliveryDelivered DeliveryState = "delivered"
	DeliveryFailed    DeliveryState = "failed"
)

// Delivery is a message to a target. Its ID stays the same in every attempt, so
// that a receiver can drop repeated deliveries.
type Delivery struct {
	ID       string
	Kind     string // posts, alert, test or replay
	Posts    []PostID
	Alert    *Alerted `json:",omitempty"` // that an alert tells; Posts are the latest of the day
	Through  string   `json:",omitempty"` // the last of the waiting posts that it holds
	State    DeliveryState
	At       time.Time // of the first attempt
	Attempts int
	// Hourly counts the failed attempts that were at least an hour apart; HourlyAt is the
	// last of them.
	Hourly   int       `json:",omitempty"`
	HourlyAt time.Time `json:",omitzero"`
	// NotBefore is when the next attempt may be made.
	NotBefore time.Time `json:",omitzero"`
	EndedAt   time.Time `json:",omitzero"`
	Code      int       `json:",omitempty"` // HTTP status of the last attempt
	Error     string    `json:",omitempty"` // of the last attempt
}

// Attempt is what became of an attempt.
type Attempt struct {
	Code       int    // HTTP status; 0: none
	Error      string // empty: delivered
	RetryAfter time.Duration
	Gone       bool // the target said that it exists no more
}

// After returns the delivery after an attempt at now, and whether it is given up.
func (d Delivery) After(a Attempt, now time.Time) (next Delivery, givenUp bool) {
	next = d
	next.Attempts++
	next.Code, next.Error, next.NotBefore = a.Code, a.Error, time.Time{}
	switch {
	case a.Error == "":
		next.State, next.EndedAt = DeliveryDelivered, now
		return next, false
	case now.Sub(d.HourlyAt) >= time.Hour:
		next.Hourly, next.HourlyAt = d.Hourly+1, now
	}
	if a.Gone || d.Kind == "test" || d.Kind == "replay" || next.Hourly >= DeliveryPatience {
		next.State, next.EndedAt = DeliveryFailed, now
		return next, true
	}
	pause := min(30*time.Second<<min(d.Attempts, 10), time.Hour)
	pause += time.Duration(seed(d.ID, string(rune(d.Attempts))) % uint64(pause/5))
	next.NotBefore = now.Add(max(pause, min(a.RetryAfter, time.Hour)))
	return next, false
}

// Opens returns the first moment at or after now at which a target may deliver.
func (t *NotificationTarget) Opens(now time.Time) time.Time {
	if until, quiet := t.Quiet.Contains(now); quiet {
		return until
	}
	return now
}

// CompareTargets orders targets as they were made.
func CompareTargets(a, b NotificationTarget) int {
	return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
}

// TargetPatch changes the fields of a notification target that are not nil. Token is
// a new one of its bot, which the target keeps sealed.
type TargetPatch struct {
	Name, URL, Chat *string
	Emails          *[]string
	If              ConditionsPatch
	Alert           *Alert
	Batch           *time.Duration
	Quiet           *DailyHours
	PerHour         *int
	Disabled        *bool
	Token           *string
}

// Apply returns the changed target, not yet cleaned.
func (p *TargetPatch) Apply(t NotificationTarget) NotificationTarget {
	set(&t.Name, p.Name)
	set(&t.URL, p.URL)
	set(&t.Chat, p.Chat)
	set(&t.Emails, p.Emails)
	t.If = p.If.Apply(t.If)
	set(&t.Alert, p.Alert)
	set(&t.Batch, p.Batch)
	set(&t.Quiet, p.Quiet)
	set(&t.PerHour, p.PerHour)
	set(&t.Disabled, p.Disabled)
	return t
}

// TargetKind is where a target delivers to.
type TargetKind string

// The kinds.
const (
	TargetSlack    TargetKind = "slack"
	TargetDiscord  TargetKind = "discord"
	TargetTeams    TargetKind = "teams" // Microsoft Teams
	TargetTelegram TargetKind = "telegram"
	TargetEmail    TargetKind = "email"
	TargetWebhook  TargetKind = "webhook" // signed as Standard Webhooks
)

// TargetField is a field of a target that some kinds need, as the API names it.
type TargetField string

// The fields.
const (
	TargetURL   TargetField = "url"
	TargetToken TargetField = "bot_token" // a secret, which is stored sealed
	TargetChat  TargetField = "chat_id"
	TargetUsers TargetField = "user_emails" // members, who get mail from the mailer
)

// NotificationKind is what the service knows of a kind of target. The API, its
// document and the dashboard follow notificationKinds; package notify writes the
// messages of each kind, but for mail.
type NotificationKind struct {
	Kind        TargetKind
	Title, Icon string // for people
	Tells       string // whom a target tells, in a sentence
	Needs       []TargetNeed
	// Signs says that messages are signed with a key, which is made with the target
	// and shown once.
	Signs bool
	Batch time.Duration // of a target that names none
}

// TargetNeed is a field that the targets of a kind need, and how people are asked
// for it.
type TargetNeed struct {
	Field       TargetField
	Label, Hint string
}

// incoming asks for the address of an incoming webhook.
func incoming(title string) []TargetNeed {
	return []TargetNeed{{TargetURL, "Address", "The address of an incoming webhook, as " + title + " shows it."}}
}

var notificationKinds = []*NotificationKind{
	{Kind: TargetSlack, Title: "Slack", Icon: "hash", Tells: "Slack", Needs: incoming("Slack")},
	{Kind: TargetDiscord, Title: "Discord", Icon: "comment", Tells: "Discord", Needs: incoming("Discord")},
	{Kind: TargetTeams, Title: "Microsoft Teams", Icon: "forum", Tells: "Microsoft Teams", Needs: incoming("Microsoft Teams")},
	{Kind: TargetTelegram, Title: "Telegram", Icon: "arrowup", Tells: "Telegram", Needs: []TargetNeed{
		{TargetToken, "Token of the bot", "It is stored encrypted and not shown again."},
		{TargetChat, "Chat", "The number of the chat, or the @name of a channel that the bot may write to."},
	}},
	{Kind: TargetEmail, Title: "Mail", Icon: "mail", Tells: "members by mail", Batch: MaxBatchTime, Needs: []TargetNeed{{TargetUsers, "Members", ""}}},
	{Kind: TargetWebhook, Title: "Webhook", Icon: "bolt", Tells: "a server of yours", Signs: true, Needs: []TargetNeed{
		{TargetURL, "Address", "https, reachable from the internet."},
	}},
}

// NotificationKinds returns the kinds in the order in which people see them.
func NotificationKinds() []*NotificationKind { return notificationKinds }

// NotificationKindOf returns the description of a kind; nil: there is no such kind.
func NotificationKindOf(kind TargetKind) *NotificationKind {
	for _, k := range notificationKinds {
		if k.Kind == kind {
			return k
		}
	}
	return nil
}

// Needs reports whether targets of the kind need a field.
func (k TargetKind) Needs(field TargetField) bool {
	kind := NotificationKindOf(k)
	return kind != nil && slices.ContainsFunc(kind.Needs, func(n TargetNeed) bool { return n.Field == field })
}

// meets brings a field that is needed into canonical form, and reports whether it is
// valid. plain allows addresses without TLS.
func (t *NotificationTarget) meets(field TargetField, plain bool) bool {
	switch field {
	case TargetURL:
		u, err := url.Parse(t.URL)
		return err == nil && len(t.URL) <= MaxURL && u.Hostname() != "" && u.User == nil && (u.Scheme == "https" || plain && u.Scheme == "http")
	case TargetChat:
		t.Chat = strings.TrimSpace(t.Chat)
		return t.Chat != "" && len(t.Chat) <= 100
	case TargetUsers:
		return len(t.Emails) > 0 && len(t.Emails) <= MaxTargetEmails
	case TargetToken: // the target has it sealed: its maker checks it
	}
	return true
}
