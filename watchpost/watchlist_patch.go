package watchpost

import "slices"

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
}

// ForType returns the patch without the fields that watchlists of that type do
// not have, or Invalid if nothing remains.
func (p WatchlistPatch) ForType(t WatchlistType) (WatchlistPatch, error) {
	if !t.HasKeywords() {
		p.Objective, p.Keywords, p.Labels = nil, nil, nil
	}
	p.Append = p.Append && p.Keywords != nil
	if p.empty() {
		return p, Errorf(Invalid, "No valid update fields provided")
	}
	return p, nil
}

func (p WatchlistPatch) empty() bool {
	return p.Name == nil && p.Description == nil && p.Frequency == nil && p.Disable == nil &&
		p.SlackURL == nil && p.Objective == nil && p.Keywords == nil && p.Labels == nil && !p.ScanNow
}

// Apply returns the changed watchlist, or an error.
// Keyword entries with the same meaning as before keep their id; the caller sets
// the ids that are empty.
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
	return w, nil
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
