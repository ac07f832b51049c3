package watchpost

import (
	"slices"
	"strings"
	"unicode/utf8"

	"watchpost/internal/text"
)

// KeywordEntry is one element of a watchlist's keywords: a keyword, required
// words and excluded words (api.md#keyword-entry).
type KeywordEntry struct {
	ID       EntryID
	Keyword  string
	Required []string
	Excluded []string
	// AnyRequired means that one of Required is enough (include_all_required:
	// false).
	AnyRequired bool `json:",omitempty"`
}

// anyOf reports whether one of several required words is enough. With fewer
// than two words, any and all mean the same.
func (e KeywordEntry) anyOf() bool { return e.AnyRequired && len(e.Required) > 1 }

// Matcher compiles the entry, for matching against texts.
func (e KeywordEntry) Matcher() text.Matcher {
	return text.Compile(text.Rule{Keyword: e.Keyword, Required: e.Required, Excluded: e.Excluded, AnyRequired: e.AnyRequired})
}

// KeywordResult is the outcome for one keyword of a request (results in the
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

// CleanKeywords trims the keywords of a request, drops blank and duplicate
// ones, and rejects keywords that are too long one by one. results has the
// outcome of each keyword that was not dropped, in the order of the request.
// The n-th success belongs to kept[n]; the caller sets the id of both.
func CleanKeywords(raw []KeywordEntry) (kept []KeywordEntry, results []KeywordResult, err error) {
	if len(raw) == 0 {
		return nil, nil, Errorf(Invalid, "keywords array is required and must not be empty")
	}
	seen := make(map[string]bool)
	for _, e := range raw {
		e.Keyword = text.CollapseSpace(e.Keyword)
		e.Required, e.Excluded = cleanWords(e.Required), cleanWords(e.Excluded)
		if text.IsBlank(e.Keyword) || seen[e.sense()] {
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

// fault returns why an entry is rejected, or "".
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
	case text.HasControl(e.Keyword), slices.ContainsFunc(e.Required, text.HasControl), slices.ContainsFunc(e.Excluded, text.HasControl):
		return "Keyword must not contain control characters"
	}
	return ""
}

// sense returns a key of the entry's meaning. It is equal for two entries that
// differ only in case or in the order of their constraints.
func (e KeywordEntry) sense() string {
	list := func(words []string) string {
		folded := make([]string, len(words))
		for i, w := range words {
			folded[i] = text.NormalizeName(w)
		}
		slices.Sort(folded)
		return strings.Join(folded, "\x00")
	}
	sense := text.NormalizeName(e.Keyword) + "\x00\x01" + list(e.Required) + "\x00\x01" + list(e.Excluded)
	if e.anyOf() {
		sense += "\x00\x01any"
	}
	return sense
}

// IdentifyKeywords gives the successes in results the ids of the watchlist's
// entries with the same meaning. The n-th success belongs to kept[n], as
// returned by CleanKeywords.
func IdentifyKeywords(results []KeywordResult, kept, entries []KeywordEntry) {
	ids := make(map[string]EntryID, len(entries))
	for _, e := range entries {
		ids[e.sense()] = e.ID
	}
	next := 0
	for i := range results {
		if results[i].Success && next < len(kept) {
			results[i].KeywordID = ids[kept[next].sense()]
			next++
		}
	}
}

// DistinctRules drops entries that another entry with the same keyword covers,
// because each entry costs a scan.
func DistinctRules(entries []KeywordEntry) []KeywordEntry {
	var kept []KeywordEntry
	for i, e := range entries {
		covered := func(j int, o KeywordEntry) bool {
			return i != j && o.covers(e) && (j < i || !e.covers(o))
		}
		needed := true
		for j, o := range entries {
			needed = needed && !covered(j, o)
		}
		if needed {
			kept = append(kept, e)
		}
	}
	return kept
}

// covers reports whether the entry is known to match every post that another
// entry with the same keyword matches. False may also mean that this is not
// known.
func (e KeywordEntry) covers(o KeywordEntry) bool {
	within := func(words, all []string) bool {
		return !slices.ContainsFunc(words, func(w string) bool {
			return !slices.ContainsFunc(all, func(x string) bool { return text.NormalizeName(w) == text.NormalizeName(x) })
		})
	}
	if text.NormalizeName(e.Keyword) != text.NormalizeName(o.Keyword) || !within(e.Excluded, o.Excluded) {
		return false
	}
	switch {
	case len(e.Required) == 0:
		return true
	case o.anyOf():
		return e.anyOf() && within(o.Required, e.Required)
	case e.anyOf():
		return slices.ContainsFunc(e.Required, func(w string) bool { return within([]string{w}, o.Required) })
	}
	return within(e.Required, o.Required)
}

// cleanWords trims words and drops blank and repeated ones.
func cleanWords(words []string) []string {
	var kept []string
	seen := make(map[string]bool)
	for _, w := range words {
		w = text.CollapseSpace(w)
		if text.IsBlank(w) || seen[text.NormalizeName(w)] {
			continue
		}
		seen[text.NormalizeName(w)] = true
		kept = append(kept, w)
	}
	return kept
}

// keepEntryIDs gives each entry the id of the old entry with the same meaning.
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

// BackTest is what keyword entries would have done with posts.
type BackTest struct {
	Kept, Dropped []*Post // in the order of the posts
	// By counts the posts that each entry keeps; one may be kept by several.
	By []int
}

// RunBackTest tries entries on posts: a post is kept if its content matches any.
func RunBackTest(entries []KeywordEntry, posts []*Post) BackTest {
	matchers := make([]text.Matcher, len(entries))
	for i, e := range entries {
		matchers[i] = e.Matcher()
	}
	b := BackTest{By: make([]int, len(entries))}
	for _, p := range posts {
		content, kept := text.New(p.Content), false
		for i, m := range matchers {
			if m.Match(content) {
				b.By[i]++
				kept = true
			}
		}
		if kept {
			b.Kept = append(b.Kept, p)
		} else {
			b.Dropped = append(b.Dropped, p)
		}
	}
	return b
}
