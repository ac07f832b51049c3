package dispatch

import (
	"maps"
	"math"
	"slices"
	"time"

	"watchpost/internal/ordered"
	"watchpost/watchpost"
	"watchpost/watchpost/scanplan"
)

// Schedule names the watchlist or list that scans are for.
type Schedule string

// ScheduleOf returns the schedule of an entry.
func ScheduleOf(s watchpost.ScanTarget) Schedule {
	if s.List != "" {
		return Schedule(s.List)
	}
	return Schedule(s.Watchlist)
}

// schedulesOf returns the schedules that a scan is for; nil of another task.
func schedulesOf(t *watchpost.Task) (all []Schedule) {
	for _, target := range t.Targets() {
		if of := ScheduleOf(target); !slices.Contains(all, of) {
			all = append(all, of)
		}
	}
	return all
}

// shares decide whose scan is next, by scanplan.NextClaim.
type shares struct {
	needs map[watchpost.TaskType]map[Schedule]scanplan.Need
	// inOrder is made of needs when it is asked for.
	inOrder map[watchpost.TaskType]*Needs
	// used are the scans of the day that were debited, given those that are handed out.
	used  map[watchpost.TaskType]map[Schedule]int
	day   string // of used
	given map[watchpost.TaskID]givenScan
	hours watchpost.PresentHours
	// withheld are the queues of scans that no schedule may have now.
	withheld map[*queue]bool
}

func newShares() shares {
	return shares{
		needs: map[watchpost.TaskType]map[Schedule]scanplan.Need{}, used: map[watchpost.TaskType]map[Schedule]int{},
		inOrder: map[watchpost.TaskType]*Needs{}, given: map[watchpost.TaskID]givenScan{}, withheld: map[*queue]bool{},
	}
}

// givenScan is a scan that is handed out, the schedules that it is for and the one whose
// turn it was.
type givenScan struct {
	kind    watchpost.TaskType
	all     []Schedule
	of      Schedule
	debited bool
}

// scan is a waiting scan in the line of one of the schedules that it is for.
type scan struct {
	*waiter
	of Schedule
	at int // in its line
}

// lines are the waiting scans of a queue by schedule. A scan that several share is in the
// line of each.
type lines map[Schedule]*ordered.Heap[*scan]

func (l lines) add(w *waiter, of Schedule) {
	line := l[of]
	if line == nil {
		made := ordered.New(func(a, b *scan) bool { return a.before(b.turn) }, func(s *scan) *int { return &s.at })
		line = &made
		l[of] = line
	}
	s := &scan{waiter: w, of: of}
	w.scans = append(w.scans, s)
	line.Add(s)
}

// fix moves a scan whose turn has changed.
func (l lines) fix(w *waiter) {
	for _, s := range w.scans {
		l[s.of].Fix(s)
	}
}

func (l lines) remove(w *waiter) {
	for _, s := range w.scans {
		line := l[s.of]
		if line.Remove(s); line.Len() == 0 {
			delete(l, s.of)
		}
	}
	w.scans = nil
}

// Add queues a pending task, at its NotBefore when that is to come.
func (d *Dispatcher) Add(t *watchpost.Task, now time.Time) {
	delete(d.given, t.ID)
	d.queues.Add(t, now)
	if t.Type.Scan() {
		d.reconsider()
	}
}

// Join makes a queued scan one for the schedules of another scan, too, and gives it the turn
// of that one if that is earlier.
func (d *Dispatcher) Join(id watchpost.TaskID, other *watchpost.Task) {
	d.queues.join(id, other)
	d.reconsider()
}

// Remove takes a task out of its queue, or forgets that its scan is handed out.
func (d *Dispatcher) Remove(id watchpost.TaskID) {
	delete(d.given, id)
	d.queues.Remove(id)
}

