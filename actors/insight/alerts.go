package insight

import (
	"time"

	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
	"watchpost/watchpost/trend"
)

// alertPosts bounds the posts of a message of an alert.
const alertPosts = 5

// Alerts returns the days that the alert of a target reports, from that of from to that of
// now, the oldest first, and the query whose spikes they are.
func Alerts(view persistence.View, space persistence.Space, posts *postindex.Index, t *watchpost.NotificationTarget, tagging *watchpost.Tagging, from, now time.Time) (trend.Query, []trend.Spike, error) {
	q := trend.AlertQuery(t.Counted(tagging), now)
	counts, _, err := posts.Trend(view, space, &q)
	if err != nil {
		return q, nil, err
	}
	return q, q.Alerts(counts, from, t.Alert.Minimum), nil
}

// Alert returns the newest day that the alert of a target reports, with its new words and
// the ids of its latest posts; nil: there is none.
func Alert(view persistence.View, space persistence.Space, posts *postindex.Index, t *watchpost.NotificationTarget, tagging *watchpost.Tagging, from, now time.Time) (*watchpost.Alerted, []watchpost.PostID, error) {
	q, found, err := Alerts(view, space, posts, t, tagging, from, now)
	if err != nil || len(found) == 0 {
		return nil, nil, err
	}
	day := &found[len(found)-1]
	in, before := q.Looked(day)
	words, err := posts.NewWords(view, space, &in, &before)
	if err != nil {
		return nil, nil, err
	}
	in.PageSize = alertPosts
	page, err := posts.Query(view, space, &in)
	if err != nil {
		return nil, nil, err
	}
	var latest []watchpost.PostID
	for _, stored := range page.Posts {
		p, err := stored.Post()
		if err != nil {
			return nil, nil, err
		}
		latest = append(latest, p.ID)
	}
	return &watchpost.Alerted{Of: t.Alert.Of, Day: day.At, Count: day.Count, Usual: day.Usual, Words: words}, latest, nil
}
