package cluster

import (
	"slices"

	"github.com/cespare/xxhash/v2"
)

// Member is a node in a view.
type Member struct {
	// ID is the address at which other nodes reach it. It outlives the process, so
	// a restarted node owns the same names.
	ID string
	// Draining members own nothing as long as there are others.
	Draining bool
	// Seen is the last view that the member has confirmed.
	Seen int64
}

// View is the members under a version.
type View struct {
	Version int64
	Members []Member
}

// Owner returns the id of the member that a name belongs to: the highest hash of
// both wins, so a change of members moves only the names of the members that
// left or joined. It is "" when there are no members.
func (v View) Owner(name string) string {
	draining := v.allDrain()
	var owner string
	var highest uint64
	for _, m := range v.Members {
		if m.Draining && !draining {
			continue
		}
		if h := score(m.ID, name); owner == "" || h > highest || h == highest && m.ID > owner {
			owner, highest = m.ID, h
		}
	}
	return owner
}

// allDrain reports whether no member could take the names of another.
func (v View) allDrain() bool {
	return !slices.ContainsFunc(v.Members, func(m Member) bool { return !m.Draining })
}

func score(id, name string) uint64 {
	var d xxhash.Digest
	d.Reset()
	_, _ = d.WriteString(id) // a hash takes everything
	_, _ = d.Write([]byte{0})
	_, _ = d.WriteString(name)
	return d.Sum64()
}

// without returns the view as it was before a member joined.
func (v View) without(id string) View {
	v.Members = slices.DeleteFunc(slices.Clone(v.Members), func(m Member) bool { return m.ID == id })
	return v
}

// settled reports whether every member has confirmed the view.
func (v View) settled() bool {
	for _, m := range v.Members {
		if m.Seen < v.Version {
			return false
		}
	}
	return true
}
