package actors

import (
	"slices"

	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// SaveView saves a view of the feed (Invalid, Conflict when there are too many); one of the
// same name gets its query. Answered by watchpost.SavedView.
type SaveView struct{ View watchpost.SavedView }

// DeleteView deletes a saved view (NotFound); answered by Done.
type DeleteView struct{ ID watchpost.ViewID }

// ListViews is answered by []watchpost.SavedView, in the order of their names.
type ListViews struct{}

func (SaveView) AnsweredWith(watchpost.SavedView)    {}
func (DeleteView) AnsweredWith(root.Done)            {}
func (ListViews) AnsweredWith([]watchpost.SavedView) {}

// savedViews is the component of a team that keeps its saved views.
type savedViews struct {
	*rootActor
	byName []watchpost.SavedView // in the order of their names
}

func newSavedViews(t *team) *savedViews { return &savedViews{rootActor: &t.rootActor} }

func (vs *savedViews) load(view persistence.View) error {
	err := teamspace.LoadAll(view, vs.Space, teamspace.KeySavedView, func(_ string, v watchpost.SavedView) { vs.byName = append(vs.byName, v) })
	slices.SortFunc(vs.byName, watchpost.SavedView.CompareNames)
	return err
}

func (vs *savedViews) receive(message any) bool {
	switch m := message.(type) {
	case SaveView:
		vs.onSave(m)
	case DeleteView:
		vs.onDelete(m)
	case ListViews:
		vs.Answer(slices.Clone(vs.byName), nil)
	default:
		return false
	}
	return true
}

func (vs *savedViews) onSave(m SaveView) {
	v, err := m.View.Clean()
	at := slices.IndexFunc(vs.byName, v.SameName)
	if err == nil && at < 0 && len(vs.byName) >= watchpost.MaxSavedViews {
		err = watchpost.Errorf(watchpost.Conflict, "A team has at most %d saved views. Delete one first.", watchpost.MaxSavedViews)
	}
	if err != nil {
		vs.Answer(nil, err)
		return
	}
	if at >= 0 {
		v.ID, v.CreatedAt = vs.byName[at].ID, vs.byName[at].CreatedAt
		vs.byName[at] = v
	} else {
		now := vs.env.Clock.Now()
		v.ID, v.CreatedAt = watchpost.ViewID(watchpost.NewID(now)), now
		vs.byName = append(vs.byName, v)
	}
	slices.SortFunc(vs.byName, watchpost.SavedView.CompareNames)
	batch := &persistence.Batch{}
	batch.Put(teamspace.Key(teamspace.KeySavedView, v.ID), teamspace.Encode(v))
	vs.Commit(batch, v)
}

func (vs *savedViews) onDelete(m DeleteView) {
	at := slices.IndexFunc(vs.byName, func(v watchpost.SavedView) bool { return v.ID == m.ID })
	if at < 0 {
		vs.Answer(nil, watchpost.Errorf(watchpost.NotFound, "This view was deleted."))
		return
	}
	vs.byName = slices.Delete(vs.byName, at, at+1)
	batch := &persistence.Batch{}
	batch.Delete(teamspace.Key(teamspace.KeySavedView, m.ID))
	vs.Commit(batch, root.Done{})
}
