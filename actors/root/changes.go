package root

import (
	"context"
	"errors"
	"slices"
	"sync"

	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Topic is a kind of data of a team that changes.
type Topic string

// The topics. A change of a task has its id.
const (
	TopicPosts      Topic = "posts"
	TopicTask       Topic = "task"
	TopicWatchlists Topic = "watchlists"
	TopicTeam       Topic = "team"
	// TopicRules are auto-engagement rules and their actions, TopicNotifications
	// notification targets and their deliveries.
	TopicRules         Topic = "rules"
	TopicNotifications Topic = "notifications"
	// TopicTriage is what members and the team have decided about posts.
	TopicTriage Topic = "triage"
	// TopicFeed is the change feed: followers get it, and nothing else.
	TopicFeed Topic = "feed"
	// TopicAll means that anything may have changed.
	TopicAll Topic = "all"
)

// Change says what a commit has changed. It carries no data: a reader asks for it.
type Change struct {
	Topic Topic
	ID    string // of the task, or of the post of TopicTriage; empty for other topics
	// Member is the only one whom it concerns; empty: all.
	Member watchpost.MemberID
}

// topics are the topics by the first letter of a key (package teamspace).
var topics = map[string]Topic{
	"p": TopicPosts, teamspace.KeyTask: TopicTask, teamspace.KeyOpen: TopicTask,
	teamspace.KeyWatchlist: TopicWatchlists, teamspace.KeyList: TopicWatchlists, teamspace.KeyScan: TopicWatchlists, teamspace.KeyWeeklyCounter: TopicWatchlists, teamspace.KeyDeletion[:1]: TopicWatchlists,
	teamspace.KeyTeam: TopicTeam, teamspace.KeyMember: TopicTeam, teamspace.KeyInvitation: TopicTeam, teamspace.KeySession: TopicTeam, teamspace.KeyLedger: TopicTeam,
	teamspace.KeyAccount: TopicTeam, teamspace.KeyBinding: TopicTeam, teamspace.KeyLiveness: TopicTeam,
	teamspace.KeyWebSession: TopicTeam, teamspace.KeyAudit: TopicTeam, teamspace.KeyKeyUse: TopicTeam,
	teamspace.KeyChanges:  TopicFeed,
	teamspace.KeyRule[:1]: TopicRules, teamspace.KeyTarget[:1]: TopicNotifications, teamspace.KeyTriage[:1]: TopicTriage,
}

// changesOf returns what a batch changes, each once.
func changesOf(batch *persistence.Batch) (changes []Change) {
	for _, w := range batch.Writes {
		if len(w.Key) == 0 {
			continue
		}
		topic, known := topics[string(w.Key[:1])]
		c := Change{Topic: topic}
		switch topic {
		case TopicTask:
			c.ID = string(w.Key[1:])
		case TopicTriage:
			c, known = triageChange(w.Key)
		}
		if known && !slices.Contains(changes, c) {
			changes = append(changes, c)
		}
	}
	return changes
}

// triageChange returns what the change of a key of triage means; known is false for visits,
// which no page shows.
func triageChange(key []byte) (c Change, known bool) {
	kind, rest := string(key[:min(2, len(key))]), string(key[min(2, len(key)):])
	c.Topic = TopicTriage
	switch {
	case kind == teamspace.KeyAssignment:
		c.ID = rest
	case kind == teamspace.KeyTriage:
		c.Member = watchpost.MemberID(rest)
	case kind == teamspace.KeyTriageMark && len(rest) > teamspace.IDLength:
		c.Member, c.ID = watchpost.MemberID(rest[:teamspace.IDLength]), rest[teamspace.IDLength:]
	default:
		return c, false
	}
	return c, true
}

// subscriptions are the readers that follow the changes of teams on this node.
type subscriptions struct {
	mu     sync.RWMutex
	byTeam map[string]map[*Subscription]struct{}
	last   uint64 // number
}

func newSubscriptions() *subscriptions {
	return &subscriptions{byTeam: map[string]map[*Subscription]struct{}{}}
}

// publish tells the readers of a team about a commit. It does not block.
func (s *subscriptions) publish(team string, changes []Change) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for sub := range s.byTeam[team] {
		sub.add(changes)
	}
}

// end ends the subscriptions to the teams that keep does not report.
func (s *subscriptions) end(keep func(team string) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for team, subs := range s.byTeam {
		if keep(team) {
			continue
		}
		for sub := range subs {
			sub.end()
		}
		delete(s.byTeam, team)
	}
}

