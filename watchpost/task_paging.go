package watchpost

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Progress is the progress of a paged task. A paged task costs several units of
// an allowance. Each lease covers a slice of its references, as many as there
// are units, and the task waits until more units are available. Its caller sees
// one task with one output.
type Progress struct {
	Done  int               // references processed
	Found bool              // at least one of them exists
	Posts []json.RawMessage // collected so far
}

// pagedInput is the leased input of the paged task type.
type pagedInput struct {
	URNs []json.RawMessage `json:"profile_urns"`
}

// companyInput is the leased input of TaskCompanyPosts.
type companyInput struct {
	Slug json.RawMessage `json:"company_slug"`
}

// references returns the references of a paged task, people before companies,
// and the number of people; nil for tasks of other types.
func (t *Task) references() (all []json.RawMessage, people int) {
	if t.Type != TaskProfilesPosts {
		return nil, 0
	}
	in := t.Input.parsed()
	return in.authors, in.people
}

// Units returns how many units of its allowance the next slice of the task can
// use: one for each remaining person, one for a company and for other task
// types.
func (t *Task) Units() int {
	_, people := t.references()
	return max(1, people-t.Progress.Done)
}

// LeasedType returns the task type of the current or next slice, whose
// allowance is debited. A slice has either people or one company.
func (t *Task) LeasedType() TaskType {
	if all, people := t.references(); people < len(all) && t.Progress.Done >= people {
		return TaskCompanyPosts
	}
	return t.Type
}

// LeasedInput returns the input that the session with the current lease
// receives.
func (t *Task) LeasedInput() json.RawMessage {
	if lease := t.Type.row().lease; lease != nil {
		return lease(t.Input.raw)
	}
	all, people := t.references()
	if t.Lease == nil || len(all) == 0 {
		return t.Input.raw
	}
	var slice any
	if from := min(t.Lease.First, len(all)); from >= people && from < len(all) {
		slice = companyInput{all[from]}
	} else {
		slice = pagedInput{all[from:min(from+t.Lease.Units, people)]}
	}
	b, err := json.Marshal(slice)
	if err != nil {
		return t.Input.raw // the references were decoded before
	}
	return b
}

// MaxFound is the maximum number of members that one search returns.
const MaxFound = 50

// leasedSearch returns the input of a search with count in its canonical name
// and at most MaxFound.
func leasedSearch(input json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil {
		return input
	}
	limit, aliased := fields["limit"]
	delete(fields, "limit")
	count, given := fields["count"]
	if !given || string(count) == "null" {
		count = limit
	}
	var n float64
	switch err := json.Unmarshal(count, &n); {
	case err == nil && n > MaxFound:
		fields["count"] = json.RawMessage(strconv.Itoa(MaxFound))
	case aliased && count != nil:
		fields["count"] = count
	case !aliased:
		return input
	}
	return encoded(fields, input)
}

// leasedInvitation returns the input of an invitation with its note trimmed; it
// drops a blank note.
func leasedInvitation(input json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	var note string
	if json.Unmarshal(input, &fields) != nil || json.Unmarshal(fields["note"], &note) != nil {
		return input
	}
	trimmed := strings.TrimSpace(note)
	if trimmed == note && note != "" {
		return input
	}
	delete(fields, "note")
	if trimmed != "" {
		b, err := json.Marshal(trimmed)
		if err != nil {
			panic(err) // a string can always be encoded
		}
		fields["note"] = b
	}
	return encoded(fields, input)
}

// leasedWithdrawal returns the input of a withdrawal with one name of the person, of
// those that the request gave.
func leasedWithdrawal(input json.RawMessage) json.RawMessage {
	in := ParseTaskInput(input).parsed()
	b, err := json.Marshal(WithdrawalInput{Profile: cmp.Or(in.Profile, in.ProfileURL)})
	if err != nil {
		panic(err) // a text can always be encoded
	}
	return b
}

// encoded encodes the fields as an object, or returns otherwise if there are
// none.
func encoded(fields map[string]json.RawMessage, otherwise json.RawMessage) json.RawMessage {
	b, err := json.Marshal(fields)
	if err != nil {
		return otherwise
	}
	return b
}

// AddPage adds the answer to one slice. found reports whether any of its
// references exists. rest reports whether references remain; the task is then
// pending again. ok is false if the slice was already answered.
func (t Task) AddPage(l Lease, posts []json.RawMessage, found bool) (next Task, rest, ok bool) {
	if l.First != t.Progress.Done || t.State.Final() {
		return t, false, false
	}
	p := t.Progress
	p.Done += max(1, l.Units)
	p.Found = p.Found || found
	p.Posts = newest(append(slices.Clone(p.Posts), posts...), MaxOutput)
	t.Progress, t.Lost, t.Retries, t.PausedSince = p, 0, 0, time.Time{}
	if all, _ := t.references(); p.Done >= len(all) {
		return t, false, true
	}
	if t.Lease != nil {
		t, _ = t.Return(false)
	}
	return t, true, true
}

// PagedOutput returns the output of a paged task whose slices are all done.
func (t *Task) PagedOutput() (json.RawMessage, error) {
	return json.Marshal(postsOutput{Posts: t.Progress.Posts})
}

// newest drops the oldest posts until the others fit into limit bytes. It keeps
// the order of the others.
func newest(posts []json.RawMessage, limit int) []json.RawMessage {
	type dated struct {
		at    time.Time
		index int
	}
	size := len(`{"posts":[]}`)
	byAge := make([]dated, len(posts))
	for i, raw := range posts {
		var shown struct {
			PostedAt time.Time `json:"posted_at"`
		}
		_ = json.Unmarshal(raw, &shown) // without a date it counts as oldest
		byAge[i] = dated{shown.PostedAt, i}
		size += len(raw) + 1
	}
	if size <= limit {
		return posts
	}
	slices.SortFunc(byAge, func(a, b dated) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(b.index, a.index)) })
	dropped := map[int]bool{}
	for _, d := range byAge {
		if size <= limit {
			break
		}
		dropped[d.index] = true
		size -= len(posts[d.index]) + 1
	}
	kept := make([]json.RawMessage, 0, len(posts)-len(dropped))
	for i, raw := range posts {
		if !dropped[i] {
			kept = append(kept, raw)
		}
	}
	return kept
}
