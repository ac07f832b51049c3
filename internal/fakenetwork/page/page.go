// Package page is the machine-readable part of the stand-in network's pages: a
// JSON block in every page, next to the visible content. The site writes this
// format and a session's adapter reads it.
package page

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Version is the value of Data.V. A page with another value is not understood.
const Version = 1

// ErrNotUnderstood means that a page has an unknown layout. It must never be
// read as an empty page.
var ErrNotUnderstood = errors.New("page not understood")

// Kind is the kind of a page.
type Kind string

// The kinds of pages.
const (
	KindFeed        Kind = "feed"
	KindProfile     Kind = "profile"
	KindCompany     Kind = "company"
	KindPost        Kind = "post"
	KindPosts       Kind = "posts"     // a list of posts of one author
	KindSearch      Kind = "search"    // posts found by a search
	KindPeople      Kind = "people"    // members found by a search
	KindForum       Kind = "forum"     // forum posts found by a search
	KindCompanies   Kind = "companies" // companies that a search found
	KindConnections Kind = "connections"
	KindMessages    Kind = "messages"    // the list of threads
	KindThread      Kind = "thread"      // the messages with one member
	KindInvitations Kind = "invitations" // those that the viewer sent or got

	KindApplied   Kind = "applied" // a write was done
	KindSignIn    Kind = "sign_in"
	KindChallenge Kind = "challenge"
	KindLimit     Kind = "limit"
	KindNotFound  Kind = "not_found"
	KindRefused   Kind = "refused" // a write was refused; Reason says why
)

// Reasons of refused writes.
const (
	ReasonCSRF         = "csrf"
	ReasonNotConnected = "not_connected"
	ReasonNotManaged   = "company_not_managed"
	ReasonConnected    = "already_connected"
	ReasonPending      = "invitation_pending"
	ReasonNoInvitation = "no_invitation"
	ReasonInvalid      = "invalid"
)

// Data is the machine-readable part of a page; Kind determines which fields
// are set.
type Data struct {
	V      int     `json:"v"`
	Kind   Kind    `json:"kind"`
	Viewer *Viewer `json:"viewer,omitempty"`
	// CSRF is the token for writes, sent in the header X-CSRF-Token.
	CSRF string `json:"csrf,omitempty"`

	Profile     *Profile     `json:"profile,omitempty"`
	Company     *Company     `json:"company,omitempty"`
	Post        *Post        `json:"post,omitempty"`
	Comments    []Comment    `json:"comments,omitempty"`
	Posts       []Post       `json:"posts,omitempty"`
	Promoted    *Post        `json:"promoted,omitempty"` // an advert among Posts; no result
	People      []Person     `json:"people,omitempty"`
	Companies   []Actor      `json:"companies,omitempty"`
	Thread      *Thread      `json:"thread,omitempty"`
	Invitations []Invitation `json:"invitations,omitempty"`
	Received    []Invitation `json:"received,omitempty"` // From counts instead of To
	Paging      *Paging      `json:"paging,omitempty"`
	Query       string       `json:"query,omitempty"`

	Applied *Applied `json:"applied,omitempty"`
	Limit   *Limit   `json:"limit,omitempty"`
	Reason  string   `json:"reason,omitempty"`
}

// Viewer is the signed-in member who sees a page.
type Viewer struct {
	URN  string `json:"urn"`
	Slug string `json:"slug"`
	Name string `json:"name"`
	// Companies are the company pages that the viewer may act for.
	Companies []Actor `json:"companies"`
}

// Actor is the author of a post, like or comment: a member or a company page.
type Actor struct {
	Type     string `json:"type"` // user or company
	URN      string `json:"urn"`
	Slug     string `json:"slug"`
	Name     string `json:"name"`
	Headline string `json:"headline"`
	Path     string `json:"path"`
	Image    string `json:"image"` // path of the picture
}

// Types of actors.
const (
	ActorUser    = "user"
	ActorCompany = "company"
)

// Profile is a member's page.
type Profile struct {
	URN         string      `json:"urn"`
	Slug        string      `json:"slug"`
	FirstName   string      `json:"first_name"`
	LastName    string      `json:"last_name"`
	Name        string      `json:"name"`
	Headline    string      `json:"headline"`
	Location    string      `json:"location"`
	Image       string      `json:"image"`
	About       string      `json:"about"`
	Industry    string      `json:"industry"`
	Language    string      `json:"language"`
	Connections int         `json:"connections"`
	Followers   int         `json:"followers"`
	Positions   []Position  `json:"positions"`
	Education   []Education `json:"education"`
	Skills      []string    `json:"skills"`
	// Relation is the viewer's relation to the member: self, none, pending (an
	// invitation of the viewer is pending) or connected.
	Relation string `json:"relation"`
	Degree   int    `json:"degree"` // 0 self, 1 connected, 2 or 3
	// Invites is true when an invitation of the member to the viewer is
	// pending.
	Invites bool `json:"invites,omitempty"`
}

// Relations between the viewer and a member.
const (
	RelationSelf      = "self"
	RelationNone      = "none"
	RelationPending   = "pending"
	RelationConnected = "connected"
)

// Position is a present or past job; a zero year means that the page shows
// none.
type Position struct {
	Title       string `json:"title"`
	CompanyName string `json:"company_name"`
	CompanySlug string `json:"company_slug"`
	Location    string `json:"location"`
	StartYear   int    `json:"start_year"`
	StartMonth  int    `json:"start_month"`
	EndYear     int    `json:"end_year,omitempty"`
	EndMonth    int    `json:"end_month,omitempty"`
	IsCurrent   bool   `json:"is_current"`
}

