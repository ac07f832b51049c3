package dashboard

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"watchpost/actors"
	"watchpost/watchpost"
)

// actor is a member in whose name the team can like and comment.
type actor struct {
	ID         watchpost.MemberID
	Name       string
	Left       string // likes and comments that are left today, or why there are none
	Likes      int
	Comments   int
	On, Absent bool // chosen; without an account of the network
}

// actingAs is the choice of an account for likes and comments.
type actingAs struct {
	Actor  *actor // chosen; nil when no member has an account
	Actors []actor
}

// Short is the actor's name where there is little room.
func (a actor) Short() string {
	first, _, _ := strings.Cut(a.Name, " ")
	first, _, _ = strings.Cut(first, "@")
	return first
}

// actorCookie remembers the member in whose name the browser acts.
const actorCookie = "watchpost-as"

// actingAsOf lists the members, and the one that the browser has chosen: without
// a choice the visitor, or else the first with an account.
func actingAsOf(r *http.Request, v *visit) actingAs {
	var as actingAs
	for _, p := range v.team.Presence {
		m, _ := v.team.Team.Member(p.Member)
		a := actor{ID: m.ID, Name: nameOf(m), Absent: p.Account == nil, Left: v.say.Text("feed.no_browser_paired")}
		if !a.Absent {
			a.Likes, a.Comments = left(p, watchpost.ActionLike), left(p, watchpost.ActionComment)
			a.Left = v.say.Text("feed.likes_comments_left", "likes", plural(v.say, a.Likes, "like"), "comments", plural(v.say, a.Comments, "comment"))
			if slices.ContainsFunc(p.Pauses, func(p actors.Pause) bool { return p.Action == "" && p.TaskType == "" }) {
				a.Left = v.say.Text("feed.paused")
			}
		}
		as.Actors = append(as.Actors, a)
	}
	wanted := []watchpost.MemberID{v.member.ID}
	if c, err := r.Cookie(actorCookie); err == nil {
		wanted = append([]watchpost.MemberID{watchpost.MemberID(c.Value)}, wanted...)
	}
	for _, a := range as.Actors {
		wanted = append(wanted, a.ID)
	}
	for _, id := range wanted {
		if i := slices.IndexFunc(as.Actors, func(a actor) bool { return a.ID == id && !a.Absent }); i >= 0 {
			as.Actor, as.Actors[i].On = &as.Actors[i], true
			break
		}
	}
	return as
}

// left returns how much of an allowance is left today.
func left(p actors.MemberPresence, action watchpost.Action) int {
	for _, u := range p.Used {
		if u.Action == action {
			return max(0, u.Limit-u.Used)
		}
	}
	return 0
}

// chooseActor remembers in whose name the browser acts.
func (d feedPages) chooseActor(w http.ResponseWriter, r *http.Request, v *visit) error {
	id := watchpost.MemberID(r.PostFormValue("as"))
	if _, known := v.team.Team.Member(id); !known {
		return watchpost.Errorf(watchpost.NotFound, "User not found")
	}
	_, secure := d.cookie(r)
	//nolint:gosec // Secure where the connection is
	http.SetCookie(w, &http.Cookie{Name: actorCookie, Value: string(id), Path: pathFeed, Secure: secure, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, backFrom(r), http.StatusSeeOther)
	return nil
}

// backFrom returns the page that a form was sent from.
func backFrom(r *http.Request) string { return backOr(r, pathFeed) }

// backOr returns the page that a form was sent from, or another when it does not say.
func backOr(r *http.Request, other string) string {
	back, err := url.Parse(r.PostFormValue("back"))
	if err != nil || back.Host != "" || back.Scheme != "" || back.Path != pathFeed && !strings.HasPrefix(back.Path, pathFeed+"/") {
		return other
	}
	return back.RequestURI()
}

// save bookmarks a post, or no longer.
func (d feedPages) save(w http.ResponseWriter, r *http.Request, v *visit) error {
	id := watchpost.PostID(r.PathValue("id"))
	_, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.BookmarkPost{Post: id, Bookmark: r.PostFormValue("bookmark") == "true"})
	if err != nil {
		return err
	}
	return d.showPost(w, r, v, id, "")
}

// like and comment make the same task as POST /api-like and /api-comment.
func (d feedPages) like(w http.ResponseWriter, r *http.Request, v *visit) error {
	return d.engage(w, r, v, watchpost.TaskLikePost, map[string]string{})
}

