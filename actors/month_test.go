package actors_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// The days of a month. Each is gone through in steps of 50 minutes, and a last
// one just before midnight. No scan of a frequency under a day is then due
// within monthSlack after a step, or between the last step and midnight: it
// does not matter how long a step really takes.
const (
	monthDays     = 4 // over a Monday and the end of a month
	monthLongDays = 31
	monthSteps    = 29
	monthSlack    = 2 * time.Minute
)

var monthStart = time.Date(2030, 3, 30, 0, 0, 0, 0, time.UTC) // a Saturday; April begins on the Monday

func monthStep(day, step int) time.Time {
	at := monthStart.AddDate(0, 0, day)
	if step == monthSteps {
		return at.Add(23*time.Hour + 57*time.Minute)
	}
	return at.Add(time.Minute + time.Duration(step)*50*time.Minute)
}

// TestMonth lives through a month with two accounts, five watchlists of each
// kind, engagement, and tasks over the caps, and compares it with the model.
func TestMonth(t *testing.T) {
	days := monthDays
	if os.Getenv("WATCHPOST_LONG") != "" {
		days = monthLongDays
	}
	m := newMonth(t)
	for day := range days {
		for step := range monthSteps + 1 {
			m.live(day, step)
		}
		m.compareDay()
		if day%3 == 1 {
			m.w.Crash()
			m.connect()
		}
	}
	m.compareEnd(days)
	t.Logf("%d days: %d tasks completed, %d expired, scans %v, %d invitations refused, slowest step %s",
		days, len(m.model.closed), len(m.model.expired), m.scans, m.refused, m.slowest)
}

// month is the service under test with the model.
type month struct {
	t        *testing.T
	w        *actorstest.World
	team     *actorstest.Team
	sessions [2]*actorstest.Session
	lists    []watchpost.Watchlist
	owner    []int // of the entries that each watches
	model    *monthModel

	now       time.Time // of the step
	afterLast time.Time // midnight, when the step before was yesterday's
	number    int       // of posts and targets so far
	liked     map[watchpost.PostID]watchpost.TaskID
	done      map[watchpost.TaskID]time.Time // completed or expired since the last comparison
	scans     map[watchpost.TaskType]int
	brought   map[monthShare]int // posts of a day
	refused   int
	slowest   time.Duration
}

func newMonth(t *testing.T) *month {
	w := actorstest.New(t)
	w.SetClock(monthStep(0, 0))
	team := w.CreateTeam(t, watchpost.PlanUltimate)
	m := &month{
		t: t, w: w, team: team, model: newMonthModel(), now: monthStep(0, 0),
		liked: map[watchpost.PostID]watchpost.TaskID{}, done: map[watchpost.TaskID]time.Time{}, scans: map[watchpost.TaskType]int{},
		brought: map[monthShare]int{},
	}
	m.sessions = [2]*actorstest.Session{team.Session(t, "ada"), team.SessionOf(t, team.Member(t, "bob"), "bob")}
	for i, hours := range []int{6, 6, 12, 12, 3} {
		m.watch(watchpost.KeywordWatchlist, watchpost.TaskKeywordScan, fmt.Sprint("kw", i), 20, hours)
	}
	for i, hours := range []int{1, 3, 6, 12, 12} {
		m.watch(watchpost.ForumWatchlist, watchpost.TaskForumScan, fmt.Sprint("fo", i), 2, hours)
	}
	for i, hours := range []int{12, 6, 12, 3} {
		m.follow(watchpost.PeopleWatchlist, watchpost.TaskPeopleScan, fmt.Sprint("pe", i), 30, hours)
	}
	m.followToo(6)
	for i, hours := range []int{12, 6, 12, 3, 12} {
		m.follow(watchpost.CompanyWatchlist, watchpost.TaskCompanyScan, fmt.Sprint("co", i), 24, hours)
	}
	m.connect()
	return m
}

// connect lets both sessions say hello.
func (m *month) connect() {
	for _, s := range m.sessions {
		require.NoError(m.t, s.Hello())
		s.Expect(protocol.TypeWelcome)
	}
}

func (m *month) watch(kind watchpost.WatchlistType, scan watchpost.TaskType, name string, n, hours int) {
	w := watchpost.Watchlist{Type: kind, Frequency: watchpost.FetchFrequency(time.Duration(hours) * time.Hour)}
	for i := range n {
		w.Keywords = append(w.Keywords, watchpost.KeywordEntry{Keyword: fmt.Sprintf("%sn%02d", name, i)})
	}
	w = actorstest.Must[actors.WatchlistView](m.t, m.team, actors.CreateWatchlist{Watchlist: w}).Watchlist
	for _, e := range w.Keywords {
		m.entry(e.Keyword, e.ID, scan, w)
	}
	m.lists, m.owner = append(m.lists, w), append(m.owner, len(m.lists))
}

