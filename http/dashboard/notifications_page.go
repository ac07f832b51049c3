package dashboard

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"watchpost/actors"
	"watchpost/internal/words"
	"watchpost/watchpost"
	"watchpost/watchpost/trend"
)

// notificationsPage lists the notification targets of the team.
type notificationsPage struct {
	frame
	Targets []targetRow
	Failing []targetRow
	Log     []deliveryRow // the latest, of all targets
	Undo    *undoView
	Most    int
}

// targetRow is a notification target in a list, and on its own page.
type targetRow struct {
	ID                         watchpost.TargetID
	Name, Icon, Kind, Href     string
	Rule                       string
	State, Class, Sign, Detail string
	Since                      moment // of the failures
	Last, Why, Then            string // the message that failed, why, and what becomes of it
	Waiting                    int
	Paused                     bool // by a member
	Stopped                    bool // by failures
	OfWatchlist                bool // the address is a field of a watchlist
	Deleting, Undo             bool // a deletion waits, and can be taken back
}

// targetKindOf returns a kind; an unknown one is the first.
func targetKindOf(kind watchpost.TargetKind) *watchpost.NotificationKind {
	return cmp.Or(watchpost.NotificationKindOf(kind), watchpost.NotificationKinds()[0])
}

// Tells says in a sentence whom targets can tell.
func (p notificationsPage) Tells() string {
	all := watchpost.NotificationKinds()
	names := make([]string, len(all))
	for i, kind := range all {
		names[i] = p.say.Known(kind.Tells)
	}
	last := len(names) - 1
	return p.say.Text("notifications.names_or_last", "names", p.say.List(names[:last]...), "last", names[last])
}

func (d notificationPages) notifications(w http.ResponseWriter, r *http.Request, v *visit) error {
	views, lists, err := d.targets(r, v)
	if err != nil {
		return err
	}
	page := notificationsPage{frame: frameOf(v, "notifications", v.say.Text("layout.notifications")), Most: watchpost.MaxNotificationTargets}
	var waits []deletion
	for i := range views {
		row := targetRowOf(v.say, &views[i], lists, d.Clock.Now())
		page.Targets = append(page.Targets, row)
		waits = append(waits, deletion{row.Name, row.Href, views[i].DeletedAt})
		if views[i].Failing() {
			page.Failing = append(page.Failing, row)
		}
	}
	page.Undo = undoDeletion(v, waits, pathNotifications, d.Clock.Now())
	log, err := d.Registry.Deliveries(r.Context(), v.session.Team, "")
	if err != nil {
		return err
	}
	for i := range log[:min(len(log), latestDeliveries)] {
		row := deliveryRowOf(v.say, &log[i].Delivery, d.Clock.Now())
		for j := range page.Targets {
			if page.Targets[j].ID == log[i].Target {
				row.Target = &page.Targets[j]
				page.Log = append(page.Log, row)
			}
		}
	}
	return renderLive(w, r, "notifications.html", page)
}

// latestDeliveries bounds the log of all targets on the page.
const latestDeliveries = 20

// targets returns the targets of the team and its watchlists.
func (d notificationPages) targets(r *http.Request, v *visit) ([]actors.TargetView, []actors.WatchlistView, error) {
	lists, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListWatchlists{})
	if err != nil {
		return nil, nil, err
	}
	views, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListTargets{})
	return views, lists, err
}