func (d feedPages) comment(w http.ResponseWriter, r *http.Request, v *visit) error {
	if r.PostFormValue("draft") != "" {
		return d.draftComment(w, r, v)
	}
	text, ok := watchpost.CleanComment(r.PostFormValue("text"))
	if text == "" || !ok {
		return watchpost.Errorf(watchpost.Invalid, "A comment has between 1 and %d characters.", watchpost.MaxComment)
	}
	id := watchpost.PostID(r.PathValue("id"))
	found, err := d.Registry.Post(r.Context(), v.session.Team, id)
	if err != nil {
		return err
	}
	if again, ask := unsure(r, text, found.Post); ask {
		return d.postPart(w, r, v, id, postAnswer{write: again})
	}
	return d.engage(w, r, v, watchpost.TaskCommentPost, map[string]string{"comment_text": text})
}

func (d feedPages) engage(w http.ResponseWriter, r *http.Request, v *visit, t watchpost.TaskType, input map[string]string) error {
	id := watchpost.PostID(r.PathValue("id"))
	member, known := v.team.Team.Member(watchpost.MemberID(r.PostFormValue("as")))
	if !known {
		return watchpost.Errorf(watchpost.NotFound, "User not found")
	}
	if told, err := d.earlier(r, v, t, id); told != nil || err != nil {
		if err != nil {
			return err
		}
		return d.postPart(w, r, v, id, postAnswer{told: told})
	}
	if err := d.Registry.RequireExtension(r.Context(), v.session.Team); err != nil {
		return err
	}
	input["post_id"], input["user_email"] = string(id), member.Email
	encoded, err := json.Marshal(input)
	if err != nil {
		return err
	}
	made, _, err := actors.AskOnce(r.Context(), d.Registry, v.session.Team, formKey(r),
		actors.Engage{Type: t, Post: id, Email: member.Email, Input: encoded, Delay: undoTime(t)})
	if err != nil {
		return err
	}
	if t == watchpost.TaskCommentPost {
		if err := d.noteReply(r, v, id, true); err != nil {
			return err
		}
	}
	return d.showPost(w, r, v, id, made.ID)
}

// undoDelay is how long what cannot be brought back waits to be taken back.
const undoDelay = 10 * time.Second

// deletion is a thing with the address of its page, and when it will be deleted; zero: it will
// not.
type deletion struct {
	name, href string
	at         time.Time
}

// undoDeletion offers to undo the deletion that was asked for last, for as long as it can be
// taken back.
func undoDeletion(v *visit, waits []deletion, back string, now time.Time) *undoView {
	undo, last := &undoView{}, now
	for _, d := range waits {
		if d.at.After(last) {
			last = d.at
			undo = &undoView{Text: v.say.Text("common.name_is_being_deleted", "name", v.say.Quoted(d.name)), Token: v.formToken(), Back: back, Action: d.href, Ends: true}
		}
	}
	return undo
}

// deleteLater has a thing deleted when the time to undo that is over, or undoes it, and then
// shows the list of its kind.
func deleteLater(d *Dashboard, w http.ResponseWriter, r *http.Request, v *visit, of actors.Deletable, id, list string) (err error) {
	if r.PostFormValue("do") == "undo" {
		list = backOr(r, list)
		_, err = actors.Ask(r.Context(), d.Registry, v.session.Team, actors.UndoDeletion{Of: of, ID: id})
	} else {
		_, err = actors.Ask(r.Context(), d.Registry, v.session.Team, actors.DeleteLater{Of: of, ID: id, At: d.Clock.Now().Add(undoDelay)})
	}
	if err != nil {
		return err
	}
	http.Redirect(w, r, list, http.StatusSeeOther)
	return nil
}

// undoTime is how long an action waits for its member to take it back. A like can be
// taken back on the network; others have read a comment by then.
func undoTime(t watchpost.TaskType) time.Duration {
	if t == watchpost.TaskCommentPost {
		return undoDelay
	}
	return 0
}

// cancel ends a like or comment that no browser has begun.
func (d feedPages) cancel(w http.ResponseWriter, r *http.Request, v *visit) error {
	task := watchpost.TaskID(r.PostFormValue("task"))
	if _, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.CancelTask{ID: task}); err != nil {
		return err
	}
	return d.showPost(w, r, v, watchpost.PostID(r.PathValue("id")), task)
}

// formKey identifies a form that may be sent twice: by a second click, or by
// loading the answer again.
func formKey(r *http.Request) actors.IdempotencyKey {
	form := r.PostForm.Encode()
	hash := sha256.Sum256([]byte(form))
	return actors.IdempotencyKey{Name: "dashboard " + r.URL.Path + " " + clip(r.PostFormValue("key"), maxKey), Hash: hex.EncodeToString(hash[:])}
}

const maxKey = 100

func clip(s string, n int) string { return s[:min(n, len(s))] }

// showPost answers an action on a post: with the post to a script, else with the
// page that it was sent from, which then shows the task.
func (d feedPages) showPost(w http.ResponseWriter, r *http.Request, v *visit, id watchpost.PostID, task watchpost.TaskID) error {
	if !byHTMX(r) {
		http.Redirect(w, r, placeOf(backFrom(r), id, task), http.StatusSeeOther)
		return nil
	}
	if task == "" {
		task = watchpost.TaskID(r.PostFormValue("task"))
	}
	team, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.GetTeam{}) // with the allowance as it is now
	if err != nil {
		return err
	}
	v.team = team
	return d.postPart(w, r, v, id, postAnswer{task: task})
}