func (m *month) follow(kind watchpost.WatchlistType, scan watchpost.TaskType, name string, n, hours int) {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("%sn%02d", name, i))
	}
	made := actorstest.Must[actors.Followed](m.t, m.team, following(kind, hours, "", names...))
	for _, e := range made.List.Entries {
		m.entry(e.Reference.Slug, e.ID, scan, made.Watchlist)
	}
	m.lists, m.owner = append(m.lists, made.Watchlist), append(m.owner, len(m.lists))
}

// followToo makes a watchlist that follows the list of the first one of people,
// more often: it is scanned once for both.
func (m *month) followToo(hours int) {
	for i, w := range m.lists {
		if w.Type != watchpost.PeopleWatchlist {
			continue
		}
		made := actorstest.Must[actors.Followed](m.t, m.team, following(w.Type, hours, w.List, "pe0n00"))
		require.Zero(m.t, made.Added)
		m.lists, m.owner = append(m.lists, made.Watchlist), append(m.owner, i)
		for _, e := range m.model.entries {
			if e.owner == i {
				e.frequency = made.Watchlist.Frequency.Duration()
			}
		}
		return
	}
}

// entry tells the model of an entry. Those of an older watchlist are due first.
func (m *month) entry(name string, id watchpost.EntryID, scan watchpost.TaskType, w watchpost.Watchlist) {
	m.model.entries = append(m.model.entries, &monthEntry{
		name: name, id: id, kind: scan, owner: len(m.lists), frequency: w.Frequency.Duration(), due: m.now, order: len(m.lists),
	})
	m.model.order = len(m.lists)
}

// live advances to a step of a day: time passes, due work is done, and then
// clients ask for more.
func (m *month) live(day, step int) {
	if midnight := monthStart.AddDate(0, 0, day); day > 0 && step == 0 {
		m.afterLast = midnight
	}
	m.now = monthStep(day, step)
	if m.w.Now().Before(m.now) {
		m.w.SetClock(m.now)
	}
	m.settle()
	for _, s := range m.sessions {
		s.Heartbeat()
	}
	if m.ask(day, step) {
		m.settle()
	}
	took := m.w.Now().Sub(m.now)
	require.Less(m.t, took, monthSlack, "this machine is too slow: a step ran into the next")
	m.slowest = max(m.slowest, took)
}

// ask is what clients ask for at that step of every day.
func (m *month) ask(day, step int) bool {
	both := func(a watchpost.Action) pool { return pool{a, -1} }
	switch step {
	case 3:
		m.engage(52, 5)
	case 6:
		m.create(100, watchpost.TaskProfileFetch, both(watchpost.ActionProfileFetch))
		m.create(90, watchpost.TaskCompanyFetch, both(watchpost.ActionCompanyFetch))
	case 9:
		m.create(30, watchpost.TaskProfilesSearch, both(watchpost.ActionProfileSearch))
		m.create(10, watchpost.TaskConnectionsFetch, both(watchpost.ActionProfileSearch))
		m.create(6, watchpost.TaskCompanyPosts, both(watchpost.ActionCompanyScan))
	case 12:
		m.create(52, watchpost.TaskLikePost, pool{watchpost.ActionLike, 0})
		if day == 0 { // more than a week's: the last of them will expire
			m.create(200, watchpost.TaskCommentPost, pool{watchpost.ActionComment, 0})
		}
		m.create(27, watchpost.TaskCommentPost, pool{watchpost.ActionComment, 0})
	case 15:
		m.create(1, watchpost.TaskProfilesPosts, both(watchpost.ActionPeopleScan))
		m.create(105, watchpost.TaskSendMessage, pool{watchpost.ActionMessage, 0})
	case 18:
		m.invite(18)
	default:
		return false
	}
	return true
}

// monthURNs is how many people one task fetches the posts of.
const monthURNs = 30

func (m *month) create(n int, kind watchpost.TaskType, p pool) {
	for range n {
		m.number++
		input, units := fmt.Sprintf(`{"social_urn":"urn:network:activity:%d"}`, 8000000000000000000+m.number), 1
		if kind == watchpost.TaskProfilesPosts {
			input, units = `{"profile_urns":["0"`, monthURNs
			for i := 1; i < units; i++ {
				input += fmt.Sprintf(`,"%d"`, i)
			}
			input += `]}`
		}
		m.model.create(created(m.t, m.team, request(kind, input)), p, m.now, units)
	}
}