// Education is a school of a member.
type Education struct {
	School    string `json:"school"`
	Degree    string `json:"degree"`
	Field     string `json:"field"`
	StartYear int    `json:"start_year"`
	EndYear   int    `json:"end_year"`
}

// Company is a company's page.
type Company struct {
	URN           string   `json:"urn"`
	Slug          string   `json:"slug"`
	Name          string   `json:"name"`
	Industry      string   `json:"industry"`
	Description   string   `json:"description"`
	EmployeeCount int      `json:"employee_count"`
	Headquarters  string   `json:"headquarters"`
	Website       string   `json:"website"`
	Followers     int      `json:"followers"`
	Logo          string   `json:"logo"`
	Specialties   []string `json:"specialties"`
}

// Post is a post as a page shows it.
type Post struct {
	URN      string    `json:"urn"`
	Path     string    `json:"path"`
	Author   Actor     `json:"author"`
	Content  string    `json:"content"` // character for character
	Type     string    `json:"type"`
	PostedAt time.Time `json:"posted_at"`
	Likes    int       `json:"likes"`
	Comments int       `json:"comments"`
	Shares   int       `json:"shares"`
	// Images and Videos are paths; ImageText is the text of an image.
	Images    []string `json:"images,omitempty"`
	ImageText string   `json:"image_text,omitempty"`
	Videos    []string `json:"videos,omitempty"`
	// LikedBy are the URNs of the viewer and the viewer's companies that like
	// the post.
	LikedBy []string `json:"liked_by,omitempty"`
}

// Comment is a comment on a post. Mine is true when the viewer, or a company
// of the viewer, wrote it.
type Comment struct {
	URN      string    `json:"urn"`
	Author   Actor     `json:"author"`
	Text     string    `json:"text"`
	PostedAt time.Time `json:"posted_at"`
	Mine     bool      `json:"mine"`
}

// Person is a member in a list.
type Person struct {
	URN         string     `json:"urn"`
	Slug        string     `json:"slug"`
	Name        string     `json:"name"`
	Headline    string     `json:"headline"`
	Location    string     `json:"location"`
	Degree      int        `json:"degree"`
	Image       string     `json:"image"`              // path of the picture
	Relation    string     `json:"relation,omitempty"` // as in Profile
	ConnectedAt *time.Time `json:"connected_at,omitempty"`
	Last        *Message   `json:"last,omitempty"` // the newest message, in the list of threads
}

// Thread is the messages between the viewer and one member.
type Thread struct {
	With       Person    `json:"with"`
	CanMessage bool      `json:"can_message"`
	Messages   []Message `json:"messages"`
}

// Message is one message of a thread.
type Message struct {
	URN    string    `json:"urn"`
	Text   string    `json:"text"`
	SentAt time.Time `json:"sent_at"`
	Mine   bool      `json:"mine"`
}

// Invitation is a pending one that the viewer sent or received.
type Invitation struct {
	To     *Person   `json:"to,omitempty"`
	From   *Person   `json:"from,omitempty"`
	Note   string    `json:"note"`
	SentAt time.Time `json:"sent_at"`
}

// Paging is the position of a page in its list.
type Paging struct {
	Page  int  `json:"page"` // from 1
	Total int  `json:"total"`
	More  bool `json:"more"`
}

// Applied is the result of a write.
type Applied struct {
	Kind   string `json:"kind"`
	Target string `json:"target"`
	URN    string `json:"urn,omitempty"` // of the comment or message
}

// Limit is the action that the network has closed, and the end of the closure.
type Limit struct {
	Action   string     `json:"action"` // like, comment, message, invitation or any
	Reason   string     `json:"reason"` // daily_limit, weekly_limit or rate_limited
	ResetsAt *time.Time `json:"resets_at,omitempty"`
}

// Reasons of limits.
const (
	LimitDaily  = "daily_limit"
	LimitWeekly = "weekly_limit"
	LimitRate   = "rate_limited"
)

var (
	blockStart = []byte(`<script type="application/json" id="page-data">`)
	blockEnd   = []byte(`</script>`)
)

// Parse reads the machine-readable part of an HTML page. Errors wrap
// ErrNotUnderstood.
func Parse(html []byte) (*Data, error) {
	_, rest, ok := bytes.Cut(html, blockStart)
	if !ok {
		return nil, fmt.Errorf("%w: no data block", ErrNotUnderstood)
	}
	block, _, ok := bytes.Cut(rest, blockEnd)
	if !ok {
		return nil, fmt.Errorf("%w: data block without end", ErrNotUnderstood)
	}
	var data Data
	if err := json.Unmarshal(block, &data); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotUnderstood, err)
	}
	if data.V != Version {
		return nil, fmt.Errorf("%w: version %d", ErrNotUnderstood, data.V)
	}
	if !data.whole() {
		return nil, fmt.Errorf("%w: a page of kind %q lacks its parts", ErrNotUnderstood, data.Kind)
	}
	return &data, nil
}

// whole reports whether the page has the required contents of its kind. An
// unknown kind requires nothing: a caller that expects another kind refuses
// it.
func (d *Data) whole() bool {
	switch d.Kind {
	case KindProfile:
		return d.Viewer != nil && d.Profile != nil
	case KindCompany:
		return d.Viewer != nil && d.Company != nil
	case KindPost:
		return d.Viewer != nil && d.Post != nil
	case KindFeed, KindPosts, KindSearch, KindPeople, KindCompanies, KindForum, KindConnections:
		return d.Viewer != nil && d.Paging != nil
	case KindThread:
		return d.Viewer != nil && d.Thread != nil
	case KindMessages, KindInvitations:
		return d.Viewer != nil
	case KindApplied:
		return d.Applied != nil
	case KindLimit:
		return d.Limit != nil
	default:
		return d.Kind != ""
	}
}
