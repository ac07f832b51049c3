package watchpost

import (
	"slices"
	"time"
)

// ChangeType is what a Change is about.
type ChangeType string

// The types.
const (
	ChangePost        ChangeType = "post"
	ChangeTask        ChangeType = "task"
	ChangeInteraction ChangeType = "interaction"
	ChangeWatchlist   ChangeType = "watchlist"
)

// ChangeTypes are all types.
func ChangeTypes() []ChangeType {
	return []ChangeType{ChangePost, ChangeTask, ChangeInteraction, ChangeWatchlist}
}

// ParseChangeType reads a type (Invalid).
func ParseChangeType(s string) (ChangeType, error) {
	if t := ChangeType(s); slices.Contains(ChangeTypes(), t) {
		return t, nil
	}
	return "", Errorf(Invalid, "Invalid 'types'")
}

// ChangeAction is what happened.
type ChangeAction string

// The actions: of posts, of tasks, of interactions, of watchlists.
const (
	PostMatched ChangeAction = "matched" // new to a watchlist
	PostUpdated ChangeAction = "updated"
	PostRemoved ChangeAction = "removed" // from a watchlist

	TaskIsCompleted ChangeAction = "completed"
	TaskHasFailed   ChangeAction = "failed"
	TaskIsCancelled ChangeAction = "cancelled"

	InteractionDone   ChangeAction = "done"
	InteractionFailed ChangeAction = "failed"

	WatchlistCreated ChangeAction = "created"
	WatchlistChanged ChangeAction = "changed"
	WatchlistDeleted ChangeAction = "deleted"
)

// Change says that something of a team has changed. It carries no data: a reader shows
// the current state of the changed object.
type Change struct {
	Number uint64 // counts the changes of a team from 1, in the order in which they became durable
	At     time.Time
	Type   ChangeType
	Action ChangeAction
	ID     string // of the post, task or watchlist; an interaction has that of its task
	// Watchlist is the one that got or lost the post, or the watchlist itself; "": none.
	Watchlist WatchlistID
	// Of are the watchlists that a change without a Watchlist concerns.
	Of []WatchlistID
}

// Concerns reports whether a change is about one of the watchlists.
func (c *Change) Concerns(some map[WatchlistID]bool) bool {
	return some[c.Watchlist] || slices.ContainsFunc(c.Of, func(id WatchlistID) bool { return some[id] })
}

// Bounds of the changes that a team keeps.
const (
	ChangesKept = 7 * 24 * time.Hour
	MaxChanges  = 1_000_000
)

// Bounds of a page of changes.
const (
	ChangesPage    = 100
	MaxChangesPage = 500
	// MaxChangesWait is how long a request may wait for the first change.
	MaxChangesWait = 25 * time.Second
)

// Changes returns what the end of a task changes for its callers: none of a scan, and two
// of a like or a comment that failed. One that was done is in the batch of its post.
func (t *Task) Changes() []Change {
	if t.Type.Scan() || !t.State.Final() {
		return nil
	}
	c := Change{Type: ChangeTask, Action: TaskIsCompleted, ID: string(t.ID)}
	if t.State == TaskCompleted {
		return []Change{c}
	}
	c.Action = TaskHasFailed
	if t.Failure != nil && t.Failure.Code == FailCancelled {
		c.Action = TaskIsCancelled
	}
	all := []Change{c}
	if _, engages := t.Engagement(); engages && t.Type.OnPost() && t.Resolved == nil {
		all = append(all, Change{Type: ChangeInteraction, Action: InteractionFailed, ID: string(t.ID)})
	}
	return all
}

// Change returns the change that an interaction is, on a post; nil when it is not stored.
func (i *Interaction) Change(on *Post) Change {
	c := Change{Type: ChangeInteraction, Action: InteractionDone, ID: string(i.ID)}
	if on != nil {
		c.Of = on.Collectors()
	}
	return c
}

// Collectors are the watchlists that collected the post, each once.
func (p *Post) Collectors() []WatchlistID {
	var all []WatchlistID
	for _, m := range p.Matches {
		if !slices.Contains(all, m.Watchlist) {
			all = append(all, m.Watchlist)
		}
	}
	return all
}

// ChangesSince returns the changes of a post against old; nil: it is new. One
// change says that it is new to a watchlist or that one has lost it, and one that what is
// shown of it to the others is another: not the addresses of pictures, which the network
// changes all the time, nor the relevance, which is the one to the watchlist whose scan
// found it last: scans of two watchlists would change it all the time.
func (p *Post) ChangesSince(old *Post) []Change {
	var all []Change
	var before, stayed []WatchlistID
	if old != nil {
		before = old.Collectors()
	}
	for _, id := range p.Collectors() {
		if slices.Contains(before, id) {
			stayed = append(stayed, id)
			continue
		}
		all = append(all, Change{Type: ChangePost, Action: PostMatched, ID: string(p.ID), Watchlist: id})
	}
	for _, id := range before {
		if !slices.Contains(stayed, id) {
			all = append(all, Change{Type: ChangePost, Action: PostRemoved, ID: string(p.ID), Watchlist: id})
		}
	}
	if len(stayed) > 0 && !p.shownAs(old, stayed) {
		all = append(all, Change{Type: ChangePost, Action: PostUpdated, ID: string(p.ID), Of: stayed})
	}
	return all
}

// Removal returns the changes of a post that is deleted.
func (p *Post) Removal() []Change { return (&Post{ID: p.ID}).ChangesSince(p) }

// shownAs reports whether a post is shown as another version of it to the watchlists that
// had it and stayed.
func (p *Post) shownAs(old *Post, stayed []WatchlistID) bool {
	return p.Likes == old.Likes && p.Comments == old.Comments && p.Shares == old.Shares &&
		p.Bookmark == old.Bookmark && p.Liked == old.Liked && p.Commented == old.Commented &&
		p.Content == old.Content && p.ImageText == old.ImageText && p.Type == old.Type && p.Language == old.Language &&
		p.AuthorName == old.AuthorName && p.AuthorHeadline == old.AuthorHeadline && p.Seniority == old.Seniority &&
		p.Sentiment == old.Sentiment && p.Influence == old.Influence &&
		slices.Equal(p.Tags, old.Tags) && slices.EqualFunc(p.matchesOf(stayed), old.matchesOf(stayed), sameMatch)
}

// matchesOf returns the matches of some watchlists.
func (p *Post) matchesOf(some []WatchlistID) []Match {
	var all []Match
	for _, m := range p.Matches {
		if slices.Contains(some, m.Watchlist) {
			all = append(all, m)
		}
	}
	return all
}

// sameMatch reports whether two matches are shown as the same.
func sameMatch(a, b Match) bool {
	return a.Watchlist == b.Watchlist && a.Keyword == b.Keyword && a.Lead == b.Lead
}
