package dashboard

import (
	"net/http"
	"strings"

	"watchpost/actors"
	"watchpost/http/dashboard/words"
	"watchpost/internal/text"
	"watchpost/watchpost"
)

const (
	// maxSamples is how many kept and dropped posts it shows.
	maxSamples = 3
	// sampleLength bounds the text of a sample, in bytes.
	sampleLength = 240
)

// previewView shows what the keywords of a form would do with stored posts.
type previewView struct {
	Rule          string
	Looked        int
	Kept, Dropped int
	By            []triedEntry
	KeptSamples   []sample
	DropSamples   []sample
	Wrong         []string // why keywords are not used
	Phrases       []string // keywords with a comma
}

// triedEntry is a keyword with the posts that it keeps, and why it drops others.
type triedEntry struct {
	Name  string
	Count int
	Drops []choice
}

// sample is a stored post of a preview.
type sample struct {
	Author string
	Posted moment
	Text   []textPart
}

// preview answers a script while keywords are typed. Nothing is saved.
func (d watchlistPages) preview(w http.ResponseWriter, r *http.Request, v *visit) error {
	if err := r.ParseForm(); err != nil {
		return watchpost.WrapError(watchpost.Invalid, "The form cannot be read.", err)
	}
	f := formOf(v, r.PostForm.Get("kind"))
	f.take(r.PostForm)
	if id := r.PostForm.Get("watchlist"); id != "" {
		r.SetPathValue("id", id)
		l, _, err := d.watchlistOf(r, v)
		if err != nil {
			return err
		}
		f.ID, f.typ, f.Paused = l.Watchlist.ID, l.Watchlist.Type, l.Watchlist.Disabled
	}
	if r.URL.Query().Get("part") == "budget" {
		if err := d.planned(r, v, f); err != nil {
			return err
		}
		return renderPart(w, v.say, "watchlist.html", "budget", f.budget(f.plan))
	}
	view, err := d.backTest(r, v, f)
	if err != nil {
		return err
	}
	return renderPart(w, v.say, "watchlist.html", "preview", view)
}

// showPreview shows the form with its preview, for a browser without script.
func (d watchlistPages) showPreview(w http.ResponseWriter, r *http.Request, v *visit, f *watchlistForm) (err error) {
	if f.Preview, err = d.backTest(r, v, f); err != nil {
		return err
	}
	return f.render(w, http.StatusOK)
}

// backTest tries the keywords of a form on the newest stored posts of all watchlists:
// those of a watchlist that is changed match its old keywords, so they would show no
// post that a new one finds.
func (d watchlistPages) backTest(r *http.Request, v *visit, f *watchlistForm) (*previewView, error) {
	if !f.HasKeywords() || !f.Read {
		return nil, nil
	}
	checked := *f
	checked.Errors = nil
	entries := checked.keywords()
	view := &previewView{Phrases: phrases(f.Entries)}
	for _, e := range checked.Errors {
		if len(f.Entries) > 0 {
			view.Wrong = append(view.Wrong, e.Text)
		}
	}
	if len(entries) == 0 {
		return view, nil
	}
	view.Rule = ruleOf(v.say, actors.WatchlistView{Watchlist: watchpost.Watchlist{Type: f.typ, Keywords: entries, Frequency: f.frequency()}})
	test, err := d.Registry.TryKeywords(r.Context(), v.session.Team, entries, watchpost.WatchlistConditions{}, maxSamples)
	if err != nil {
		return nil, err
	}
	if f.Chips != nil {
		view.Rule = chipsText(v.say, *f.Chips)
	}
	view.Looked, view.Kept, view.Dropped = test.Looked, test.Kept, test.Dropped
	for i, e := range entries {
		if f.Chips != nil && len(entries) > len(f.Chips.Groups[0].Any) {
			break // several entries of a keyword: none says for itself why a post is dropped
		}
		view.By = append(view.By, triedEntry{e.Keyword, test.Entries[i].Kept, dropsOf(v.say, &test.Entries[i])})
	}
	view.KeptSamples = d.samples(v.say, test.KeptSamples, watchpost.KeywordTexts(entries))
	view.DropSamples = d.samples(v.say, test.DropSamples, nil)
	return view, nil
}

// dropsOf says why an entry drops posts.
func dropsOf(say *words.Language, t *watchpost.EntryTrial) (drops []choice) {
	for _, d := range t.Drops {
		why := say.Text("watchlist.has_the_words_not_as_a")
		switch {
		case d.Reason == watchpost.DropExcluded:
			why = say.Text("watchlist.has_word", "word", d.Word)
		case d.Reason == watchpost.DropMissing && d.Word == "":
			why = say.Text("watchlist.has_none_of_the_required_words")
		case d.Reason == watchpost.DropMissing:
			why = say.Text("watchlist.lacks_word", "word", d.Word)
		}
		drops = append(drops, choice{Name: why, Count: d.Posts})
	}
	return drops
}

func (d watchlistPages) samples(say *words.Language, posts []*watchpost.Post, keywords []string) (samples []sample) {
	now := d.Clock.Now()
	for _, p := range posts {
		content := strings.TrimSpace(p.Content)
		from := 0
		if found := text.Find(content, keywords); len(found) > 0 {
			from = max(0, found[0].From-sampleLength/3)
		}
		samples = append(samples, sample{Author: p.AuthorName, Posted: momentOf(say, ago(say, p.PostedAt, now), p.PostedAt), Text: highlighted(excerpt(content, from), keywords)})
	}
	return samples
}

// excerpt cuts a text to about sampleLength bytes from a place on, at spaces.
func excerpt(content string, from int) string {
	before, after := "", ""
	if from > 0 {
		if i := strings.IndexByte(content[from:], ' '); i >= 0 {
			content, before = content[from+i+1:], "… "
		}
	}
	if len(content) > sampleLength {
		if i := strings.LastIndexByte(content[:sampleLength], ' '); i > 0 {
			content, after = content[:i], " …"
		} else {
			content = strings.ToValidUTF8(content[:sampleLength], "")
		}
	}
	return before + content + after
}
