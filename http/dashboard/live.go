package dashboard

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"watchpost/actors/root"
	"watchpost/internal/words"
	"watchpost/watchpost"
)

const (
	// heartbeat is how often a stream without news shows that it is alive, and that
	// its session is.
	heartbeat = 20 * time.Second
	// writeTime bounds a write to a stream.
	writeTime = 30 * time.Second
)

// streamEvent is the data of a change event.
type streamEvent struct {
	Topic root.Topic `json:"topic"`
	ID    string     `json:"id,omitempty"`
}

// events streams what changes in the team's data. Events have no content: a page
// asks for the parts that it shows, so there is one renderer and one check of
// rights. The first event means everything, as a page cannot know the missed events.
func (d *Dashboard) events(w http.ResponseWriter, r *http.Request, v *visit) error {
	news, err := d.Registry.Subscribe(v.session.Team, v.member.ID)
	if err != nil {
		return err
	}
	defer news.Close()
	open, leave := context.WithCancel(r.Context())
	defer leave()
	go func() {
		select {
		case <-d.Closing:
			leave()
		case <-open.Done():
		}
	}()
	h, out := w.Header(), http.NewResponseController(w)
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	_ = out.SetReadDeadline(time.Time{}) // a connection that cannot ends earlier, and the browser comes back
	for {
		ctx, cancel := context.WithTimeout(open, heartbeat)
		changes, more := news.Next(ctx)
		quiet := ctx.Err() != nil && open.Err() == nil
		cancel()
		if !more && !quiet {
			return nil
		}
		if _, err := d.Registry.WebSession(r.Context(), v.token); err != nil {
			return nil // signed out elsewhere: the stream ends
		}
		_ = out.SetWriteDeadline(time.Now().Add(writeTime))
		_, err := w.Write(eventsOf(changes))
		if err := errors.Join(err, out.Flush()); err != nil {
			return nil // the browser has gone
		}
	}
}

// eventsOf writes changes as events; none are a comment that keeps the stream open.
func eventsOf(changes []root.Change) []byte {
	if len(changes) == 0 {
		return []byte(": alive\n\n")
	}
	var out []byte
	for _, c := range changes {
		data, err := json.Marshal(streamEvent{c.Topic, c.ID})
		if err != nil {
			continue // a topic and an id are always encoded
		}
		out = append(append(append(out, "event: change\ndata: "...), data...), "\n\n"...)
	}
	return out
}

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
	named, q, params, err := d.readFeed(r, v)
	if err != nil {
		return err
	}
	if q.Only != nil { // how many posts a tab has changes with each decision: only those that came count
		made, err := time.Parse(time.RFC3339Nano, r.URL.Query().Get("made"))
		if err != nil {
			return watchpost.WrapError(watchpost.Invalid, "Invalid 'made'", err)
		}
		if known = 0; q.StoredFrom.Before(made) {
			q.StoredFrom = made
		}
	}
	q.Page, q.PageSize = 1, 1
	found, err := d.Registry.Posts(r.Context(), v.session.Team, named, q)
	if err != nil {
		return err
	}
	return renderPart(w, v.say, "feed.html", "fresh", freshView{max(0, found.Count-known), params.href()})
}

// FreshHref is where a page asks for posts that came since.
func (p *feedPage) FreshHref() string {
	values := url.Values{"known": {strconv.Itoa(p.Count)}}
	if p.params.tab() != "" {
		values.Set("made", p.Made())
	}
	for name, value := range p.params.values {
		values[name] = value
	}
	return pathFeed + "/fresh?" + values.Encode()
}

// acting is the part of the feed with the account in whose name one acts, and
// its remaining allowance of today.
func (d feedPages) acting(w http.ResponseWriter, r *http.Request, v *visit) error {
	page := &feedPage{frame: frameOf(v, "feed", v.say.Text("layout.feed")), actingAs: actingAsOf(r, v), Back: pathFeed}
	if back := r.URL.Query().Get("back"); strings.HasPrefix(back, pathFeed+"?") {
		page.Back = back
	}
	return renderPart(w, v.say, "feed.html", "acting", page)
}

// ActingHref is where the page asks for its account again.
func (p *feedPage) ActingHref() string {
	return pathFeed + "/acting?" + url.Values{"back": {p.Back}}.Encode()
}

