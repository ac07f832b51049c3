package badger

import "watchpost/persistence"

// checkDirectory compares a batch's expectations with the directory as the
// group has changed it so far, each after the batch's earlier changes. On a
// mismatch it sets ErrConflict and leaves the group unchanged.
func (c *committer) checkDirectory(g *group, r *request) error {
	if len(r.directory) == 0 {
		return nil
	}
	changed := make(map[persistence.DirectoryKey][]byte, len(r.directory))
	for i := range r.directory {
		d := &r.directory[i]
		if !d.Always {
			current, err := c.entry(g, changed, d.Key)
			if err != nil {
				return err
			}
			if !d.Holds(current) {
				r.err = persistence.ErrConflict
				return nil
			}
		}
		changed[d.Key] = d.Value
	}
	if g.directory == nil {
		g.directory = changed
		return nil
	}
	for key, value := range changed {
		g.directory[key] = value
	}
	return nil
}

// entry looks up a directory entry in the batch, the group and the database,
// in this order; nil when it is absent.
func (c *committer) entry(g *group, changed map[persistence.DirectoryKey][]byte, key persistence.DirectoryKey) ([]byte, error) {
	if value, ok := changed[key]; ok {
		return value, nil
	}
	if value, ok := g.directory[key]; ok {
		return value, nil
	}
	return c.load(directoryKey(key))
}
