package dashboard

import (
	"cmp"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"watchpost/actors"
	"watchpost/actors/triage"
	"watchpost/internal/words"
	"watchpost/watchpost"
)

// triageView shows the decisions about a post.
type triageView struct {
	State    watchpost.TriageState
	New      bool   // since the last visit
	Assigned string // who takes care of it
	Note     string
	NoteBy   string // who changed the assignment or the note, and when
	Replies  []string
	Members  template.HTML // the choice of a member
	Undo     *undoView     // of the latest decision
}

// undoView is a decision that can be taken back: about one post, or about several.
type undoView struct {
	ID    watchpost.PostID // of the one post
	Text  string
	Was   watchpost.TriageState
	Token string
	Back  string
	// Action and Fields are of the form that takes back a decision about several posts.
	// ByScript means that a script swaps its answer.
	Action   string
	Fields   []field
	ByScript bool
	// Ends means that the service carries out the decision after undoDelay, and then nothing
	// can take it back.
	Ends bool
}

// undoTexts name the decision.
var undoTexts = map[watchpost.TriageState]string{
	watchpost.TriageDone: "feed.marked_as_done", watchpost.TriageLater: "feed.kept_for_later", watchpost.TriageUnread: "feed.marked_as_unread",
}

// triage returns the decisions about a post.
func (s *postShower) triage(p *watchpost.Post) (t triageView) {
	in := s.inbox
	t.State, _ = in.StateOf(p.Marked())
	t.New = !in.Before.IsZero() && !p.CreatedAt.Before(in.Before)
	var assigned watchpost.MemberID
	if a := in.Assignment(p.ID); a != nil {
		assigned, t.Note = a.Member, a.Note
		t.Assigned = s.who(a.Member, s.say.Text("feed.you"))
		t.NoteBy = s.say.List(s.who(a.By, s.say.Text("feed.you")), clockTime(s.say, a.At, s.now))
	}
	t.Members = s.members(assigned)
	for _, r := range in.Replying {
		if name := s.who(r.Member, ""); r.Post == p.ID && name != "" {
			t.Replies = append(t.Replies, s.say.Text("feed.name_is_replying_since_since_utc", "name", name, "since", zonedTime(s.say, r.Since, s.now)))
		}
	}
	return t
}

// who names a member: the visitor as you; "" for one who is none.
func (s *postShower) who(id watchpost.MemberID, you string) string {
	if id == s.inbox.member {
		return you
	}
	m, known := s.team.Member(id)
	if !known {
		return ""
	}
	return nameOf(m)
}

// members returns the choice of a member of the team, written once for those posts that
// no one takes care of.
func (s *postShower) members(chosen watchpost.MemberID) template.HTML {
	if chosen == "" && s.nobody != "" {
		return s.nobody
	}
	var b strings.Builder
	option := func(id watchpost.MemberID, name string) {
		b.WriteString(`<option value="` + template.HTMLEscapeString(string(id)) + `"`)
		if id == chosen {
			b.WriteString(" selected")
		}
		b.WriteString(">" + template.HTMLEscapeString(name) + "</option>")
	}
	option("", s.say.Text("feed.nobody"))
	for _, m := range s.team.Members {
		option(m.ID, cmp.Or(s.who(m.ID, ""), s.say.Text("feed.me_name", "name", nameOf(m))))
	}
	all := template.HTML(b.String()) //nolint:gosec // escaped above
	if chosen == "" {
		s.nobody = all
	}
	return all
}

// mark decides about a post for the member. The answer has the way back.
func (d triagePages) mark(w http.ResponseWriter, r *http.Request, v *visit) error {
	id := watchpost.PostID(r.PathValue("id"))
	found, err := d.Registry.Post(r.Context(), v.session.Team, id)
	if err != nil {
		return err
	}
	state, err := watchpost.ParseTriageState(r.PostFormValue("do"))
	if err != nil {
		return err
	}
	marked, err := actors.Ask(r.Context(), d.Registry, v.session.Team, triage.Mark{Member: v.member.ID, Post: found.Post.Marked(), State: state})
	if err != nil {
		return err
	}
	undo := r.PostFormValue("undo") == "" && marked.Before != state
	if byHTMX(r) {
		v.undo = &undoView{}
		if undo {
			v.undo = newUndo(v, id, state, marked.Before, backFrom(r))
		}
		return d.postPart(w, r, v, id, postAnswer{})
	}
	back, err := url.Parse(backFrom(r))
	if err != nil {
		return err
	}
	if q := back.Query(); undo {
		q.Set("did", string(state))
		q.Set("was", string(marked.Before))
		q.Set("post", string(id))
		back.RawQuery = q.Encode()
	}
	back.Fragment = "p-" + string(id)
	http.Redirect(w, r, back.String(), http.StatusSeeOther)
	return nil
}

func newUndo(v *visit, id watchpost.PostID, did, was watchpost.TriageState, back string) *undoView {
	return &undoView{ID: id, Text: v.say.Text(undoTexts[did]), Was: was, Token: v.formToken(), Back: back}
}

