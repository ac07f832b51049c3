package watchpost

import (
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"watchpost/internal/text"
)

// WatchlistType is the type of a watchlist.
type WatchlistType string

// The types.
const (
	KeywordWatchlist WatchlistType = "keyword"
	PeopleWatchlist  WatchlistType = "people"
	CompanyWatchlist WatchlistType = "company"
	ForumWatchlist   WatchlistType = "forum"
)

// HasKeywords reports whether watchlists of the type have keywords; the others
// follow a list.
func (t WatchlistType) HasKeywords() bool { return t == KeywordWatchlist || t == ForumWatchlist }

// ScanTask returns the type of the scans of watchlists of a type.
func (t WatchlistType) ScanTask() TaskType {
	switch t {
	case ForumWatchlist:
		return TaskForumScan
	case PeopleWatchlist:
		return TaskPeopleScan
	case CompanyWatchlist:
		return TaskCompanyScan
	}
	return TaskKeywordScan
}

// Watchlist is a subject that a team observes (api.md#watchlist).
type Watchlist struct {
	ID          WatchlistID
	Name        string
	Type        WatchlistType
	Description string
	Frequency   FetchFrequency
	Disabled    bool
	Labels      []Label
	Objective   string
	Prompt      string // source of the keywords; empty if they were given
	Interpreter string // interpreter of Prompt: rules, or the name of a model
	SlackURL    string
	CreatedAt   time.Time
	Keywords    []KeywordEntry      // keyword and forum
	Conditions  WatchlistConditions `json:",omitzero"` // keyword and forum
	List        ListID              // people and company: the list it follows
}

// Slug returns the watchlist's name for URLs: the letters and digits of its
// name and the last eight digits of its id.
func (w *Watchlist) Slug() string {
	fallback := string(w.Type)
	return text.Slugify(w.Name, fallback) + "-" + idTail(string(w.ID))
}

// idTail returns the last eight hexadecimal digits of an id.
func idTail(id string) string {
	hex := strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' || 'a' <= r && r <= 'f' {
			return r
		}
		return -1
	}, strings.ToLower(id))
	return hex[max(0, len(hex)-8):]
}

// TextWatchlistDisabled is the error of a change of a disabled watchlist.
const TextWatchlistDisabled = "Watchlist is disabled. Re-enable it before updating."

// CheckEnabled returns the error of an update of a disabled keyword or forum
// watchlist. Such a watchlist accepts only updates that enable it
// (api.md#states-of-a-watchlist).
func (w *Watchlist) CheckEnabled() error {
	if w.Disabled && w.Type.HasKeywords() {
		return errDisabled()
	}
	return nil
}

func errDisabled() error {
	return Errorf(Conflict, TextWatchlistDisabled)
}

// Bounds of a watchlist's fields.
const (
	// MaxName bounds names of teams and watchlists, in characters.
	MaxName = 120
	// MaxKeywords bounds the entries of a watchlist.
	MaxKeywords = 100
	// MaxKeyword bounds a keyword, required or excluded word, in characters.
	MaxKeyword = 100
	// MaxConstraints bounds the required words of an entry, and its excluded
	// words.
	MaxConstraints = 20
	// MaxLabels bounds the labels of a watchlist.
	MaxLabels = 50
	// MaxDefaultLabels bounds the default labels among them.
	MaxDefaultLabels = 2
	// MaxLabel bounds a label's name, in characters.
	MaxLabel = 100
	// MaxURL bounds an address that the service calls, in bytes.
	MaxURL = 2048
)

// FetchFrequency is the time between the end of a scan and the next. Only
// ParseFetchFrequency and DefaultFrequency create one, so it always has an
// allowed value (api.md#watchlist).
type FetchFrequency time.Duration

// FetchFrequencies are the allowed values in hours.
var FetchFrequencies = []int{1, 3, 6, 12, 24, 48, 72}

// ParseFetchFrequency parses a number of hours.
func ParseFetchFrequency(hours float64) (FetchFrequency, error) {
	for _, h := range FetchFrequencies {
		if float64(h) == hours {
			return FetchFrequency(time.Duration(h) * time.Hour), nil
		}
	}
	return 0, Errorf(Invalid, "Invalid fetchFreqInHours")
}

