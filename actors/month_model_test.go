package actors_test

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"watchpost/watchpost"
	"watchpost/watchpost/scanplan"
)

// The pure model of a month: the rules for two accounts that always answer at
// once, written independently of the service's own arithmetic. Time advances in
// steps. All events of a step happen at its moment; the seconds they really take
// never reach another moment.

// monthCaps is what one account may do in a day, of invitations in a week.
var monthCaps = map[watchpost.Action]int{
	watchpost.ActionKeywordScan: 30, watchpost.ActionPeopleScan: 50, watchpost.ActionCompanyScan: 50,
	watchpost.ActionProfileFetch: 40, watchpost.ActionCompanyFetch: 40, watchpost.ActionProfileSearch: 100,
	watchpost.ActionMessage: 100, watchpost.ActionLike: 50, watchpost.ActionComment: 25, watchpost.ActionInvitation: 100,
}

// monthDay is the number of the UTC day, monthWeek that of its Monday.
func monthDay(now time.Time) int64 { return now.Unix() / (24 * 60 * 60) }

func monthWeek(now time.Time) int64 {
	day := monthDay(now) // day 0 was a Thursday
	return day - (day+3)%7
}

// pool is an allowance: that of one account for a write, that of both together
// for a read, which either may do.
type pool struct {
	action  watchpost.Action
	account int // -1: both
}

func (p pool) limit() int {
	if p.account < 0 {
		return 2 * monthCaps[p.action]
	}
	return monthCaps[p.action]
}

func (p pool) period(now time.Time) int64 {
	if p.action == watchpost.ActionInvitation {
		return monthWeek(now)
	}
	return monthDay(now)
}

// reset is when the period that holds now is over.
func (p pool) reset(now time.Time) time.Time {
	days := int64(1)
	if p.action == watchpost.ActionInvitation {
		days = 7
	}
	return time.Unix((p.period(now)+days)*24*60*60, 0).UTC()
}

// monthEntry is an entry of a watchlist or list: what a scan looks for.
type monthEntry struct {
	name      string
	id        watchpost.EntryID
	kind      watchpost.TaskType
	owner     int // of watchlists
	frequency time.Duration
	due       time.Time
	order     int // of the last finish: the earlier is due earlier
	waiting   bool
	finished  time.Time
}

// monthTask is a task of a client.
type monthTask struct {
	id      watchpost.TaskID
	pool    pool
	created time.Time
	units   int // still to do
	begun   bool
}

// monthModel is the state of the model.
type monthModel struct {
	entries []*monthEntry
	queues  map[pool][]*monthTask // of clients, in the order of creation
	used    map[pool]map[int64]int
	closed  map[watchpost.TaskID]time.Time // completed
	expired map[watchpost.TaskID]time.Time
	scans   map[watchpost.TaskType]int
	posts   map[int]map[int64]int // of a watchlist in a week
	had     map[monthShare]int
	order   int
}

func newMonthModel() *monthModel {
	return &monthModel{
		queues: map[pool][]*monthTask{}, used: map[pool]map[int64]int{},
		closed: map[watchpost.TaskID]time.Time{}, expired: map[watchpost.TaskID]time.Time{},
		scans: map[watchpost.TaskType]int{}, posts: map[int]map[int64]int{}, had: map[monthShare]int{},
	}
}

func (m *monthModel) usedOf(p pool, now time.Time) int { return m.used[p][p.period(now)] }

func (m *monthModel) use(p pool, now time.Time, units int) {
	if m.used[p] == nil {
		m.used[p] = map[int64]int{}
	}
	m.used[p][p.period(now)] += units
}

// waiting counts the tasks of clients that wait for an allowance.
func (m *monthModel) waiting(p pool) int { return len(m.queues[p]) }

// create adds a task of a client.
func (m *monthModel) create(id watchpost.TaskID, p pool, now time.Time, units int) {
	m.queues[p] = append(m.queues[p], &monthTask{id: id, pool: p, created: now, units: units})
}

// invitable reports whether an invitation is accepted: those of the week and
// those that wait are fewer than the cap.
func (m *monthModel) invitable(p pool, now time.Time) bool {
	return m.usedOf(p, now)+m.waiting(p) < p.limit()
}

// monthPlan is the work of a step: units of clients' tasks, and the number of due scans.
type monthPlan struct {
	tasks map[watchpost.TaskID]int
	scans map[string]*monthEntry
	left  map[watchpost.TaskType]int
}

func (p *monthPlan) empty() bool {
	return len(p.tasks) == 0 && !slices.ContainsFunc(slices.Collect(maps.Values(p.left)), func(n int) bool { return n > 0 })
}