// undoOf returns the decision that an address says was made just now, without a script.
func undoOf(r *http.Request, v *visit, back string) *undoView {
	q := r.URL.Query()
	did, err := watchpost.ParseTriageState(q.Get("did"))
	was, wrong := watchpost.ParseTriageState(q.Get("was"))
	if err != nil || wrong != nil || !watchpost.ValidID(q.Get("post")) {
		return &undoView{}
	}
	return newUndo(v, watchpost.PostID(q.Get("post")), did, was, back)
}

// undoAllDone returns the way back from "all done", for as long as it is shown; nil for none.
func undoAllDone(in *inbox, v *visit, back string, now time.Time) *undoView {
	at := in.AllDoneAt
	if at.IsZero() || now.Sub(at) >= undoDelay {
		return nil
	}
	return &undoView{Text: v.say.Text("feed.all_posts_are_marked_as_done"), Token: v.formToken(), Back: back, Action: pathFeed + "/done", Fields: []field{{"at", at.UTC().Format(time.RFC3339Nano)}}}
}

// markAll marks all posts as done that came before the page was made, or takes that back.
func (d triagePages) markAll(w http.ResponseWriter, r *http.Request, v *visit) error {
	if r.PostFormValue("do") == "undo" {
		at, err := time.Parse(time.RFC3339Nano, r.PostFormValue("at"))
		if err != nil {
			return errUnknownForm()
		}
		if _, err := actors.Ask(r.Context(), d.Registry, v.session.Team, triage.TakeBackAll{Member: v.member.ID, At: at}); err != nil {
			return err
		}
		http.Redirect(w, r, backFrom(r), http.StatusSeeOther)
		return nil
	}
	before, err := time.Parse(time.RFC3339Nano, r.PostFormValue("since"))
	if err != nil || before.After(d.Clock.Now()) {
		return errUnknownForm()
	}
	if _, err := actors.Ask(r.Context(), d.Registry, v.session.Team, triage.MarkAll{Member: v.member.ID, Before: before}); err != nil {
		return err
	}
	http.Redirect(w, r, backFrom(r), http.StatusSeeOther)
	return nil
}

// Actions on several posts that are no states of triage.
const (
	actionSave   = "save"
	actionUnsave = "unsave"
)

// severalTexts report an action on several posts, and that one post was left out.
var severalTexts = map[string]struct{ done, not string }{
	string(watchpost.TriageDone): {"feed.n_posts_marked_as_done", "feed.post_is_not_marked_as_done"}, string(watchpost.TriageLater): {"feed.n_posts_kept_for_later", "feed.post_is_not_kept_for_later"},
	string(watchpost.TriageUnread): {"feed.n_posts_marked_as_unread", "feed.post_is_not_marked_as_unread"},
	actionSave:                     {"feed.n_posts_saved", "feed.post_is_not_saved"}, actionUnsave: {"feed.n_posts_no_longer_saved", "feed.post_is_still_saved"},
}

// severalActions are what a form does to posts, by the action; a action that is taken back may
// have found different ones before it.
type severalActions map[string][]watchpost.PostID

// severalOf reads what a form does to which posts (Invalid).
func severalOf(r *http.Request) (severalActions, error) {
	do := r.PostFormValue("do")
	if do != "undo" {
		if severalTexts[do].done == "" {
			return nil, errUnknownAction()
		}
		ids, err := chosenIDs[watchpost.PostID](r)
		return severalActions{do: ids}, err
	}
	actions, all := severalActions{}, 0
	for action := range severalTexts {
		for _, id := range r.PostForm["to-"+action] {
			actions[action] = append(actions[action], watchpost.PostID(id))
			all++
		}
	}
	if all == 0 || all > maxChosen {
		return nil, errUnknownForm()
	}
	return actions, nil
}

// severalDone is what became of the actions on several posts.
type severalDone struct {
	done    int
	back    severalActions // takes it back
	refused []string
}

// refuse notes that an action was not done to a post, and why.
func (s *severalDone) refuse(say *words.Language, p *watchpost.Post, action string, err error) {
	post := say.Text("feed.the_post_of", "author", cmp.Or(p.AuthorName, say.Text("feed.an_unknown_author")))
	s.refused = append(s.refused, say.Text(severalTexts[action].not, "post", post, "why", say.Known(errorText(err))))
}