// Need takes up what a schedule asks for; Subjects is zero when it is not scanned.
func (d *Dispatcher) Need(kind watchpost.TaskType, of Schedule, need scanplan.Need) {
	if d.needs[kind][of] == need {
		return
	}
	if d.needs[kind] == nil {
		d.needs[kind] = map[Schedule]scanplan.Need{}
	}
	delete(d.inOrder, kind)
	d.needs[kind][of] = need
	if need.Subjects == 0 {
		delete(d.needs[kind], of)
	}
	d.reconsider()
}

// Scanned counts scans of a day that a schedule has had, or with a negative count those
// that were given back.
func (d *Dispatcher) Scanned(kind watchpost.TaskType, of Schedule, day string, n int) {
	if day > d.day {
		d.day = day
		clear(d.used)
	}
	if day < d.day {
		return
	}
	if d.used[kind] == nil {
		d.used[kind] = map[Schedule]int{}
	}
	d.used[kind][of] = max(0, d.used[kind][of]+n)
	d.reconsider()
}

// Debited counts the scan of a task whose allowance was debited or, with a negative count,
// given back, for the schedule that it was handed out for.
func (d *Dispatcher) Debited(t *watchpost.Task, day string, n int) {
	g, given := d.given[t.ID]
	if !given { // before a restart
		g.of = ScheduleOf(t.Targets()[0])
	} else {
		g.debited = true
		d.given[t.ID] = g
	}
	d.Scanned(t.Type, g.of, day, n)
}

// Present takes up in which hours members are there.
func (d *Dispatcher) Present(hours watchpost.PresentHours) { d.hours = hours }

// Resumes takes up a scan that was handed out, and debited, before a restart.
func (d *Dispatcher) Resumes(t *watchpost.Task) {
	if all := schedulesOf(t); len(all) > 0 {
		d.given[t.ID] = givenScan{kind: t.Type, all: all, of: all[0], debited: true}
	}
}

// WhyScan says why the scans of a schedule that are due are not done, and until when at
// least if that is known; "" when none is due.
func (d *Dispatcher) WhyScan(kind watchpost.TaskType, of Schedule, now time.Time) (watchpost.PendingReason, time.Time) {
	for _, g := range d.given {
		if g.kind == kind && slices.Contains(g.all, of) {
			return watchpost.PendingRunning, time.Time{}
		}
	}
	k := Key{Kind: kind}
	q := d.byKey[k]
	if q == nil {
		return "", time.Time{}
	}
	if q.lines[of] != nil {
		return d.Why(k, now)
	}
	var until time.Time
	for _, w := range d.delayed.All() {
		if w.queue == q && slices.Contains(w.schedules, of) {
			until = watchpost.Earlier(until, w.until)
		}
	}
	if until.IsZero() {
		return "", until
	}
	return watchpost.PendingRetry, until
}

// NeedOf returns what a schedule asks for.
func (d *Dispatcher) NeedOf(kind watchpost.TaskType, of Schedule) scanplan.Need {
	return d.needs[kind][of]
}

// DueScans counts the scans of each schedule that are due, those that are handed out too.
func (d *Dispatcher) DueScans() map[Schedule]int {
	due := map[Schedule]int{}
	for _, g := range d.given {
		for _, of := range g.all {
			due[of]++
		}
	}
	for _, q := range d.byKey {
		for of, line := range q.lines {
			due[of] += line.Len()
		}
	}
	for _, w := range d.delayed.All() {
		for _, of := range w.schedules {
			due[of]++
		}
	}
	return due
}

// Needs returns what the schedules of a kind ask for.
func (d *Dispatcher) Needs(kind watchpost.TaskType) *Needs {
	all := d.inOrder[kind]
	if all == nil {
		all = &Needs{kind: kind}
		for schedule, need := range ordered.ByKey(d.needs[kind]) {
			all.schedules, all.needs = append(all.schedules, schedule), append(all.needs, need)
		}
		d.inOrder[kind] = all
	}
	return all
}

