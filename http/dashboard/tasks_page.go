package dashboard

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"watchpost/actors"
	"watchpost/internal/words"
	"watchpost/watchpost"
)

// tasksPageSize is how many tasks a page of those that wait, or that failed, has.
const tasksPageSize = 50

// tasksPage lists the tasks in members' browsers.
type tasksPage struct {
	frame
	Running, Waiting []taskRow
	// RunningCount and WaitingCount count all of them, also those not shown.
	RunningCount, WaitingCount int
	First, Last                int // of those that wait, as they are shown
	WaitingNewer, WaitingOlder string
	Failed                     []taskRow
	FailedCount                int
	FailedFirst, FailedOlder   string // addresses of other pages
	Causes                     []causeView
	Cause                      *causeView // whose failures alone are shown
	Cancelled                  []taskRow  // the newest
	CancelledCount             int
	Done                       int
	Here                       string // the address of the page
}

// causeView is why several tasks failed.
type causeView struct {
	What, Why, Href string
	Count           int

	kind watchpost.TaskType
	code string
}

// taskRow is a task in a list.
type taskRow struct {
	ID                 watchpost.TaskID
	What, Icon         string
	State, Class, Sign string
	Extra              string
	At                 moment
	Post               watchpost.PostID
	Retry, Account     bool // it may be tried again; the account needs attention
	Cancel             bool // nothing of it is done yet, and its caller may end it
	Key                string
}

func (d *Dashboard) tasks(w http.ResponseWriter, r *http.Request, v *visit) error {
	given := r.URL.Query()
	page := tasksPage{frame: frameOf(v, "tasks", v.say.Text("common.tasks")), Here: tasksHref(given)}
	if err := d.openTasks(r, v, &page, given); err != nil {
		return err
	}
	if err := d.failedTasks(r, v, &page, given); err != nil {
		return err
	}
	return renderLive(w, r, "tasks.html", page)
}

// tasksParams are what an address of the page may have: the page of those that wait, a
// cause of failures, and where a page of failures begins.
var tasksParams = []string{"waiting", "cause", "after"}

// tasksHref is the address of the page with these parameters, changed by pairs of a name
// and a value; "" takes a parameter away.
func tasksHref(given url.Values, changed ...string) string {
	next := url.Values{}
	for _, name := range tasksParams {
		next.Set(name, given.Get(name))
	}
	for pair := range slices.Chunk(changed, 2) {
		next.Set(pair[0], pair[1])
	}
	for _, name := range tasksParams {
		if next.Get(name) == "" {
			next.Del(name)
		}
	}
	if len(next) == 0 {
		return pathTasks
	}
	return pathTasks + "?" + next.Encode()
}

// openTasks adds a page of the tasks that are not final.
func (d *Dashboard) openTasks(r *http.Request, v *visit, page *tasksPage, given url.Values) error {
	at, err := strconv.Atoi(cmp.Or(given.Get("waiting"), "1"))
	if err != nil || at < 1 || at > maxWaitingPages {
		return watchpost.Errorf(watchpost.Invalid, "There is no such page of waiting tasks.")
	}
	lists, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListWatchlists{})
	if err != nil {
		return err
	}
	open, err := d.Registry.OpenTasks(r.Context(), v.session.Team, false, at*tasksPageSize)
	if err != nil {
		return err
	}
	page.RunningCount = open.Counts[watchpost.PendingRunning]
	for reason, n := range open.Counts {
		if reason != watchpost.PendingRunning {
			page.WaitingCount += n
		}
	}
	from := min((at-1)*tasksPageSize, len(open.Tasks))
	for i := range open.Tasks[from:] {
		t := &open.Tasks[from+i]
		row := openRow(v.say, t, v.team.Team, lists, d)
		if t.Reason == watchpost.PendingRunning {
			page.Running = append(page.Running, row)
		} else {
			page.Waiting = append(page.Waiting, row)
		}
	}
	page.First = max(1, from+1-page.RunningCount)
	page.Last = page.First + len(page.Waiting) - 1
	switch {
	case at == 2:
		page.WaitingNewer = tasksHref(given, "waiting", "")
	case at > 2:
		page.WaitingNewer = tasksHref(given, "waiting", strconv.Itoa(at-1))
	}
	if page.Last < page.WaitingCount {
		page.WaitingOlder = tasksHref(given, "waiting", strconv.Itoa(at+1))
	}
	return nil
}

// maxWaitingPages bounds the tasks that are read for a page.
const maxWaitingPages = 1000

