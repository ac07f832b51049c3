package watchpost

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"watchpost/internal/reference"
)

// ActorType says whether a like or comment is made as a member or as a company.
type ActorType string

// The actor types.
const (
	ActorUser    ActorType = "user"
	ActorCompany ActorType = "company"
)

// Limits of text written on the network, in characters.
const (
	MaxComment = 1250
	MaxMessage = 10_000
	MaxNote    = 300
)

// TextNoAdmin is the error of a request without an acting member in a team
// without an admin.
const TextNoAdmin = "No admin user found in the team"

// TextInvitationCap is the error of an invitation above the weekly cap.
const TextInvitationCap = "Network invitation limit reached. Try again next week."

// PostKey returns the short text that all names of one post share, in whatever
// form a caller or a page wrote them.
func PostKey(urn string) string {
	if r, err := reference.ParsePost(urn); err == nil {
		return r.Key()
	}
	return urn
}

// Engagement is a like, comment or invitation that a task makes on the network.
type Engagement struct {
	Action  Action
	Type    ActorType
	Company string // title of the company, for ActorCompany
	URN     string // of the post or person, as given
	Target  string // URN as a Key
	Text    string // of a comment
}

// Engagement returns the engagement that a task makes; ok is false for other
// tasks.
func (t *Task) Engagement() (d Engagement, ok bool) {
	in := t.Input.parsed()
	d = Engagement{Action: t.Type.Action(), Type: ActorUser}
	switch t.Type.writing().on {
	case objectPost:
		d.URN, d.Target, d.Text = in.Post, in.postKey, in.Text
		if in.Actor == ActorCompany {
			d.Type, d.Company = ActorCompany, strings.TrimSpace(in.Company)
		}
	case objectPerson:
		d.URN, d.Target = in.Profile, in.profileKey
	}
	return d, d.URN != "" && t.Type.writing().undoes == ""
}

// Effect identifies a change on the network that must not happen twice: a like
// or an invitation by one actor of one account.
type Effect struct {
	// Account is the acting account; while it is not known, Member stands for
	// it.
	Account AccountURN
	Member  MemberID
	Actor   string
	Action  Action
	Target  string
}

// Effect returns the effect of a like or an invitation; ok is false for tasks
// that may be repeated.
func (t *Task) Effect() (e Effect, ok bool) {
	d, ok := t.Engagement()
	if !ok || !t.Type.writing().once {
		return Effect{}, false
	}
	e = Effect{Account: t.Account, Action: d.Action, Actor: string(d.Type), Target: d.Target}
	if d.Type == ActorCompany {
		e.Actor += " " + d.Company
	}
	if t.Account == "" {
		e.Member = t.Member
	}
	return e, true
}

// Undoes returns the effects that the task ends once it is done: the one on the person
// or post that its input names. A person has several names, so there is one for each
// name that the input or the output has.
func (t *Task) Undoes() (undone []Effect) {
	kind := t.Type.writing().undoes
	if kind == "" {
		return nil
	}
	in := t.Input.parsed()
	var shown withdrawnOutput
	_ = json.Unmarshal(t.Output, &shown) // without an output, nothing but the input names the person
	e := Effect{Account: t.Account, Actor: string(ActorUser), Action: kind.Action()}
	if t.Account == "" {
		e.Member = t.Member
	}
	known := map[string]bool{"": true}
	for _, name := range []string{in.Profile, in.ProfileURL, shown.ProfileURN, shown.ProfileURL} {
		if e.Target = personKey(name); !known[e.Target] {
			known[e.Target] = true
			undone = append(undone, e)
		}
	}
	return undone
}

// Undone reports whether the effects that the task undoes have ended: it was done, or
// the page shows that there was nothing to do.
func (t *Task) Undone() bool {
	done := t.State == TaskCompleted || t.Resolved != nil && t.Resolved.Acted
	needless := t.State == TaskFailed && t.Failure.Code == t.Type.Needless()
	return t.Type.writing().undoes != "" && (done || needless)
}

// Key returns a text that is equal for equal effects and different for others.
func (e Effect) Key() string {
	return strings.Join([]string{string(e.Account), string(e.Member), e.Actor, string(e.Action), e.Target}, "\x00")
}

// CleanComment trims the text of a comment; ok is false if it is too long. A
// blank text becomes "".
func CleanComment(s string) (text string, ok bool) {
	text = strings.TrimSpace(s)
	return text, utf8.RuneCountInString(text) <= MaxComment
}

// InteractionKind is the kind of an interaction with a post.
type InteractionKind string

// The kinds of interactions.
const (
	InteractionLike    InteractionKind = "like"
	InteractionComment InteractionKind = "comment"
)

// Interaction is a like or comment on a post.
type Interaction struct {
	ID     TaskID // of the task that did it
	Kind   InteractionKind
	Text   string // of a comment
	At     time.Time
	URN    string // of the post, as the task names it
	Target string // PostKey of the post
	Author Author
}

// Author is the actor of an interaction: a member, or the page of a company,
// identified by its title.
type Author struct {
	ID       string
	FullName string
	Slug     string
	Headline string
	Type     ActorType
}

// Page sizes of interactions, and the number of days of their graph.
const (
	InteractionPageSize = 10
	MaxInteractionPage  = 100
	InteractionDays     = 7
)

// InteractionQuery selects a page of interactions.
type InteractionQuery struct {
	Kind     InteractionKind // empty: both
	Actors   []string        // IDs of authors; none: all
	Page     int             // from 1
	PageSize int
}

// InteractionSummary counts the interactions of a team. Likes, Comments and
// Graph are filtered by actor, not by kind.
type InteractionSummary struct {
	Total, Likes, Comments int
	Graph                  []InteractionDay // oldest first, now's day last
}

// InteractionDay counts one day in UTC.
type InteractionDay struct {
	Date            string // 2030-01-07
	Likes, Comments int
}

// Select defines the meaning of a query: it returns the page that q selects,
// newest first, and the counts.
func (q *InteractionQuery) Select(all []Interaction, now time.Time) ([]Interaction, InteractionSummary) {
	var page []Interaction
	var sum InteractionSummary
	first := Daily.Start(now).AddDate(0, 0, 1-InteractionDays)
	for i := range InteractionDays {
		sum.Graph = append(sum.Graph, InteractionDay{Date: first.AddDate(0, 0, i).Format(time.DateOnly)})
	}
	for _, i := range slices.SortedFunc(slices.Values(all), func(a, b Interaction) int { return a.Compare(&b) }) {
		if len(q.Actors) > 0 && !slices.Contains(q.Actors, i.Author.ID) {
			continue
		}
		sum.count(&i, first)
		if q.Kind != "" && q.Kind != i.Kind {
			continue
		}
		if sum.Total/q.PageSize == q.Page-1 {
			page = append(page, i)
		}
		sum.Total++
	}
	return page, sum
}

// Compare orders interactions newest first, and at the same time by descending
// id.
func (i *Interaction) Compare(other *Interaction) int {
	return cmp.Or(other.At.Compare(i.At), cmp.Compare(other.ID, i.ID))
}

// count adds an interaction to the totals and to its day, if the graph, which
// begins at first, includes the day.
func (s *InteractionSummary) count(i *Interaction, first time.Time) {
	var day InteractionDay // a day outside the graph
	on := &day
	if n := int(Daily.Start(i.At).Sub(first) / (24 * time.Hour)); !i.At.Before(first) && n < len(s.Graph) {
		on = &s.Graph[n]
	}
	if i.Kind == InteractionComment {
		s.Comments++
		on.Comments++
		return
	}
	s.Likes++
	on.Likes++
}