// placeOf is the address of a post within a page, with the task to show.
func placeOf(page string, id watchpost.PostID, task watchpost.TaskID) string {
	u, err := url.Parse(page)
	if err != nil {
		return pathFeed
	}
	if task != "" {
		q := u.Query()
		q.Set("task", string(task))
		u.RawQuery = q.Encode()
	}
	u.Fragment = "p-" + string(id)
	return u.String()
}

// post is the part of a page with one post and the state of a task on it.
func (d feedPages) post(w http.ResponseWriter, r *http.Request, v *visit) error {
	return d.postPart(w, r, v, watchpost.PostID(r.PathValue("id")), postAnswer{task: watchpost.TaskID(r.URL.Query().Get("task"))})
}

// postAnswer is what a post is shown with.
type postAnswer struct {
	task  watchpost.TaskID // whose state is shown
	told  *toldView        // why there is none
	write composerView     // a comment that is not sent yet
}

// postPart shows one post, with the state of a task on it or why none was made.
func (d feedPages) postPart(w http.ResponseWriter, r *http.Request, v *visit, id watchpost.PostID, with postAnswer) error {
	page, err := d.Registry.Post(r.Context(), v.session.Team, id)
	if err != nil {
		return err
	}
	lists, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListWatchlists{})
	if err != nil {
		return err
	}
	back := r.PostFormValue("back")
	if back == "" {
		back = pathFeed
	}
	as := actingAsOf(r, v)
	if with.write.Open {
		as.choose(watchpost.MemberID(r.PostFormValue("as")))
	}
	forms, err := postFormsOf(v.say, v.formToken(), back, as, d.Clock.Now())
	if err != nil {
		return err
	}
	in, err := d.inboxOf(r, v)
	if err != nil {
		return err
	}
	shower := postShower{say: v.say, now: d.Clock.Now(), asked: page.Asked, tagging: page.Tagging, lists: byID(lists), as: as, forms: forms, drafts: d.Draft != nil, images: d.Picture != nil, inbox: in, team: v.team.Team}
	if shower.histories, err = d.historiesOf(r, v, []*watchpost.Post{page.Post}); err != nil {
		return err
	}
	view := shower.show(page.Post)
	if err := d.showAction(r, v, with.task, &view, back); err != nil {
		return err
	}
	view.Told, view.Triage.Undo = with.told, v.undo
	status := http.StatusOK
	if told := with.told; told != nil {
		status = http.StatusConflict
		view.Liked = view.Liked || told.Type == watchpost.TaskLikePost
	}
	if with.write.Open {
		with.write.ID, with.write.Drafts = view.Write.ID, view.Write.Drafts
		view.Write = with.write
	}
	w.Header().Add("Vary", "HX-Request")
	if byHTMX(r) {
		return renderPart(w, v.say, "feed.html", "post", view)
	}
	return render(w, status, "feed.html", &feedPage{frame: frameOf(v, "", v.say.Text("common.post")), actingAs: shower.as, Back: back, Posts: []postView{view}, Single: true})
}

// actionState is the state of a like or comment.
type actionState struct {
	ID                 watchpost.TaskID
	Again              string // shows it as it is by then
	What, State        string
	Class, Icon, Extra string
	Pending, Cancel    bool // not ended; not begun
}

// showAction adds the state of a task to its post, if it has one. A completed like
// or comment counts at once: the post's own flag follows a moment later.
func (d feedPages) showAction(r *http.Request, v *visit, id watchpost.TaskID, post *postView, back string) error {
	if id == "" {
		return nil
	}
	task, err := d.Registry.TaskStatus(r.Context(), v.session.Team, id)
	if err != nil {
		if watchpost.KindOf(err) == watchpost.NotFound {
			return nil
		}
		return err
	}
	var input struct {
		Post watchpost.PostID `json:"post_id"`
	}
	if err := json.Unmarshal(task.Input, &input); err != nil || input.Post != post.ID {
		return errors.Join(err)
	}
	view := taskShown(v.say, task, v.team.Team, d.Clock.Now())
	post.Action = &actionState{ID: task.ID, Again: placeOf(back, post.ID, task.ID), What: view.What, State: view.State, Class: view.Class, Icon: view.Icon, Extra: view.Extra, Pending: view.Pending,
		Cancel: view.Pending && task.Reason != watchpost.PendingRunning}
	if task.State == watchpost.TaskCompleted {
		post.Liked = post.Liked || task.Type == watchpost.TaskLikePost
		post.Commented = post.Commented || task.Type == watchpost.TaskCommentPost
	}
	return nil
}
