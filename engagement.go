package watchpost

import (
	"cmp"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"watchpost/internal/reference"
)

// ActorType says in whose name a post is liked or commented on.
type ActorType string

// The actor types.
const (
	ActorUser    ActorType = "user"
	ActorCompany ActorType = "company"
)

// Limits of what is written on the network, in characters.
const (
	MaxComment = 1250
	MaxMessage = 10_000
	MaxNote    = 300
)

// TextNoAdmin answers who lets the service act in nobody's name in a team
// without an admin.
const TextNoAdmin = "No admin user found in the team"

// TextInvitationCap answers an invitation that this week has no room for.
const TextInvitationCap = "Network invitation limit reached. Try again next week."

// PostKey returns the short text that the names of one post have in common,
// however a caller or a page wrote them.
func PostKey(urn string) string {
	if r, err := reference.ParsePost(urn); err == nil {
		return r.Key()
	}
	return urn
}

// Engagement is what a task does on the network that the service remembers: a like, a
// comment or an invitation.
type Engagement struct {
	Action  Action
	Type    ActorType
	Company string // the company's title, for ActorCompany
	URN     string // of the post or person, as given
	Target  string // the same as a Key
	Text    string // of a comment
}

// Engagement reads from a task's input what it does; ok is false for tasks that do
// nothing of the kind.
func (t *Task) Engagement() (d Engagement, ok bool) {
	if !t.Type.Writes() || t.Type == TaskSendMessage {
		return Engagement{}, false
	}
	var in struct {
		Post    string    `json:"social_urn"`
		Profile string    `json:"profile_urn"`
		Actor   ActorType `json:"actor_type"`
		Company string    `json:"company_title"`
		Text    string    `json:"comment_text"`
	}
	if json.Unmarshal(t.Input, &in) != nil {
		return Engagement{}, false
	}
	d = Engagement{Action: t.Type.Action(), Type: ActorUser, URN: in.Post, Text: in.Text}
	switch t.Type {
	case TaskLikePost, TaskCommentPost:
		d.Target = PostKey(in.Post)
		if in.Actor == ActorCompany {
			d.Type, d.Company = ActorCompany, strings.TrimSpace(in.Company)
		}
	case TaskConnectionRequest:
		d.URN, d.Text = in.Profile, ""
		d.Target = in.Profile
		if r, err := reference.ParseProfile(in.Profile); err == nil {
			d.Target = r.Key()
		}
	default:
		return Engagement{}, false
	}
	return d, d.URN != ""
}

// OnPost reports whether the deed is one on a post.
func (d *Engagement) OnPost() bool { return d.Action == ActionLike || d.Action == ActionComment }

// Effect names what a task does on the network and must not be done twice: a
// like or an invitation by one actor of one account.
type Effect struct {
	// Account is the one that acts; while it is not known Member stands for it.
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
	if !ok || d.Action == ActionComment {
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

// Key returns a text that two effects share if and only if they are equal.
func (e Effect) Key() string {
	return strings.Join([]string{string(e.Account), string(e.Member), e.Actor, string(e.Action), e.Target}, "\x00")
}

// CleanComment returns the text of a comment without white space around it;
// ok is false when it is too long. An empty one is returned as "".
func CleanComment(s string) (text string, ok bool) {
	text = strings.TrimSpace(s)
	return text, utf8.RuneCountInString(text) <= MaxComment
}

// InteractionKind is what was done to a post.
type InteractionKind string

// The kinds of interactions.
const (
	InteractionLike    InteractionKind = "like"
	InteractionComment InteractionKind = "comment"
)

// Interaction is one like or comment that was done on a post.
type Interaction struct {
	ID     TaskID // of the task that did it
	Kind   InteractionKind
	Text   string // of a comment
	At     time.Time
	URN    string // of the post, as the task names it
	Target string // PostKey of the post
	Author Author
}

// Author is in whose name an interaction was done: a member, or the page of a
// company, which is named by its title.
type Author struct {
	ID       string
	FullName string
	Slug     string
	Headline string
	Type     ActorType
}

// The pages of interactions, and the days of their graph.
const (
	InteractionPageSize = 10
	MaxInteractionPage  = 100
	InteractionDays     = 7
)

// InteractionQuery asks for a page of interactions.
type InteractionQuery struct {
	Kind     InteractionKind // empty: both
	Actors   []string        // IDs of authors; none: all
	Page     int             // from 1
	PageSize int
}

// InteractionSummary counts what a query selects from. Likes, Comments and
// Graph heed the actors, not the kind.
type InteractionSummary struct {
	Total, Likes, Comments int
	Graph                  []InteractionDay // oldest first, now's day last
}

// InteractionDay counts one day in UTC.
type InteractionDay struct {
	Date            string // 2030-01-07
	Likes, Comments int
}

// Select is the whole meaning of a query: the page of all that q asks for,
// newest first, and the counts.
func (q *InteractionQuery) Select(all []Interaction, now time.Time) ([]Interaction, InteractionSummary) {
	return q.SelectSorted(slices.Values(slices.SortedFunc(slices.Values(all), func(a, b Interaction) int { return a.Compare(&b) })), now)
}

// Compare puts the newer interaction first; of two at one moment the one with
// the greater id.
func (i *Interaction) Compare(other *Interaction) int {
	return cmp.Or(other.At.Compare(i.At), cmp.Compare(other.ID, i.ID))
}

// SelectSorted is Select of interactions that come newest first, of which only
// ID, Kind, At and the author's ID are looked at.
func (q *InteractionQuery) SelectSorted(newestFirst iter.Seq[Interaction], now time.Time) ([]Interaction, InteractionSummary) {
	var page []Interaction
	var sum InteractionSummary
	first := Daily.Start(now).AddDate(0, 0, 1-InteractionDays)
	for i := range InteractionDays {
		sum.Graph = append(sum.Graph, InteractionDay{Date: first.AddDate(0, 0, i).Format(time.DateOnly)})
	}
	for i := range newestFirst {
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

// count counts an interaction, also on its day if that is of the graph, whose
// first day begins at first.
func (s *InteractionSummary) count(i *Interaction, first time.Time) {
	var day InteractionDay // of no graph
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
