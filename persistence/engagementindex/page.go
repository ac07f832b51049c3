package engagementindex

import (
	"errors"
	"maps"
	"slices"
	"time"

	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Page returns the interactions that a query selects of those on the posts of a
// watchlist, as watchpost.InteractionQuery.Select defines it. The counts say which days
// the page is of, so that no others are read.
func Page(view persistence.View, space persistence.Space, id watchpost.WatchlistID, q *watchpost.InteractionQuery, now time.Time) ([]watchpost.TaskID, watchpost.InteractionSummary, error) {
	p := &page{view: view, space: space, watchlist: id, query: q, days: map[string]teamspace.EngagementCount{}, authors: map[string]bool{}}
	for _, actor := range q.Actors {
		p.authors[teamspace.EngagementAuthor(actor)] = true
	}
	if err := p.count(); err != nil {
		return nil, watchpost.InteractionSummary{}, err
	}
	tasks, err := p.read()
	return tasks, p.summary(now), err
}

type page struct {
	view      persistence.View
	space     persistence.Space
	watchlist watchpost.WatchlistID
	query     *watchpost.InteractionQuery
	authors   map[string]bool // none: all
	days      map[string]teamspace.EngagementCount
}

// count reads the counts of the authors that are asked for.
func (p *page) count() error {
	authors := slices.Collect(maps.Keys(p.authors))
	if len(p.query.Actors) == 0 {
		authors = []string{teamspace.EngagementAllAuthors}
	}
	for _, author := range authors {
		prefix := string(teamspace.EngagementCountKey(p.watchlist, author, ""))
		err := teamspace.LoadAll(p.view, p.space, prefix, func(day string, c teamspace.EngagementCount) {
			sum := p.days[day]
			p.days[day] = teamspace.EngagementCount{Likes: sum.Likes + c.Likes, Comments: sum.Comments + c.Comments}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// of returns how many of a day the query selects.
func (p *page) of(c teamspace.EngagementCount) int {
	switch p.query.Kind {
	case watchpost.InteractionLike:
		return c.Likes
	case watchpost.InteractionComment:
		return c.Comments
	}
	return c.Likes + c.Comments
}

func (p *page) summary(now time.Time) (sum watchpost.InteractionSummary) {
	for _, c := range p.days {
		sum.Total += p.of(c)
		sum.Likes += c.Likes
		sum.Comments += c.Comments
	}
	first := watchpost.Daily.Start(now).AddDate(0, 0, 1-watchpost.InteractionDays)
	for i := range watchpost.InteractionDays {
		day := first.AddDate(0, 0, i).Format(time.DateOnly)
		sum.Graph = append(sum.Graph, watchpost.InteractionDay{Date: day, Likes: p.days[day].Likes, Comments: p.days[day].Comments})
	}
	return sum
}

// read reads the tasks of the page. Days that follow each other are read in one go.
func (p *page) read() (tasks []watchpost.TaskID, err error) {
	skip, want := (p.query.Page-1)*p.query.PageSize, p.query.PageSize
	days := slices.Sorted(maps.Keys(p.days))
	for i := len(days) - 1; i >= 0 && want > 0; i-- {
		n := p.of(p.days[days[i]])
		if n <= skip {
			skip -= n
			continue
		}
		last, first := days[i], days[i]
		for rest := n - skip; rest < want && i > 0 && days[i-1] == dayBefore(first); rest += p.of(p.days[first]) {
			i--
			first = days[i]
		}
		found, err := p.scan(first, last, skip, want)
		if err != nil {
			return nil, err
		}
		tasks, skip, want = append(tasks, found...), 0, want-len(found)
	}
	return tasks, nil
}

func dayBefore(day string) string {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return ""
	}
	return at.AddDate(0, 0, -1).Format(time.DateOnly)
}

// scan reads at most n tasks of the days from first to last, after those to skip.
func (p *page) scan(first, last string, skip, n int) (tasks []watchpost.TaskID, err error) {
	begin, err := time.Parse(time.DateOnly, first)
	if err != nil {
		return nil, err
	}
	end, err := time.Parse(time.DateOnly, last)
	if err != nil {
		return nil, err
	}
	from := teamspace.EngagementMomentFrom(p.watchlist, end.AddDate(0, 0, 1).Add(-1))
	to := teamspace.EngagementMomentFrom(p.watchlist, begin.Add(-1))
	var failure error
	err = p.view.Scan(p.space, from, to, func(k, v []byte) bool {
		var m teamspace.EngagementMoment
		failure = teamspace.Decode(v, &m)
		switch {
		case failure != nil:
			return false
		case len(p.authors) > 0 && !p.authors[m.Author] || p.query.Kind != "" && p.query.Kind != m.Kind:
		case skip > 0:
			skip--
		default:
			tasks = append(tasks, teamspace.EngagementMomentTask(k, p.watchlist))
		}
		return len(tasks) < n
	})
	return tasks, errors.Join(err, failure)
}
