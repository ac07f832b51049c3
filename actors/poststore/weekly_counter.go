package poststore

import (
	"errors"
	"time"

	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// The weekly limit of posts and the potential leads: the rule is
// watchpost.WeeklyCounter.Admit; here is its state, stored and
// keyed by week. The post store decides, in the batch of the posts themselves: what
// a crash undoes it undoes together, and a post that is seen again is not counted
// again.

// SetQuota sets the watchlists whose new posts are noted, and how many posts each may
// take in a week. It applies to the posts that follow.
type SetQuota struct {
	Quota   watchpost.WeeklyQuota
	Watched *Watched
}

// WeekChange tells the team how a watchlist's week stands after a decision.
type WeekChange struct {
	Watchlist watchpost.WatchlistID
	Week      string
	Count     watchpost.WeeklyCounter
}

// What the tally may add to a batch: the count, and two marks for each post.
const weeklyCounterOps = 3

// weeklyCounter is a watchlist's week while one batch of posts is decided on.
type weeklyCounter struct {
	WeekChange
	view       persistence.View
	space      persistence.Space
	batch      *persistence.Batch
	quota      watchpost.WeeklyQuota
	quotaMarks map[string]bool // set or taken away by this batch
	dropped    int             // by this batch
	changed    bool
}

// weeklyCounter reads how the week of a watchlist stands.
func (f *PostStore) weeklyCounter(view persistence.View, batch *persistence.Batch, id watchpost.WatchlistID, now time.Time) (*weeklyCounter, error) {
	t := &weeklyCounter{
		WeekChange: WeekChange{Watchlist: id, Week: watchpost.Weekly.Key(now)},
		view:       view, space: f.Space, batch: batch, quota: f.quota, quotaMarks: map[string]bool{},
	}
	var err error
	t.Count, err = teamspace.Load[watchpost.WeeklyCounter](view, f.Space, teamspace.WeeklyCounterKey(t.Week, id))
	if err != nil && !errors.Is(err, persistence.ErrNotFound) {
		return nil, err
	}
	return t, f.forgetPeriods(view, batch, now)
}

// admit decides on a post that the watchlist has not collected before.
func (t *weeklyCounter) admit(p *watchpost.Post) (watchpost.Admission, error) {
	author := p.AuthorKey()
	lead, dropped := teamspace.QuotaMarkKey(t.Week, t.Watchlist, teamspace.QuotaMarkLead, author), teamspace.QuotaMarkKey(t.Week, t.Watchlist, teamspace.QuotaMarkDropped, p.URN)
	n := watchpost.Candidate{Relevance: p.Relevance, Author: author}
	var err error
	if n.Lead, err = t.hasQuotaMark(lead); err != nil {
		return watchpost.Admission{}, err
	}
	if n.Dropped, err = t.hasQuotaMark(dropped); err != nil {
		return watchpost.Admission{}, err
	}
	count, a := t.Count.Admit(t.quota, n)
	t.changed = t.changed || count != t.Count
	t.Count = count
	switch {
	case a.NewLead:
		t.setQuotaMark(lead)
	case !a.Stored && !n.Dropped:
		t.setQuotaMark(dropped)
		t.dropped++
	}
	if a.Stored && n.Dropped {
		t.batch.Delete([]byte(dropped))
		t.quotaMarks[dropped] = false
	}
	return a, nil
}

func (t *weeklyCounter) setQuotaMark(k string) {
	t.batch.Put([]byte(k), nil)
	t.quotaMarks[k] = true
}

func (t *weeklyCounter) hasQuotaMark(k string) (bool, error) {
	if is, known := t.quotaMarks[k]; known {
		return is, nil
	}
	_, err := t.view.Get(t.space, []byte(k))
	if errors.Is(err, persistence.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// finish writes the count to the batch and returns the team's part.
func (t *weeklyCounter) finish() *WeekChange {
	if !t.changed {
		return nil
	}
	t.batch.Put(teamspace.WeeklyCounterKey(t.Week, t.Watchlist), teamspace.Encode(t.Count))
	return &t.WeekChange
}