// failedTasks adds the totals of today, and a page of the tasks that failed.
func (d *Dashboard) failedTasks(r *http.Request, v *visit, page *tasksPage, given url.Values) error {
	today := watchpost.Daily.Start(d.Clock.Now())
	totals, err := d.Registry.JournalTotals(r.Context(), v.session.Team, today)
	if err != nil {
		return err
	}
	page.Done, page.FailedCount = totals.Done, totals.Failed
	query := watchpost.JournalQuery{From: today, State: watchpost.TaskFailed, Except: watchpost.FailCancelled}
	for _, c := range totals.Causes {
		cause := causeOf(v.say, c, given)
		if given.Get("cause") == cause.name() {
			page.Cause, page.FailedCount = &cause, c.Count
			query.Type, query.Code = c.Type, c.Code
		}
		page.Causes = append(page.Causes, cause)
	}
	if totals.Failed <= tasksPageSize || len(page.Causes) == 1 {
		page.Causes = nil
	}
	failed, err := d.Registry.Journal(r.Context(), v.session.Team, query, given.Get("after"), tasksPageSize)
	if err != nil {
		return err
	}
	for i := range failed.Entries {
		page.Failed = append(page.Failed, failedRow(v.say, &failed.Entries[i], v.team.Team, d))
	}
	if given.Get("after") != "" {
		page.FailedFirst = tasksHref(given, "after", "")
	}
	if failed.Next != "" {
		page.FailedOlder = tasksHref(given, "after", failed.Next)
	}
	if page.CancelledCount = totals.Cancelled; page.CancelledCount == 0 {
		return nil
	}
	query = watchpost.JournalQuery{From: today, State: watchpost.TaskFailed, Code: watchpost.FailCancelled}
	cancelled, err := d.Registry.Journal(r.Context(), v.session.Team, query, "", tasksPageSize)
	if err != nil {
		return err
	}
	for i := range cancelled.Entries {
		page.Cancelled = append(page.Cancelled, failedRow(v.say, &cancelled.Entries[i], v.team.Team, d))
	}
	return nil
}

func (c *causeView) name() string { return string(c.kind) + "." + c.code }

func causeOf(say *words.Language, c actors.JournalCause, given url.Values) causeView {
	outcome := outcomeOf(say, &watchpost.JournalEntry{Type: c.Type, State: watchpost.TaskFailed, Code: c.Code, Message: c.Message})
	view := causeView{What: say.Known(c.Type.Title()), Why: cmp.Or(outcome.Extra, outcome.State), Count: c.Count, kind: c.Type, code: c.Code}
	view.Href = tasksHref(given, "cause", view.name(), "after", "")
	return view
}

// openRow describes a task that is not final.
func openRow(say *words.Language, t *actors.OpenTask, team watchpost.Team, lists []actors.WatchlistView, d *Dashboard) taskRow {
	now := d.Clock.Now()
	view := taskShown(say, t.TaskView, team, now)
	row := taskRow{
		ID: t.ID, What: askedBy(say, entryText(say, &t.Entry, team), &t.Entry, team), Icon: t.Type.Icon(), Class: view.Class, Sign: view.Icon, Extra: view.Extra,
		At: view.At, Post: t.Entry.Post, Account: t.Reason == watchpost.PendingPaused || t.Reason == watchpost.PendingExtensionOffline,
	}
	if t.Type.Scan() {
		row.What = scanText(say, t, lists)
	}
	row.Cancel = !t.Type.Scan() && t.Reason != watchpost.PendingRunning
	row.State = words.Sentence(view.State)
	if m, known := team.Member(t.Holder); known && t.Reason == watchpost.PendingRunning {
		row.State = say.Text("tasks.in_the_browser_of_name", "name", nameOf(m))
	}
	return row
}

// serves reports whether a scan is one for a watchlist.
func serves(t *actors.OpenTask, l *actors.WatchlistView) bool {
	return slices.ContainsFunc(t.Targets, func(s watchpost.ScanTarget) bool {
		return s.Watchlist != "" && s.Watchlist == l.Watchlist.ID || s.List != "" && s.List == l.List.ID
	})
}

// scanText says what a scan looks for, and for which watchlists.
func scanText(say *words.Language, t *actors.OpenTask, lists []actors.WatchlistView) string {
	what := say.Text("tasks.look_for_new_posts")
	if t.Entry.Subject != "" {
		what = say.Text("tasks.look_for_subject", "subject", t.Entry.Subject)
	}
	var names []string
	for i := range lists {
		if serves(t, &lists[i]) {
			names = append(names, lists[i].Watchlist.Name)
		}
	}
	if len(names) == 0 {
		return what
	}
	return say.Text("tasks.what_for_names", "what", what, "names", some(say, names))
}

// entryText says what a caller's task does.
func entryText(say *words.Language, e *watchpost.JournalEntry, team watchpost.Team) string {
	what := say.Known(e.Type.Title())
	switch {
	case e.Post != "" || strings.HasPrefix(e.Subject, "urn:") && e.Type.OnPost():
		what = say.Known(e.Type.TitlePost())
	case e.Subject != "":
		what += ": " + e.Subject
	}
	if m, known := team.Member(e.Member); known && e.Type.Writes() {
		what = say.Text("tasks.as", "what", what, "name", nameOf(m))
	}
	return what
}