// targetRowOf describes a target and how it stands.
func targetRowOf(say *words.Language, v *actors.TargetView, lists []actors.WatchlistView, now time.Time) targetRow {
	t, kind := &v.Target, targetKindOf(v.Target.Kind)
	row := targetRow{
		ID: t.ID, Name: t.Name, Icon: kind.Icon, Kind: say.Known(kind.Title), Href: pathNotifications + "/" + string(t.ID), Rule: targetRule(say, t, lists),
		Waiting: v.Waiting, Paused: t.Disabled, Stopped: v.Paused != "", OfWatchlist: v.OfWatchlist, Deleting: !v.DeletedAt.IsZero(), Undo: v.DeletedAt.After(now),
		State: say.Text("notifications.ready"), Class: "good", Sign: "check", Detail: say.Text("notifications.nothing_was_delivered_yet"),
	}
	if row.Deleting {
		row.State, row.Class, row.Sign, row.Detail = say.Text("common.being_deleted"), "wait", "clock", say.Text("notifications.goes_in_a_few_seconds")
		return row
	}
	if !v.DeliveredAt.IsZero() {
		row.State, row.Detail = say.Text("notifications.delivering"), say.Text("notifications.last_delivery_ago", "ago", agoOrNow(say, v.DeliveredAt, now))
	}
	next := ""
	if v.NextAt.After(now) {
		next = clockTime(say, v.NextAt, now)
	}
	if v.Failing() {
		row.State, row.Class, row.Sign = say.Text("notifications.failing"), "bad", "warn"
		row.addFailure(say, v, now)
	}
	switch {
	case t.Disabled:
		row.State, row.Class, row.Sign = say.Text("notifications.paused_by_a_member"), "wait", "pause"
	case v.Paused != "":
		row.State, row.Sign = say.Text("notifications.paused_after_failures"), "pause"
	case v.Failing():
		if v.Current != nil && next != "" {
			row.Detail += " " + say.Text("notifications.next_try_at_at", "at", next)
		}
	case v.Waiting > 0:
		row.State, row.Class, row.Sign = say.Text("notifications.waiting"), "wait", "clock"
		if next != "" {
			row.State = say.Text("notifications.waiting_until_until", "until", next)
		}
	}
	if v.Waiting > 0 {
		row.Detail += " " + say.Text("notifications.n_posts_kept", "n", v.Waiting)
	}
	if v.Dropped > 0 {
		row.Detail += " " + say.Text("notifications.n_posts_dropped_as_too_many", "n", v.Dropped)
	}
	return row
}

// addFailure says which message failed, when and why, and what becomes of it.
func (row *targetRow) addFailure(say *words.Language, v *actors.TargetView, now time.Time) {
	row.Last, row.Why, row.Then = say.Text("notifications.the_last_message"), say.Known(v.Paused), say.Text("notifications.the_log_has_what_was_not")
	switch {
	case v.Paused != "":
	case v.Current != nil && v.Current.Error != "":
		row.Why = say.Known(v.Current.Error)
	case v.Failed.Kind == "test":
		row.Last, row.Why = say.Text("notifications.the_test_message_of_at", "at", clockTime(say, v.Failed.At, now)), say.Known(v.Failed.Error)
		row.Then = say.Text("notifications.it_counts_as_failing_until_a")
	default:
		row.Last, row.Why = say.Text("notifications.the_message_that_was_sent_again", "at", clockTime(say, v.Failed.At, now)), say.Known(v.Failed.Error)
	}
	if v.Waiting > 0 {
		row.Then = say.Text("notifications.n_posts_kept_they_go_out", "n", v.Waiting)
	}
	if !v.FailingSince.IsZero() {
		row.Since = momentOf(say, ago(say, v.FailingSince, now), v.FailingSince)
	}
}

func agoOrNow(say *words.Language, t, now time.Time) string {
	if now.Sub(t) < time.Minute {
		return say.Text("time.just_now")
	}
	return ago(say, t, now)
}

