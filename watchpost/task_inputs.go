package watchpost

import (
	"encoding/json"
	"slices"
	"time"

	"watchpost/internal/reference"
)

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