// toldView says that a like or comment was not sent, because another member or a rule was
// faster and the page did not show it yet.
type toldView struct {
	Type        watchpost.TaskType
	Text, After string
	// Again asks once more; Comment is its text and As its account.
	Again, Comment, As string
}

// earlier returns what another one has done to a post, or is about to do, that the page of
// a form did not show. A form that knows of it has the field again.
func (d feedPages) earlier(r *http.Request, v *visit, t watchpost.TaskType, id watchpost.PostID) (*toldView, error) {
	if r.PostFormValue("again") != "" {
		return nil, nil
	}
	e, err := d.lastOn(r, v, t, id)
	if err != nil || e == nil || e.Way == watchpost.AskedByMember && e.Asked == string(v.member.ID) {
		return nil, err
	}
	since, _ := time.Parse(time.RFC3339Nano, r.PostFormValue("since")) // without it the page is from before
	if t == watchpost.TaskCommentPost && !e.At.After(since) {
		return nil, nil // the member saw it
	}
	told := &toldView{Type: t, Text: deedText(v.say, e, v.team.Team, d.Clock.Now())}
	told.As = r.PostFormValue("as")
	switch {
	case t == watchpost.TaskCommentPost:
		told.Comment, told.Again, told.After = r.PostFormValue("text"), v.say.Text("feed.send_mine_as_well"), v.say.Text("feed.your_comment_was_not_sent_yet")
	case string(e.Member) != told.As:
		told.Again, told.After = v.say.Text("feed.like_it_as_well"), v.say.Text("feed.your_like_was_not_sent")
	default:
		told.After = v.say.Text("feed.your_like_was_not_sent_a")
	}
	return told, nil
}

// lastOn returns the newest like of a post, or comment on it, that did not fail; nil for
// none.
func (d feedPages) lastOn(r *http.Request, v *visit, t watchpost.TaskType, id watchpost.PostID) (*watchpost.JournalEntry, error) {
	open, err := d.Registry.OpenTasks(r.Context(), v.session.Team, true, maxDeeds)
	if err != nil {
		return nil, err
	}
	var last *watchpost.JournalEntry
	for i := range open.Tasks {
		if e := &open.Tasks[i].Entry; e.Type == t && e.Post == id && (last == nil || e.ID > last.ID) {
			last = e
		}
	}
	if last != nil {
		return last, nil
	}
	found, err := d.Registry.Post(r.Context(), v.session.Team, id)
	if err != nil || t == watchpost.TaskLikePost && !found.Post.Liked || t == watchpost.TaskCommentPost && !found.Post.Commented {
		return nil, err
	}
	done, err := d.Registry.Journal(r.Context(), v.session.Team, watchpost.JournalQuery{Type: t, Post: id, State: watchpost.TaskCompleted}, "", 1)
	if err != nil || len(done.Entries) == 0 {
		return nil, err
	}
	return &done.Entries[0], nil
}

// deedText says who liked a post or commented on it, as whom and when.
func deedText(say *words.Language, e *watchpost.JournalEntry, team watchpost.Team, now time.Time) string {
	who := askerOf(say, e, team)
	if _, member := team.Member(watchpost.MemberID(e.Asked)); e.Way != watchpost.AskedByMember || !member { // no name
		who = words.Sentence(who)
	}
	arguments := []any{"who", who, "at", zonedTime(say, e.At, now)}
	m, known := team.Member(e.Member)
	other := known && nameOf(m) != who
	if other {
		arguments = append(arguments, "as", nameOf(m))
	}
	var text string
	switch {
	case e.Type == watchpost.TaskCommentPost && other:
		text = say.Text("feed.who_commented_as_as_at_at", arguments...)
	case e.Type == watchpost.TaskCommentPost:
		text = say.Text("feed.who_commented_at_at_utc", arguments...)
	case other:
		text = say.Text("feed.who_liked_it_as_as_at", arguments...)
	default:
		text = say.Text("feed.who_liked_it_at_at_utc", arguments...)
	}
	if e.Text != "" {
		text += ": " + say.Quoted(e.Text)
	}
	return text + "."
}

// byHTMX reports whether a script asks for a part of a page.
func byHTMX(r *http.Request) bool { return r.Header.Get("HX-Request") != "" }
