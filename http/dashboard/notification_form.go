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
	"watchpost/internal/words"
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
func batchName(say *words.Language, d time.Duration) string {
	switch {
	case d == 0:
		return say.Text("notification.each_post_at_once")
	case d == watchpost.MaxBatchTime:
		return say.Text("notification.once_a_day")
	case d%time.Hour == 0:
		return say.Text("notification.every_n_hours", "n", int(d/time.Hour))
	case d%time.Minute == 0:
		return say.Text("notification.every_n_minutes", "n", int(d/time.Minute))
	}
	return say.Text("notification.every_time", "time", d.String())
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
		f.Errors = []fieldError{{"view", f.say.Known(errorText(err))}}
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
	f.Title, f.Kinds = v.say.Text("common.new_target"), watchpost.NotificationKinds()
	return f, f.offerViews(d.Dashboard, r, v)
}

// targetFormOf is the form with the fields of a target.
func targetFormOf(v *visit, t watchpost.NotificationTarget, lists []actors.WatchlistView) *targetForm {
	return &targetForm{
		frame: frameOf(v, "notifications", ""), Kind: targetKindOf(t.Kind), old: t, knownLists: lists, member: v.team.Team.Members,
		Name: t.Name, URL: t.URL, Chat: t.Chat, PerHour: strconv.Itoa(t.PerHour),
		conditionForm: conditionFormOf(v.say, &t.If, wordsOf), Quiet: quietFieldsOf(t.Quiet),
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
	f.Of = []choice{{Name: f.say.Text("feed.all_watchlists")}}
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
		f.Batch = append(f.Batch, choice{Value: decimal(t.Minutes()), Name: batchName(f.say, t)})
	}
	tick(f.Batch, f.batch)
	f.Alert = []choice{{Name: f.say.Text("notification.each_new_post")}}
	for _, of := range watchpost.AlertKinds {
		f.Alert = append(f.Alert, choice{Value: string(of), Name: f.say.Text(alertNames[of])})
	}
	tick(f.Alert, f.alert)
	for day := range 7 {
		day = (day + 1) % 7 // the week begins on Monday
		f.Quiet.Days = append(f.Quiet.Days, choice{Value: strconv.Itoa(day), Name: f.say.Weekday(time.Weekday(day), false), On: strings.Contains(f.Quiet.days, strconv.Itoa(day))})
	}
	if len(f.Errors) > 0 {
		f.Title = errorTitle(f.say, f.Title)
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
		t.Name = f.say.Known(f.Kind.Title)
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
	row := targetRowOf(v.say, &made.View, f.knownLists, d.Clock.Now())
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
	"name": "conditions.name_length", "url": "notification.enter_the_whole_address_with_https",
	"bot_token": "notification.enter_the_token_that_the_bot", "chat_id": "notification.enter_the_number_or_name_of", "user_emails": "notification.choose_1_to_emails_members",
	"labels": "notification.enter_at_most_values_labels", "sentiments": "notification.choose_from_the_list", "seniority_levels": "notification.choose_from_the_list",
	"min_relevance": "notification.enter_a_number_from_0_to", "languages": "notification.enter_languages_as_in_english",
	"authors": "notification.enter_the_address_of_a_profile", "keyword": "notification.a_keyword_has_at_most_keyword",
	"max_age_hours": "notification.enter_a_number_of_hours_2160", "batch_minutes": "notification.choose_from_the_list",
	"quiet_hours":  "notification.enter_both_times_as_in_20",
	"max_per_hour": "notification.enter_a_number_from_1_to",
	"alert.of":     "notification.choose_which_days", "alert.minimum": "notification.alert_minimum_range",
}

// alertErrors say what a condition of the form takes with an alert.
var alertErrors = map[string]string{
	"min_relevance": "notification.alert_has_no_relevance", "max_age_hours": "notification.alert_counts_whole_days",
	"sentiments": "notification.alert_of_negative_posts",
}

// bounds are the arguments of the texts that say what a field takes.
func bounds(say *words.Language) []any {
	return []any{
		"name", watchpost.MaxName, "emails", watchpost.MaxTargetEmails, "values", watchpost.MaxConditionValues, "keyword", watchpost.MaxKeyword,
		"hourly", watchpost.MaxPerHour, "templates", watchpost.MaxTemplates, "comment", strconv.Itoa(watchpost.MaxComment), "variables", say.List(watchpost.TemplateVariables()...),
		"daily", watchpost.MaxAlertMinimum,
	}
}

// refused shows the form with its error.
func (f *targetForm) refused(w http.ResponseWriter, err error) error {
	text := errorText(err)
	switch watchpost.KindOf(err) {
	case watchpost.Invalid:
		if m := invalidField.FindStringSubmatch(text); m != nil && targetErrors[m[1]] != "" {
			id := targetErrors[m[1]]
			if alertErrors[m[1]] != "" && f.alert != "" {
				id = alertErrors[m[1]]
			}
			f.Errors = []fieldError{{m[1], f.say.Text(id, bounds(f.say)...)}}
			break
		}
		f.Errors = []fieldError{{"name", f.say.Known(text)}}
	case watchpost.Conflict:
		f.Errors = []fieldError{{"name", f.say.Known(text) + ". " + f.say.Text("conditions.delete_one")}}
	case watchpost.NotFound:
		f.Errors = []fieldError{{"of", f.say.Text("notification.the_watchlist_or_a_member_is")}}
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