// step sets the model to now: tasks never begun in seven days expire, due scans
// wait, and the tasks that fit into the allowances are done: tasks of clients in
// their order, then scans.
func (m *monthModel) step(now time.Time) *monthPlan {
	plan := &monthPlan{tasks: map[watchpost.TaskID]int{}, scans: map[string]*monthEntry{}, left: map[watchpost.TaskType]int{}}
	for p, queue := range m.queues {
		m.queues[p] = slices.DeleteFunc(queue, func(t *monthTask) bool {
			end := t.created.Add(7 * 24 * time.Hour)
			if t.begun || end.After(now) {
				return false
			}
			m.expired[t.id] = end
			return true
		})
		m.doTasks(p, now, plan)
	}
	scans := map[watchpost.TaskType][]*monthEntry{}
	for _, e := range m.entries {
		if e.waiting = !e.due.After(now); e.waiting {
			scans[e.kind] = append(scans[e.kind], e)
		}
	}
	for kind, due := range scans {
		m.doScans(kind, due, now, plan)
	}
	return plan
}

func (m *monthModel) doTasks(p pool, now time.Time, plan *monthPlan) {
	queue := m.queues[p]
	for len(queue) > 0 {
		room := p.limit() - m.usedOf(p, now)
		if room == 0 {
			break
		}
		t := queue[0]
		units := min(room, t.units)
		t.units -= units
		t.begun = true
		m.use(p, now, units)
		plan.tasks[t.id] += units
		if t.units == 0 {
			m.closed[t.id] = now
			queue = queue[1:]
		}
	}
	m.queues[p] = queue
}

func (m *monthModel) doScans(kind watchpost.TaskType, due []*monthEntry, now time.Time, plan *monthPlan) {
	left := len(due)
	if action := kind.Action(); action != watchpost.ActionNone {
		p := pool{action, -1}
		left = min(left, p.limit()-m.usedOf(p, now))
		m.use(p, now, left)
	}
	m.scans[kind] += left
	plan.left[kind] = left
	for _, e := range due {
		plan.scans[e.name] = e
	}
}

// takes notes that a scan was handed out. Within its watchlist or list only one that another
// session does just now may have waited longer.
func (m *monthModel) takes(e *monthEntry, plan *monthPlan, now time.Time) bool {
	longer := 0
	for _, o := range plan.scans {
		if o.owner == e.owner && o.kind == e.kind && cmp.Or(o.due.Compare(e.due), cmp.Compare(o.order, e.order), cmp.Compare(o.id, e.id)) < 0 {
			longer++
		}
	}
	delete(plan.scans, e.name)
	plan.left[e.kind]--
	m.had[monthShare{e.kind, e.owner, monthDay(now)}]++
	return longer <= 1 && plan.left[e.kind] >= 0
}

// shares are what the watchlists and lists had of the scans of a day, and their fair shares
// of these.
func (m *monthModel) shares(kind watchpost.TaskType, now time.Time) (had, fair []int) {
	var needs []int
	of := map[int]int{}
	for _, e := range m.entries {
		if e.kind != kind {
			continue
		}
		at, known := of[e.owner]
		if !known {
			at = len(needs)
			of[e.owner] = at
			needs, had = append(needs, 0), append(had, m.had[monthShare{kind, e.owner, monthDay(now)}])
		}
		needs[at] += int(24 * time.Hour / e.frequency)
	}
	sum := 0
	for _, n := range had {
		sum += n
	}
	return had, scanplan.FairShares(needs, nil, sum)
}

// monthShare is what a watchlist or list has had of the scans of a day.
type monthShare struct {
	kind  watchpost.TaskType
	owner int
	day   int64
}

// finish notes the end of a scan of the plan: the next is due a frequency later.
// The model takes one fact from the service: which of two scans that ended in
// one step is due first.
func (m *monthModel) finish(e *monthEntry, now time.Time, posts int) {
	m.order++
	e.order, e.finished, e.waiting = m.order, now, false
	e.due = now.Add(e.frequency)
	if posts > 0 {
		if m.posts[e.owner] == nil {
			m.posts[e.owner] = map[int64]int{}
		}
		m.posts[e.owner][monthWeek(now)] += posts
	}
}

// waitingScans counts the scans that are due and were not done, and tells since
// when the oldest waits.
func (m *monthModel) waitingScans() (n int, oldest time.Time) {
	for _, e := range m.entries {
		if !e.waiting {
			continue
		}
		n++
		if oldest.IsZero() || e.due.Before(oldest) {
			oldest = e.due
		}
	}
	return n, oldest
}

// times are when an owner's entries were scanned last, and are due next.
func (m *monthModel) times(owner int) (last, next time.Time) {
	for _, e := range m.entries {
		if e.owner != owner {
			continue
		}
		if e.finished.After(last) {
			last = e.finished
		}
		if next.IsZero() || e.due.Before(next) {
			next = e.due
		}
	}
	return last, next
}

// relevant is what the watchlist that collected most has in this week.
func (m *monthModel) relevant(now time.Time) int {
	most := 0
	for _, weeks := range m.posts {
		most = max(most, weeks[monthWeek(now)])
	}
	return most
}
