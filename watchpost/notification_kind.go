package watchpost

import (
	"net/url"
	"slices"
	"strings"
	"time"
)

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
