package dashboard

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"watchpost/actors"
	"watchpost/watchpost"
)

// targetForm makes or changes a notification target. Nothing typed is lost but the
// token of a bot, which no page shows.
type targetForm struct {
	frame
	Kinds []*watchpost.NotificationKind // none when a target is changed
	Kind  *watchpost.NotificationKind
	Row   *targetRow // the target that is changed
	Log   []deliveryRow
	Sent  *deliveryRow // the message that was sent just now
	// Secret is the key of a new webhook's signatures, which is shown once.
	Secret string
	Errors []fieldError

	Name, URL, Chat, PerHour string
	conditionForm
	Of, Emails, Batch       []choice
	Quiet                   quietFields
	Alert                   []choice
	AlertMinimum            string
	FromTrends, TrendsList  string // alert and watchlist of the link that led here
	Tried                   string // of which days the alert would have told
	alert                   string
	token, watchlist, batch string
	emails                  []string
	old                     watchpost.NotificationTarget
	knownLists              []actors.WatchlistView
	member                  []watchpost.Member
}

// quietFields are the quiet hours as they are typed.
type quietFields struct {
	From, Until, Zone string
	Days              []choice
	days              string
}

// batches are the times of gathering that the form offers.
var batches = []time.Duration{0, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 4 * time.Hour, 12 * time.Hour, watchpost.MaxBatchTime}

// batchName says how long posts are gathered.
func batchName(d time.Duration) string {
	switch {
	case d == 0:
		return "Each post at once"
	case d == watchpost.MaxBatchTime:
		return "Once a day"
	case d%time.Hour == 0:
		return "Every " + plural(int(d/time.Hour), "hour")
	case d%time.Minute == 0:
		return "Every " + plural(int(d/time.Minute), "minute")
	}
	return "Every " + d.String()
}

// newTarget shows the form of a new target.
func (d notificationPages) newTarget(w http.ResponseWriter, r *http.Request, v *visit) error {
	f, err := d.blankTarget(r, v, r.URL.Query().Get("kind"))
	if err != nil {
		return err
	}
	f.alertFromTrends(r.URL.Query())
	if f.Filters, err = fillFromFeed(d.Dashboard, r, f.fill); err != nil {
		return err
	}
	return f.render(w, http.StatusOK)
}

// alertFromTrends chooses the alert, and the watchlist, that a link of the page of trends
// names; others stay as they are.
func (f *targetForm) alertFromTrends(q url.Values) {
	if of := watchpost.AlertKind(q.Get("alert")); alertNames[of] != "" {
		f.alert, f.watchlist = string(of), q.Get("list")
		f.FromTrends, f.TrendsList = f.alert, f.watchlist
	}
}

// fill fills the form with the filters of a feed. A target keeps its watchlist once it is made.
func (f *targetForm) fill(t *takenView, from string) {
	f.watchlist = t.list(f.watchlist, func(id string) bool {
		return id == f.watchlist || f.Row == nil && slices.ContainsFunc(f.knownLists, func(l actors.WatchlistView) bool { return string(l.Watchlist.ID) == id })
	})
	f.conditionForm.fill(t, from)
}

// filled shows the form with the saved view that was chosen in it.
func (d notificationPages) filled(w http.ResponseWriter, r *http.Request, f *targetForm) error {
	taken, name, err := f.chosenView(d.Dashboard, r)
	if err != nil {
		f.Errors = []fieldError{{"view", errorText(err)}}
		return f.render(w, http.StatusUnprocessableEntity)
	}
	f.fill(&taken, name)
	return f.render(w, http.StatusOK)
}

func (d notificationPages) blankTarget(r *http.Request, v *visit, kind string) (*targetForm, error) {
	lists, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListWatchlists{})
	if err != nil {
		return nil, err
	}
	of := targetKindOf(watchpost.TargetKind(kind))
	t := watchpost.NotificationTarget{Kind: of.Kind, Batch: of.Batch, PerHour: watchpost.DefaultPerHour}
	if t.Kind.Needs(watchpost.TargetUsers) {
		t.Emails = []string{v.member.Email}
	}
	f := targetFormOf(v, t, lists)
	f.Title, f.Kinds = "New target", watchpost.NotificationKinds()
	return f, f.offerViews(d.Dashboard, r, v)
}