// maxChanges bounds the changes that wait for a slow reader. Above it they become
// one that means everything.
const maxChanges = 256

// Subscription collects the changes of a team until they are read. Changes that are
// the same become one, so none is lost, however slow the reader.
type Subscription struct {
	all    *subscriptions
	team   string
	member watchpost.MemberID // "": it follows the change feed
	number uint64             // in the order of their beginnings
	ready  chan struct{}      // has an element while there is something to read
	over   chan struct{}      // closed at the end

	mu      sync.Mutex
	waiting []Change
	ended   bool
}

// maxSubscriptions bounds those of a member. The oldest ends when another one begins: of
// a browser whose connection was lost it is the one without a reader.
const maxSubscriptions = 20

// Subscribe follows the commits of a team that this node serves, for a member. The first
// change is TopicAll: the reader cannot know which changes it missed. Errors:
// ElsewhereError.
func (r *Registry) Subscribe(team watchpost.TeamID, member watchpost.MemberID) (*Subscription, error) {
	s := r.env.changes
	sub := &Subscription{all: s, team: string(team), member: member, ready: make(chan struct{}, 1), over: make(chan struct{})}
	sub.add([]Change{{Topic: TopicAll}})
	s.mu.Lock()
	defer s.mu.Unlock()
	if !r.Serves(sub.team) {
		return nil, &ElsewhereError{Team: team}
	}
	if s.byTeam[sub.team] == nil {
		s.byTeam[sub.team] = map[*Subscription]struct{}{}
	}
	s.makeRoom(sub.team, member)
	s.last++
	sub.number = s.last
	s.byTeam[sub.team][sub] = struct{}{}
	return sub, nil
}

// MaxFollowers bounds those of a team that follow its change feed.
const MaxFollowers = 100

// Follow follows the change feed of a team that this node serves. Errors: ElsewhereError;
// Unavailable when MaxFollowers do.
func (r *Registry) Follow(team watchpost.TeamID) (*Subscription, error) {
	s := r.env.changes
	sub := &Subscription{all: s, team: string(team), ready: make(chan struct{}, 1), over: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !r.Serves(sub.team) {
		return nil, &ElsewhereError{Team: team}
	}
	n := 0
	for other := range s.byTeam[sub.team] {
		if other.member == "" {
			n++
		}
	}
	if n >= MaxFollowers {
		return nil, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, errFollowers)
	}
	if s.byTeam[sub.team] == nil {
		s.byTeam[sub.team] = map[*Subscription]struct{}{}
	}
	s.byTeam[sub.team][sub] = struct{}{}
	return sub, nil
}

var errFollowers = errors.New("too many requests wait for changes")

// makeRoom ends the oldest subscription of a member at the bound.
func (s *subscriptions) makeRoom(team string, member watchpost.MemberID) {
	var oldest *Subscription
	n := 0
	for sub := range s.byTeam[team] {
		if sub.member != member {
			continue
		}
		if n++; oldest == nil || sub.number < oldest.number {
			oldest = sub
		}
	}
	if n >= maxSubscriptions {
		delete(s.byTeam[team], oldest)
		oldest.end()
	}
}

// Next waits for changes. more is false when the subscription has ended, or ctx.
func (s *Subscription) Next(ctx context.Context) (changes []Change, more bool) {
	select {
	case <-s.ready:
	case <-s.over:
		return nil, false
	case <-ctx.Done():
		return nil, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	changes, s.waiting = s.waiting, nil
	return changes, true
}

// Close ends the subscription.
func (s *Subscription) Close() {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	delete(s.all.byTeam[s.team], s)
	if len(s.all.byTeam[s.team]) == 0 {
		delete(s.all.byTeam, s.team)
	}
	s.end()
}

func (s *Subscription) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.ended = true
		close(s.over)
	}
}

// wants reports whether a change is for the reader.
func (s *Subscription) wants(c Change) bool {
	return (c.Topic == TopicFeed) == (s.member == "") && (c.Member == "" || c.Member == s.member)
}

func (s *Subscription) add(changes []Change) {
	if !slices.ContainsFunc(changes, s.wants) {
		return
	}
	s.mu.Lock()
	for _, c := range changes {
		if s.wants(c) && !slices.Contains(s.waiting, c) {
			s.waiting = append(s.waiting, c)
		}
	}
	if len(s.waiting) > maxChanges {
		s.waiting = []Change{{Topic: TopicAll}}
	}
	s.mu.Unlock()
	select {
	case s.ready <- struct{}{}:
	default: // a signal is waiting already
	}
}
