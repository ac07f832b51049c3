package cluster

import "maps"

// tenure is the views since the last settled one, that included: the current
// view is the last.
type tenure []View

// move takes the view that the database shows.
func (t tenure) move(v View) tenure {
	switch last := len(t) - 1; {
	case v.settled():
		return tenure{v}
	case last >= 0 && t[last].Version == v.Version:
		return append(t[:last:last], v)
	}
	return append(t[:len(t):len(t)], v)
}

// current returns the last view.
func (t tenure) current() View {
	if len(t) == 0 {
		return View{}
	}
	return t[len(t)-1]
}

// serves reports whether a member may serve a name: it owns the name in the
// settled view and in every one since. While the last view is not settled,
// a name that comes from another member may still be served there.
func (t tenure) serves(id, name string) bool {
	if len(t) == 0 || !t[0].settled() {
		return false
	}
	for _, v := range t {
		if v.Owner(name) != id {
			return false
		}
	}
	return true
}

// ownership is what one member knows about who serves which name.
type ownership struct {
	id     string
	tenure tenure
	// given are the names that their last owner has handed to this member while the
	// view is not settled.
	given map[string]struct{}
}

// reset forgets everything: the member has joined again.
func (o *ownership) reset() { o.tenure, o.given = nil, nil }

// move takes the view that the database shows.
func (o *ownership) move(v View) {
	o.tenure = o.tenure.move(v)
	if v.settled() {
		o.given = nil
	}
	maps.DeleteFunc(o.given, func(name string, _ struct{}) bool { return v.Owner(name) != o.id })
}

// serves reports whether this member may serve a name.
func (o *ownership) serves(name string) bool {
	_, given := o.given[name]
	return given || o.tenure.serves(o.id, name)
}

// passes reports whether this member may hand a name to another that has asked for it
// under a version: it was the last to serve the name, and all views since that it knows
// give the name to the other. It does not serve the name again before a later view is
// settled, which the other has to confirm.
func (o *ownership) passes(name, to string, asked int64) bool {
	t := o.tenure
	if len(t) < 2 || !t[0].settled() || t.current().Version < asked || to == o.id {
		return false
	}
	moved := false
	for i, v := range t {
		switch owner := v.Owner(name); {
		case owner == to && i > 0:
			moved = true
		case owner != o.id || moved:
			return false
		}
	}
	return moved
}

// accept takes a name that was handed over, and reports whether that holds: the view
// under which it was asked for is not outdated, and all since give the name to this
// member.
func (o *ownership) accept(name string, asked int64) bool {
	known := false
	for _, v := range o.tenure {
		known = known || v.Version == asked
		if known && v.Owner(name) != o.id {
			return false
		}
	}
	if known {
		if o.given == nil {
			o.given = map[string]struct{}{}
		}
		o.given[name] = struct{}{}
	}
	return known
}

// origin returns the member that probably serves a name which this member owns and
// does not serve yet; "" when there is none. A member that has just joined takes it for
// the owner without itself.
func (o *ownership) origin(name string) string {
	before, now := o.tenure[0], o.tenure.current()
	if !before.settled() {
		before = now.without(o.id)
	}
	from := before.Owner(name)
	for _, m := range now.Members {
		if m.ID == from && from != o.id {
			return from
		}
	}
	return ""
}
