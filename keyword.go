package watchpost

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// KeywordEntry is one element of a watchlist's keywords: a primary keyword,
// words that must all occur beside it, and words none of which may
// (specification: Keyword entry).
type KeywordEntry struct {
	ID       EntryID
	Keyword  string
	Required []string
	Excluded []string
}

// KeywordResult is what became of one keyword of a request (results in the
// reply to a create).
type KeywordResult struct {
	Success   bool    `json:"success"`
	Keyword   string  `json:"keyword"`
	KeywordID EntryID `json:"keyword_id,omitempty"`
	Error     string  `json:"error,omitempty"`
}

// KeywordTexts returns the primary keywords, as the API shows keywords.
func KeywordTexts(entries []KeywordEntry) []string {
	texts := make([]string, len(entries))
	for i, e := range entries {
		texts[i] = e.Keyword
	}
	return texts
}

// CleanKeywords trims what a request calls keywords, drops the blank ones and
// those that say the same as an earlier one, and rejects the too long ones, one
// by one. results tells what became of each that was not dropped, in the order
// of the request: the n-th success stands for kept[n], whose id the caller
// gives to both.
func CleanKeywords(raw []KeywordEntry) (kept []KeywordEntry, results []KeywordResult, err error) {
	if len(raw) == 0 {
		return nil, nil, Errorf(Invalid, "keywords array is required and must not be empty")
	}
	seen := make(map[string]bool)
	for _, e := range raw {
		e.Keyword = foldSpace(e.Keyword)
		e.Required, e.Excluded = cleanWords(e.Required), cleanWords(e.Excluded)
		if blank(e.Keyword) || seen[e.sense()] {
			continue
		}
		seen[e.sense()] = true
		if text := e.fault(); text != "" {
			results = append(results, KeywordResult{Keyword: e.Keyword, Error: text})
			continue
		}
		kept = append(kept, e)
		results = append(results, KeywordResult{Success: true, Keyword: e.Keyword, KeywordID: e.ID})
	}
	switch {
	case len(kept) == 0:
		return nil, results, Errorf(Invalid, "No valid keywords provided after cleaning")
	case len(kept) > MaxKeywords:
		return nil, results, errTooManyKeywords()
	}
	return kept, results, nil
}

func errTooManyKeywords() error {
	return Errorf(Invalid, "At most %d keywords per watchlist", MaxKeywords)
}

// fault says why an entry is rejected; "" means that it is not.
func (e KeywordEntry) fault() string {
	long := func(s string) bool { return utf8.RuneCountInString(s) > MaxKeyword }
	switch {
	case long(e.Keyword):
		return "Keyword must be 100 characters or fewer"
	case len(e.Required) > MaxConstraints:
		return "At most 20 required keywords per keyword"
	case len(e.Excluded) > MaxConstraints:
		return "At most 20 excluded keywords per keyword"
	case slices.ContainsFunc(e.Required, long):
		return "Required keyword must be 100 characters or fewer"
	case slices.ContainsFunc(e.Excluded, long):
		return "Excluded keyword must be 100 characters or fewer"
	}
	return ""
}

// sense returns what the entry asks for, the same for two entries that differ
// in case or in the order of their constraints only.
func (e KeywordEntry) sense() string {
	list := func(words []string) string {
		folded := make([]string, len(words))
		for i, w := range words {
			folded[i] = FoldName(w)
		}
		slices.Sort(folded)
		return strings.Join(folded, "\x00")
	}
	return FoldName(e.Keyword) + "\x00\x01" + list(e.Required) + "\x00\x01" + list(e.Excluded)
}

// cleanWords trims words, drops the blank and the repeated.
func cleanWords(words []string) []string {
	var kept []string
	seen := make(map[string]bool)
	for _, w := range words {
		w = foldSpace(w)
		if blank(w) || seen[FoldName(w)] {
			continue
		}
		seen[FoldName(w)] = true
		kept = append(kept, w)
	}
	return kept
}

// keepEntryIDs gives entries the ids of those of old that ask for the same.
func keepEntryIDs(entries, old []KeywordEntry) []KeywordEntry {
	ids := make(map[string]EntryID, len(old))
	for _, e := range old {
		ids[e.sense()] = e.ID
	}
	out := slices.Clone(entries)
	for i, e := range out {
		out[i].ID = ids[e.sense()]
	}
	return out
}
