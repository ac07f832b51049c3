package dashboard

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"watchpost/actors"
	"watchpost/internal/interpret/draft"
	"watchpost/internal/langcode"
	"watchpost/internal/words"
	"watchpost/watchpost"
)

// composerView is the field for a comment or message. It is open when it has a text that
// is not sent yet: typed, or drafted.
type composerView struct {
	ID, Text string
	Drafts   bool // there is a language model
	Open     bool
	Drafted  string // what the draft is; empty: it is no draft
	Language string // of the draft
	Before   string // what the draft has replaced
	Failed   string // why there is no draft
	Misfit   bool   // the text congratulates on a loss, which was not said before
}

// Focus reports whether the field gets the focus.
func (c composerView) Focus() bool { return c.Open && c.Failed == "" }

// Length is the number of characters of the text, as browsers count them.
func (c composerView) Length() int { return len(utf16.Encode([]rune(c.Text))) }

// errNoDrafts answers a form that no page has without a language model.
var errNoDrafts = watchpost.Errorf(watchpost.NotFound, "There is no language model")

// ask has a draft written, or says why there is none.
func (d *Dashboard) ask(ctx context.Context, say *words.Language, request *draft.Request) (written, failed string) {
	written, err := d.Draft(ctx, request)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "", say.Text("feed.no_draft_the_language_model_did")
	case draft.IsUnfit(err):
		return "", say.Text("feed.no_draft_what_the_language_model")
	case err != nil:
		return "", say.Text("feed.no_draft_the_language_model_gave")
	}
	return written, ""
}

// compose returns the field of a form with a draft in it, which nothing sends. Without one
// the typed text stays.
func (d *Dashboard) compose(r *http.Request, v *visit, kind draft.Kind, p *watchpost.Post) composerView {
	c := composerView{Open: true, Text: r.PostFormValue("text")}
	voice := v.team.Team.Voice
	written, failed := d.ask(r.Context(), v.say, &draft.Request{Kind: kind, Voice: voice, Author: p.AuthorName, Post: p.Content, Language: p.Language})
	if failed != "" {
		c.Failed = failed
		return c
	}
	c.Before, c.Text = strings.TrimSpace(c.Text), written
	c.Drafted, c.Misfit = v.say.Text("feed.a_draft"), draft.Misfit(written, p)
	if p.Language != "" && p.Language != langcode.Undetermined {
		c.Language = p.Language
		c.Drafted = v.say.Text("feed.a_draft_in_language", "language", v.say.Known(langcode.Name(p.Language)))
	}
	if voice != "" {
		c.Drafted = v.say.List(c.Drafted, v.say.Text("feed.in_your_teams_voice"))
	}
	return c
}

// unsure returns the field of a form again when its text does not fit the tone of a post,
// unless the member was asked before.
func unsure(r *http.Request, text string, p *watchpost.Post) (again composerView, ask bool) {
	if r.PostFormValue("sure") != "" || r.PostFormValue("again") != "" || !draft.Misfit(text, p) {
		return composerView{}, false
	}
	return composerView{Open: true, Text: text, Misfit: true}, true
}

// choose makes a member the one that a form acts as, if it can.
func (as *actingAs) choose(id watchpost.MemberID) {
	as.Actors = slices.Clone(as.Actors)
	i := slices.IndexFunc(as.Actors, func(a actor) bool { return a.ID == id && !a.Absent })
	if i < 0 {
		return
	}
	for n := range as.Actors {
		as.Actors[n].On = n == i
	}
	as.Actor = &as.Actors[i]
}

// draftComment shows a post again with a draft in the field of its comment.
func (d feedPages) draftComment(w http.ResponseWriter, r *http.Request, v *visit) error {
	if d.Draft == nil {
		return errNoDrafts
	}
	id := watchpost.PostID(r.PathValue("id"))
	found, err := d.Registry.Post(r.Context(), v.session.Team, id)
	if err != nil {
		return err
	}
	return d.postPart(w, r, v, id, postAnswer{write: d.compose(r, v, draft.Comment, found.Post)})
}

// draftMessage shows a person again with a draft in the field of the message, which goes by
// the last post.
func (d peoplePages) draftMessage(w http.ResponseWriter, r *http.Request, v *visit, lead *actors.Lead, posts watchpost.PostQuery) error {
	if d.Draft == nil {
		return errNoDrafts
	}
	last, err := d.Registry.Post(r.Context(), v.session.Team, lead.LastPost)
	if err != nil {
		return err
	}
	return d.messageAgain(w, r, v, lead, posts, d.compose(r, v, draft.Message, last.Post))
}

// messageAgain shows a person with a message that is not sent yet.
func (d peoplePages) messageAgain(w http.ResponseWriter, r *http.Request, v *visit, lead *actors.Lead, posts watchpost.PostQuery, c composerView) error {
	page, err := d.personPage(r, v, lead, posts)
	if err != nil {
		return err
	}
	c.ID, c.Drafts = page.Write.ID, page.Write.Drafts
	page.Write = c
	page.choose(watchpost.MemberID(r.PostFormValue("as")))
	return render(w, http.StatusOK, "person.html", page)
}

