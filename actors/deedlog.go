package actors

import (
	"errors"
	"iter"
	"slices"
	"sync"
	"time"

	"watchpost"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
)

// deedLogs remembers what teams did on posts, so that a page of interactions
// need not read all of them. Every snapshot of the store says by keyDeedState
// which state of them it shows, and what the last changes were.
type deedLogs struct {
	mu    sync.Mutex
	teams map[watchpost.TeamID]*deedLog
	size  int // deeds of all teams
}

// maxDeeds bounds the deeds that are remembered, some 40 MB; beyond it those of
// other teams are forgotten.
const maxDeeds = 100_000

// deedState counts the changes of what was done to posts, and holds the last.
type deedState struct {
	Changes uint64       `json:"changes"`
	Last    []deedChange `json:"last,omitempty"`
}

// deedChange is an interaction that was recorded, and on which post.
type deedChange struct {
	Task   watchpost.TaskID `json:"task"`
	Target string           `json:"target"`
}

// maxDeedChanges is how many changes a log that is behind makes up for; one
// that is further behind is read anew.
const maxDeedChanges = 32

// noteDeed notes in a batch that an interaction was recorded.
func noteDeed(view persistence.View, space persistence.Space, batch *persistence.Batch, change deedChange) error {
	state, err := readDeedState(view, space)
	if err != nil {
		return err
	}
	state.Changes++
	state.Last = append(state.Last[max(0, len(state.Last)+1-maxDeedChanges):], change)
	batch.Put([]byte(keyDeedState), encode(state))
	return nil
}

// noteOtherDeeds notes in a batch that more has changed than one interaction.
func noteOtherDeeds(view persistence.View, space persistence.Space, batch *persistence.Batch) error {
	state, err := readDeedState(view, space)
	if err == nil {
		batch.Put([]byte(keyDeedState), encode(deedState{Changes: state.Changes + 1}))
	}
	return err
}

func readDeedState(view persistence.View, space persistence.Space) (deedState, error) {
	state, err := load[deedState](view, space, []byte(keyDeedState))
	if errors.Is(err, persistence.ErrNotFound) {
		return deedState{}, nil
	}
	return state, err
}

// deedLog is what one team did on posts.
type deedLog struct {
	mu      sync.Mutex
	loaded  bool
	changes uint64 // the state that it shows
	deeds   []deed // newest first
	targets map[string]*deedTarget
	posts   map[string]*deedPost // by urn
	// versions are those of the posts; what is known of one holds for ever.
	versions map[uint64]*deedPost
	asked    uint64 // questions
}

// deed is an interaction in short.
type deed struct {
	id     watchpost.TaskID
	kind   watchpost.InteractionKind
	at     time.Time
	author string
	target *deedTarget
}

// deedTarget is what something was done to, as PostKey names it; the post is the
// stored one, nil when it never was stored.
type deedTarget struct {
	name string
	post *deedPost
}

// deedPost is a stored post that something was done to.
type deedPost struct {
	urn   string
	asked uint64 // the last question for which it counted
}

func newDeedLogs() *deedLogs { return &deedLogs{teams: map[watchpost.TeamID]*deedLog{}} }

// of returns the log of a team, which may know nothing yet.
func (c *deedLogs) of(team watchpost.TeamID) *deedLog {
	c.mu.Lock()
	defer c.mu.Unlock()
	log := c.teams[team]
	if log == nil {
		log = &deedLog{}
		c.teams[team] = log
		c.size++ // an empty one counts too
	}
	return log
}

// grown counts what has come to a team's log.
func (c *deedLogs) grown(team watchpost.TeamID, log *deedLog, more, all int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.teams[team] != log {
		return // forgotten meanwhile
	}
	if c.size += more; c.size > maxDeeds && len(c.teams) > 1 {
		clear(c.teams)
		c.teams[team], c.size = log, all+1
	}
}

// refresh brings the log to the state that a view shows. It returns by how much
// it has grown.
func (l *deedLog) refresh(view persistence.View, space persistence.Space) (more int, err error) {
	state, err := readDeedState(view, space)
	if err != nil {
		return 0, err
	}
	before := len(l.deeds)
	behind := state.Changes - l.changes // very many when the view is an older one
	switch {
	case l.loaded && behind == 0:
		return 0, nil
	case l.loaded && behind <= uint64(len(state.Last)):
		for _, change := range state.Last[len(state.Last)-int(behind):] {
			if err = l.take(view, space, change); err != nil {
				break
			}
		}
	default:
		err = l.load(view, space)
	}
	l.loaded, l.changes = err == nil, state.Changes
	return len(l.deeds) - before, err
}

