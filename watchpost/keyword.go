package watchpost

import (
	"cmp"
	"fmt"
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

// Phrase reports whether a keyword is matched as a phrase: it has several words.
func (e KeywordEntry) Phrase() bool { return strings.Contains(text.CollapseSpace(e.Keyword), " ") }

// PhraseWarning says that a keyword of several words is matched as a phrase that no
// stored post contains.
func PhraseWarning(keyword string, stored int) string {
	return fmt.Sprintf("%q is matched as a phrase; none of %s contains it", keyword, counted(stored, "stored post"))
}

// DropReason is why an entry, or a condition of its watchlist, drops a post that has the
// words of the entry's keyword.
type DropReason string

// The reasons. A post that has several counts for the first.
const (
	DropApart    DropReason = "words_apart"      // the words of the keyword are no phrase
	DropMissing  DropReason = "missing_required" // a required word, or each of them if any is enough
	DropExcluded DropReason = "excluded"         // an excluded word
)

// The reasons of posts that have all the words of an entry.
const (
	DropLanguage DropReason = "language"           // only the condition on languages is not met
	DropLevel    DropReason = "seniority_level"    // only that on the author's level
	DropType     DropReason = "post_type"          // only that on the kind of post
	DropSeveral  DropReason = "several_conditions" // more than one of these
)

// dropReasons are those of the outcomes of a rule.
var dropReasons = map[text.Outcome]DropReason{text.Apart: DropApart, text.Missing: DropMissing, text.Forbidden: DropExcluded}

// Drop is a reason and how many posts an entry drops for it. Word is the word of the entry
// that is missing or excluded; "" when there is none.
type Drop struct {
	Reason DropReason
	Word   string
	Posts  int
}

// DroppedPost is a post, and the reason for which an entry, or a condition of its watchlist,
// drops it. Word is the word of the entry that the reason is about.
type DroppedPost struct {
	*Post
	Reason DropReason
	Word   string
}

// EntryTrial is what an entry would have done with posts. The posts that have the words of
// its keyword are Kept or in Drops.
type EntryTrial struct {
	Kept, Dropped int
	Drops         []Drop // the most posts first
	// KeptSamples and DropSamples are the first of the posts.
	KeptSamples []*Post
	DropSamples []DroppedPost
}

// BackTest is what keyword entries, and the conditions of their watchlist, would have done
// with posts.
type BackTest struct {
	// Looked counts the posts. Of those, an entry keeps Kept; of the others, an entry
	// drops Dropped.
	Looked, Kept, Dropped int
	Entries               []EntryTrial
	// Unmet counts the posts that have all the words of an entry and do not meet the
	// conditions, the most posts first.
	Unmet []Drop
	// KeptSamples and DropSamples are the first of the posts. A post that has all the words of
	// an entry is dropped for the conditions, another for the first entry that drops it.
	KeptSamples []*Post
	DropSamples []DroppedPost

	entries    []KeywordEntry
	conditions WatchlistConditions
	matchers   []text.Matcher
	samples    int
}

// BackTestPosts is how many posts a preview tries its entries on, the newest.
const BackTestPosts = 1000

// NewBackTest returns a test of entries that has looked at no post. It bounds the samples
// of each kind.
func NewBackTest(entries []KeywordEntry, conditions WatchlistConditions, samples int) *BackTest {
	b := &BackTest{entries: entries, conditions: conditions, samples: samples, Entries: make([]EntryTrial, len(entries)), matchers: make([]text.Matcher, len(entries))}
	for i, e := range entries {
		b.matchers[i] = e.Matcher()
	}
	return b
}

// Try tries the entries on one more post.
func (b *BackTest) Try(p *Post) {
	content, kept, unmet := text.New(p.Content), false, b.conditions.Drops(p)
	matched, dropped := false, DroppedPost{}
	for i, m := range b.matchers {
		e := &b.Entries[i]
		outcome, at := m.Judge(content)
		matched = matched || outcome == text.Matched
		switch {
		case outcome == text.Absent:
		case outcome == text.Matched && unmet != "":
			e.drop(DroppedPost{p, unmet, ""}, b.samples)
		case outcome == text.Matched:
			kept = true
			e.Kept++
			e.KeptSamples = sample(e.KeptSamples, p, b.samples)
		default:
			why := DroppedPost{p, dropReasons[outcome], b.entries[i].word(outcome, at)}
			dropped = cmp.Or(dropped, why)
			e.drop(why, b.samples)
		}
	}
	b.Looked++
	if matched && unmet != "" {
		dropped = DroppedPost{p, unmet, ""}
		b.Unmet = addDrop(b.Unmet, unmet, "")
	}
	switch {
	case kept:
		b.Kept++
		b.KeptSamples = sample(b.KeptSamples, p, b.samples)
	case dropped.Post != nil:
		b.Dropped++
		b.DropSamples = sample(b.DropSamples, dropped, b.samples)
	}
}

// sample adds a post to samples, up to a number of them.
func sample[P any](samples []P, p P, most int) []P {
	if len(samples) < most {
		samples = append(samples, p)
	}
	return samples
}

// word returns the word of an entry that an outcome is about.
func (e KeywordEntry) word(o text.Outcome, at int) string {
	switch {
	case at < 0:
		return ""
	case o == text.Missing:
		return e.Required[at]
	}
	return e.Excluded[at]
}

// drop counts a post that the entry drops.
func (t *EntryTrial) drop(p DroppedPost, samples int) {
	t.Dropped++
	t.DropSamples = sample(t.DropSamples, p, samples)
	t.Drops = addDrop(t.Drops, p.Reason, p.Word)
}

// addDrop counts a post for a reason; the reasons with the most posts stay first.
func addDrop(drops []Drop, reason DropReason, word string) []Drop {
	i := slices.IndexFunc(drops, func(d Drop) bool { return d.Reason == reason && d.Word == word })
	if i < 0 {
		i = len(drops)
		drops = append(drops, Drop{Reason: reason, Word: word})
	}
	drops[i].Posts++
	for ; i > 0 && drops[i-1].Posts < drops[i].Posts; i-- {
		drops[i-1], drops[i] = drops[i], drops[i-1]
	}
	return drops
}
