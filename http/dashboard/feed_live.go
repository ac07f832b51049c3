package dashboard

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"watchpost/watchpost"
)

// maxDeeds bounds the open likes and comments that the feed looks through.
const maxDeeds = 500

// deeds returns the open likes and comments by their post; the newest counts.
func (d feedPages) deeds(r *http.Request, v *visit) (map[watchpost.PostID]watchpost.TaskID, error) {
	open, err := d.Registry.OpenTasks(r.Context(), v.session.Team, true, maxDeeds)
	if err != nil {
		return nil, err
	}
	by := make(map[watchpost.PostID]watchpost.TaskID, len(open.Tasks))
	for _, t := range open.Tasks {
		if t.Entry.Post != "" && by[t.Entry.Post] < t.ID {
			by[t.Entry.Post] = t.ID
		}
	}
	return by, nil
}

// freshView announces posts that came since the page was made.
type freshView struct {
	Count int
	Href  string
}

// fresh says how many posts the filters of a page find more than it shows.
func (d feedPages) fresh(w http.ResponseWriter, r *http.Request, v *visit) error {
	known, err := strconv.Atoi(r.URL.Query().Get("known"))
	if err != nil {
		return watchpost.WrapError(watchpost.Invalid, "Invalid 'known'", err)
	}
	named, q, params, err := d.readFeed(r)
	if err != nil {
		return err
	}
	q.Page, q.PageSize = 1, 1
	found, err := d.Registry.Posts(r.Context(), v.session.Team, named, q)
	if err != nil {
		return err
	}
	return renderPart(w, "feed.html", "fresh", freshView{max(0, found.Count-known), params.href()})
}

// FreshHref is where a page asks for posts that came since.
func (p *feedPage) FreshHref() string {
	values := url.Values{"known": {strconv.Itoa(p.Count)}}
	for name, value := range p.params.values {
		values[name] = value
	}
	return pathFeed + "/fresh?" + values.Encode()
}

// acting is the part of the feed with the account in whose name one acts, and
// its remaining allowance of today.
func (d feedPages) acting(w http.ResponseWriter, r *http.Request, v *visit) error {
	page := &feedPage{frame: frameOf(v, "feed", "Feed"), actingAs: actingAsOf(r, v), Back: pathFeed}
	if back := r.URL.Query().Get("back"); strings.HasPrefix(back, pathFeed+"?") {
		page.Back = back
	}
	return renderPart(w, "feed.html", "acting", page)
}

// ActingHref is where the page asks for its account again.
func (p *feedPage) ActingHref() string {
	return pathFeed + "/acting?" + url.Values{"back": {p.Back}}.Encode()
}

// byHTMX reports whether a script asks for a part of a page.
func byHTMX(r *http.Request) bool { return r.Header.Get("HX-Request") != "" }