// DefaultFrequency returns the frequency of watchlists that set none.
func DefaultFrequency(t WatchlistType) FetchFrequency {
	if t == ForumWatchlist {
		return FetchFrequency(24 * time.Hour)
	}
	return FetchFrequency(12 * time.Hour)
}

// Hours returns the frequency in hours, as the API shows it.
func (f FetchFrequency) Hours() int { return int(f.Duration() / time.Hour) }

// Duration returns the frequency as a duration.
func (f FetchFrequency) Duration() time.Duration { return time.Duration(f) }

// How far back scans search for posts.
const (
	// CoverageDays is for how many days it is kept what the scans of a day have brought.
	CoverageDays = 90
	// FirstScanReach is how far back the first scan of an entry searches.
	FirstScanReach = 30 * 24 * time.Hour
	// ScanOverlap is how far a scan reaches back into the period of the
	// previous scan.
	ScanOverlap = 24 * time.Hour
)

// NextScan returns when an entry is due: one frequency after its last scan
// finished, or immediately if it was never scanned (lastFinished is zero). A
// changed frequency therefore also counts from the last finish.
func NextScan(lastFinished, created time.Time, f FetchFrequency) time.Time {
	if lastFinished.IsZero() {
		return created
	}
	return lastFinished.Add(f.Duration())
}

// ScanSince returns the time since which a scan at now searches for posts: the
// time of the newest known post minus ScanOverlap. newestSeen is zero before
// the first scan; a time after now counts as now.
func ScanSince(newestSeen, now time.Time) time.Time {
	if newestSeen.IsZero() {
		return now.Add(-FirstScanReach)
	}
	if newestSeen.After(now) {
		newestSeen = now
	}
	return newestSeen.Add(-ScanOverlap)
}

// CleanName trims a name; an empty or too long name, and one with control characters, is
// an error.
func CleanName(s string) (string, error) {
	s = text.CollapseSpace(s)
	switch {
	case text.IsBlank(s):
		return "", Errorf(Invalid, "Name cannot be empty")
	case utf8.RuneCountInString(s) > MaxName, text.HasControl(s):
		return "", Errorf(Invalid, "Invalid 'name'")
	}
	return s, nil
}

// namedAfter is the number of keywords or profile names in an automatic name.
const namedAfter = 3

// AutoName returns the name of a watchlist without a given name. It consists of
// the first keywords, the first names that it follows, or the prompt.
func AutoName(t WatchlistType, words []string) string {
	var first []string
	for _, w := range words {
		if w = text.CollapseSpace(w); !text.IsBlank(w) && len(first) < namedAfter {
			first = append(first, w)
		}
	}
	if name := text.Clip(strings.Join(first, ", "), MaxName); name != "" {
		return name
	}
	switch t {
	case PeopleWatchlist:
		return "People watchlist"
	case CompanyWatchlist:
		return "Company watchlist"
	case ForumWatchlist:
		return "Forum watchlist"
	}
	return "Keyword watchlist"
}

// CleanSlackURL trims the address of a chat hook. It returns an error unless
// the address is "" or an https URL with a host.
func CleanSlackURL(s string) (string, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return "", nil
	}
	u, err := url.Parse(s)
	if err != nil || len(s) > MaxURL || !strings.EqualFold(u.Scheme, "https") || u.Hostname() == "" || u.User != nil {
		return "", Errorf(Invalid, "Invalid 'slack_webhook_url'")
	}
	return s, nil
}

// WatchlistPatch is an update by fields (PUT on a watchlist without a prompt).
// A nil field is not changed. The values are clean (CleanName, CleanSlackURL,
// CleanLabels, CleanKeywords), and the fields are those of the watchlist's type
// (ForType): the maker of a patch validates it, and Apply trusts it.
type WatchlistPatch struct {
	Name        *string
	Description *string
	Frequency   *FetchFrequency
	Disable     *bool
	SlackURL    *string // "" (null in the request) removes it
	// ScanNow makes all entries due. It is no field of a watchlist.
	ScanNow bool

	// The following fields apply to keyword and forum watchlists; other types
	// ignore them.
	Objective *string
	Prompt    *string // the prompt of Keywords; nil if the keywords were given
	// Interpreter created Keywords from Prompt; it is set together with Prompt.
	Interpreter *string
	Keywords    []KeywordEntry // replacement; nil is no change
	Append      bool           // adds Keywords instead of replacing
	Labels      *[]Label       // replacement
	// Languages, Levels and Types replace the values of a condition; an empty list
	// removes it.
	Languages, Levels, Types *[]string
}