// targetRule says in a few words which posts go where, and when.
func targetRule(say *words.Language, t *watchpost.NotificationTarget, lists []actors.WatchlistView) string {
	of := say.Text("feed.all_watchlists")
	for _, l := range lists {
		if l.Watchlist.ID == t.Watchlist {
			of = l.Watchlist.Name
		}
	}
	rule := of
	if parts := conditionTexts(say, &t.If); len(parts) > 0 {
		rule += ": " + strings.Join(parts, "; ")
	}
	when := batchName(say, t.Batch)
	if t.Alert.Of != "" {
		when = say.Text("notifications.alert_from", "alert", say.Text(alertNames[t.Alert.Of]), "minimum", t.Alert.Minimum)
	}
	rule += ". " + say.Text("notifications.when_at_most_most_messages_an", "when", when, "most", t.PerHour)
	if u, err := url.Parse(t.URL); err == nil && u.Host != "" {
		rule += " " + say.Text("notifications.to_whom", "whom", u.Host)
	}
	if len(t.Emails) > 0 {
		rule += " " + say.Text("notifications.to_whom", "whom", some(say, t.Emails))
	}
	return rule
}

// deliveryRow is an entry of the log of a target.
type deliveryRow struct {
	ID                      string
	At                      moment
	What                    string
	Posts                   []watchpost.PostID
	State, Class, Icon, Why string
	Again                   bool       // its posts can be sent again
	Target                  *targetRow // in the log of all targets
}

func deliveryRowOf(say *words.Language, d *watchpost.Delivery, now time.Time) deliveryRow {
	row := deliveryRow{
		ID: d.ID, At: momentOf(say, clockTime(say, d.At, now), d.At), What: plural(say, len(d.Posts), "post"), Posts: d.Posts,
		State: say.Text("notifications.delivered"), Class: "good", Icon: "check", Again: len(d.Posts) > 0,
	}
	switch d.Kind {
	case "test":
		row.What = say.Text("notifications.test_message")
	case "alert", "replay":
		if d.Alert != nil {
			row.What = alertText(say, d.Alert)
		}
		if d.Kind == "replay" {
			row.What = say.List(row.What, say.Text("notifications.sent_again"))
		}
	}
	if d.Attempts > 1 {
		row.What = say.List(row.What, plural(say, d.Attempts, "attempt"))
	}
	switch d.State {
	case watchpost.DeliveryFailed:
		row.State, row.Class, row.Icon, row.Why = say.Text("notifications.failed"), "bad", "x", say.Known(d.Error)
	case watchpost.DeliveryPending:
		row.State, row.Class, row.Icon, row.Why = say.Text("notifications.to_be_tried_again"), "wait", "clock", say.Known(d.Error)
		if !d.NotBefore.IsZero() {
			row.State = say.Text("notifications.next_try", "at", clockTime(say, d.NotBefore, now))
		}
	}
	return row
}

// alertText says what an alert told.
func alertText(say *words.Language, a *watchpost.Alerted) string {
	arguments := []any{"count", a.Count, "day", say.Date("date.day", a.Day), "usual", say.Decimal(a.Usual)}
	if a.Of == watchpost.AlertNegativeSurge {
		return say.Text("notifications.negative_posts_on_a_day", arguments...)
	}
	return say.Text("notifications.posts_on_a_day", arguments...)
}

// alertNames are the texts that say which days an alert reports.
var alertNames = map[watchpost.AlertKind]string{
	watchpost.AlertSpike: "notification.days_with_more_posts", watchpost.AlertNegativeSurge: "notification.days_with_more_negative_posts",
}

// tried shows the form with the days that its alert would have reported. Fields that say
// where a message goes are not looked at.
func (d notificationPages) tried(w http.ResponseWriter, r *http.Request, v *visit, f *targetForm) error {
	patch := f.patch()
	t := patch.Apply(f.old)
	t.Watchlist = watchpost.WatchlistID(f.watchlist)
	err := t.CleanCounted()
	if err == nil && t.Alert.Of == "" {
		err = watchpost.Errorf(watchpost.Invalid, "Invalid 'alert.of'")
	}
	if err != nil {
		return f.refused(w, err)
	}
	days, err := d.Registry.TryAlert(r.Context(), v.session.Team, &t)
	if err != nil {
		return err
	}
	f.Tried = triedText(f.say, days)
	return f.render(w, http.StatusOK)
}

