package badger

import "watchpost/persistence"

// checkDirectory holds a batch's expectations against the directory as the
// group has left it so far, each after the batch's own changes before it. It
// sets ErrConflict and leaves the group as it was when one does not hold.
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

// entry returns a directory entry as the batch, the group or the database has
// it, in this order; nil when it is absent.
func (c *committer) entry(g *group, changed map[persistence.DirectoryKey][]byte, key persistence.DirectoryKey) ([]byte, error) {
	if value, ok := changed[key]; ok {
		return value, nil
	}
	if value, ok := g.directory[key]; ok {
		return value, nil
	}
	return c.load(directoryKey(key))
}
