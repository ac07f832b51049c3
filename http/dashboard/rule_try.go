package dashboard

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"watchpost/internal/words"
	"watchpost/watchpost"
)

// trialView is a dry run.
type trialView struct {
	Posts, Matches, Acts, Busiest int
	Held                          []string
	Texts                         []filledView
	Samples                       []triedView
}

// triedView is an action of a dry run.
type triedView struct {
	Author, Text, Comment string
	At                    moment
	Post                  watchpost.PostID
	Waits                 bool // its turn would come only after now
}

// filledView is a comment of a rule as an author would read it.
type filledView struct {
	Author, Comment string
	Post            watchpost.PostID
}

// maxTriedShown bounds the actions of a dry run that are shown.
const maxTriedShown = 5

// tried shows the dry run of a rule, unless the form asks to save exactly the rule
// whose dry run it shows.
func (d rulePages) tried(w http.ResponseWriter, r *http.Request, v *visit, f *ruleForm, rule watchpost.EngagementRule) (shown bool, err error) {
	rule.Members = nil
	for _, id := range ticked(f.Members) {
		rule.Members = append(rule.Members, watchpost.MemberID(id))
	}
	trial, err := d.Registry.TryRule(r.Context(), v.session.Team, rule)
	if err != nil {
		return false, err
	}
	f.Tried, err = nameOfTry(rule)
	save := r.PostForm.Get("do") == "save"
	if err != nil || save && r.PostForm.Get("tried") == f.Tried {
		return false, err
	}
	f.Ask, f.Trial = save, trialOf(v.say, &trial, rule.Action, d.Clock.Now())
	return true, f.render(w, http.StatusOK)
}

// nameOfTry is equal for equal rules, whenever they are made.
func nameOfTry(rule watchpost.EngagementRule) (string, error) {
	rule.CreatedAt = time.Time{}
	body, err := json.Marshal(rule)
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:8]), err
}

func trialOf(say *words.Language, t *watchpost.RuleTrial, action watchpost.Action, now time.Time) *trialView {
	view := &trialView{Posts: t.Posts, Matches: t.Matches, Acts: len(t.Acts), Busiest: t.Busiest}
	held := func(n int, why string) {
		if n > 0 {
			view.Held = append(view.Held, say.Text(why, "n", n))
		}
	}
	held(t.SecondOfAuthor, "rule.n_of_an_author_who_had")
	if action == watchpost.ActionComment {
		held(t.NoText, "rule.n_that_no_comment_fits_because")
	}
	held(t.Lapsed, "rule.n_that_had_waited_too_long")
	for _, filled := range t.Texts {
		view.Texts = append(view.Texts, filledView{filled.Post.AuthorName, filled.Text, filled.Post.ID})
	}
	for _, a := range slices.Backward(t.Acts) {
		if len(view.Samples) == maxTriedShown {
			break
		}
		at := momentOf(say, say.Date("date.short_time", say.Local(a.At)), a.At)
		if a.At.Year() != now.Year() {
			at.Text = say.Date("date.short_year_time", say.Local(a.At))
		}
		view.Samples = append(view.Samples, triedView{a.Post.AuthorName, excerptOf(a.Post.Content), a.Text, at, a.Post.ID, a.At.After(now)})
	}
	return view
}

// excerptOf is the begin of a post, in one line.
func excerptOf(content string) string {
	const most = 200
	letters := []rune(strings.Join(strings.Fields(content), " "))
	if len(letters) <= most {
		return string(letters)
	}
	return string(letters[:most]) + "…"
}