// maxTriedDays bounds the days that are named, the newest first.
const maxTriedDays = 10

// triedText names the days that an alert would have reported.
func triedText(say *words.Language, days []trend.Spike) string {
	text := say.Text("notifications.this_would_have_told_you", "n", len(days))
	var names []string
	for _, s := range slices.Backward(days) {
		if len(names) < maxTriedDays {
			names = append(names, say.Date("date.day", s.At))
		}
	}
	if len(names) == 0 {
		return text + "."
	}
	if more := len(days) - len(names); more > 0 {
		names = append(names, say.Text("notifications.earlier_days", "n", more))
	}
	return text + ": " + say.List(names...) + "."
}

// targetOf returns the target that a path names (NotFound), and the watchlists.
func (d notificationPages) targetOf(r *http.Request, v *visit) (actors.TargetView, []actors.WatchlistView, error) {
	views, lists, err := d.targets(r, v)
	if err != nil {
		return actors.TargetView{}, nil, err
	}
	i := slices.IndexFunc(views, func(t actors.TargetView) bool { return string(t.Target.ID) == r.PathValue("id") })
	if i < 0 {
		return actors.TargetView{}, nil, watchpost.Errorf(watchpost.NotFound, watchpost.TextTargetNotFound)
	}
	return views[i], lists, nil
}

// showTarget shows a target with its form and log.
func (d notificationPages) showTarget(w http.ResponseWriter, r *http.Request, v *visit) error {
	f, err := d.targetForm(r, v)
	if err != nil {
		return err
	}
	if sent := r.URL.Query().Get("sent"); sent != "" {
		for i := range f.Log {
			if f.Log[i].ID == sent {
				f.Sent = &f.Log[i]
			}
		}
	}
	return f.render(w, http.StatusOK)
}

// targetForm is the form of the target that a path names.
func (d notificationPages) targetForm(r *http.Request, v *visit) (*targetForm, error) {
	view, lists, err := d.targetOf(r, v)
	if err != nil {
		return nil, err
	}
	log, err := d.Registry.Deliveries(r.Context(), v.session.Team, view.Target.ID)
	if err != nil {
		return nil, err
	}
	f := targetFormOf(v, view.Target, lists)
	row := targetRowOf(v.say, &view, lists, d.Clock.Now())
	f.Title, f.Row = row.Name, &row
	for i := range log {
		f.Log = append(f.Log, deliveryRowOf(v.say, &log[i].Delivery, d.Clock.Now()))
	}
	return f, f.offerViews(d.Dashboard, r, v)
}

// changeTarget saves the form of a target, or does what a button asks for.
func (d notificationPages) changeTarget(w http.ResponseWriter, r *http.Request, v *visit) error {
	view, _, err := d.targetOf(r, v)
	if err != nil {
		return err
	}
	ctx, team, id := r.Context(), v.session.Team, view.Target.ID
	to := pathNotifications + "/" + string(id)
	switch do := r.PostFormValue("do"); do {
	case "test", "replay":
		send := actors.SendNow{ID: id}
		if do == "replay" {
			if send.Delivery = r.PostFormValue("delivery"); send.Delivery == "" {
				return watchpost.Errorf(watchpost.NotFound, "Delivery not found")
			}
		}
		sent, err := actors.Ask(ctx, d.Registry, team, send)
		if err != nil {
			return err
		}
		to += "?sent=" + url.QueryEscape(sent.ID)
	case "pause", "resume":
		_, err = actors.Ask(ctx, d.Registry, team, actors.UpdateTarget{ID: id, Patch: watchpost.TargetPatch{Disabled: new(do == "pause")}})
	case "delete", "undo":
		return deleteLater(d.Dashboard, w, r, v, actors.DeletableTarget, string(id), pathNotifications)
	default:
		return d.saveTarget(w, r, v)
	}
	if err != nil {
		return err
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}
