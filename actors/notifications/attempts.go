package notifications

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"watchpost/internal/mail/outgoing"
	"watchpost/internal/notify"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// deliver makes an attempt of a delivery. A panic fails it, as one of an actor would.
func (s *Sends) deliver(team watchpost.TeamID, t *watchpost.NotificationTarget, to []outgoing.Recipient, secret string, d *watchpost.Delivery, now time.Time) (result watchpost.Attempt) {
	defer func() {
		if reason := recover(); reason != nil {
			s.panicked()
			s.env.Log.Error("delivery failed", "team", team, "target", t.ID, "reason", fmt.Sprint(reason), "stack", string(debug.Stack()))
			result = watchpost.Attempt{Error: "the message cannot be made"}
		}
	}()
	m := notify.Message{ID: d.ID, At: now, Test: d.Kind == "test", Alert: d.Alert, Origin: s.origin}
	var err error
	if m.Posts, err = s.postsOf(team, t.Watchlist, d.Posts); err != nil {
		return watchpost.Attempt{Error: "the posts cannot be read"}
	}
	if len(m.Posts) == 0 && !m.Test && m.Alert == nil {
		return watchpost.Attempt{} // all were deleted meanwhile
	}
	return s.attempt(t, to, secret, m)
}

// postsOf reads posts, each as GET /api-posts shows it to a caller who asks for the posts
// of a watchlist (none: all). Those that are not in any watchlist are left out.
func (s *Sends) postsOf(team watchpost.TeamID, of watchpost.WatchlistID, ids []watchpost.PostID) ([]notify.Post, error) {
	view, err := s.env.View()
	if err != nil {
		return nil, err
	}
	defer view.Close()
	tagging, err := s.tagging(view, team)
	if err != nil {
		return nil, err
	}
	asked := tagging.Live
	if of != "" {
		asked = map[watchpost.WatchlistID]bool{of: true}
	}
	found, err := s.posts.StoredPosts(view, persistence.Space(team), ids)
	if err != nil {
		return nil, err
	}
	var posts []notify.Post
	for _, stored := range found {
		if !stored.Collected(tagging.Live) {
			continue
		}
		p, err := stored.Post()
		if err != nil {
			return nil, err
		}
		posts = append(posts, notify.Post{Post: p, Object: stored.Append(nil, asked, tagging)})
	}
	return posts, nil
}

// mailTimeout bounds how long a mailer may take to accept a mail.
const mailTimeout = 8 * time.Second

// attempt makes one attempt. to are the members whom a target of mails has.
func (s *Sends) attempt(t *watchpost.NotificationTarget, to []outgoing.Recipient, secret string, m notify.Message) watchpost.Attempt {
	if !t.Kind.Needs(watchpost.TargetUsers) {
		return s.sender.Send(s.ctx, t, secret, m)
	}
	if len(to) == 0 {
		return watchpost.Attempt{Error: "no member of the target has signed in yet"}
	}
	ctx, cancel := context.WithTimeout(s.ctx, mailTimeout)
	defer cancel()
	for _, one := range to {
		if err := s.mailer.Send(ctx, notify.Mail(one, t, m)); err != nil {
			return watchpost.Attempt{Error: "the mail was not accepted"}
		}
	}
	return watchpost.Attempt{}
}
