package watchpost

import (
	"encoding/json"
	"slices"
	"time"

	"watchpost/internal/reference"
)

// TaskInput is the input of a task: its JSON, which is stored and shown as it
// was given, and the fields that rules read, parsed once. It does not change.
type TaskInput struct {
	raw    json.RawMessage
	fields *inputFields // nil: no input
}

// inputFields are the fields of all task types that rules read. Fields with the
// same name have the same type everywhere, so parsing needs no task type.
type inputFields struct {
	Post    string `json:"social_urn"`
	Profile string `json:"profile_urn"`
	// ProfileURL names the person of a withdrawal in another way.
	ProfileURL string `json:"profile_url"`

	Actor   ActorType `json:"actor_type"`
	Company string    `json:"company_title"`
	Text    string    `json:"comment_text"`
	Keyword string    `json:"keyword"` // of a scan
	Since   time.Time `json:"since"`   // of a scan

	Profiles []json.RawMessage `json:"profile_urns"`

	postKey, profileKey string // of Post and Profile
	authors             []json.RawMessage
	people              int // number of people in authors, which come first
}

// ParseTaskInput parses a task's input. A field of a wrong type counts as
// absent: the API refuses it before, and a task without it fails on its session.
func ParseTaskInput(raw json.RawMessage) TaskInput {
	f := &inputFields{}
	_ = json.Unmarshal(raw, f) // fills in the fields that have their type
	if f.Post != "" {
		f.postKey = PostKey(f.Post)
	}
	f.profileKey = personKey(f.Profile)
	f.authors, f.people = distinctAuthors(f.Profiles)
	f.Profiles = nil
	return TaskInput{raw: raw, fields: f}
}

// personKey returns the short text that names of one person share, if they are of the
// same form: a number and a slug have nothing in common.
func personKey(name string) string {
	if name == "" {
		return ""
	}
	if r, err := reference.ParseProfile(name); err == nil {
		return r.Key()
	}
	return name
}

// JSON returns the input as it was given.
func (in TaskInput) JSON() json.RawMessage { return in.raw }

// Scan returns the keyword of a scan, and the time since which it searches.
func (in TaskInput) Scan() (keyword string, since time.Time) {
	f := in.parsed()
	return f.Keyword, f.Since
}

func (in TaskInput) parsed() *inputFields {
	if in.fields == nil {
		return &inputFields{}
	}
	return in.fields
}

// MarshalJSON implements json.Marshaler.
func (in TaskInput) MarshalJSON() ([]byte, error) { return in.raw.MarshalJSON() }

// UnmarshalJSON implements json.Unmarshaler.
func (in *TaskInput) UnmarshalJSON(raw []byte) error {
	*in = ParseTaskInput(append(json.RawMessage(nil), raw...))
	return nil
}

// distinctAuthors drops references to the same author in another spelling, and
// moves companies to the end. people is the number of the others.
func distinctAuthors(refs []json.RawMessage) (all []json.RawMessage, people int) {
	if len(refs) == 0 {
		return nil, 0
	}
	seen := make(map[string]bool, len(refs))
	all = make([]json.RawMessage, 0, len(refs))
	var companies []json.RawMessage
	for _, raw := range refs {
		key, kind := string(raw), reference.Profile
		var text string
		if json.Unmarshal(raw, &text) == nil {
			if reference, err := reference.ParseAuthor(text); err == nil {
				key, kind = reference.Key(), reference.Kind
			}
		}
		switch {
		case seen[key]:
			continue
		case kind == reference.Company:
			companies = append(companies, raw)
		default:
			all = append(all, raw)
		}
		seen[key] = true
	}
	return append(all, companies...), len(all)
}

// The inputs of the task types as sessions get them. Those of the browser extension
// are made of these (TestTaskTypesOfTheExtension).

// ProfileInput names a profile, by its slug or address.
type ProfileInput struct {
	Slug string `json:"profile_slug"`
}

// CompanyInput names a company, by its slug or address.
type CompanyInput struct {
	Slug string `json:"company_slug"`
}

// ProfilesPostsInput names the people of one slice.
type ProfilesPostsInput struct {
	URNs []string `json:"profile_urns"`
}

// SearchInput has the filters of a search for people.
type SearchInput struct {
	Keywords        string   `json:"keywords,omitempty"`
	Title           string   `json:"title,omitempty"`
	Company         string   `json:"company,omitempty"`
	FirstName       string   `json:"first_name,omitempty"`
	LastName        string   `json:"last_name,omitempty"`
	School          string   `json:"school,omitempty"`
	Location        string   `json:"location,omitempty"`
	GeoURN          []string `json:"geo_urn,omitempty"`
	CurrentCompany  []string `json:"current_company,omitempty"`
	Industry        []string `json:"industry,omitempty"`
	PastCompany     []string `json:"past_company,omitempty"`
	ProfileLanguage []string `json:"profile_language,omitempty"`
	Count           int      `json:"count,omitempty"`
}

// ConnectionsInput selects a part of the connections.
type ConnectionsInput struct {
	Keyword  string `json:"keyword,omitempty"`
	SortType string `json:"sort_type,omitempty"`
	Start    int    `json:"start,omitempty"`
	Count    int    `json:"count,omitempty"`
}

// LikeInput names a post and who likes it.
type LikeInput struct {
	URN     string `json:"social_urn"`
	Actor   string `json:"actor_type,omitempty"`
	Company string `json:"company_title,omitempty"`
}

// CommentInput is a comment on a post.
type CommentInput struct {
	LikeInput
	Text string `json:"comment_text"`
}

// MessageInput is a message to a connection.
type MessageInput struct {
	Recipient string `json:"recipient_urn"`
	Text      string `json:"message"`
}

// InvitationInput is an invitation to connect.
type InvitationInput struct {
	Profile string `json:"profile_urn"`
	Note    string `json:"note,omitempty"`
}

// WithdrawalInput names the person whose invitation is withdrawn.
type WithdrawalInput struct {
	Profile string `json:"profile_urn"`
}

// ScanInput is the input of the four scans. A search for posts uses Keyword, that for
// the posts of one author Profile or Company (a slug or a URN).
type ScanInput struct {
	Keyword string    `json:"keyword,omitempty"`
	Profile string    `json:"profile,omitempty"`
	Company string    `json:"company,omitempty"`
	Since   time.Time `json:"since"`
}

// FetchedKeys returns the keys of what a completed fetch of a profile or a company has
// brought: those of its input and of its output. They are none for other tasks. A later
// request for the same is found by one of them.
func FetchedKeys(t *Task) (keys []string) {
	var in struct {
		Profile string `json:"profile_slug"`
		Company string `json:"company_slug"`
	}
	var out struct {
		ProfileSlug string `json:"profile_slug"`
		ProfileURN  string `json:"profile_urn"`
		Slug        string `json:"slug"`
		CompanyURN  string `json:"company_urn"`
	}
	if t.Type != TaskProfileFetch && t.Type != TaskCompanyFetch {
		return nil
	}
	_ = json.Unmarshal(t.Input.JSON(), &in) // a value of another type names nothing
	_ = json.Unmarshal(t.Output, &out)
	parse, names := reference.ParseProfile, []string{in.Profile, out.ProfileSlug, out.ProfileURN}
	if t.Type == TaskCompanyFetch {
		parse, names = reference.ParseCompany, []string{in.Company, out.Slug, out.CompanyURN}
	}
	for _, name := range names {
		if r, err := parse(name); err == nil && !slices.Contains(keys, r.Key()) {
			keys = append(keys, r.Key())
		}
	}
	return keys
}