// Needs are what the schedules of a kind ask for, in the order of their names, and their
// forecast. A page asks for it for each of the team's watchlists.
type Needs struct {
	kind      watchpost.TaskType
	schedules []Schedule
	needs     []scanplan.Need
	live      int                // accounts of the forecast
	forecast  *scanplan.Forecast // nil: not made yet
}

// Copy returns the needs, which the caller may change, and the place of a schedule among
// them. One that is not known comes last, and asks for nothing.
func (n *Needs) Copy(of Schedule) (needs []scanplan.Need, at int) {
	needs = append(make([]scanplan.Need, 0, len(n.needs)+1), n.needs...)
	at, known := slices.BinarySearch(n.schedules, of)
	if !known {
		return append(needs, scanplan.Need{}), len(needs)
	}
	return needs, at
}

// Outlook returns the outlook of a schedule when live accounts may do the scans, and how
// often it asks for them.
func (n *Needs) Outlook(of Schedule, live int) (scanplan.Outlook, watchpost.FetchFrequency) {
	if n.forecast == nil || n.live != live {
		n.live, n.forecast = live, scanplan.ForecastOf(n.kind.Action(), n.needs, live)
	}
	at, known := slices.BinarySearch(n.schedules, of)
	if !known { // it asks for nothing
		needs, last := n.Copy(of)
		return scanplan.ForecastOf(n.kind.Action(), needs, live).Outlook(last)
	}
	return n.forecast.Outlook(at)
}

// Withholds reports whether scans wait for later hours of the day: Wake knows when.
func (d *Dispatcher) Withholds() bool { return len(d.withheld) > 0 }

// reconsider makes the queues candidates again that were withheld.
func (d *Dispatcher) reconsider() {
	for q := range d.withheld {
		d.nominate(q)
	}
	clear(d.withheld)
}

// first returns the waiting task of a queue that is next and, of a scan, whose turn it is;
// nil when all scans are withheld, until the day has an hour less.
func (d *Dispatcher) first(q *queue, now time.Time) (w *waiter, of Schedule) {
	if !q.key.Kind.Scan() {
		return q.turns.First(), ""
	}
	schedules, claims := d.claims(q, now)
	next := scanplan.NextClaim(claims, d.room(q.key.Kind, now), d.hours.Left(now))
	if next < 0 {
		d.withheld[q] = true
		d.due = watchpost.Earlier(d.due, now.Truncate(time.Hour).Add(time.Hour))
		return nil, ""
	}
	return q.lines[schedules[next]].First().waiter, schedules[next]
}

// claims returns what the schedules of a kind of scans can claim.
func (d *Dispatcher) claims(q *queue, now time.Time) (schedules []Schedule, claims []scanplan.Claim) {
	kind := q.key.Kind
	all := maps.Clone(d.needs[kind])
	if all == nil {
		all = map[Schedule]scanplan.Need{}
	}
	for of := range q.lines {
		all[of] = d.needs[kind][of]
	}
	given := map[Schedule]int{}
	for _, g := range d.given {
		if g.kind == kind && !g.debited {
			given[g.of]++
		}
	}
	for of, need := range ordered.ByKey(all) {
		c := scanplan.Claim{Need: need, Used: given[of]}
		if d.day == PeriodOf(watchpost.Daily, now) {
			c.Used += d.used[kind][of]
		}
		if line := q.lines[of]; line != nil {
			c.Waiting, c.Longest = line.Len(), line.First().turn.at
		}
		schedules, claims = append(schedules, of), append(claims, c)
	}
	return schedules, claims
}

// room returns how many scans of a kind the accounts of connected members may do today.
func (d *Dispatcher) room(kind watchpost.TaskType, now time.Time) (room int) {
	need := needOf(kind, now)
	if !need.counted {
		return math.MaxInt32
	}
	for account, crews := range d.byAccount {
		able := func(c *Crew) bool { return slices.ContainsFunc(c.workers, (*Worker).able) }
		if st := d.Standing(account); slices.ContainsFunc(crews, able) && st.limits(&need) == "" {
			room += st.roomFor(&need)
		}
	}
	return room
}
