package dashboard

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"watchpost/actors"
	"watchpost/watchpost"
	"watchpost/watchpost/trend"
)

// notificationsPage lists the notification targets of the team.
type notificationsPage struct {
	frame
	Targets []targetRow
	Failing []targetRow
	Log     []deliveryRow // the latest, of all targets
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
}

// targetKindOf returns a kind; an unknown one is the first.
func targetKindOf(kind watchpost.TargetKind) *watchpost.NotificationKind {
	return cmp.Or(watchpost.NotificationKindOf(kind), watchpost.NotificationKinds()[0])
}

// Tells says in a sentence whom targets can tell.
func (notificationsPage) Tells() string {
	all := watchpost.NotificationKinds()
	var b strings.Builder
	for i, kind := range all {
		switch i {
		case 0:
		case len(all) - 1:
			b.WriteString(", or ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(kind.Tells)
	}
	return b.String()
}

func (d notificationPages) notifications(w http.ResponseWriter, r *http.Request, v *visit) error {
	views, lists, err := d.targets(r, v)
	if err != nil {
		return err
	}
	page := notificationsPage{frame: frameOf(v, "notifications", "Notifications"), Most: watchpost.MaxNotificationTargets}
	for i := range views {
		row := targetRowOf(&views[i], lists, d.Clock.Now())
		page.Targets = append(page.Targets, row)
		if views[i].Failing() {
			page.Failing = append(page.Failing, row)
		}
	}
	log, err := d.Registry.Deliveries(r.Context(), v.session.Team, "")
	if err != nil {
		return err
	}
	for i := range log[:min(len(log), latestDeliveries)] {
		row := deliveryRowOf(&log[i].Delivery, d.Clock.Now())
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
func targetRowOf(v *actors.TargetView, lists []actors.WatchlistView, now time.Time) targetRow {
	t, kind := &v.Target, targetKindOf(v.Target.Kind)
	row := targetRow{
		ID: t.ID, Name: t.Name, Icon: kind.Icon, Kind: kind.Title, Href: pathNotifications + "/" + string(t.ID), Rule: targetRule(t, lists),
		Waiting: v.Waiting, Paused: t.Disabled, Stopped: v.Paused != "", OfWatchlist: v.OfWatchlist,
		State: "Ready", Class: "good", Sign: "check", Detail: "Nothing was delivered yet.",
	}
	if !v.DeliveredAt.IsZero() {
		row.State, row.Detail = "Delivering", "Last delivery "+agoOrNow(v.DeliveredAt, now)+"."
	}
	next := ""
	if v.NextAt.After(now) {
		next = " until " + clockTime(v.NextAt, now)
	}
	if v.Failing() {
		row.State, row.Class, row.Sign = "Failing", "bad", "warn"
		row.addFailure(v, now)
	}
	switch {
	case t.Disabled:
		row.State, row.Class, row.Sign = "Paused by a member", "wait", "pause"
	case v.Paused != "":
		row.State, row.Sign = "Paused after failures", "pause"
	case v.Failing():
		if v.Current != nil && next != "" {
			row.Detail += " Next try at" + strings.TrimPrefix(next, " until") + "."
		}
	case v.Waiting > 0:
		row.State, row.Class, row.Sign = "Waiting"+next, "wait", "clock"
	}
	if v.Waiting > 0 {
		row.Detail += " " + plural(v.Waiting, "post") + " kept."
	}
	if v.Dropped > 0 {
		row.Detail += " " + plural(v.Dropped, "post") + " dropped, as too many waited."
	}
	return row
}

// addFailure says which message failed, when and why, and what becomes of it.
func (row *targetRow) addFailure(v *actors.TargetView, now time.Time) {
	row.Last, row.Why, row.Then = "The last message", v.Paused, "The log has what was not delivered, to be sent again."
	switch {
	case v.Paused != "":
	case v.Current != nil && v.Current.Error != "":
		row.Why = v.Current.Error
	case v.Failed.Kind == "test":
		row.Last, row.Why = "The test message of "+clockTime(v.Failed.At, now), v.Failed.Error
		row.Then = "It counts as failing until a message is delivered."
	default:
		row.Last, row.Why = "The message that was sent again at "+clockTime(v.Failed.At, now), v.Failed.Error
	}
	if v.Waiting > 0 {
		row.Then = plural(v.Waiting, "post") + " kept; they go out in order once it works."
	}
	if !v.FailingSince.IsZero() {
		row.Since = momentOf(ago(v.FailingSince, now), v.FailingSince)
	}
}

func agoOrNow(t, now time.Time) string {
	if text := ago(t, now); text != "now" {
		return text
	}
	return "just now"
}

// targetRule says in a few words which posts go where, and when.
func targetRule(t *watchpost.NotificationTarget, lists []actors.WatchlistView) string {
	of := "All watchlists"
	for _, l := range lists {
		if l.Watchlist.ID == t.Watchlist {
			of = l.Watchlist.Name
		}
	}
	rule := of
	if parts := conditionTexts(&t.If); len(parts) > 0 {
		rule += ": " + strings.Join(parts, "; ")
	}
	when := batchName(t.Batch)
	if t.Alert.Of != "" {
		when = alertNames[t.Alert.Of] + ", from " + number(t.Alert.Minimum) + " posts on"
	}
	rule += ". " + when + ", at most " + number(t.PerHour) + " messages an hour."
	if u, err := url.Parse(t.URL); err == nil && u.Host != "" {
		rule += " To " + u.Host + "."
	}
	if len(t.Emails) > 0 {
		rule += " To " + some(t.Emails) + "."
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

func deliveryRowOf(d *watchpost.Delivery, now time.Time) deliveryRow {
	row := deliveryRow{
		ID: d.ID, At: momentOf(clockTime(d.At, now), d.At), What: plural(len(d.Posts), "post"), Posts: d.Posts,
		State: "Delivered", Class: "good", Icon: "check", Again: len(d.Posts) > 0,
	}
	switch d.Kind {
	case "test":
		row.What = "Test message"
	case "alert", "replay":
		if d.Alert != nil {
			row.What = alertText(d.Alert)
		}
		if d.Kind == "replay" {
			row.What += ", sent again"
		}
	}
	if d.Attempts > 1 {
		row.What += ", " + plural(d.Attempts, "attempt")
	}
	switch d.State {
	case watchpost.DeliveryFailed:
		row.State, row.Class, row.Icon, row.Why = "Failed", "bad", "x", d.Error
	case watchpost.DeliveryPending:
		row.State, row.Class, row.Icon, row.Why = "To be tried again", "wait", "clock", d.Error
		if !d.NotBefore.IsZero() {
			row.State = "Next try at " + clockTime(d.NotBefore, now)
		}
	}
	return row
}

// alertText says what an alert told.
func alertText(a *watchpost.Alerted) string {
	what := " posts on "
	if a.Of == watchpost.AlertNegativeSurge {
		what = " negative posts on "
	}
	return number(a.Count) + what + a.Day.Format("2 January") + ", usually " + decimal(a.Usual)
}

// alertNames says of what a target with an alert is told.
var alertNames = map[watchpost.AlertKind]string{
	watchpost.AlertSpike: "Days with clearly more posts than usual", watchpost.AlertNegativeSurge: "Days with clearly more negative posts than usual",
}

// tried shows the form with the days of which its alert would have told. Fields that say
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
	f.Tried = triedText(days)
	return f.render(w, http.StatusOK)
}

// maxTriedDays bounds the days that are named, the newest first.
const maxTriedDays = 10

// triedText says of which days an alert would have told.
func triedText(days []trend.Spike) string {
	text := "In the last 90 days this would have told you " + plural(len(days), "time")
	var names []string
	for _, s := range slices.Backward(days) {
		if len(names) < maxTriedDays {
			names = append(names, s.At.Format("2 January"))
		}
	}
	if len(names) == 0 {
		return text + "."
	}
	if more := len(days) - len(names); more > 0 {
		names = append(names, plural(more, "earlier day"))
	}
	return text + ": " + strings.Join(names, ", ") + "."
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
	row := targetRowOf(&view, lists, d.Clock.Now())
	f.Title, f.Row = row.Name, &row
	for i := range log {
		f.Log = append(f.Log, deliveryRowOf(&log[i].Delivery, d.Clock.Now()))
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
	case "delete":
		to = pathNotifications
		_, err = actors.Ask(ctx, d.Registry, team, actors.DeleteTarget{ID: id})
	default:
		return d.saveTarget(w, r, v)
	}
	if err != nil {
		return err
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}