// load reads all.
func (l *deedLog) load(view persistence.View, space persistence.Space) error {
	l.deeds, l.targets = nil, map[string]*deedTarget{}
	l.posts, l.versions = map[string]*deedPost{}, map[uint64]*deedPost{}
	names := map[string]string{} // that authors share
	err := loadAll(view, space, keyInteract, func(_ string, i watchpost.Interaction) {
		name, known := names[i.Author.ID]
		if !known {
			name = i.Author.ID
			names[name] = name
		}
		i.Author.ID = name
		l.deeds = append(l.deeds, deed{i.ID, i.Kind, i.At, name, l.target(i.Target)})
	})
	if err != nil {
		return err
	}
	slices.SortFunc(l.deeds, deed.compare)
	for _, target := range l.targets {
		if err := l.read(view, space, target); err != nil {
			return err
		}
	}
	return nil
}

// take takes up one change.
func (l *deedLog) take(view persistence.View, space persistence.Space, change deedChange) error {
	target := l.target(change.Target)
	if err := l.read(view, space, target); err != nil {
		return err
	}
	i, err := load[watchpost.Interaction](view, space, key(keyInteract, change.Task))
	if err != nil {
		return err
	}
	l.deeds = slices.DeleteFunc(l.deeds, func(d deed) bool { return d.id == i.ID }) // recorded again
	d := deed{i.ID, i.Kind, i.At, i.Author.ID, target}
	at, _ := slices.BinarySearchFunc(l.deeds, d, deed.compare)
	l.deeds = slices.Insert(l.deeds, at, d)
	return nil
}

func (d deed) compare(other deed) int { return d.short().Compare(other.short()) }

// short is the interaction as far as it is remembered.
func (d *deed) short() *watchpost.Interaction {
	return &watchpost.Interaction{ID: d.id, Kind: d.kind, At: d.at, Author: watchpost.Author{ID: d.author}, Target: d.target.name}
}

// target returns the one entry of a post.
func (l *deedLog) target(name string) *deedTarget {
	target := l.targets[name]
	if target == nil {
		target = &deedTarget{name: name}
		l.targets[name] = target
	}
	return target
}

// read reads which stored post a target is.
func (l *deedLog) read(view persistence.View, space persistence.Space, target *deedTarget) error {
	deeds, err := load[deedsRecord](view, space, deedsKey(target.name))
	if err != nil && !errors.Is(err, persistence.ErrNotFound) {
		return err
	}
	target.post = nil
	if deeds.URN != "" {
		target.post = l.post(deeds.URN)
	}
	return nil
}

// post returns the one entry of a stored post.
func (l *deedLog) post(urn string) *deedPost {
	post := l.posts[urn]
	if post == nil {
		post = &deedPost{urn: urn}
		l.posts[urn] = post
	}
	return post
}

// on returns the deeds on posts that a watchlist collected, newest first. It
// holds until the next question.
func (l *deedLog) on(view persistence.View, space persistence.Space, posts *postindex.Index, w watchpost.WatchlistID) (iter.Seq[watchpost.Interaction], error) {
	if len(l.deeds) == 0 {
		return func(func(watchpost.Interaction) bool) {}, nil
	}
	versions, err := posts.Versions(view, space, &watchpost.PostQuery{Live: map[watchpost.WatchlistID]bool{w: true}, Interacted: true})
	if err != nil {
		return nil, err
	}
	if len(l.versions) > 2*(len(l.targets)+len(versions)) {
		clear(l.versions) // most are no more
	}
	l.asked++
	for _, version := range versions {
		post := l.versions[version]
		if post == nil {
			urn, err := postindex.URN(view, space, version)
			if err != nil {
				return nil, err
			}
			post = l.post(urn)
			l.versions[version] = post
		}
		post.asked = l.asked
	}
	return func(yield func(watchpost.Interaction) bool) {
		for i := range l.deeds {
			d := &l.deeds[i]
			if d.target.post != nil && d.target.post.asked == l.asked && !yield(*d.short()) {
				return
			}
		}
	}, nil
}
