package engagementindex

import (
	"bytes"
	"errors"
	"slices"

	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Writer adds to a batch what a change of interactions, or of posts that they are on,
// changes in the index. Batches of one team must be made one after the other, each from a
// view that shows the one before.
type Writer struct {
	view  persistence.View
	space persistence.Space
	batch *persistence.Batch
	// live are the watchlists that the team has; others list nothing.
	live   map[watchpost.WatchlistID]bool
	state  teamspace.EngagementIndex
	stored bool // state is
	// written are the places in the batch of the keys that it has: a view does not show
	// them yet.
	written map[string]int
	linked  map[string][]string // targets that the batch has linked, by urn
	todo    bool
}

// Bounds of what AtOnce interactions add to a batch, for those who make room.
const (
	atOnceOps   = 120
	AtOnceOps   = atOnceOps + 3*maxWatchlists + 2
	AtOnceBytes = 128 << 10
	// maxWatchlists bounds the watchlists whose lists one interaction enters or leaves.
	maxWatchlists = 100
)

// New begins a change.
func New(view persistence.View, space persistence.Space, batch *persistence.Batch, live map[watchpost.WatchlistID]bool) (*Writer, error) {
	state, stored, err := load(view, space)
	return &Writer{view: view, space: space, batch: batch, live: live, state: state, stored: stored, written: map[string]int{}, linked: map[string][]string{}}, err
}

// load returns the state of the index in a view. A team that has done nothing yet has
// none stored, and needs none.
func load(view persistence.View, space persistence.Space) (state teamspace.EngagementIndex, stored bool, err error) {
	state, err = teamspace.Load[teamspace.EngagementIndex](view, space, []byte(teamspace.KeyEngagements))
	if errors.Is(err, persistence.ErrNotFound) {
		none := true
		err = view.Scan(space, []byte(teamspace.KeyInteraction), persistence.PrefixEnd([]byte(teamspace.KeyInteraction)), func(_, _ []byte) bool {
			none = false
			return false
		})
		if !none {
			state.Phase = teamspace.EngagementsClearing
		}
		return state, false, err
	}
	if err != nil {
		return state, false, err
	}
	posts, err := postindex.Next(view, space)
	if err != nil {
		return state, true, err
	}
	_, err = view.Get(space, []byte(teamspace.KeyEarlierEngagements))
	if posts != state.Posts || err == nil {
		state = teamspace.EngagementIndex{Posts: posts, Phase: teamspace.EngagementsClearing}
	}
	if errors.Is(err, persistence.ErrNotFound) {
		err = nil
	}
	return state, true, err
}

// Finish ends the change; posts is the number of the next version of a post.
func (w *Writer) Finish(posts uint64) {
	if !w.stored && len(w.written) == 0 && w.state.Phase == "" {
		return
	}
	w.state.Posts = posts
	w.put([]byte(teamspace.KeyEngagements), w.state)
}

// Todo reports whether Mend has to go on after this change.
func (w *Writer) Todo() bool { return w.todo }

// off reports whether the index has nothing to keep up with: it is about to be built.
func (w *Writer) off() bool { return w.state.Phase == teamspace.EngagementsClearing }

func (w *Writer) get(key []byte) ([]byte, error) {
	if i, ours := w.written[string(key)]; ours {
		if w.batch.Writes[i].Delete {
			return nil, persistence.ErrNotFound
		}
		return w.batch.Writes[i].Value, nil
	}
	return w.view.Get(w.space, key)
}

// write adds a write, or changes the one of its key.
func (w *Writer) write(one persistence.Write) {
	if i, ours := w.written[string(one.Key)]; ours {
		w.batch.Writes[i] = one
		return
	}
	w.written[string(one.Key)] = len(w.batch.Writes)
	w.batch.Writes = append(w.batch.Writes, one)
}

func (w *Writer) put(key []byte, record any) {
	w.write(persistence.Write{Key: key, Value: teamspace.Encode(record)})
}

func (w *Writer) remove(key []byte) { w.write(persistence.Write{Key: key, Delete: true}) }

// lists returns the watchlists that list the interactions on a post.
func (w *Writer) lists(post *watchpost.Post) (lists []watchpost.WatchlistID) {
	if post == nil || !post.Liked && !post.Commented {
		return nil
	}
	for _, m := range post.Matches {
		if w.live[m.Watchlist] && !slices.Contains(lists, m.Watchlist) {
			lists = append(lists, m.Watchlist)
		}
	}
	return lists
}

// Link notes that a target is the stored post with the urn now, and was the one with
// the urn before, if any. List must follow.
func (w *Writer) Link(target, before, urn string) {
	if w.off() {
		return
	}
	if before != "" {
		w.remove(teamspace.EngagementLinkKey(before, target))
	}
	w.put(teamspace.EngagementLinkKey(urn, target), target)
	w.linked[urn] = append(w.linked[urn], target)
}

// Linked reports whether the batch has linked a target to the post with the urn.
func (w *Writer) Linked(urn string) bool { return len(w.linked[urn]) > 0 }

// Record indexes an interaction with a post, nil when it is not stored. One that is
// recorded again is moved.
func (w *Writer) Record(i *watchpost.Interaction, post *watchpost.Post) error {
	if w.off() {
		return nil
	}
	next := teamspace.EngagementEntry{Kind: i.Kind, At: i.At, Author: teamspace.EngagementAuthor(i.Author.ID)}
	old, err := w.entry(i.Target, i.ID)
	if err == nil {
		err = w.move(i.Target, i.ID, old, nil)
	} else if errors.Is(err, persistence.ErrNotFound) {
		err = nil
	}
	if err != nil {
		return err
	}
	w.put(teamspace.EngagementEntryKey(i.Target, i.ID), next)
	return w.move(i.Target, i.ID, next, w.lists(post))
}

func (w *Writer) entry(target string, task watchpost.TaskID) (e teamspace.EngagementEntry, err error) {
	value, err := w.get(teamspace.EngagementEntryKey(target, task))
	if err != nil {
		return e, err
	}
	return e, teamspace.Decode(value, &e)
}

// move lets the given watchlists list an interaction, and no others.
func (w *Writer) move(target string, task watchpost.TaskID, e teamspace.EngagementEntry, to []watchpost.WatchlistID) error {
	from := e.Watchlists
	if sameLists(from, to) {
		return nil
	}
	e.Watchlists = to
	w.put(teamspace.EngagementEntryKey(target, task), e)
	for _, list := range from {
		// What a deleted one has listed goes with all of it: see Forget.
		if w.live[list] && !slices.Contains(to, list) {
			w.remove(teamspace.EngagementMomentKey(list, e.At, task))
			if err := w.count(list, e, -1); err != nil {
				return err
			}
		}
	}
	for _, list := range to {
		if !slices.Contains(from, list) {
			w.put(teamspace.EngagementMomentKey(list, e.At, task), teamspace.EngagementMoment{Kind: e.Kind, Author: e.Author})
			if err := w.count(list, e, 1); err != nil {
				return err
			}
		}
	}
	return nil
}

func sameLists(a, b []watchpost.WatchlistID) bool {
	missing := func(id watchpost.WatchlistID) bool { return !slices.Contains(b, id) }
	return len(a) == len(b) && !slices.ContainsFunc(a, missing)
}

// count adds to the counts of a watchlist on the day of an interaction.
func (w *Writer) count(list watchpost.WatchlistID, e teamspace.EngagementEntry, n int) error {
	for _, author := range []string{teamspace.EngagementAllAuthors, e.Author} {
		key := teamspace.EngagementCountKey(list, author, watchpost.Daily.Key(e.At))
		var count teamspace.EngagementCount
		value, err := w.get(key)
		switch {
		case err == nil:
			err = teamspace.Decode(value, &count)
		case errors.Is(err, persistence.ErrNotFound):
			err = nil
		}
		if err != nil {
			return err
		}
		if e.Kind == watchpost.InteractionComment {
			count.Comments += n
		} else {
			count.Likes += n
		}
		if count == (teamspace.EngagementCount{}) {
			w.remove(key)
		} else {
			w.put(key, count)
		}
	}
	return nil
}

// List lists all interactions with a post, by any of its targets, where it is now; post is
// nil when the one with the urn is not stored. Beyond AtOnce operations it is left to Mend.
func (w *Writer) List(urn string, post *watchpost.Post) error {
	if w.off() {
		return nil
	}
	targets := w.linked[urn]
	err := teamspace.LoadAll(w.view, w.space, teamspace.EngagementLinkPrefix(urn), func(_ string, target string) {
		if !slices.Contains(targets, target) {
			targets = append(targets, target)
		}
	})
	room := atOnceOps
	for _, target := range targets {
		if i, ours := w.written[string(teamspace.EngagementLinkKey(urn, target))]; ours && w.batch.Writes[i].Delete {
			continue // another post's by now
		}
		if err == nil {
			err = w.listTarget(teamspace.EngagementTodo{Target: target}, w.lists(post), &room)
		}
	}
	return err
}

// listTarget lists the interactions with a target, from where the todo stands, as long as
// there is room, and notes how far it has come.
func (w *Writer) listTarget(todo teamspace.EngagementTodo, lists []watchpost.WatchlistID, room *int) error {
	prefix := teamspace.EngagementEntryKey(todo.Target, "")
	from := append(teamspace.EngagementEntryKey(todo.Target, todo.After), 0)
	full, failure := false, error(nil)
	err := w.view.Scan(w.space, from, persistence.PrefixEnd(prefix), func(k, _ []byte) bool {
		task := watchpost.TaskID(bytes.Clone(k[len(prefix):]))
		if full = *room <= 0; full {
			return false
		}
		before := len(w.batch.Writes)
		var e teamspace.EngagementEntry
		if e, failure = w.entry(todo.Target, task); failure == nil {
			failure = w.move(todo.Target, task, e, lists)
		}
		*room -= 1 + len(w.batch.Writes) - before
		todo.After = task
		return failure == nil
	})
	if err = errors.Join(err, failure); err != nil {
		return err
	}
	key := teamspace.EngagementTodoKey(todo.Target)
	if full {
		w.todo = true
		w.put(key, todo)
		return nil
	}
	if _, err = w.get(key); err == nil {
		w.remove(key)
	} else if errors.Is(err, persistence.ErrNotFound) {
		err = nil
	}
	return err
}

// forgetAtOnce bounds the keys of a deleted watchlist that one batch removes.
const forgetAtOnce = 1000

// Forget removes what a deleted watchlist has listed, as far as one batch does; it has to
// be called again until it writes nothing.
func Forget(view persistence.View, space persistence.Space, batch *persistence.Batch, id watchpost.WatchlistID) error {
	for _, kind := range []string{teamspace.KeyEngagementMoment, teamspace.KeyEngagementCount} {
		if err := removeRange(view, space, batch, teamspace.Key(kind, id)); err != nil {
			return err
		}
	}
	return nil
}

// removeRange removes the next keys with a prefix, but for the prefix itself.
func removeRange(view persistence.View, space persistence.Space, batch *persistence.Batch, prefix []byte) error {
	return view.Scan(space, append(bytes.Clone(prefix), 0), persistence.PrefixEnd(prefix), func(k, _ []byte) bool {
		if len(batch.Writes) >= forgetAtOnce {
			return false
		}
		batch.Delete(bytes.Clone(k))
		return true
	})
}
