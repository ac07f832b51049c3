package dashboard

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"watchpost/internal/csvrow"
	"watchpost/internal/words"
	"watchpost/watchpost"
)

const (
	// journalPageSize is how many entries a page of the journal has.
	journalPageSize = 50
	// maxCSV bounds the lines of an export.
	maxCSV = 10_000
)

// journalPage lists the actions on the network.
type journalPage struct {
	frame
	Menus        []menu
	Rows         []journalRow
	Filtered     bool
	Older, First string // addresses
	CSV          string
}

// journalRow is an entry of the journal.
type journalRow struct {
	When                    moment
	What, Text, Who, Asked  string
	Post                    watchpost.PostID
	Author, Person          string // of the post, and the address of the author's page
	Excerpt                 string // of the post
	State, Class, Icon, Why string
}

// journalQuery reads the filters of an address.
func journalQuery(q url.Values) (watchpost.JournalQuery, error) {
	query := watchpost.JournalQuery{
		Way: watchpost.AskerKind(q.Get("by")), Member: watchpost.MemberID(q.Get("as")), Type: watchpost.TaskType(q.Get("action")),
		State: watchpost.TaskState(q.Get("outcome")), Rule: q.Get("rule"),
	}
	for _, d := range []struct {
		name string
		to   *time.Time
		add  int
	}{{"from", &query.From, 0}, {"to", &query.To, 1}} {
		if q.Get(d.name) == "" {
			continue
		}
		day, err := time.Parse(time.DateOnly, q.Get(d.name))
		if err != nil {
			return query, watchpost.WrapError(watchpost.Invalid, "A day is written as in 2030-01-31.", err)
		}
		*d.to = day.AddDate(0, 0, d.add)
	}
	return query, nil
}

// ways are the values of the filter by who asked.
var ways = []choice{
	{Value: string(watchpost.AskedByMember), Name: "journal.a_member_here"}, {Value: string(watchpost.AskedByKey), Name: "journal.the_api_key"}, {Value: string(watchpost.AskedByRule), Name: "journal.a_rule"},
}

// outcomes are the values of the filter by outcome.
var outcomes = []choice{
	{Value: string(watchpost.TaskCompleted), Name: "journal.done"}, {Value: string(watchpost.TaskFailed), Name: "journal.failed"}, {Value: string(watchpost.TaskPending), Name: "journal.not_done_yet"},
}

func (d *Dashboard) journal(w http.ResponseWriter, r *http.Request, v *visit) error {
	given := r.URL.Query()
	query, err := journalQuery(given)
	if err != nil {
		return err
	}
	found, err := d.Registry.Journal(r.Context(), v.session.Team, query, given.Get("after"), journalPageSize)
	if err != nil {
		return err
	}
	filters := pageFiltersOf(pathJournal, journalParams, given)
	page := journalPage{
		frame: frameOf(v, "tasks", v.say.Text("common.journal")), Filtered: len(filters.values) > 0, Menus: journalMenus(v.say, filters, v.team.Team.Members, d.Clock.Now()),
	}
	page.CSV = pathJournal + ".csv?" + filters.values.Encode()
	if given.Get("after") != "" {
		page.First = filters.href()
	}
	if found.Next != "" {
		filters.values.Set("after", found.Next)
		page.Older = filters.href()
	}
	for i := range found.Entries {
		page.Rows = append(page.Rows, journalRowOf(v.say, &found.Entries[i], v.team.Team, d.Clock.Now()))
	}
	if err := d.namePosts(r, v, page.Rows); err != nil {
		return err
	}
	return render(w, http.StatusOK, "journal.html", page)
}

// namePosts says of rows about posts whose they are. A post may be gone by now.
func (d *Dashboard) namePosts(r *http.Request, v *visit, rows []journalRow) error {
	q := watchpost.PostQuery{Page: 1, PageSize: journalPageSize}
	for i := range rows {
		if id := string(rows[i].Post); id != "" && !slices.Contains(q.IDs, id) {
			q.IDs = append(q.IDs, id)
		}
	}
	if len(q.IDs) == 0 {
		return nil
	}
	found, err := d.Registry.Posts(r.Context(), v.session.Team, nil, q)
	if err != nil {
		return err
	}
	for _, stored := range found.Posts {
		post, err := stored.Post()
		if err != nil {
			return err
		}
		for i := range rows {
			if row := &rows[i]; row.Post == post.ID {
				row.Author, row.Person, row.Excerpt = cmp.Or(post.AuthorName, v.say.Text("feed.unknown_author")), personHref(post.AuthorKey()), excerptOf(post.Content)
			}
		}
	}
	return nil
}

func journalRowOf(say *words.Language, e *watchpost.JournalEntry, team watchpost.Team, now time.Time) journalRow {
	outcome := outcomeOf(say, e)
	row := journalRow{
		When: momentOf(say, clockTime(say, e.At, now), e.At), What: entryText(say, e, watchpost.Team{}), Text: e.Text, Who: say.Text("journal.any"), Asked: askerOf(say, e, team), Post: e.Post,
		State: outcome.State, Class: outcome.Class, Icon: outcome.Icon, Why: outcome.Extra,
	}
	if m, known := team.Member(e.Member); known {
		row.Who = nameOf(m)
	} else if e.Member != "" {
		row.Who = say.Text("tasks.a_former_member")
	}
	return row
}

