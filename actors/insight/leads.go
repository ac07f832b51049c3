package insight

import (
	"errors"

	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// Lead is an author, and what the team has to do with the author.
type Lead struct {
	watchpost.Lead
	Contact
}

// LeadsPage is a page of leads and the count of all.
type LeadsPage struct {
	Leads []Lead
	Count int
}

// ErrEarlier means that tasks of an earlier build are yet to be looked at: NoteEarlier
// does so, in the batches of the team.
var ErrEarlier = errors.New("tasks of an earlier build tell of people")

// Leads returns the page that a query asks for.
func Leads(view persistence.View, space persistence.Space, posts *postindex.Index, q *watchpost.LeadQuery) (page LeadsPage, err error) {
	if err := prepare(view, space, q); err != nil {
		return page, err
	}
	leads, count, err := posts.Leads(view, space, q)
	if err != nil {
		return page, err
	}
	keys := make([]string, len(leads))
	for i := range leads {
		keys[i] = leads[i].Key
	}
	contacts, err := contactsOf(view, space, keys)
	if err != nil {
		return page, err
	}
	page.Count, page.Leads = count, make([]Lead, len(leads))
	for i := range leads {
		page.Leads[i] = Lead{leads[i], contacts[i]}
	}
	return page, nil
}

// prepare fills in whom the team has contacted, if the query asks for that.
func prepare(view persistence.View, space persistence.Space, q *watchpost.LeadQuery) (err error) {
	if err = noted(view, space); err == nil && q.OnlyContacted != nil {
		q.Contacted, err = contacted(view, space)
	}
	return err
}

// EachLead is postindex.Index.EachLead, with what the team has to do with each author.
func EachLead(view persistence.View, space persistence.Space, posts *postindex.Index, q *watchpost.LeadQuery, after string, yield func(*Lead) bool) error {
	if err := prepare(view, space, q); err != nil {
		return err
	}
	var failure error
	err := posts.EachLead(view, space, q, after, func(lead *watchpost.Lead) bool {
		var contacts []Contact
		if contacts, failure = contactsOf(view, space, []string{lead.Key}); failure != nil {
			return false
		}
		return yield(&Lead{*lead, contacts[0]})
	})
	return errors.Join(err, failure)
}
