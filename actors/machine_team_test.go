package actors_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/actors/root"
	"watchpost/internal/protocol"
	"watchpost/persistence/faultstore"
	"watchpost/watchpost"
)

// TestWholeTeamStateMachine drives a whole team at random: what TestTeamStateMachine
// does, and plans that expire, watchlists with their scans and rules, members who
// join and leave with their accounts, and repeated requests with an
// Idempotency-Key, under some of each fault. In addition to the machine's invariants:
//
//   - a plan's quota of watchlists refuses a creation exactly when it is used up;
//   - watchlists are there as answered, and one without an answer may be;
//   - a repetition gets the first reply for a day, and a new one after that;
//   - the usage that the team shows comes to be what the durable ledger says;
//   - a post leads to one decision of the rules and to one task at most.
func TestWholeTeamStateMachine(t *testing.T) {
	t.Parallel()
	engine := actorstest.Engine(t)
	playLives(t, 15, 60, func(r *rapid.T, steps int) {
		m := newMachine(t, r, engine)
		defer m.w.End()
		m.whole = newWholeTeam(m)
		m.faults = lifeFaults{
			store: faultstore.Mix{Before: 80, After: 80, Slow: 20, Full: 80, Read: 400}, fatal: rapid.Bool().Draw(r, "fatal"), frames: 20, clock: true,
		}
		m.random = rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 0))
		m.arm()
		for range steps {
			if rapid.Bool().Draw(r, "of the team") {
				m.whole.step()
			} else {
				m.step()
			}
		}
		m.calm()
		m.finish()
		m.whole.finish()
	})
}

// wholeTeam is the part of a team that its admins change, as the test knows it.
type wholeTeam struct {
	*machine
	watchlists map[watchpost.WatchlistID]string // by name
	// unsure are changes of watchlists without an answer: creations by name, and
	// deletions by id.
	creating map[string]bool
	deleting map[watchpost.WatchlistID]bool
	// plans are those that the team may have; more than one after a change
	// without an answer.
	plans   []datedPlan
	kept    map[string]*keptReply
	members int
	network []protocol.Post
	saw     *ruleWrites
	made    int
}

type datedPlan struct {
	plan watchpost.Plan
	ends time.Time
}

// keptReply is the reply to an Idempotency-Key.
type keptReply struct {
	task   watchpost.TaskID
	at     time.Time
	unsure time.Time // of the last request without an answer
}

func newWholeTeam(m *machine) *wholeTeam {
	h := &wholeTeam{
		machine: m, watchlists: map[watchpost.WatchlistID]string{}, creating: map[string]bool{}, deleting: map[watchpost.WatchlistID]bool{},
		plans: []datedPlan{{plan: watchpost.PlanUltimate}}, kept: map[string]*keptReply{},
		saw: newRuleWrites(m.expected.space),
	}
	m.expected.also = h.saw.enter
	h.createWatchlist()
	h.createRule()
	return h
}

func (h *wholeTeam) step() {
	step := rapid.SampledFrom([]string{"post", "watchlist", "watchlist", "unlist", "list", "plan", "team", "same", "same", "rule", "join", "leave"}).Draw(h.r, "team step")
	h.tell("step of the team: %s", step)
	switch step {
	case "post":
		for range rapid.IntRange(1, 5).Draw(h.r, "posts") {
			h.network = append(h.network, postBy(h.w, fmt.Sprint("author-", len(h.network))))
		}
	case "watchlist":
		h.createWatchlist()
	case "unlist":
		h.deleteWatchlist()
	case "list":
		h.list()
	case "plan":
		h.changePlan()
	case "team":
		h.look()
	case "same":
		h.same()
	case "rule":
		h.createRule()
	case "join":
		h.join()
	case "leave":
		h.leave()
	}
	h.settle()
	h.revive()
	h.expected.check(h.machine)
}

// failed reports whether an answer is a temporary failure; any other but those
// expected fails the test.
func (h *wholeTeam) failed(what string, err error, expected ...watchpost.Kind) bool {
	if err == nil {
		return false
	}
	kind := watchpost.KindOf(err)
	if kind != watchpost.Unavailable && !slices.Contains(expected, kind) {
		h.fail("%s: %v", what, err)
	}
	return kind == watchpost.Unavailable
}

// quota returns the least and the most watchlists that the plans allow now.
func (h *wholeTeam) quota() (least, most int) {
	for i, p := range h.plans {
		q := watchpost.PlanAt(p.plan, p.ends, h.w.Now()).Quotas().Watchlists
		if least = min(least, q); i == 0 {
			least = q
		}
		most = max(most, q)
	}
	return least, most
}

// count returns the least and the most watchlists that there can be.
func (h *wholeTeam) count() (least, most int) {
	return len(h.watchlists) - len(h.deleting), len(h.watchlists) + len(h.creating)
}

