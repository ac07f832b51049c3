package changefeed

import (
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Data are the objects that the changes of a page are about, as they are in the snapshot.
// Deleted objects are absent.
type Data struct {
	Posts        map[watchpost.PostID]*postindex.Stored
	Tasks        map[watchpost.TaskID]*watchpost.Task
	Interactions map[watchpost.TaskID]*watchpost.Interaction
}

// Bounds of the data of a page.
const (
	readAtOnce  = 40
	maxPageData = 4 << 20
)

// Data reads what the changes of a page are about. A page whose data is too large ends
// earlier.
func (r *Reader) Data(posts *postindex.Index, page *Page) (Data, error) {
	d := Data{map[watchpost.PostID]*postindex.Stored{}, map[watchpost.TaskID]*watchpost.Task{}, map[watchpost.TaskID]*watchpost.Interaction{}}
	size := 0
	for begin := 0; begin < len(page.Changes); begin += readAtOnce {
		if size >= maxPageData {
			page.end(begin)
			break
		}
		n, err := r.read(posts, &d, page.Changes[begin:min(begin+readAtOnce, len(page.Changes))])
		if err != nil {
			return d, err
		}
		size += n
	}
	return d, nil
}

// end lets a page end behind its first n changes.
func (p *Page) end(n int) {
	p.Cursor, p.More = p.Places[n-1], true
	p.Changes, p.Places = p.Changes[:n], p.Places[:n]
}

// read reads what some changes are about, and returns how large it is.
func (r *Reader) read(posts *postindex.Index, d *Data, some []watchpost.Change) (size int, err error) {
	var wanted []watchpost.PostID
	var keys [][]byte
	for i := range some {
		c := &some[i]
		switch {
		case c.Type == watchpost.ChangePost:
			if _, known := d.Posts[watchpost.PostID(c.ID)]; !known {
				d.Posts[watchpost.PostID(c.ID)] = nil
				wanted = append(wanted, watchpost.PostID(c.ID))
			}
		case c.Type == watchpost.ChangeInteraction && c.Action == watchpost.InteractionDone:
			keys = append(keys, teamspace.Key(teamspace.KeyInteraction, c.ID))
		case c.Type == watchpost.ChangeTask, c.Type == watchpost.ChangeInteraction:
			keys = append(keys, teamspace.Key(teamspace.KeyTask, c.ID))
		}
	}
	found, err := posts.StoredPosts(r.View, r.Space, wanted)
	if err != nil {
		return 0, err
	}
	for _, p := range found {
		d.Posts[p.ID] = p
		size += p.Size()
	}
	values, err := r.View.GetAll(r.Space, keys)
	if err != nil {
		return 0, err
	}
	for i, value := range values {
		if value == nil {
			continue
		}
		size += len(value)
		if err := d.decode(keys[i], value); err != nil {
			return 0, err
		}
	}
	return size, nil
}

// decode reads a task or an interaction.
func (d *Data) decode(key, value []byte) error {
	if id := watchpost.TaskID(key[1:]); string(key[:1]) == teamspace.KeyTask {
		d.Tasks[id] = new(watchpost.Task)
		return teamspace.Decode(value, d.Tasks[id])
	} else if d.Interactions[id] == nil {
		d.Interactions[id] = new(watchpost.Interaction)
		return teamspace.Decode(value, d.Interactions[id])
	}
	return nil
}

// DeletedWatchlists returns those of the ids whose deletion a change tells.
func DeletedWatchlists(view persistence.View, space persistence.Space, ids []string) (map[watchpost.WatchlistID]bool, error) {
	deleted := map[watchpost.WatchlistID]bool{}
	keys := make([][]byte, 0, len(ids))
	for _, id := range ids {
		if watchpost.ValidID(id) {
			keys = append(keys, teamspace.DeletedWatchlistKey(watchpost.WatchlistID(id)))
		}
	}
	values, err := view.GetAll(space, keys)
	for i, value := range values {
		if value != nil {
			deleted[watchpost.WatchlistID(keys[i][len(teamspace.KeyDeletedWatchlist):])] = true
		}
	}
	return deleted, err
}