// draftTemplate adds a comment to the form of a rule, drafted from what its watchlist is
// for.
func (d rulePages) draftTemplate(r *http.Request, v *visit, f *ruleForm) error {
	if d.Draft == nil || !f.Commented() {
		return errNoDrafts
	}
	lists, err := d.ruleLists(r, v)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(lists, func(l actors.WatchlistView) bool { return l.Watchlist.ID == f.List })
	if i < 0 {
		return watchpost.Errorf(watchpost.NotFound, "Watchlist not found")
	}
	if len(f.Templates) >= watchpost.MaxTemplates {
		f.NoDraft = v.say.Text("feed.no_draft_the_rule_has_as")
		return nil
	}
	list := &lists[i].Watchlist
	request := &draft.Request{Kind: draft.Template, Voice: v.team.Team.Voice, Objective: strings.Join([]string{
		list.Name, cmp.Or(list.Objective, list.Description), strings.Join(watchpost.KeywordTexts(list.Keywords), ", "),
	}, "\n")}
	if spoken := wordsOf(f.Languages); len(spoken) == 1 {
		request.Language = spoken[0]
	}
	written, failed := d.ask(r.Context(), v.say, request)
	if f.NoDraft = failed; failed == "" {
		f.Templates, f.Drafted = append(f.Templates, written), true
	}
	return nil
}

// drafted shows the form of a rule with a further comment.
func (d rulePages) drafted(w http.ResponseWriter, r *http.Request, v *visit, f *ruleForm) error {
	if err := d.draftTemplate(r, v, f); err != nil {
		return err
	}
	return f.render(w, http.StatusOK)
}

// changeVoice keeps how the team writes.
func (d teamPages) changeVoice(w http.ResponseWriter, r *http.Request, v *visit) error {
	if v.member.Role != watchpost.RoleAdmin {
		return watchpost.Errorf(watchpost.Forbidden, "Only admins of the team may change its voice. Ask one of them.")
	}
	voice, err := watchpost.CleanVoice(r.PostFormValue("voice"))
	if err == nil {
		_, err = actors.Ask(r.Context(), d.Registry, v.session.Team, actors.UpdateTeam{Patch: watchpost.TeamPatch{Voice: &voice}})
	}
	if err == nil {
		http.Redirect(w, r, pathTeam+"#voice-head", http.StatusSeeOther)
		return nil
	}
	if watchpost.KindOf(err) != watchpost.Invalid {
		return err
	}
	page, failure := d.teamPage(r, v)
	if failure != nil {
		return failure
	}
	_, text, _ := d.Fault(r, err)
	page.Title, page.VoiceError, page.Voice = errorTitle(v.say, page.Title), v.say.Known(text), r.PostFormValue("voice")
	return render(w, http.StatusUnprocessableEntity, "team.html", page)
}

// writeTo makes the task that sends a person a message, or an invitation to connect, or
// that fetches the profile of a person or company.
func (d peoplePages) writeTo(w http.ResponseWriter, r *http.Request, v *visit) error {
	lead, posts, err := d.leadOf(r, v)
	if err != nil {
		return err
	}
	if r.PostFormValue("do") == "fetch" {
		return d.fetchProfile(w, r, v, lead)
	}
	if r.PostFormValue("draft") != "" {
		return d.draftMessage(w, r, v, lead, posts)
	}
	request, err := messageTo(lead, v.team.Team, r.PostForm)
	if err != nil {
		return err
	}
	last, err := d.Registry.Post(r.Context(), v.session.Team, lead.LastPost)
	if err != nil {
		return err
	}
	if again, ask := unsure(r, r.PostFormValue("text"), last.Post); ask && request.Type == watchpost.TaskSendMessage {
		return d.messageAgain(w, r, v, lead, posts, again)
	}
	if err := d.Registry.RequireExtension(r.Context(), v.session.Team); err != nil {
		return err
	}
	made, _, err := actors.AskOnce(r.Context(), d.Registry, v.session.Team, formKey(r), request)
	if err != nil {
		return err
	}
	http.Redirect(w, r, personHref(lead.Key)+"?"+url.Values{"task": {string(made.ID)}}.Encode(), http.StatusSeeOther)
	return nil
}

// messageTo returns the task of a form.
func messageTo(lead *actors.Lead, team watchpost.Team, form url.Values) (request actors.CreateTask, err error) {
	if lead.Kind != watchpost.LeadPerson {
		return request, watchpost.Errorf(watchpost.Invalid, "Messages and invitations go to people.")
	}
	member, known := team.Member(watchpost.MemberID(form.Get("as")))
	if !known {
		return request, watchpost.Errorf(watchpost.NotFound, "User not found")
	}
	written := strings.TrimSpace(form.Get("text"))
	length := utf8.RuneCountInString(written)
	request.Email = &member.Email
	input := map[string]string{"user_email": member.Email}
	switch form.Get("do") {
	case "message":
		if length == 0 || length > watchpost.MaxMessage {
			return request, watchpost.Errorf(watchpost.Invalid, "A message has between 1 and %d characters.", watchpost.MaxMessage)
		}
		request.Type = watchpost.TaskSendMessage
		input["recipient_urn"], input["message"] = lead.AuthorURL, written
	case "invite":
		if length > watchpost.MaxNote {
			return request, watchpost.Errorf(watchpost.Invalid, "A note has at most %d characters.", watchpost.MaxNote)
		}
		request.Type = watchpost.TaskConnectionRequest
		input["profile_urn"] = lead.AuthorURL
		if written != "" {
			input["note"] = written
		}
	default:
		return request, errUnknownForm()
	}
	request.Input, err = json.Marshal(input)
	return request, err
}