// ForType returns the patch without the fields that watchlists of that type do
// not have, or Invalid if nothing remains.
func (p WatchlistPatch) ForType(t WatchlistType) (WatchlistPatch, error) {
	if !t.HasKeywords() {
		p.Objective, p.Keywords, p.Labels, p.Languages, p.Levels, p.Types = nil, nil, nil, nil, nil, nil
	}
	p.Append = p.Append && p.Keywords != nil
	if p.empty() {
		return p, Errorf(Invalid, "No valid update fields provided")
	}
	return p, nil
}

func (p WatchlistPatch) empty() bool {
	return p.Name == nil && p.Description == nil && p.Frequency == nil && p.Disable == nil &&
		p.SlackURL == nil && p.Objective == nil && p.Keywords == nil && p.Labels == nil && !p.ScanNow &&
		p.Languages == nil && p.Levels == nil && p.Types == nil
}

// Apply returns the changed watchlist, or an error.
// Keyword entries with the same meaning as before keep their id, unless the conditions let
// through posts that they have dropped; the caller sets the ids that are empty.
//
//	keyword, forum      disable: true     disable: false    without disable
//	enabled             -> disabled       -> enabled        -> enabled
//	disabled            Conflict          -> enabled        Conflict
//
//	people, company     disable: true     disable: false    without disable
//	enabled             -> disabled       -> enabled        -> enabled
//	disabled            -> disabled       -> enabled        -> disabled
//
// A patch with ScanNow is a Conflict when the watchlist is disabled after it, for all
// types: nothing could be scanned.
//
// The other fields of the patch are applied together with the transition, or not
// at all.
func (p *WatchlistPatch) Apply(w Watchlist) (Watchlist, error) {
	if enables := p.Disable != nil && !*p.Disable; !enables {
		if err := w.CheckEnabled(); err != nil {
			return w, err
		}
		if p.ScanNow && (w.Disabled || p.Disable != nil) {
			return w, errDisabled()
		}
	}
	if p.Prompt != nil && w.Prompt != "" && w.Name == AutoName(w.Type, []string{w.Prompt}) {
		w.Name = AutoName(w.Type, []string{*p.Prompt}) // the name came from the prompt
	}
	if p.Keywords != nil {
		keywords, err := p.keywords(&w)
		if err != nil {
			return w, err
		}
		w.Keywords = keywords
		if !p.Append {
			w.Prompt, w.Interpreter = "", ""
		}
	}
	set(&w.Prompt, p.Prompt)
	set(&w.Interpreter, p.Interpreter)
	set(&w.Name, p.Name)
	set(&w.Description, p.Description)
	set(&w.Frequency, p.Frequency)
	set(&w.Disabled, p.Disable)
	set(&w.SlackURL, p.SlackURL)
	set(&w.Objective, p.Objective)
	set(&w.Labels, p.Labels)
	p.applyConditions(&w)
	return w, nil
}

// applyConditions changes the conditions. Entries whose scans have dropped posts that are
// wanted now are new ones: they search as far back as a first scan.
func (p *WatchlistPatch) applyConditions(w *Watchlist) {
	old := w.Conditions
	set(&w.Conditions.Languages, p.Languages)
	set(&w.Conditions.Levels, p.Levels)
	set(&w.Conditions.Types, p.Types)
	if w.Conditions.within(&old) {
		return
	}
	w.Keywords = slices.Clone(w.Keywords)
	for i := range w.Keywords {
		w.Keywords[i].ID = ""
	}
}

func (p *WatchlistPatch) keywords(w *Watchlist) ([]KeywordEntry, error) {
	if !p.Append {
		return keepEntryIDs(p.Keywords, w.Keywords), nil
	}
	have := make(map[string]bool, len(w.Keywords))
	for _, e := range w.Keywords {
		have[e.sense()] = true
	}
	all := slices.Clone(w.Keywords)
	for _, e := range p.Keywords {
		if !have[e.sense()] {
			e.ID = ""
			all = append(all, e)
		}
	}
	if len(all) > MaxKeywords {
		return nil, errTooManyKeywords()
	}
	return all, nil
}

// set assigns value to field unless value is nil.
func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}
