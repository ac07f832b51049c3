package notifications

import (
	"time"

	"watchpost/actors/root"
	"watchpost/watchpost"
)

// Create makes a notification target (NotFound, Conflict, Invalid); answered
// by Created. Secret is the token of a bot; Emails are those of
// members.
type Create struct {
	Target watchpost.NotificationTarget
	Secret string
}

// Created is a new target; Secret is the key of a webhook's signatures, which
// is shown only once.
type Created struct {
	View
	Secret string `json:"-"`
	Sealed []byte // Secret, for a repetition of the request
}

// Update changes a target (NotFound, Invalid); answered by View. A target
// that was paused is resumed.
type Update struct {
	ID    watchpost.TargetID
	Patch watchpost.TargetPatch
}

// Delete removes a target with what waits for it (NotFound); answered by Done.
type Delete struct{ ID watchpost.TargetID }

// List is answered by []View, oldest first.
type List struct{}

// SendNow sends a test message or, with a delivery of the log, its posts again, at
// once and past what waits (NotFound, Conflict); answered by watchpost.Delivery. A success
// resumes a target that was paused.
type SendNow struct {
	ID       watchpost.TargetID
	Delivery string
}

// View is a target and how it stands.
type View struct {
	Target watchpost.NotificationTarget // without its secret
	// OfWatchlist reports that slack_webhook_url of a watchlist makes it.
	OfWatchlist  bool
	Paused       string // why; empty: it is not
	FailingSince time.Time
	DeliveredAt  time.Time
	Waiting      int // posts
	Dropped      int
	NextAt       time.Time // of the next attempt; zero: none is due
	Current      *watchpost.Delivery
	// DeletedAt is when it will be deleted, unless that is taken back; zero: it will not.
	DeletedAt time.Time           `json:",omitzero"`
	Failed    *watchpost.Delivery // a test or repetition that nothing succeeded since
}

// Failing reports whether messages to the target fail; one that a member has paused, or is
// deleting, is not asked to work.
func (v *View) Failing() bool {
	return !v.Target.Disabled && v.DeletedAt.IsZero() && (v.Paused != "" || v.Failed != nil || v.Current != nil && v.Current.Error != "")
}

func (Create) AnsweredWith(Created)             {}
func (Update) AnsweredWith(View)                {}
func (Delete) AnsweredWith(root.Done)           {}
func (List) AnsweredWith([]View)                {}
func (SendNow) AnsweredWith(watchpost.Delivery) {}