// decideSeveral does to the chosen posts what a form says, or takes it back. Its answer is
// the feed as it is then, with the way back and with what could not be done.
func (d triagePages) decideSeveral(w http.ResponseWriter, r *http.Request, v *visit) error {
	actions, err := severalOf(r)
	if err != nil {
		return err
	}
	done := &severalDone{back: severalActions{}}
	for _, action := range slices.Sorted(maps.Keys(actions)) {
		if err := d.doSeveral(r, v, action, actions[action], done); err != nil {
			return err
		}
	}
	back, err := url.Parse(backFrom(r))
	if err != nil {
		return err
	}
	v.inbox = nil // it was read before
	page, err := d.feedPage(addressed(r, back.RawQuery), v)
	if err == nil && len(page.Posts) == 0 && page.Newer != "" { // the last page of a tab is empty now
		_, query, _ := strings.Cut(page.Newer, "?")
		page, err = d.feedPage(addressed(r, query), v)
	}
	if err != nil {
		return err
	}
	page.Decided, page.Done, page.Refused = true, done.done, done.refused
	status := http.StatusOK
	if len(done.refused) > 0 {
		status = http.StatusConflict
	}
	if do := r.PostFormValue("do"); do == "undo" {
		page.Undo = &undoView{}
	} else if len(done.back) > 0 {
		page.Undo = &undoView{Text: v.say.Text(severalTexts[do].done, "n", done.done), Token: v.formToken(), Back: page.Back, Action: pathFeed + "/several", ByScript: true}
		for _, action := range slices.Sorted(maps.Keys(done.back)) {
			for _, id := range done.back[action] {
				page.Undo.Fields = append(page.Undo.Fields, field{"to-" + action, string(id)})
			}
		}
	}
	if byHTMX(r) { // the form's own target shows why it was refused
		h := w.Header()
		h.Set("HX-Retarget", "#results")
		h.Set("HX-Reselect", "#results")
		h.Set("HX-Reswap", "outerHTML")
	}
	return page.show(w, r, status)
}

// doSeveral does the same to each of some posts.
func (d triagePages) doSeveral(r *http.Request, v *visit, action string, ids []watchpost.PostID, done *severalDone) error {
	var posts []*watchpost.Post
	for _, id := range ids {
		found, err := d.Registry.Post(r.Context(), v.session.Team, id)
		switch {
		case err != nil && watchpost.KindOf(err) == watchpost.NotFound:
			done.refused = append(done.refused, v.say.Text(severalTexts[action].not, "post", v.say.Text("feed.a_post"), "why", v.say.Text("feed.it_was_deleted")))
		case err != nil:
			return err
		default:
			posts = append(posts, found.Post)
		}
	}
	if len(posts) == 0 {
		return nil
	}
	if action == actionSave || action == actionUnsave {
		return d.saveSeveral(r, v, action, posts, done)
	}
	marks := make([]triage.PostState, len(posts))
	for i, p := range posts {
		marks[i] = triage.PostState{Post: p.Marked(), State: watchpost.TriageState(action)}
	}
	outcomes, err := actors.Ask(r.Context(), d.Registry, v.session.Team, triage.MarkSeveral{Member: v.member.ID, Marks: marks})
	if err != nil {
		return err
	}
	for i, o := range outcomes {
		if o.Err != nil {
			done.refuse(v.say, posts[i], action, o.Err)
			continue
		}
		done.done++
		if before := string(o.Before); before != action {
			done.back[before] = append(done.back[before], posts[i].ID)
		}
	}
	return nil
}

// saveSeveral saves posts, or no longer.
func (d triagePages) saveSeveral(r *http.Request, v *visit, action string, posts []*watchpost.Post, done *severalDone) error {
	save, back := action == actionSave, map[string]string{actionSave: actionUnsave, actionUnsave: actionSave}[action]
	for _, p := range posts {
		if p.Bookmark != save {
			_, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.BookmarkPost{Post: p.ID, Bookmark: save})
			if err != nil && watchpost.KindOf(err) == watchpost.Unavailable {
				return err
			}
			if err != nil {
				done.refuse(v.say, p, action, err)
				continue
			}
			done.back[back] = append(done.back[back], p.ID)
		}
		done.done++
	}
	return nil
}

// assign says who takes care of a post, and notes something for the team.
func (d triagePages) assign(w http.ResponseWriter, r *http.Request, v *visit) error {
	id := watchpost.PostID(r.PathValue("id"))
	found, err := d.Registry.Post(r.Context(), v.session.Team, id)
	if err != nil {
		return err
	}
	a := watchpost.PostAssignment{Post: found.Post.Marked(), Member: watchpost.MemberID(r.PostFormValue("member")), Note: r.PostFormValue("note"), By: v.member.ID}
	if _, err := actors.Ask(r.Context(), d.Registry, v.session.Team, triage.Assign{Assignment: a}); err != nil {
		return err
	}
	return d.showPost(w, r, v, id, "")
}

// replying notes that the member types a reply, or has given it up.
func (d triagePages) replying(w http.ResponseWriter, r *http.Request, v *visit) error {
	id := watchpost.PostID(r.PathValue("id"))
	if _, err := d.Registry.Post(r.Context(), v.session.Team, id); err != nil {
		return err
	}
	if err := d.noteReply(r, v, id, r.PostFormValue("ended") != ""); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (d feedPages) noteReply(r *http.Request, v *visit, id watchpost.PostID, ended bool) error {
	_, err := actors.Ask(r.Context(), d.Registry, v.session.Team, triage.Reply{Member: v.member.ID, Post: id, Ended: ended})
	return err
}
