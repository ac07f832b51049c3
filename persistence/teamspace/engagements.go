package teamspace

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"watchpost/watchpost"
)

// EngagementAllAuthors stands for all authors where EngagementAuthor stands for one.
const EngagementAllAuthors = "00000000000000000000000000000000"

// EngagementIndex says which state of the posts the index of engagements shows.
type EngagementIndex struct {
	// Posts is the number of the next version of a post. A build that does not know
	// the index changes posts without it.
	Posts uint64 `json:"posts"`
	// Phase is the current phase; empty: the index is complete.
	Phase EngagementPhase `json:"phase,omitempty"`
	// After is the last interaction that was indexed again.
	After watchpost.TaskID `json:"after,omitempty"`
}

// EngagementPhase is a part of building the index.
type EngagementPhase string

// The phases: the old index is deleted, then every interaction is indexed.
const (
	EngagementsClearing EngagementPhase = "clear"
	EngagementsBuilding EngagementPhase = "build"
)

// EngagementEntry is an interaction in short, and the watchlists that list it.
type EngagementEntry struct {
	Kind       watchpost.InteractionKind `json:"kind"`
	At         time.Time                 `json:"at"`
	Author     string                    `json:"author"` // EngagementAuthor
	Watchlists []watchpost.WatchlistID   `json:"watchlists,omitempty"`
}

// EngagementMoment is an interaction in the order of a watchlist.
type EngagementMoment struct {
	Kind   watchpost.InteractionKind `json:"kind"`
	Author string                    `json:"author"`
}

// EngagementCount counts the interactions of an author, or all, on a day.
type EngagementCount struct {
	Likes    int `json:"likes,omitempty"`
	Comments int `json:"comments,omitempty"`
}

// EngagementTodo is a target whose interactions are listed where they belong up to one.
type EngagementTodo struct {
	Target string           `json:"target"`
	After  watchpost.TaskID `json:"after,omitempty"`
}

// EngagementAuthor is the part of a key that stands for an author.
func EngagementAuthor(id string) string { return shortHash(id) }

// EngagementCountKey is the key of a count.
func EngagementCountKey(w watchpost.WatchlistID, author, day string) []byte {
	return []byte(KeyEngagementCount + string(w) + author + day)
}

// EngagementEntryKey is the key of an interaction by its target, or the prefix of all.
func EngagementEntryKey(target string, task watchpost.TaskID) []byte {
	return []byte(KeyEngagementEntry + shortHash(target) + string(task))
}

// EngagementLinkKey is the key of a target of a stored post; the value is the target.
func EngagementLinkKey(urn, target string) []byte {
	return []byte(EngagementLinkPrefix(urn) + shortHash(target))
}

// EngagementLinkPrefix is that of the keys of all targets of a post.
func EngagementLinkPrefix(urn string) string { return KeyEngagementLink + shortHash(urn) }

// EngagementTodoKey is the key of a target whose interactions are not listed yet.
func EngagementTodoKey(target string) []byte { return []byte(KeyEngagementTodo + shortHash(target)) }

// EngagementMomentKey is the key of an interaction in the order of a watchlist, newest
// first, and at the same moment by descending id.
func EngagementMomentKey(w watchpost.WatchlistID, at time.Time, task watchpost.TaskID) []byte {
	return append(EngagementMomentFrom(w, at), invertDigits([]byte(task))...)
}

// EngagementMomentFrom is the first key of those at a moment or before it.
func EngagementMomentFrom(w watchpost.WatchlistID, at time.Time) []byte {
	return fmt.Appendf(nil, "%s%s%016x%08x", KeyEngagementMoment, w, math.MaxInt64-uint64(at.Unix()), math.MaxUint32-uint32(at.Nanosecond()))
}

// EngagementMomentTask returns the task of such a key.
func EngagementMomentTask(key []byte, w watchpost.WatchlistID) watchpost.TaskID {
	task := key[len(EngagementMomentFrom(w, time.Time{})):]
	return watchpost.TaskID(invertDigits(append([]byte(nil), task...)))
}

// EngagementMomentAt returns the moment of such a key, to the second.
func EngagementMomentAt(key []byte, w watchpost.WatchlistID) time.Time {
	from := len(KeyEngagementMoment) + len(w)
	inverted, err := strconv.ParseUint(string(key[from:from+16]), 16, 64)
	if err != nil {
		return time.Time{} // no interaction has it
	}
	return time.Unix(int64(math.MaxInt64-inverted), 0)
}