// targetFormOf is the form with the fields of a target.
func targetFormOf(v *visit, t watchpost.NotificationTarget, lists []actors.WatchlistView) *targetForm {
	return &targetForm{
		frame: frameOf(v, "notifications", ""), Kind: targetKindOf(t.Kind), old: t, knownLists: lists, member: v.team.Team.Members,
		Name: t.Name, URL: t.URL, Chat: t.Chat, PerHour: strconv.Itoa(t.PerHour),
		conditionForm: conditionFormOf(&t.If, wordsOf), Quiet: quietFieldsOf(t.Quiet),
		alert: string(t.Alert.Of), AlertMinimum: strconv.Itoa(cmp.Or(t.Alert.Minimum, watchpost.DefaultAlertMinimum)),
		watchlist: string(t.Watchlist), batch: strconv.FormatFloat(t.Batch.Minutes(), 'f', -1, 64),
		emails: t.Emails,
	}
}

// someNumber writes a number; 0 is none.
func someNumber(n float64) string {
	if n == 0 {
		return ""
	}
	return decimal(n)
}

func quietFieldsOf(h watchpost.DailyHours) quietFields {
	q := quietFields{Zone: h.Zone}
	if h.From != 0 || h.Until != 0 || len(h.Days) > 0 {
		clock := func(m int) string { return fmt.Sprintf("%02d:%02d", m/60%24, m%60) }
		q.From, q.Until = clock(h.From), clock(h.Until)
	}
	for _, day := range h.Days {
		q.days += strconv.Itoa(int(day))
	}
	return q
}

// hours returns the quiet hours, not yet cleaned. Without times they are whole days.
func (q quietFields) hours() watchpost.DailyHours {
	h := watchpost.DailyHours{Zone: strings.TrimSpace(q.Zone)}
	for _, day := range q.days {
		h.Days = append(h.Days, time.Weekday(day-'0'))
	}
	if q.From == "" && q.Until == "" {
		return h
	}
	from, ok := watchpost.ParseMinutes(q.From)
	until, also := watchpost.ParseMinutes(q.Until)
	if h.From, h.Until = from, until; !ok || !also {
		h.From = -1
	}
	return h
}

// render writes the form, with its choices as they are chosen.
func (f *targetForm) render(w http.ResponseWriter, status int) error {
	f.Of = []choice{{Name: "All watchlists"}}
	for _, l := range f.knownLists {
		f.Of = append(f.Of, choice{Value: string(l.Watchlist.ID), Name: l.Watchlist.Name})
	}
	tick(f.Of, f.watchlist)
	for _, m := range f.member {
		f.Emails = append(f.Emails, choice{Value: m.Email, Name: nameOf(m)})
	}
	tick(f.Emails, f.emails...)
	times := slices.Clone(batches)
	if !slices.Contains(times, f.old.Batch) {
		times = append(times, f.old.Batch)
	}
	slices.Sort(times)
	for _, t := range times {
		f.Batch = append(f.Batch, choice{Value: decimal(t.Minutes()), Name: batchName(t)})
	}
	tick(f.Batch, f.batch)
	f.Alert = []choice{{Name: "Each new post"}}
	for _, of := range watchpost.AlertKinds {
		f.Alert = append(f.Alert, choice{Value: string(of), Name: alertNames[of]})
	}
	tick(f.Alert, f.alert)
	for day := range 7 {
		day = (day + 1) % 7 // the week begins on Monday
		f.Quiet.Days = append(f.Quiet.Days, choice{Value: strconv.Itoa(day), Name: time.Weekday(day).String(), On: strings.Contains(f.Quiet.days, strconv.Itoa(day))})
	}
	if len(f.Errors) > 0 {
		f.Title = "Error: " + f.Title
	}
	return render(w, status, "notification.html", f)
}