func (h *wholeTeam) createWatchlist() {
	h.made++
	name := fmt.Sprint("list ", h.made)
	view, err := actorstest.Try[actors.WatchlistView](h.team, actors.CreateWatchlist{Watchlist: watchpost.Watchlist{
		Type: watchpost.KeywordWatchlist, Name: name, Frequency: watchpost.FetchFrequency(time.Hour), Keywords: []watchpost.KeywordEntry{{Keyword: "go"}},
	}})
	least, most := h.count()
	leastQuota, mostQuota := h.quota()
	switch {
	case h.failed("create a watchlist", err, watchpost.PlanLimit):
		h.creating[name] = true
	case err != nil && most < leastQuota:
		h.fail("%d of %d watchlists, and refused: %v", most, leastQuota, err)
	case err == nil && least >= mostQuota:
		h.fail("%d of %d watchlists, and another one made", least, mostQuota)
	case err == nil:
		h.watchlists[view.Watchlist.ID] = name
	}
}

// one returns one of the watchlists; "" when there is none.
func (h *wholeTeam) one() watchpost.WatchlistID {
	ids := slices.SortedFunc(maps.Keys(h.watchlists), func(a, b watchpost.WatchlistID) int {
		return len(h.watchlists[a]) - len(h.watchlists[b]) + slices.Compare([]byte(h.watchlists[a]), []byte(h.watchlists[b]))
	})
	if len(ids) == 0 {
		return ""
	}
	return ids[rapid.IntRange(0, len(ids)-1).Draw(h.r, "watchlist")]
}

func (h *wholeTeam) deleteWatchlist() {
	id := h.one()
	if id == "" {
		return
	}
	_, err := actorstest.Try[root.Done](h.team, actors.DeleteWatchlist{Type: watchpost.KeywordWatchlist, ID: id})
	switch {
	case h.failed("delete a watchlist", err, watchpost.NotFound):
		h.deleting[id] = true
		return
	case err != nil && !h.deleting[id]:
		h.fail("watchlist %s is gone: %v", h.watchlists[id], err)
	}
	delete(h.watchlists, id)
	delete(h.deleting, id)
}

// list compares the watchlists with those that there must be, and takes up those
// that there may be.
func (h *wholeTeam) list() {
	views, err := actorstest.Try[[]actors.WatchlistView](h.team, actors.ListWatchlists{})
	if h.failed("list watchlists", err) {
		return
	}
	shown := map[watchpost.WatchlistID]string{}
	for _, v := range views {
		if _, known := h.watchlists[v.Watchlist.ID]; !known && !h.creating[v.Watchlist.Name] {
			h.fail("nobody made watchlist %s", v.Watchlist.Name)
		}
		shown[v.Watchlist.ID] = v.Watchlist.Name
	}
	for id, name := range h.watchlists {
		if shown[id] == "" && !h.deleting[id] {
			h.fail("watchlist %s is gone", name)
		}
	}
	h.watchlists = shown
	clear(h.creating)
	clear(h.deleting)
}

func (h *wholeTeam) changePlan() {
	p := datedPlan{plan: rapid.SampledFrom([]watchpost.Plan{watchpost.PlanFree, watchpost.PlanGrowth, watchpost.PlanExpert, watchpost.PlanUltimate}).Draw(h.r, "plan")}
	change := actors.UpdateTeam{Patch: watchpost.TeamPatch{Plan: &p.plan}}
	if rapid.Bool().Draw(h.r, "expires") {
		p.ends = h.w.Now().Add(10*time.Hour + 33*time.Minute + 17*time.Second)
		change.Patch.PlanExpiresAt = &p.ends
	}
	if _, err := actorstest.Try[watchpost.Team](h.team, change); h.failed("change the plan", err) {
		h.plans = append(h.plans, p)
		return
	}
	h.plans = []datedPlan{p}
}

// look compares the team's view with the model.
func (h *wholeTeam) look() {
	view, err := actorstest.Try[actors.TeamView](h.team, actors.GetTeam{})
	if h.failed("get the team", err) {
		return
	}
	leastQuota, mostQuota := h.quota()
	if q := view.Limits.Watchlists; q < leastQuota || q > mostQuota {
		h.fail("the team may have %d watchlists, want %d to %d", q, leastQuota, mostQuota)
	}
	if least, most := h.count(); view.Watchlists < least || view.Watchlists > most {
		h.fail("the team has %d watchlists, want %d to %d", view.Watchlists, least, most)
	}
	// An activation debits leases that were held over midnight, which may come
	// behind the answer.
	var wrong string
	for range 100 {
		if wrong = h.wrongUsage(view); wrong == "" {
			return
		}
		view = patiently(h.machine, func() (actors.TeamView, error) {
			return actorstest.Try[actors.TeamView](h.team, actors.GetTeam{})
		})
	}
	h.fail("%s", wrong)
}