// invite asks for invitations, which are refused over the weekly cap.
func (m *month) invite(n int) {
	p := pool{watchpost.ActionInvitation, 0}
	for range n {
		m.number++
		if m.model.invitable(p, m.now) {
			m.model.create(created(m.t, m.team, invite(m.number)), p, m.now, 1)
			continue
		}
		m.refused++
		err := actorstest.Fails(m.t, m.team, watchpost.InvitationCap, invite(m.number))
		require.EqualError(m.t, err, watchpost.TextInvitationCap)
	}
}

// engage lets the second member like and comment on the newest posts.
func (m *month) engage(likes, comments int) {
	email := m.sessions[1].Email
	for _, post := range m.team.Posts(m.t, m.keywordLists()...) {
		like := actors.Engage{Type: watchpost.TaskLikePost, Post: post.ID, Email: email, Input: []byte(`{"actor_type":"user"}`)}
		if id, already := m.liked[post.ID]; already {
			require.Equal(m.t, id, created(m.t, m.team, like), "liked already")
			continue
		}
		if likes == 0 {
			continue
		}
		likes--
		id := created(m.t, m.team, like)
		m.liked[post.ID] = id
		m.model.create(id, pool{watchpost.ActionLike, 1}, m.now, 1)
		if comments > 0 {
			comments--
			comment := actors.Engage{Type: watchpost.TaskCommentPost, Post: post.ID, Email: email, Input: []byte(`{"comment_text":"yes"}`)}
			m.model.create(created(m.t, m.team, comment), pool{watchpost.ActionComment, 1}, m.now, 1)
		}
	}
	require.Zero(m.t, likes, "too few new posts")
}

func (m *month) keywordLists() (ids []watchpost.WatchlistID) {
	for _, w := range m.lists {
		if w.Type == watchpost.KeywordWatchlist {
			ids = append(ids, w.ID)
		}
	}
	return ids
}

// settle lets the sessions do what the model says is done now, and nothing else.
func (m *month) settle() {
	plan := m.model.step(m.now)
	first := 0 // handed out at midnight
	for !plan.empty() {
		select {
		case f := <-m.sessions[0].Frames():
			first += m.do(m.sessions[0], f, plan)
		case f := <-m.sessions[1].Frames():
			first += m.do(m.sessions[1], f, plan)
		case <-time.After(actorstest.Wait):
			require.FailNow(m.t, "not handed out", "%s: %d tasks, %d scans", m.now, len(plan.tasks), len(plan.scans))
		}
	}
	if !m.afterLast.IsZero() {
		require.Equal(m.t, len(m.sessions), first, "what waits for the reset goes out with it")
		m.afterLast = time.Time{}
	}
	m.compareUse()
	for _, s := range m.sessions {
		s.ExpectQuiet()
	}
}

// do does a task and tells whether it was handed out at midnight.
func (m *month) do(s *actorstest.Session, f protocol.Frame, plan *monthPlan) (atMidnight int) {
	require.Equal(m.t, protocol.TypeTask, f.Type, "%+v", f)
	if f.Deadline.Equal(m.afterLast.Add(protocol.TaskTime)) {
		atMidnight = 1
	}
	kind, id := watchpost.TaskType(f.TaskType), watchpost.TaskID(f.Task)
	if !kind.Scan() {
		units := max(1, countURNs(m.t, f))
		require.GreaterOrEqual(m.t, plan.tasks[id], units, "%s: %s is not to be handed out", m.now, f.TaskType)
		if plan.tasks[id] -= units; plan.tasks[id] == 0 {
			delete(plan.tasks, id)
		}
		s.Finish(f)
		return atMidnight
	}
	e := plan.scans[whom(m.t, f)]
	require.NotNil(m.t, e, "%s: %s of %s is not to be handed out", m.now, f.TaskType, whom(m.t, f))
	require.Equal(m.t, e.kind, kind)
	require.True(m.t, m.model.takes(e, plan, m.now), "%s: %s of %s is not next", m.now, f.TaskType, e.name)
	m.scans[kind]++
	posts := m.found(e)
	m.brought[monthShare{kind, e.owner, monthDay(m.now)}] += len(posts)
	bring(s, f, posts...)
	m.model.finish(e, m.now, len(posts))
	return atMidnight
}

// found is the result of a scan of an entry: new posts, each by a different author.
func (m *month) found(e *monthEntry) (posts []protocol.Post) {
	if e.kind != watchpost.TaskKeywordScan {
		return nil
	}
	n := 1
	if e.owner == 0 { // in a week more than there are potential leads
		n = 2
	}
	for range n {
		m.number++
		p := post(m.w, fmt.Sprint(m.number), "We are hiring for "+e.name)
		p.AuthorURL = fmt.Sprint("/in/author-", m.number)
		posts = append(posts, p)
	}
	return posts
}
