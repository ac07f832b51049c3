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
	"watchpost/persistence/teamspace"
)

// engagementCaches remembers what teams did on posts, so that a page of interactions
// need not read all of them. Every snapshot of the store says by keyEngagementState
// which state of them it shows, and what the last changes were. (They are bounded
// by the engagements in them, which grow in place; golang-lru counts entries.)
type engagementCaches struct {
	mu    sync.Mutex
	teams map[watchpost.TeamID]*engagementCache
	size  int // engagements of all teams
}

// maxEngagements bounds the engagements that are remembered, some 40 MB; beyond it those of
// other teams are forgotten.
const maxEngagements = 100_000

// maxEngagementChanges is how many changes a log that is behind makes up for; one
// that is further behind is read again.
const maxEngagementChanges = 32

// noteEngagement notes in a batch that an interaction was recorded.
func noteEngagement(view persistence.View, space persistence.Space, batch *persistence.Batch, change teamspace.EngagementChange) error {
	state, err := readEngagementState(view, space)
	if err != nil {
		return err
	}
	state.Changes++
	state.Last = append(state.Last[max(0, len(state.Last)+1-maxEngagementChanges):], change)
	batch.Put([]byte(teamspace.KeyEngagementState), teamspace.Encode(state))
	return nil
}

// noteOtherEngagements notes in a batch that more has changed than one interaction.
func noteOtherEngagements(view persistence.View, space persistence.Space, batch *persistence.Batch) error {
	state, err := readEngagementState(view, space)
	if err == nil {
		batch.Put([]byte(teamspace.KeyEngagementState), teamspace.Encode(teamspace.EngagementState{Changes: state.Changes + 1}))
	}
	return err
}

func readEngagementState(view persistence.View, space persistence.Space) (teamspace.EngagementState, error) {
	state, err := teamspace.Load[teamspace.EngagementState](view, space, []byte(teamspace.KeyEngagementState))
	if errors.Is(err, persistence.ErrNotFound) {
		return teamspace.EngagementState{}, nil
	}
	return state, err
}

// engagementCache is what one team did on posts.
type engagementCache struct {
	mu          sync.Mutex
	loaded      bool
	changes     uint64       // the state that it shows
	engagements []engagement // newest first
	targets     map[string]*engagementTarget
	posts       map[string]*engagedPost // by urn
	// versions are those of the posts; they never change.
	versions map[uint64]*engagedPost
	asked    uint64 // questions
}

// engagement is an interaction in short.
type engagement struct {
	id     watchpost.TaskID
	kind   watchpost.InteractionKind
	at     time.Time
	author string
	target *engagementTarget
}

// engagementTarget is what something was done to, as PostKey names it; the post is the
// stored one, nil when it never was stored.
type engagementTarget struct {
	name string
	post *engagedPost
}

// engagedPost is a stored post that something was done to.
type engagedPost struct {
	urn   string
	asked uint64 // the last question for which it counted
}

func newEngagementCaches() *engagementCaches {
	return &engagementCaches{teams: map[watchpost.TeamID]*engagementCache{}}
}

// of returns the log of a team, which may know nothing yet.
func (c *engagementCaches) of(team watchpost.TeamID) *engagementCache {
	c.mu.Lock()
	defer c.mu.Unlock()
	log := c.teams[team]
	if log == nil {
		log = &engagementCache{}
		c.teams[team] = log
		c.size++ // an empty one counts too
	}
	return log
}

// grown counts the additions to a team's cache.
func (c *engagementCaches) grown(team watchpost.TeamID, log *engagementCache, more, all int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.teams[team] != log {
		return // forgotten meanwhile
	}
	if c.size += more; c.size > maxEngagements && len(c.teams) > 1 {
		clear(c.teams)
		c.teams[team], c.size = log, all+1
	}
}

// refresh brings the log to the state that a view shows. It returns by how much
// it has grown.
func (l *engagementCache) refresh(view persistence.View, space persistence.Space) (more int, err error) {
	state, err := readEngagementState(view, space)
	if err != nil {
		return 0, err
	}
	before := len(l.engagements)
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
	return len(l.engagements) - before, err
}

// load reads all.
func (l *engagementCache) load(view persistence.View, space persistence.Space) error {
	l.engagements, l.targets = nil, map[string]*engagementTarget{}
	l.posts, l.versions = map[string]*engagedPost{}, map[uint64]*engagedPost{}
	names := map[string]string{} // that authors share
	err := teamspace.LoadAll(view, space, teamspace.KeyInteraction, func(_ string, i watchpost.Interaction) {
		name, known := names[i.Author.ID]
		if !known {
			name = i.Author.ID
			names[name] = name
		}
		i.Author.ID = name
		l.engagements = append(l.engagements, engagement{i.ID, i.Kind, i.At, name, l.target(i.Target)})
	})
	if err != nil {
		return err
	}
	slices.SortFunc(l.engagements, engagement.compare)
	for _, target := range l.targets {
		if err := l.read(view, space, target); err != nil {
			return err
		}
	}
	return nil
}

// take takes up one change.
func (l *engagementCache) take(view persistence.View, space persistence.Space, change teamspace.EngagementChange) error {
	target := l.target(change.Target)
	if err := l.read(view, space, target); err != nil {
		return err
	}
	i, err := teamspace.Load[watchpost.Interaction](view, space, teamspace.Key(teamspace.KeyInteraction, change.Task))
	if err != nil {
		return err
	}
	l.engagements = slices.DeleteFunc(l.engagements, func(d engagement) bool { return d.id == i.ID }) // recorded again
	d := engagement{i.ID, i.Kind, i.At, i.Author.ID, target}
	at, _ := slices.BinarySearchFunc(l.engagements, d, engagement.compare)
	l.engagements = slices.Insert(l.engagements, at, d)
	return nil
}

func (d engagement) compare(other engagement) int { return d.short().Compare(other.short()) }

// short is the interaction as far as it is remembered.
func (d *engagement) short() *watchpost.Interaction {
	return &watchpost.Interaction{ID: d.id, Kind: d.kind, At: d.at, Author: watchpost.Author{ID: d.author}, Target: d.target.name}
}

// target returns the one entry of a post.
func (l *engagementCache) target(name string) *engagementTarget {
	target := l.targets[name]
	if target == nil {
		target = &engagementTarget{name: name}
		l.targets[name] = target
	}
	return target
}

// read reads which stored post a target is.
func (l *engagementCache) read(view persistence.View, space persistence.Space, target *engagementTarget) error {
	flags, err := teamspace.Load[teamspace.EngagementFlags](view, space, teamspace.EngagementFlagsKey(target.name))
	if err != nil && !errors.Is(err, persistence.ErrNotFound) {
		return err
	}
	target.post = nil
	if flags.URN != "" {
		target.post = l.post(flags.URN)
	}
	return nil
}

// post returns the one entry of a stored post.
func (l *engagementCache) post(urn string) *engagedPost {
	post := l.posts[urn]
	if post == nil {
		post = &engagedPost{urn: urn}
		l.posts[urn] = post
	}
	return post
}

// on returns the engagements on posts that a watchlist collected, newest first. It
// holds until the next question.
func (l *engagementCache) on(view persistence.View, space persistence.Space, posts *postindex.Index, w watchpost.WatchlistID) (iter.Seq[watchpost.Interaction], error) {
	if len(l.engagements) == 0 {
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
		for i := range l.engagements {
			d := &l.engagements[i]
			if d.target.post != nil && d.target.post.asked == l.asked && !yield(*d.short()) {
				return
			}
		}
	}, nil
}
