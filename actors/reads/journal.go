package reads

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"watchpost/actors/journal"
	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// JournalPage is a page of the journal, newest first.
type JournalPage struct {
	Entries []watchpost.JournalEntry
	// Next continues where the page ends; "" at the end of the journal. A page may
	// have few entries, or none, and go on.
	Next string
}

// maxJournalRead bounds the entries that a page looks at.
const maxJournalRead = 20_000

// Journal returns a page of what a team asked for on the network, from a cursor of
// an earlier page or "". It reads a snapshot, past the team's actors. Entries that
// a filter rules out are not decoded. Errors: Invalid for a cursor, Unavailable.
func (r *Reader) Journal(ctx context.Context, team watchpost.TeamID, q watchpost.JournalQuery, cursor string, limit int) (JournalPage, error) {
	from := []byte(teamspace.KeyJournal)
	if cursor != "" {
		if !watchpost.ValidID(cursor) {
			return JournalPage{}, watchpost.Errorf(watchpost.Invalid, "Invalid 'after'")
		}
		from = append(teamspace.JournalKey(watchpost.TaskID(cursor)), 0)
	}
	view, err := View(ctx, r.store)
	if err != nil {
		return JournalPage{}, root.Unavailable(err)
	}
	defer view.Close()
	page, failure := JournalPage{}, error(nil)
	needles, read := needlesOf(&q), 0
	var last []byte
	err = view.Scan(persistence.Space(team), from, persistence.PrefixEnd([]byte(teamspace.KeyJournal)), func(k, v []byte) bool {
		if len(page.Entries) == limit || read == maxJournalRead {
			page.Next = string(teamspace.JournalTask(last))
			return false
		}
		read++
		last = append(last[:0], k...)
		for _, needle := range needles {
			if !bytes.Contains(v, needle) {
				return true
			}
		}
		if q.About != nil && aboutOthers(v, q.About.Posts) {
			return true
		}
		var e watchpost.JournalEntry
		if failure = teamspace.Decode(v, &e); failure != nil {
			return false
		}
		if e.Number > 0 {
			e.Hash = journal.HashOf(v)
		}
		if q.Matches(&e) {
			page.Entries = append(page.Entries, e)
		}
		return q.From.IsZero() || !e.At.Before(q.From) // the rest is older
	})
	return page, root.Unavailable(cmp.Or(err, failure))
}

// needlesOf returns what the stored form of each matching entry contains. Texts of
// others cannot contain it, as their quotation marks are escaped.
func needlesOf(q *watchpost.JournalQuery) (needles [][]byte) {
	for name, value := range map[string]string{
		"Way": string(q.Way), "Member": string(q.Member), "Type": string(q.Type), "State": string(q.State), "Asked": q.Rule, "Code": q.Code, "Post": string(q.Post),
	} {
		if value != "" {
			needles = append(needles, fmt.Appendf(nil, `"%s":%q`, name, value))
		}
	}
	return needles
}

// aboutOthers reports whether the stored form of an entry names a post, and none of some.
func aboutOthers(v []byte, posts []watchpost.PostID) bool {
	_, named, found := bytes.Cut(v, []byte(`"Post":"`))
	return found && !slices.ContainsFunc(posts, func(id watchpost.PostID) bool { return bytes.HasPrefix(named, []byte(id)) })
}

// JournalTotals counts the tasks that a team has asked for since a moment and that have
// ended. One that was cancelled has not failed.
type JournalTotals struct {
	Done, Failed, Cancelled int
	Causes                  []JournalCause // of the failures, the most frequent first
}

// JournalCause is why tasks of a type failed. Message is that of the newest.
type JournalCause struct {
	Type          watchpost.TaskType
	Code, Message string
	Count         int
}

// JournalTotals counts all entries since a moment, without a bound: only those that
// failed are decoded. Errors: Unavailable.
func (r *Reader) JournalTotals(ctx context.Context, team watchpost.TeamID, from time.Time) (JournalTotals, error) {
	view, err := View(ctx, r.store)
	if err != nil {
		return JournalTotals{}, root.Unavailable(err)
	}
	defer view.Close()
	totals, err := TotalsOf(view, persistence.Space(team), from)
	return totals, root.Unavailable(err)
}

// TotalsOf counts in a snapshot as JournalTotals does.
func TotalsOf(view persistence.View, space persistence.Space, from time.Time) (totals JournalTotals, err error) {
	var failure error
	done := needlesOf(&watchpost.JournalQuery{State: watchpost.TaskCompleted})[0]
	failed := needlesOf(&watchpost.JournalQuery{State: watchpost.TaskFailed})[0]
	end := persistence.PrefixEnd(teamspace.JournalKey(watchpost.TaskID(watchpost.FirstID(from))))
	err = view.Scan(space, []byte(teamspace.KeyJournal), end, func(_, v []byte) bool {
		switch {
		case bytes.Contains(v, done):
			totals.Done++
		case bytes.Contains(v, failed):
			var e watchpost.JournalEntry
			failure = teamspace.Decode(v, &e)
			if e.Code == watchpost.FailCancelled {
				totals.Cancelled++
				return failure == nil
			}
			totals.fail(&e)
		}
		return failure == nil
	})
	slices.SortStableFunc(totals.Causes, func(a, b JournalCause) int { return cmp.Compare(b.Count, a.Count) })
	return totals, cmp.Or(err, failure)
}

func (t *JournalTotals) fail(e *watchpost.JournalEntry) {
	t.Failed++
	i := slices.IndexFunc(t.Causes, func(c JournalCause) bool { return c.Type == e.Type && c.Code == e.Code })
	if i < 0 {
		i = len(t.Causes)
		t.Causes = append(t.Causes, JournalCause{Type: e.Type, Code: e.Code, Message: e.Message})
	}
	t.Causes[i].Count++
}

// TaskIDs returns the tasks of the journal that a query selects, from one place to
// another, and the count of all. Tasks that ended before kept are left out; zero: none is.
// Entries are not decoded, but for those of tasks that may have ended before.
func TaskIDs(view persistence.View, space persistence.Space, q *watchpost.TaskQuery, kept time.Time, from, to int) (ids []watchpost.TaskID, count int, err error) {
	end := persistence.PrefixEnd([]byte(teamspace.KeyJournal))
	if !q.Since.IsZero() {
		end = persistence.PrefixEnd(teamspace.JournalKey(watchpost.TaskID(watchpost.FirstID(q.Since))))
	}
	needles := needlesOf(&watchpost.JournalQuery{State: watchpost.TaskState(q.Status)})
	var kinds [][]byte
	for _, kind := range q.Types {
		kinds = append(kinds, needlesOf(&watchpost.JournalQuery{Type: kind})...)
	}
	has := func(v []byte) func([]byte) bool {
		return func(needle []byte) bool { return bytes.Contains(v, needle) }
	}
	old := teamspace.JournalKey(watchpost.TaskID(watchpost.FirstID(kept))) // none after it has ended since
	var failure error
	err = view.Scan(space, []byte(teamspace.KeyJournal), end, func(k, v []byte) bool {
		if len(needles) > 0 && !has(v)(needles[0]) || len(kinds) > 0 && !slices.ContainsFunc(kinds, has(v)) {
			return true
		}
		if !kept.IsZero() && bytes.Compare(k, old) > 0 {
			var e watchpost.JournalEntry
			if failure = teamspace.Decode(v, &e); failure != nil {
				return false
			}
			if e.Expired(kept) {
				return true
			}
		}
		if count >= from && count < to {
			ids = append(ids, teamspace.JournalTask(k))
		}
		count++
		return true
	})
	return ids, count, errors.Join(err, failure)
}
