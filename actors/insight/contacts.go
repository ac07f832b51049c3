package insight

import (
	"errors"
	"slices"
	"time"

	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// NoteAcquaintances writes what a task tells of people. It is in the batch of the task's
// end, so a snapshot shows both. Records of people stay as long as their team.
func NoteAcquaintances(batch *persistence.Batch, task *watchpost.Task) {
	for _, a := range watchpost.Acquaintances(task) {
		put := func(prefix, key, value string) {
			if len(key) <= maxPersonKey {
				batch.Put(teamspace.Key(prefix, key), teamspace.Encode(teamspace.PersonRecord{Key: value}))
			}
		}
		if a.Contacted {
			put(teamspace.KeyContacted, a.Key, a.Key)
		}
		if a.Connected {
			put(teamspace.KeyConnected, a.Key, a.Key)
		}
		if a.Same != "" {
			put(teamspace.KeySamePerson, a.Key, a.Same)
			put(teamspace.KeySamePerson, a.Same, a.Key)
		}
	}
}

// maxPersonKey bounds a key of a person; no page of the network has a longer one.
const maxPersonKey = 500

// contacted returns the keys of the people whom the team contacted, under all names that
// are known.
func contacted(view persistence.View, space persistence.Space) (map[string]bool, error) {
	all := map[string]bool{}
	var names []string
	var keys [][]byte
	prefix := []byte(teamspace.KeyContacted)
	err := view.Scan(space, prefix, persistence.PrefixEnd(prefix), func(key, _ []byte) bool {
		name := string(key[len(prefix):])
		names, keys = append(names, name), append(keys, teamspace.Key(teamspace.KeySamePerson, name))
		return true
	})
	if err != nil || len(keys) == 0 {
		return all, err
	}
	values, err := view.GetAll(space, keys)
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		all[name] = true
		if same, err := otherName(values[i]); err != nil {
			return nil, err
		} else if same != "" {
			all[same] = true
		}
	}
	return all, nil
}

// otherName reads the value of a KeySamePerson; nil is no name.
func otherName(value []byte) (string, error) {
	if value == nil {
		return "", nil
	}
	var record teamspace.PersonRecord
	err := teamspace.Decode(value, &record)
	return record.Key, err
}

// Contact is what a team has to do with a person.
type Contact struct {
	Contacted, Connected bool
	Same                 string // another key of the person; "": none is known
}

// contactsOf returns the contacts of people, by their keys.
func contactsOf(view persistence.View, space persistence.Space, people []string) ([]Contact, error) {
	if len(people) == 0 {
		return nil, nil
	}
	keys := make([][]byte, len(people))
	for i, person := range people {
		keys[i] = teamspace.Key(teamspace.KeySamePerson, person)
	}
	same, err := view.GetAll(space, keys)
	if err != nil {
		return nil, err
	}
	var marks [][]byte
	contacts := make([]Contact, len(people))
	for i, person := range people {
		if contacts[i].Same, err = otherName(same[i]); err != nil {
			return nil, err
		}
		for _, name := range []string{person, contacts[i].Same} {
			marks = append(marks, teamspace.Key(teamspace.KeyContacted, name), teamspace.Key(teamspace.KeyConnected, name))
		}
	}
	known, err := view.GetAll(space, marks)
	if err != nil {
		return nil, err
	}
	for i := range contacts {
		of := known[4*i:]
		contacts[i].Contacted, contacts[i].Connected = of[0] != nil || of[2] != nil, of[1] != nil || of[3] != nil
	}
	return contacts, nil
}

// History is what a team has to do with an author.
type History struct {
	Contact
	Posts      int  // that the watchlists collected, published since a moment
	Interacted bool // the team liked or commented on a post, at any time
}

// Histories returns those of authors, by their keys. q selects the posts that count.
func Histories(view persistence.View, space persistence.Space, posts *postindex.Index, q watchpost.PostQuery, authors []string, since time.Time) (map[string]History, error) {
	if err := noted(view, space); err != nil {
		return nil, err
	}
	var queries []*watchpost.PostQuery
	for _, author := range authors {
		of := q
		of.People = []string{author}
		recent, interacted := of, of
		recent.From, interacted.Interacted = since, true
		queries = append(queries, &recent, &interacted)
	}
	counts, err := posts.Counts(view, space, queries)
	if err != nil {
		return nil, err
	}
	contacts, err := contactsOf(view, space, authors)
	if err != nil {
		return nil, err
	}
	all := make(map[string]History, len(authors))
	for i, author := range authors {
		all[author] = History{Contact: contacts[i], Posts: counts[2*i], Interacted: counts[2*i+1] > 0}
	}
	return all, nil
}

// noted returns ErrEarlier if not all tasks of an earlier build were looked at.
func noted(view persistence.View, space persistence.Space) error {
	p, err := progress(view, space)
	if err == nil && !p.Whole {
		err = ErrEarlier
	}
	return err
}

// progress says how much of the journal of an earlier build was looked at.
func progress(view persistence.View, space persistence.Space) (teamspace.PeopleProgress, error) {
	p, err := teamspace.Load[teamspace.PeopleProgress](view, space, []byte(teamspace.KeyPeopleProgress))
	if errors.Is(err, persistence.ErrNotFound) {
		err = nil
	}
	return p, err
}

// Begin notes that a new team has no task of an earlier build.
func Begin(batch *persistence.Batch) {
	batch.Put([]byte(teamspace.KeyPeopleProgress), teamspace.Encode(teamspace.PeopleProgress{Whole: true}))
}

// Bounds of a step of NoteEarlier: operations of a batch, and entries that are read.
const (
	earlierOps  = 400
	earlierRead = 5000
)

// NoteEarlier writes what the next tasks of an earlier build tell of people. It may be
// repeated: the same task tells the same.
func NoteEarlier(view persistence.View, space persistence.Space, batch *persistence.Batch) error {
	p, err := progress(view, space)
	if err != nil || p.Whole {
		return err
	}
	prefix := []byte(teamspace.KeyJournal)
	from := prefix
	if p.After != nil {
		from = slices.Concat(p.After, []byte{0})
	}
	read, full := 0, false
	var failure error
	err = view.Scan(space, from, persistence.PrefixEnd(prefix), func(key, _ []byte) bool {
		if _, ops := batch.Size(); ops > earlierOps || read == earlierRead {
			full = true
			return false
		}
		read++
		p.After = append([]byte(nil), key...)
		task, err := teamspace.Load[watchpost.Task](view, space, teamspace.Key(teamspace.KeyTask, teamspace.JournalTask(key)))
		if errors.Is(err, persistence.ErrNotFound) {
			return true // deleted after its time
		}
		if err != nil {
			failure = err
			return false
		}
		NoteAcquaintances(batch, &task)
		return true
	})
	if err := errors.Join(err, failure); err != nil {
		return err
	}
	p.Whole = !full
	if p.Whole {
		p.After = nil
	}
	batch.Put([]byte(teamspace.KeyPeopleProgress), teamspace.Encode(p))
	return nil
}
