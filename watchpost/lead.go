package watchpost

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"watchpost/internal/text"
)

// Lead is an author of posts that a query selects: a person or company with a page on
// the network. Name, headline, level and address are those of the author's newest post.
type Lead struct {
	Key       string // Key of reference.ParseProfile or reference.ParseCompany
	AuthorURL string
	Name      string
	Headline  string
	Seniority string
	Kind      LeadKind

	Posts         int       // selected posts of the author
	FirstAt       time.Time // PostedAt of the first and of the newest of them
	LastAt        time.Time
	LastPost      PostID
	BestRelevance float64
	Sentiment     string        // see LeadSentiment
	Watchlists    []WatchlistID // live ones that collected one of the posts, sorted
	Interacted    bool          // the team liked or commented on one of the posts
}

// LeadKind says what a lead is.
type LeadKind string

// The kinds.
const (
	LeadPerson  LeadKind = "person"
	LeadCompany LeadKind = "company"
)

// LeadKindOf returns the kind of the author with that key.
func LeadKindOf(key string) LeadKind {
	if strings.HasPrefix(key, "company") {
		return LeadCompany
	}
	return LeadPerson
}

// LeadOrder is a value of sort_by for leads.
type LeadOrder string

// The orders. Each breaks ties by LastAt, newest first, then by LastPost, so that pages
// of an unchanged set never overlap.
const (
	LeadsRecentFirst    LeadOrder = "recent_first"
	LeadsRelevanceFirst LeadOrder = "relevance_first"
	LeadsMostPosts      LeadOrder = "most_posts"
)

// LeadOrders are all orders, the default first.
var LeadOrders = []LeadOrder{LeadsRecentFirst, LeadsRelevanceFirst, LeadsMostPosts}

// ParseLeadOrder parses a value of sort_by; "" is the default.
func ParseLeadOrder(s string) (LeadOrder, error) {
	if s == "" {
		return LeadOrders[0], nil
	}
	if !slices.Contains(LeadOrders, LeadOrder(s)) {
		return "", Errorf(Invalid, "Invalid 'sort_by'")
	}
	return LeadOrder(s), nil
}

// LeadQuery is a request to GET /api-leads. Select defines its meaning; engines must
// return exactly the same leads.
type LeadQuery struct {
	// PostQuery selects the posts, and has the page; its Order means nothing.
	PostQuery
	By       LeadOrder
	MinPosts int // selected posts that a lead has at least
	// OnlyContacted selects leads that are, or are not, in Contacted; nil: all. Contacted
	// holds the keys of the people whom the team sent a message or an invitation.
	OnlyContacted *bool
	Contacted     map[string]bool
	// Words selects leads whose name or headline has each of these words, or has it as a
	// part, however it is accented; "": all.
	Words string
	Kind  LeadKind // of the leads; "": all
	// NewSince selects leads without an older post that the filters select but for their
	// time; zero: all.
	NewSince time.Time
}

// Older selects the posts that authors must not have to be new.
func (q *LeadQuery) Older() PostQuery {
	older := q.PostQuery
	older.From, older.To = time.Time{}, q.NewSince
	return older
}

// Describes reports whether the author of a post has the words that the query asks for,
// and is of its kind.
func (q *LeadQuery) Describes(p *Post) bool {
	if q.Kind != "" && q.Kind != LeadKindOf(p.AuthorKey()) {
		return false
	}
	name, headline := text.Normalize(p.AuthorName), text.Normalize(p.AuthorHeadline)
	for word := range strings.FieldsSeq(text.Normalize(q.Words)) {
		if !strings.Contains(name, word) && !strings.Contains(headline, word) {
			return false
		}
	}
	return true
}

// Keeps reports whether an author with that many selected posts is in the result.
func (q *LeadQuery) Keeps(posts int, contacted bool) bool {
	return posts >= q.MinPosts && (q.OnlyContacted == nil || *q.OnlyContacted == contacted)
}

// Compare orders leads.
func (o LeadOrder) Compare(a, b *Lead) int {
	first := 0
	switch o {
	case LeadsMostPosts:
		first = cmp.Compare(b.Posts, a.Posts)
	case LeadsRelevanceFirst:
		first = cmp.Compare(b.BestRelevance, a.BestRelevance)
	}
	return cmp.Or(first, b.LastAt.Compare(a.LastAt), cmp.Compare(a.LastPost, b.LastPost))
}

