package dashboard

import (
	"encoding/json"
	"net/http"
	"strings"

	"watchpost/actors"
	"watchpost/watchpost"
)

const (
	// maxTasksShown bounds the rows of the page of tasks.
	maxTasksShown = 200
	// maxDay bounds the entries of today that the page counts.
	maxDay = 2000
)

// tasksPage lists the tasks in members' browsers.
type tasksPage struct {
	frame
	Running, Waiting []taskRow
	// RunningCount and WaitingCount count all of them, also those not shown.
	RunningCount, WaitingCount int
	Failed                     []taskRow
	Done                       int
	Capped                     bool // today has more entries than are counted
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
	Key                string
}

func (d *Dashboard) tasks(w http.ResponseWriter, r *http.Request, v *visit) error {
	open, err := d.Registry.OpenTasks(r.Context(), v.session.Team, false, maxTasksShown)
	if err != nil {
		return err
	}
	now := d.Clock.Now()
	day, err := d.Registry.Journal(r.Context(), v.session.Team, watchpost.JournalQuery{From: watchpost.Daily.Start(now)}, "", maxDay)
	if err != nil {
		return err
	}
	lists, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListWatchlists{})
	if err != nil {
		return err
	}
	page := tasksPage{frame: frameOf(v, "tasks", "Tasks"), Capped: day.Next != ""}
	for reason, n := range open.Counts {
		if reason == watchpost.PendingRunning {
			page.RunningCount += n
		} else {
			page.WaitingCount += n
		}
	}
	for i := range open.Tasks {
		row := openRow(&open.Tasks[i], v.team.Team, lists, d)
		if open.Tasks[i].Reason == watchpost.PendingRunning {
			page.Running = append(page.Running, row)
		} else {
			page.Waiting = append(page.Waiting, row)
		}
	}
	for i := range day.Entries {
		switch e := &day.Entries[i]; e.State {
		case watchpost.TaskCompleted:
			page.Done++
		case watchpost.TaskFailed:
			page.Failed = append(page.Failed, failedRow(e, v.team.Team, d))
		}
	}
	return renderLive(w, r, "tasks.html", page)
}

// openRow describes a task that is not final.
func openRow(t *actors.OpenTask, team watchpost.Team, lists []actors.WatchlistView, d *Dashboard) taskRow {
	now := d.Clock.Now()
	view := taskShown(t.TaskView, team, now)
	row := taskRow{
		ID: t.ID, What: entryText(&t.Entry, team) + askedBy(&t.Entry, team), Icon: t.Type.Icon(), Class: view.Class, Sign: view.Icon, Extra: view.Extra,
		At: view.At, Post: t.Entry.Post, Account: t.Reason == watchpost.PendingPaused || t.Reason == watchpost.PendingExtensionOffline,
	}
	if t.Type.Scan() {
		row.What = scanText(t, lists)
	}
	row.State = strings.ToUpper(view.State[:1]) + view.State[1:]
	if m, known := team.Member(t.Holder); known && t.Reason == watchpost.PendingRunning {
		row.State = "In the browser of " + nameOf(m)
	}
	return row
}

// scanText says what a scan looks for, and for which watchlists.
func scanText(t *actors.OpenTask, lists []actors.WatchlistView) string {
	what := "Look for new posts"
	if t.Entry.Subject != "" {
		what = "Look for “" + t.Entry.Subject + "”"
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
	return what + " for " + some(names)
}

// entryText says what a caller's task does.
func entryText(e *watchpost.JournalEntry, team watchpost.Team) string {
	what := e.Type.Title()
	switch {
	case e.Post != "" || strings.HasPrefix(e.Subject, "urn:") && e.Type.OnPost():
		what = e.Type.TitlePost()
	case e.Subject != "":
		what += ": " + e.Subject
	}
	if m, known := team.Member(e.Member); known && e.Type.Writes() {
		what += " as " + nameOf(m)
	}
	return what
}

// askedBy says who asked for a task, as the end of a sentence.
func askedBy(e *watchpost.JournalEntry, team watchpost.Team) string {
	return ", asked by " + askerOf(e, team)
}

// askerOf names who asked for a task.
func askerOf(e *watchpost.JournalEntry, team watchpost.Team) string {
	switch e.Way {
	case watchpost.AskedByMember:
		if m, known := team.Member(watchpost.MemberID(e.Asked)); known {
			return nameOf(m)
		}
		return "a former member"
	case watchpost.AskedByRule:
		return "a rule"
	}
	return "the API key"
}

// failedRow describes a task that failed.
func failedRow(e *watchpost.JournalEntry, team watchpost.Team, d *Dashboard) taskRow {
	now := d.Clock.Now()
	outcome := outcomeOf(e)
	return taskRow{
		ID: e.ID, What: entryText(e, team) + askedBy(e, team), Icon: e.Type.Icon(), State: outcome.State, Class: outcome.Class, Sign: outcome.Icon,
		Extra: outcome.Extra, At: momentOf(ago(e.EndedAt, now), e.EndedAt), Post: e.Post, Retry: e.Safe, Key: watchpost.NewSecret(8),
	}
}

// outcomeOf describes how a task ended.
func outcomeOf(e *watchpost.JournalEntry) taskView {
	switch {
	case e.State == watchpost.TaskCompleted:
		took := e.EndedAt.Sub(e.At)
		return taskView{State: "Done in " + duration(took), Class: "good", Icon: "check"}
	case e.State != watchpost.TaskFailed:
		return taskView{State: "Not done yet", Class: "wait", Icon: "clock"}
	case e.Code == watchpost.FailOutcomeUnknown && e.Acted == nil:
		return taskView{State: "Outcome unknown", Class: "bad", Icon: "warn", Extra: "The browser closed in the middle. Look at the post before you repeat it."}
	case e.Code == watchpost.FailOutcomeUnknown && *e.Acted:
		return taskView{State: "Done", Class: "good", Icon: "check", Extra: "It became known later."}
	}
	view := taskView{State: "Failed", Class: "bad", Icon: "x", Extra: e.Message}
	if e.Safe {
		view.Extra = strings.TrimSpace(view.Extra + " It is safe to try again.")
	}
	return view
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