// tick chooses the choices with these values.
func tick(choices []choice, values ...string) {
	for i := range choices {
		choices[i].On = slices.Contains(values, choices[i].Value)
	}
}

// take fills the form with the sent values.
func (f *targetForm) take(form url.Values) {
	f.Name, f.URL, f.Chat, f.token = form.Get("name"), strings.TrimSpace(form.Get("url")), form.Get("chat_id"), strings.TrimSpace(form.Get("bot_token"))
	f.conditionForm.take(form)
	f.PerHour, f.watchlist, f.batch, f.emails = form.Get("max_per_hour"), form.Get("of"), form.Get("batch_minutes"), form["user_emails"]
	f.alert, f.AlertMinimum = form.Get("alert.of"), form.Get("alert.minimum")
	f.Quiet = quietFields{From: form.Get("quiet_from"), Until: form.Get("quiet_until"), Zone: form.Get("time_zone")}
	for day := range 7 {
		if slices.Contains(form["quiet_days"], strconv.Itoa(day)) {
			f.Quiet.days += strconv.Itoa(day)
		}
	}
}

// patch is the change that the form makes, of every field; hours of the day that are
// as they were shown stay. A text that is no number becomes one out of bounds.
func (f *targetForm) patch() watchpost.TargetPatch {
	p := watchpost.TargetPatch{
		Name: &f.Name, URL: &f.URL, Chat: &f.Chat, Emails: &f.emails,
		If:      f.conditions(),
		Alert:   new(f.alertOf()),
		Batch:   new(time.Duration(numberIn(f.batch, 24*60, 0) * float64(time.Minute))),
		PerHour: new(int(numberIn(f.PerHour, watchpost.MaxPerHour, watchpost.DefaultPerHour))),
	}
	if shown := quietFieldsOf(f.old.Quiet); shown.From != f.Quiet.From || shown.Until != f.Quiet.Until || shown.Zone != f.Quiet.Zone || shown.days != f.Quiet.days {
		p.Quiet = new(f.Quiet.hours())
	}
	return p
}

// alertOf is the alert of the form, not yet cleaned; without one the minimum does not matter.
func (f *targetForm) alertOf() watchpost.Alert {
	if f.alert == "" {
		return watchpost.Alert{}
	}
	return watchpost.Alert{Of: watchpost.AlertKind(f.alert), Minimum: int(numberIn(f.AlertMinimum, watchpost.MaxAlertMinimum, watchpost.DefaultAlertMinimum))}
}

// numberIn reads a number from 0 to most; -1 for any other text, otherwise for none.
func numberIn(s string, most, otherwise float64) float64 {
	if s = strings.TrimSpace(s); s == "" {
		return otherwise
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || !(n >= 0 && n <= most) {
		return -1
	}
	return n
}

// makeTarget makes a target. The page with the secret of a webhook is not stored,
// and does not show it when it is loaded again.
func (d notificationPages) makeTarget(w http.ResponseWriter, r *http.Request, v *visit) error {
	f, err := d.blankTarget(r, v, r.PostFormValue("kind"))
	if err != nil {
		return err
	}
	f.take(r.PostForm)
	if r.PostForm.Get("do") == "fill" {
		return d.filled(w, r, f)
	}
	if r.PostForm.Get("do") == "try" {
		return d.tried(w, r, v, f)
	}
	patch := f.patch()
	t := patch.Apply(f.old)
	t.Watchlist = watchpost.WatchlistID(f.watchlist)
	if strings.TrimSpace(t.Name) == "" {
		t.Name = f.Kind.Title
	}
	if len(f.token) > maxBotToken {
		return f.refused(w, watchpost.Errorf(watchpost.Invalid, "Invalid 'bot_token'"))
	}
	made, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.CreateTarget{Target: t, Secret: f.token})
	if err != nil {
		return f.refused(w, err)
	}
	at := pathNotifications + "/" + string(made.Target.ID)
	if made.Secret == "" {
		http.Redirect(w, r, at, http.StatusSeeOther)
		return nil
	}
	shown := targetFormOf(v, made.Target, f.knownLists)
	shown.Views = f.Views
	row := targetRowOf(&made.View, f.knownLists, d.Clock.Now())
	shown.Title, shown.Row, shown.Secret = row.Name, &row, made.Secret
	return shown.render(w, http.StatusOK)
}

