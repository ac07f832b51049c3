package watchpost

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// List is a list of profiles or companies, which watchlists of its type
// follow. Its entries are scanned once for all of them (specification:
// list_id).
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
	Reference Reference
	AddedAt   time.Time
}

// With returns the list with those of the references added that it does not
// have, and how many they are. The list itself is not changed.
func (l List) With(references []Reference, now time.Time) (with List, added int) {
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

// ScanFrequency returns how often a list is scanned that these watchlists
// follow: as often as the most frequent one that is enabled asks for; ok is
// false when none is.
func ScanFrequency(followers []Watchlist) (f FetchFrequency, ok bool) {
	for _, w := range followers {
		if !w.Disabled && (!ok || w.Frequency < f) {
			f, ok = w.Frequency, true
		}
	}
	return f, ok
}

// CleanReferences reads what a request calls profiles or companies. What names
// none is dropped, and so is what an earlier one names already.
func CleanReferences(t WatchlistType, raw []string) ([]Reference, error) {
	parse, things, thing := ParseProfile, "profiles", "profile"
	if t == CompanyWatchlist {
		parse, things, thing = ParseCompany, "companies", "company"
	}
	if len(raw) == 0 {
		return nil, Errorf(Invalid, "%s array is required and must not be empty", things)
	}
	var kept []Reference
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

// Name makes of a slug what the name of its owner may be: jane-doe-1a2b3c is
// Jane Doe. It is empty when only an id is known.
func (r Reference) Name() string {
	var words []string
	for w := range strings.FieldsFuncSeq(r.Slug, func(c rune) bool { return c == '-' || c == '_' }) {
		// The network tells namesakes apart by letters and digits at the end.
		if len(words) > 0 && strings.ContainsAny(w, digits) {
			break
		}
		first, size := utf8.DecodeRuneInString(w)
		words = append(words, string(unicode.ToUpper(first))+w[size:])
	}
	return strings.Join(words, " ")
}

// URN returns the reference as a URN of the network, "" when no id is known.
func (r Reference) URN() string {
	g := grammarOf(r.Kind)
	if g == nil || r.ID == "" {
		return ""
	}
	return "urn:network:" + g.urnType + ":" + r.ID
}
