package watchpost

import (
	"time"

	"watchpost/internal/reference"
)

// List is a list of profiles or companies that watchlists of its type follow.
// Its entries are scanned once for all of them (api.md#lists).
type List struct {
	ID        ListID
	Name      string
	Type      WatchlistType // of the watchlists that may follow it
	CreatedAt time.Time
	Entries   []ListEntry
}

// ListEntry is a profile or company of a list.
type ListEntry struct {
	ID        EntryID
	Reference reference.Reference
	AddedAt   time.Time
}

// With returns a copy of the list with the references that it did not contain,
// and their number.
func (l List) With(references []reference.Reference, now time.Time) (with List, added int) {
	have := make(map[string]bool, len(l.Entries))
	for _, e := range l.Entries {
		have[e.Reference.Key()] = true
	}
	entries := l.Entries[:len(l.Entries):len(l.Entries)]
	for _, r := range references {
		if !have[r.Key()] {
			have[r.Key()] = true
			entries = append(entries, ListEntry{ID: EntryID(NewID(now)), Reference: r, AddedAt: now})
			added++
		}
	}
	l.Entries = entries
	return l, added
}

// Without returns a copy of the list without the entries of these references, and those
// entries.
func (l List) Without(references []reference.Reference) (without List, gone []ListEntry) {
	leaves := make(map[string]bool, len(references))
	for _, r := range references {
		leaves[r.Key()] = true
	}
	var entries []ListEntry
	for _, e := range l.Entries {
		if leaves[e.Reference.Key()] {
			gone = append(gone, e)
		} else {
			entries = append(entries, e)
		}
	}
	l.Entries = entries
	return l, gone
}

// ScanFrequency returns the scan frequency of a list with these followers: that
// of the most frequent enabled one. ok is false if none is enabled.
func ScanFrequency(followers []Watchlist) (f FetchFrequency, ok bool) {
	for _, w := range followers {
		if !w.Disabled && (!ok || w.Frequency < f) {
			f, ok = w.Frequency, true
		}
	}
	return f, ok
}

// CleanReferences parses the profiles or companies of a request. It drops
// invalid and repeated ones.
func CleanReferences(t WatchlistType, raw []string) ([]reference.Reference, error) {
	parse, things, thing := reference.ParseProfile, "profiles", "profile"
	if t == CompanyWatchlist {
		parse, things, thing = reference.ParseCompany, "companies", "company"
	}
	if len(raw) == 0 {
		return nil, Errorf(Invalid, "%s array is required and must not be empty", things)
	}
	var kept []reference.Reference
	seen := make(map[string]bool)
	for _, s := range raw {
		r, err := parse(s)
		if err != nil || seen[r.Key()] {
			continue
		}
		seen[r.Key()] = true
		kept = append(kept, r)
	}
	if len(kept) == 0 {
		return nil, Errorf(Invalid, "No valid %s identifiers provided", thing)
	}
	return kept, nil
}
