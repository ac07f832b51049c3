package engagementindex

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Verify compares the index with the interactions, links and posts of a view, and the
// counts with the counted records. It needs the memory of one day of a watchlist. An
// index that Mend has to complete is not checked.
func Verify(view persistence.View, space persistence.Space, live map[watchpost.WatchlistID]bool, report func(problem string)) (problems int, err error) {
	whole, err := Whole(view, space)
	if err != nil || !whole {
		return 0, err
	}
	v := &verifier{Writer: &Writer{view: view, space: space, live: live}, report: report}
	err = v.interactions()
	for list := range live {
		if err == nil {
			err = v.watchlist(list)
		}
	}
	if err == nil && v.listed != 0 {
		v.problem("%d more interactions are listed than there are", v.listed)
	}
	return v.problems, err
}

type verifier struct {
	*Writer
	report   func(string)
	problems int
	listed   int // moments less those of the interactions
}

func (v *verifier) problem(format string, args ...any) {
	v.problems++
	v.report("engagements: " + fmt.Sprintf(format, args...))
}

// interactions checks each interaction's entry, link and moments.
func (v *verifier) interactions() error {
	var failure error
	entries := 0
	err := errors.Join(
		teamspace.LoadAll(v.view, v.space, teamspace.KeyInteraction, func(_ string, i watchpost.Interaction) {
			if entries++; failure == nil {
				failure = v.interaction(&i)
			}
		}),
		teamspace.LoadAll(v.view, v.space, teamspace.KeyEngagementEntry, func(string, teamspace.EngagementEntry) { entries-- }),
	)
	if entries != 0 {
		v.problem("%d entries are missing", entries)
	}
	return errors.Join(err, failure)
}

func (v *verifier) interaction(i *watchpost.Interaction) error {
	urn, post, err := v.postOf(i.Target)
	if err != nil {
		return err
	}
	e, err := v.entry(i.Target, i.ID)
	if errors.Is(err, persistence.ErrNotFound) {
		return nil // it is counted
	}
	if err != nil {
		return err
	}
	if e.Kind != i.Kind || !e.At.Equal(i.At) || e.Author != teamspace.EngagementAuthor(i.Author.ID) {
		v.problem("the entry of %s is not that of the interaction", i.ID)
	}
	if urn != "" {
		switch _, err := v.view.Get(v.space, teamspace.EngagementLinkKey(urn, i.Target)); {
		case errors.Is(err, persistence.ErrNotFound):
			v.problem("the link of %s is missing", i.ID)
		case err != nil:
			return err
		}
	}
	lists := v.lists(post)
	shown := slices.DeleteFunc(slices.Clone(e.Watchlists), func(id watchpost.WatchlistID) bool { return !v.live[id] })
	if !sameLists(shown, lists) {
		v.problem("%s is listed by %d watchlists instead of %d", i.ID, len(shown), len(lists))
	}
	v.listed -= len(lists)
	for _, list := range lists {
		m, err := teamspace.Load[teamspace.EngagementMoment](v.view, v.space, teamspace.EngagementMomentKey(list, i.At, i.ID))
		switch {
		case errors.Is(err, persistence.ErrNotFound):
			v.problem("%s is missing in watchlist %s", i.ID, list)
		case err != nil:
			return err
		case m.Kind != e.Kind || m.Author != e.Author:
			v.problem("%s is another interaction in watchlist %s", i.ID, list)
		}
	}
	return nil
}

// watchlist counts the moments of a watchlist, day by day, and compares the counts.
func (v *verifier) watchlist(list watchpost.WatchlistID) error {
	day, counts, left := "", map[string]teamspace.EngagementCount{}, 0
	var failure error
	compare := func() {
		for author, want := range counts {
			left--
			stored, err := teamspace.Load[teamspace.EngagementCount](v.view, v.space, teamspace.EngagementCountKey(list, author, day))
			if err != nil && !errors.Is(err, persistence.ErrNotFound) {
				failure = errors.Join(failure, err)
			}
			if stored != want {
				v.problem("watchlist %s counts %v instead of %v on %s", list, stored, want, day)
			}
		}
		clear(counts)
	}
	prefix := teamspace.KeyEngagementMoment + string(list)
	err := errors.Join(
		teamspace.LoadAll(v.view, v.space, teamspace.KeyEngagementCount+string(list), func(string, teamspace.EngagementCount) { left++ }),
		teamspace.LoadAll(v.view, v.space, prefix, func(rest string, m teamspace.EngagementMoment) {
			v.listed++
			if at := watchpost.Daily.Key(teamspace.EngagementMomentAt([]byte(prefix+rest), list)); at != day {
				compare()
				day = strings.Clone(at)
			}
			for _, author := range []string{teamspace.EngagementAllAuthors, m.Author} {
				c := counts[author]
				if m.Kind == watchpost.InteractionComment {
					c.Comments++
				} else {
					c.Likes++
				}
				counts[author] = c
			}
		}),
	)
	compare()
	if left > 0 {
		v.problem("watchlist %s has %d counts of days without interactions", list, left)
	}
	return errors.Join(err, failure)
}

// Discard lets Mend build the index again.
func Discard(batch *persistence.Batch) { batch.Put([]byte(teamspace.KeyEarlierEngagements), []byte{}) }