// askedBy adds who asked for a task.
func askedBy(say *words.Language, what string, e *watchpost.JournalEntry, team watchpost.Team) string {
	return say.Text("tasks.asked_by", "what", what, "name", askerOf(say, e, team))
}

// askerOf names who asked for a task.
func askerOf(say *words.Language, e *watchpost.JournalEntry, team watchpost.Team) string {
	switch e.Way {
	case watchpost.AskedByMember:
		if m, known := team.Member(watchpost.MemberID(e.Asked)); known {
			return nameOf(m)
		}
		return say.Text("tasks.a_former_member")
	case watchpost.AskedByRule:
		return say.Text("tasks.a_rule")
	}
	return say.Text("tasks.the_api_key")
}

// failedRow describes a task that failed.
func failedRow(say *words.Language, e *watchpost.JournalEntry, team watchpost.Team, d *Dashboard) taskRow {
	now := d.Clock.Now()
	outcome := outcomeOf(say, e)
	return taskRow{
		ID: e.ID, What: askedBy(say, entryText(say, e, team), e, team), Icon: e.Type.Icon(), State: outcome.State, Class: outcome.Class, Sign: outcome.Icon,
		Extra: outcome.Extra, At: momentOf(say, ago(say, e.EndedAt, now), e.EndedAt), Post: e.Post, Retry: e.Safe, Key: watchpost.NewSecret(8),
	}
}

// outcomeOf describes how a task ended.
func outcomeOf(say *words.Language, e *watchpost.JournalEntry) taskView {
	switch {
	case e.State == watchpost.TaskCompleted:
		took := e.EndedAt.Sub(e.At)
		return taskView{State: say.Text("tasks.done_in_time", "time", duration(say, took)), Class: "good", Icon: "check"}
	case e.State != watchpost.TaskFailed:
		return taskView{State: say.Text("tasks.not_done_yet"), Class: "wait", Icon: "clock"}
	case e.Code == watchpost.FailOutcomeUnknown && e.Acted == nil:
		return taskView{State: say.Text("tasks.outcome_unknown_2"), Class: "bad", Icon: "warn", Extra: say.Text("tasks.the_browser_closed_in_the_middle")}
	case e.Code == watchpost.FailOutcomeUnknown && *e.Acted:
		return taskView{State: say.Text("tasks.done_2"), Class: "good", Icon: "check", Extra: say.Text("tasks.it_became_known_later")}
	}
	if e.Code == watchpost.FailCancelled {
		return taskView{State: say.Text("tasks.cancelled_2"), Icon: "x", Extra: say.Text(textCancelled)}
	}
	view := taskView{State: say.Text("tasks.failed_2"), Class: "bad", Icon: "x", Extra: say.Known(e.Message)}
	if e.Safe {
		view.Extra = strings.TrimSpace(view.Extra + " " + say.Text("tasks.it_is_safe_to_try_again"))
	}
	return view
}

// cancel ends a task that waits.
func (d *Dashboard) cancel(w http.ResponseWriter, r *http.Request, v *visit) error {
	_, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.CancelTask{ID: watchpost.TaskID(r.PathValue("id"))})
	if err != nil {
		return err
	}
	http.Redirect(w, r, pathTasks, http.StatusSeeOther)
	return nil
}

// retry asks once more for a task that failed without acting.
func (d *Dashboard) retry(w http.ResponseWriter, r *http.Request, v *visit) error {
	task, err := d.Registry.TaskStatus(r.Context(), v.session.Team, watchpost.TaskID(r.PathValue("id")))
	if err != nil {
		return err
	}
	var failure watchpost.TaskFailure
	if err := json.Unmarshal(task.Output, &failure); err != nil || task.State != watchpost.TaskFailed || !failure.RetrySafe {
		return watchpost.Errorf(watchpost.Conflict, "This task cannot be tried again without the risk of doing it twice.")
	}
	if err := d.Registry.RequireExtension(r.Context(), v.session.Team); err != nil {
		return err
	}
	request := actors.CreateTask{Type: task.Type, Input: task.Input}
	var input struct {
		Email string `json:"user_email"`
	}
	if _ = json.Unmarshal(task.Input, &input); input.Email != "" { // without the field it is the one who acts for the team
		if email, ok := watchpost.NormalizeEmail(input.Email); ok {
			request.Email = &email
		}
	}
	if _, _, err = actors.AskOnce(r.Context(), d.Registry, v.session.Team, formKey(r), request); err != nil {
		return err
	}
	http.Redirect(w, r, pathTasks, http.StatusSeeOther)
	return nil
}