// wrongUsage tells where a view and the durable ledger differ.
func (h *wholeTeam) wrongUsage(view actors.TeamView) string {
	now := h.w.Now()
	h.expected.mu.Lock()
	defer h.expected.mu.Unlock()
	for _, p := range view.Presence {
		for _, u := range p.Used {
			allowance, _ := watchpost.AllowanceOf(u.Action)
			key := allowance.Period.Key(now) + "\x00" + p.Account.URN + "\x00" + string(u.Action)
			if u.Used != h.expected.used[key] || u.Limit != allowance.Limit {
				return fmt.Sprintf("%q has used %d of %d, the ledger says %d of %d", key, u.Used, u.Limit, h.expected.used[key], allowance.Limit)
			}
		}
	}
	return ""
}

// same sends one of a few requests with an Idempotency-Key.
func (h *wholeTeam) same() {
	name := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(h.r, "key")
	k := h.kept[name]
	if k == nil {
		k = &keptReply{}
		h.kept[name] = k
	}
	kind := watchpost.TaskLikePost
	reply, err := actorstest.Try[any](h.team, actors.IdempotentRequest{Name: name, Hash: "h", Request: actorstest.NewTask(kind)})
	now := h.w.Now()
	if h.failed("repeat a request", err) {
		k.unsure = now
		return
	}
	const keeps = 24 * time.Hour
	replayed, again := reply.(actors.ReplayedReply)
	if again {
		reply = replayed.Reply
	}
	task := reply.(actors.TaskCreated).ID
	switch {
	// A clock that went back may have forgotten a reply before its time.
	case !again && k.task != "" && !h.faults.clock && now.Before(k.at.Add(keeps-time.Minute)):
		h.fail("key %s: the request is done again: %s, then %s", name, k.task, task)
	case again && task != k.task && k.unsure.IsZero():
		h.fail("key %s: replies %s, then %s", name, k.task, task)
	}
	if task != k.task {
		*k = keptReply{task: task, at: now}
	}
	h.known(string(task), kind)
}

func (h *wholeTeam) createRule() {
	id := h.one()
	if id == "" {
		return
	}
	rule := watchpost.NewRule(id, watchpost.ActionLike, h.w.Now())
	rule.Hours = watchpost.DailyHours{Until: 24 * 60}
	_, err := actorstest.Try[actors.RuleView](h.team, actors.CreateRule{Rule: rule})
	h.failed("create a rule", err, watchpost.NotFound, watchpost.PlanLimit, watchpost.Conflict)
}

// join adds a member with an account and a session.
func (h *wholeTeam) join() {
	if len(h.sessions) >= 5 {
		return
	}
	h.members++
	name := fmt.Sprintf("cy-%d-%s", h.members, watchpost.NewSecret(4))
	email := name + "@example.com"
	member, err := actorstest.Try[watchpost.Member](h.team, actors.AddMember{Email: email, FullName: name, Role: watchpost.RoleMember})
	if h.failed("add a member", err, watchpost.PlanLimit) || err != nil {
		return
	}
	opened, err := actorstest.Try[actors.SessionOpened](h.team, actors.OpenSession{Email: email})
	if h.failed("open a session", err) {
		return
	}
	s := &actorstest.Session{T: h.t, Team: h.team, Email: email, Token: opened.Token, Account: actorstest.Account(name), Journal: "journal-" + name}
	h.sessions = append(h.sessions, &fakeSession{Session: s, member: member.ID})
}

// leave removes a member who joined. The session says nothing any more.
func (h *wholeTeam) leave() {
	i := len(h.sessions) - 1
	p := h.sessions[i]
	if p.member == "" {
		return
	}
	_, err := actorstest.Try[root.Done](h.team, actors.RemoveMember{Member: p.member})
	if h.failed("remove a member", err, watchpost.NotFound) {
		p.leaving = true
		return
	}
	if err != nil && !p.leaving {
		h.fail("member %s is gone: %v", p, err)
	}
	if p.connected {
		p.Drop()
	}
	h.sessions = h.sessions[:i]
}

// finish looks at everything once more after a crash.
func (h *wholeTeam) finish() {
	h.list()
	h.look()
	before := maps.Clone(h.watchlists)
	h.crash()
	h.list()
	if !maps.Equal(before, h.watchlists) {
		h.fail("watchlists %v, and %v after a crash", before, h.watchlists)
	}
	h.look()
	h.saw.mu.Lock()
	defer h.saw.mu.Unlock()
	for _, wrong := range h.saw.wrong {
		h.fail("%s", wrong)
	}
	for urn, decisions := range h.saw.decided {
		if len(decisions) > 1 {
			h.fail("%d decisions of rules on %s", len(decisions), urn)
		}
	}
}