// Select defines the meaning of a query: it returns the leads of the page, in order,
// and the number of leads on all pages.
func (q *LeadQuery) Select(posts []*Post) (page []Lead, count int) {
	byAuthor, known, older := map[string][]*Post{}, map[string]bool{}, q.Older()
	for _, p := range posts {
		key := p.AuthorKey()
		if key != "" && q.Matches(p) {
			byAuthor[key] = append(byAuthor[key], p)
		}
		known[key] = known[key] || !q.NewSince.IsZero() && older.Matches(p)
	}
	leads := []Lead{}
	for key, of := range byAuthor {
		if !known[key] && q.Keeps(len(of), q.Contacted[key]) && q.Describes(slices.MinFunc(of, RecentFirst.Compare)) {
			leads = append(leads, leadOf(key, of, q.Tagging))
		}
	}
	slices.SortFunc(leads, func(a, b Lead) int { return q.By.Compare(&a, &b) })
	from, to := q.Bounds(len(leads))
	return leads[from:to], len(leads)
}

// leadOf makes the lead of an author's posts.
func leadOf(key string, posts []*Post, tagging *Tagging) Lead {
	lead := Lead{Key: key, Posts: len(posts), FirstAt: posts[0].PostedAt}
	newest, sentiments, watchlists := posts[0], map[string]int{}, map[WatchlistID]bool{}
	for _, p := range posts {
		if RecentFirst.Less(p, newest) {
			newest = p
		}
		if p.PostedAt.Before(lead.FirstAt) {
			lead.FirstAt = p.PostedAt
		}
		lead.BestRelevance = max(lead.BestRelevance, p.Relevance)
		lead.Interacted = lead.Interacted || p.Liked || p.Commented
		sentiments[text.NormalizeName(p.Sentiment)]++
		for _, m := range p.Matches {
			if tagging == nil || tagging.Live[m.Watchlist] {
				watchlists[m.Watchlist] = true
			}
		}
	}
	lead.Describe(newest)
	lead.Sentiment = LeadSentiment(sentiments)
	for id := range watchlists {
		lead.Watchlists = append(lead.Watchlists, id)
	}
	slices.Sort(lead.Watchlists)
	return lead
}

// Describe takes over what the author's newest post says of the author.
func (l *Lead) Describe(newest *Post) {
	l.Key = newest.AuthorKey()
	l.Kind, l.LastAt, l.LastPost = LeadKindOf(l.Key), newest.PostedAt, newest.ID
	l.AuthorURL, l.Name, l.Headline, l.Seniority = newest.AuthorURL, newest.AuthorName, newest.AuthorHeadline, newest.Seniority
}

// Sentiments returns the values of sentiment.
func Sentiments() []string { return slices.Clone(sentiments) }

// LeadSentiment returns the sentiment that most posts have, of equal ones the first of
// Sentiments; "" without any.
func LeadSentiment(posts map[string]int) (most string) {
	greatest := 0
	for _, name := range sentiments {
		if posts[name] > greatest {
			most, greatest = name, posts[name]
		}
	}
	return most
}

// Acquaintance is what a task tells of a person.
type Acquaintance struct {
	Key       string // of the person; see Lead
	Same      string // another key of the same person; "" if none is known
	Contacted bool   // the team sent a message or an invitation
	Connected bool   // a member of the team is connected
}

// maxAcquaintances bounds what one task tells.
const maxAcquaintances = 500

// Acquaintances returns what a task tells of people once it is done: whom it has
// contacted, whom its account is connected to, and which names mean one person. People
// that a page showed past maxAcquaintances are left out.
func Acquaintances(t *Task) []Acquaintance {
	if t.Type.Scan() || t.State != TaskCompleted && (t.Resolved == nil || !t.Resolved.Acted) {
		return nil
	}
	var all []Acquaintance
	note := func(slug, urn string, connected bool) {
		a := Acquaintance{Key: personKey(urn), Connected: connected}
		if slug != "" {
			a.Key, a.Same = personKey("/in/"+url.PathEscape(slug)), a.Key
		}
		if a.Key != "" && (a.Connected || a.Same != "" && a.Same != a.Key) && len(all) < maxAcquaintances {
			all = append(all, a)
		}
	}
	switch t.Type {
	case TaskSendMessage, TaskConnectionRequest:
		key := t.Input.parsed().profileKey
		if t.Type == TaskSendMessage {
			var in MessageInput
			_ = json.Unmarshal(t.Input.JSON(), &in) // the API has read it before
			key = personKey(in.Recipient)
		}
		if key != "" {
			all = append(all, Acquaintance{Key: key, Contacted: true})
		}
	case TaskProfileFetch:
		var shown profileOutput
		_ = json.Unmarshal(t.Output, &shown) // CleanOutput has made it
		note(shown.ProfileSlug, shown.ProfileURN, false)
	case TaskProfilesSearch:
		var shown profilesOutput
		_ = json.Unmarshal(t.Output, &shown)
		for _, p := range shown.Profiles {
			note(p.ProfileSlug, p.ProfileURN, p.Degree == 1)
		}
	case TaskConnectionsFetch:
		var shown connectionsOutput
		_ = json.Unmarshal(t.Output, &shown)
		for _, c := range shown.Connections {
			note(c.ProfileSlug, c.ProfileURN, true)
		}
	}
	return all
}