// journalCSV exports the entries that the filters select, the newest first.
func (d *Dashboard) journalCSV(w http.ResponseWriter, r *http.Request, v *visit) error {
	query, err := journalQuery(r.URL.Query())
	if err != nil {
		return err
	}
	lines := [][]string{{"asked_at", "ended_at", "action", "subject", "text", "account", "account_urn", "asked_by", "asked_by_id", "outcome", "error", "message", "retry_safe", "task_id"}}
	for cursor := ""; ; {
		found, err := d.Registry.Journal(r.Context(), v.session.Team, query, cursor, maxCSV+1-len(lines))
		if err != nil {
			return err
		}
		for i := range found.Entries {
			lines = append(lines, csvLine(&found.Entries[i], v.team.Team))
		}
		if cursor = found.Next; cursor == "" || len(lines) > maxCSV {
			break
		}
	}
	var rows []byte
	for _, line := range lines {
		rows = csvrow.Append(rows, line...)
	}
	return writeCSV(w, "watchpost-journal.csv", rows)
}

func csvLine(e *watchpost.JournalEntry, team watchpost.Team) []string {
	ended := ""
	if !e.EndedAt.IsZero() {
		ended = e.EndedAt.UTC().Format(time.RFC3339)
	}
	email := ""
	if m, known := team.Member(e.Member); known {
		email = m.Email
	}
	return []string{
		e.At.UTC().Format(time.RFC3339), ended, string(e.Type), e.Subject, e.Text, email, string(e.Account), string(e.Way), e.Asked,
		e.State.PublicStatus(), e.Code, e.Message, fmt.Sprint(e.Safe), string(e.ID),
	}
}

// duration writes how long a task took.
func duration(say *words.Language, d time.Duration) string {
	switch {
	case d < time.Second:
		return say.Text("journal.under_a_second")
	case d < 2*time.Minute:
		return say.Text("journal.n_s", "n", int(d.Seconds()))
	}
	return inTime(say, d)
}

// journalParams are the filters in an address of the journal.
var journalParams = []string{"from", "to", "action", "as", "by", "outcome", "rule"}

// journalMenus are the filters above the journal.
func journalMenus(say *words.Language, filters pageFilters, members []watchpost.Member, now time.Time) []menu {
	menus := []menu{journalDays(say, filters, now)}
	add := func(title, name string, options []choice) {
		menus = append(menus, filters.menu(say, title, name, append([]choice{{Name: say.Text("layout.any")}}, options...)))
	}
	var actions, accounts []choice
	for _, t := range watchpost.JournalTypes() {
		actions = append(actions, choice{Value: string(t), Name: say.Known(t.Title())})
	}
	for _, m := range members {
		accounts = append(accounts, choice{Value: string(m.ID), Name: nameOf(m)})
	}
	add(say.Text("journal.action"), "action", actions)
	add(say.Text("journal.account"), "as", accounts)
	add(say.Text("journal.asked_by"), "by", withNames(say, ways))
	add(say.Text("common.outcome"), "outcome", withNames(say, outcomes))
	if rule := filters.values.Get("rule"); rule != "" {
		add(say.Text("journal.rule"), "rule", []choice{{Value: rule, Name: say.Text("journal.one")}})
	}
	return menus
}

// journalDays is the filter by the day on which the action was asked for.
func journalDays(say *words.Language, filters pageFilters, now time.Time) menu {
	from, to := filters.values.Get("from"), filters.values.Get("to")
	m := menu{say: say, Title: say.Text("journal.any_day"), Name: "from", Action: pathJournal, Links: true, On: from+to != ""}
	if m.On {
		m.Title = say.Text("feed.from_to_to", "from", cmp.Or(from, "…"), "to", cmp.Or(to, say.Text("feed.until_today")))
	}
	for _, d := range []struct {
		name string
		days int
	}{{"journal.any_day", 0}, {"feed.today", 1}, {"feed.last_7_days", 7}, {"feed.last_30_days", 30}} {
		start := ""
		if d.days > 0 {
			start = now.UTC().AddDate(0, 0, 1-d.days).Format(time.DateOnly)
		}
		c := choice{Name: say.Text(d.name), Value: filters.with(map[string]string{"from": start, "to": ""}), On: from == start && to == ""}
		if c.On {
			m.Title = say.Text(d.name)
		}
		m.Options = append(m.Options, c)
	}
	for _, name := range journalParams[2:] {
		if value := filters.values.Get(name); value != "" {
			m.Hidden = append(m.Hidden, field{name, value})
		}
	}
	m.Inputs = []input{{"from", say.Text("common.from"), "date", from, ""}, {"to", say.Text("journal.to"), "date", to, ""}}
	return m
}
