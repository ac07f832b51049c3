package cluster

import "maps"

// viewHistory is the views since the last settled one, that included: the current
// view is the last.
type viewHistory []View

// with returns the history with the view that the database shows.
func (h viewHistory) with(v View) viewHistory {
	switch last := len(h) - 1; {
	case v.settled():
		return viewHistory{v}
	case last >= 0 && h[last].Version == v.Version:
		return append(h[:last:last], v)
	}
	return append(h[:len(h):len(h)], v)
}

// current returns the last view.
func (h viewHistory) current() View {
	if len(h) == 0 {
		return View{}
	}
	return h[len(h)-1]
}

// noView stands for a view that a node does not know.
var noView = View{Version: -1}

// known returns the view that a member need not read again while its version is the newest:
// all have confirmed it. Members, and what they drain, change with the version.
func (h viewHistory) known() View {
	if view := h.current(); len(h) > 0 && view.settled() {
		return view
	}
	return noView
}

// serves reports whether a member may serve a name: it owns the name in the
// settled view and in every one since. While the last view is not settled,
// a name that comes from another member may still be served there.
func (h viewHistory) serves(id, name string) bool {
	if len(h) == 0 || !h[0].settled() {
		return false
	}
	for _, v := range h {
		if v.Owner(name) != id {
			return false
		}
	}
	return true
}

// ownership is what one member knows about who serves which name.
type ownership struct {
	id    string
	views viewHistory
	// handedOver are the names that their last owner has handed to this member while
	// the view is not settled.
	handedOver map[string]struct{}
}

// reset forgets everything: the member has joined again.
func (o *ownership) reset() { o.views, o.handedOver = nil, nil }

// move takes the view that the database shows.
func (o *ownership) move(v View) {
	o.views = o.views.with(v)
	if v.settled() {
		o.handedOver = nil
	}
	maps.DeleteFunc(o.handedOver, func(name string, _ struct{}) bool { return v.Owner(name) != o.id })
}

// serves reports whether this member may serve a name.
func (o *ownership) serves(name string) bool {
	_, handedOver := o.handedOver[name]
	return handedOver || o.views.serves(o.id, name)
}

// mayHandOver reports whether this member may hand a name to another that has asked for it
// under a version: it was the last to serve the name, and all views since that it knows
// give the name to the other. It does not serve the name again before a later view is
// settled, which the other has to confirm.
func (o *ownership) mayHandOver(name, to string, asked int64) bool {
	views := o.views
	if len(views) < 2 || !views[0].settled() || views.current().Version < asked || to == o.id {
		return false
	}
	moved := false
	for i, v := range views {
		switch owner := v.Owner(name); {
		case owner == to && i > 0:
			moved = true
		case owner != o.id || moved:
			return false
		}
	}
	return moved
}

// acceptHandover takes a name that was handed over, and reports whether that holds: the view
// under which it was asked for is not outdated, and all since give the name to this
// member.
func (o *ownership) acceptHandover(name string, asked int64) bool {
	known := false
	for _, v := range o.views {
		known = known || v.Version == asked
		if known && v.Owner(name) != o.id {
			return false
		}
	}
	if known {
		if o.handedOver == nil {
			o.handedOver = map[string]struct{}{}
		}
		o.handedOver[name] = struct{}{}
	}
	return known
}

// origin returns the member that probably serves a name which this member owns and
// does not serve yet; "" when there is none. A member that has just joined takes it for
// the owner without itself.
func (o *ownership) origin(name string) string {
	before, now := o.views[0], o.views.current()
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