// maxBotToken bounds the token of a bot.
const maxBotToken = 200

// saveTarget saves the form of a target. Its watchlist and token stay.
func (d notificationPages) saveTarget(w http.ResponseWriter, r *http.Request, v *visit) error {
	f, err := d.targetForm(r, v)
	if err != nil {
		return err
	}
	f.take(r.PostForm)
	f.watchlist = string(f.old.Watchlist)
	if r.PostForm.Get("do") == "fill" {
		return d.filled(w, r, f)
	}
	if r.PostForm.Get("do") == "try" {
		return d.tried(w, r, v, f)
	}
	if _, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.UpdateTarget{ID: f.old.ID, Patch: f.patch()}); err != nil {
		return f.refused(w, err)
	}
	http.Redirect(w, r, pathNotifications+"/"+string(f.old.ID), http.StatusSeeOther)
	return nil
}

// invalidField is the error of a field.
var invalidField = regexp.MustCompile(`^Invalid '([\w.]+)'$`)

// targetErrors say what a field of the form takes.
var targetErrors = map[string]string{
	"name": fmt.Sprintf("A name has 1 to %d characters.", watchpost.MaxName), "url": "Enter the whole address, with https.",
	"bot_token": "Enter the token that the bot was given.", "chat_id": "Enter the number or @name of the chat.", "user_emails": fmt.Sprintf("Choose 1 to %d members.", watchpost.MaxTargetEmails),
	"labels": fmt.Sprintf("Enter at most %d labels.", watchpost.MaxConditionValues), "sentiments": "Choose from the list.", "seniority_levels": "Choose from the list.",
	"min_relevance": "Enter a number from 0 to 10.", "languages": "Enter languages as in: English, German.",
	"authors": "Enter the address of a profile or company on each line.", "keyword": fmt.Sprintf("A keyword has at most %d characters.", watchpost.MaxKeyword),
	"max_age_hours": "Enter a number of hours, 2160 at most.", "batch_minutes": "Choose from the list.",
	"quiet_hours":  "Enter both times as in 20:00, and a time zone as in Europe/Berlin. Some time of the week stays for messages.",
	"max_per_hour": fmt.Sprintf("Enter a number from 1 to %d.", watchpost.MaxPerHour),
	"alert.of":     "Choose which days to tell of.", "alert.minimum": fmt.Sprintf("Enter a number from 1 to %d.", watchpost.MaxAlertMinimum),
}

// alertErrors say what a condition of the form takes with an alert.
var alertErrors = map[string]string{
	"min_relevance": "An alert does not count by relevance: leave it empty.", "max_age_hours": "An alert counts whole days: leave it empty.",
	"sentiments": "Negative posts have no other sentiment: choose negative, or none.",
}

// refused shows the form with its error.
func (f *targetForm) refused(w http.ResponseWriter, err error) error {
	text := errorText(err)
	switch watchpost.KindOf(err) {
	case watchpost.Invalid:
		if m := invalidField.FindStringSubmatch(text); m != nil && targetErrors[m[1]] != "" {
			f.Errors = []fieldError{{m[1], targetErrors[m[1]]}}
			if text := alertErrors[m[1]]; text != "" && f.alert != "" {
				f.Errors[0].Text = text
			}
			break
		}
		f.Errors = []fieldError{{"name", text}}
	case watchpost.Conflict:
		f.Errors = []fieldError{{"name", text + ". Delete one to make another."}}
	case watchpost.NotFound:
		f.Errors = []fieldError{{"of", "The watchlist or a member is there no more."}}
	default:
		return err
	}
	return f.render(w, http.StatusUnprocessableEntity)
}

// Error returns the error of a field.
func (f *targetForm) Error(field string) string {
	for _, e := range f.Errors {
		if e.Field == field {
			return e.Text
		}
	}
	return ""
}
