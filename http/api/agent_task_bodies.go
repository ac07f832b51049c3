package api

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"watchpost/http/endpoint"
	"watchpost/internal/reference"
	"watchpost/watchpost"
)

// The bodies of the requests for agent tasks, each with what makes its fields
// valid, which are in the order in which they are checked.

const (
	textNoFilter    = "At least one search filter is required"
	textLongMessage = "Message text is too long (max 10000 characters)"
	textLongNote    = "Invalid 'note': must be 300 characters or fewer"

	maxProfiles    = 50
	maxConnections = 100
)

// invalid is the error of a required field.
func invalid(name string) error {
	return watchpost.Errorf(watchpost.Invalid, "Missing or invalid '%s'", name)
}

// isProfile and the like report whether a text refers to such a thing.
func isProfile(s string) bool { _, err := reference.ParseProfile(s); return err == nil }

func isCompany(s string) bool { _, err := reference.ParseCompany(s); return err == nil }

func isAuthor(s string) bool { _, err := reference.ParseAuthor(s); return err == nil }

// isPost wants the number of a post, in a URN, in a URL or bare: a slug alone
// does not say which post it is.
func isPost(s string) bool {
	reference, err := reference.ParsePost(s)
	return err == nil && reference.ID != ""
}

// wholeIn reads a number that may be left out.
func wholeIn(n *float64, name string, least, most float64) error {
	if n != nil && (math.Trunc(*n) != *n || *n < least || *n > most) {
		return watchpost.Errorf(watchpost.Invalid, "Invalid '%s'", name)
	}
	return nil
}

// ofMember is the field of a task that runs on the account of one member.
type ofMember struct {
	Email *filled `json:"user_email,omitempty" example:"jane@example.com" description:"the member on whose account it runs; by default the oldest admin"`
}

func (m *ofMember) email() *string {
	if m.Email == nil {
		return nil
	}
	email := knownEmail(*m.Email)
	return &email
}

type fetchProfile struct {
	Slug string `json:"profile_slug" required:"" example:"jane-doe" description:"slug or URL of the profile"`
}

// CleanField implements endpoint.FieldCleaner.
func (f *fetchProfile) CleanField(string) error {
	if !isProfile(f.Slug) {
		return invalid("profile_slug")
	}
	return nil
}

type fetchCompany struct {
	Slug string `json:"company_slug" required:"" example:"example-corp" description:"slug or URL of the company"`
}

// CleanField implements endpoint.FieldCleaner.
func (f *fetchCompany) CleanField(string) error {
	if !isCompany(f.Slug) {
		return invalid("company_slug")
	}
	return nil
}

type fetchProfilesPosts struct {
	URNs []string `json:"profile_urns" required:"" validate:"required" description:"1 to 50 URNs or bare ids of profiles, or URLs or URNs of companies"`
}

// CleanField implements endpoint.FieldCleaner.
func (f *fetchProfilesPosts) CleanField(string) error {
	if len(f.URNs) == 0 || len(f.URNs) > maxProfiles || !all(f.URNs, isAuthor) {
		return invalid("profile_urns")
	}
	return nil
}

func all(list []string, holds func(string) bool) bool {
	return !slices.ContainsFunc(list, func(s string) bool { return !holds(s) })
}

type searchProfiles struct {
	Keywords        string   `json:"keywords,omitempty" example:"observability"`
	Title           string   `json:"title,omitempty"`
	Company         string   `json:"company,omitempty"`
	FirstName       string   `json:"first_name,omitempty"`
	LastName        string   `json:"last_name,omitempty"`
	School          string   `json:"school,omitempty"`
	GeoURN          []string `json:"geo_urn,omitempty"`
	CurrentCompany  []string `json:"current_company,omitempty"`
	Industry        []string `json:"industry,omitempty"`
	PastCompany     []string `json:"past_company,omitempty"`
	ProfileLanguage []string `json:"profile_language,omitempty"`
	Location        string   `json:"location,omitempty" example:"Berlin" description:"text of the location"`
	Count           *float64 `json:"count,omitempty" example:"25" description:"how many, by default 25; more than 50 are served as 50"`
	Limit           *float64 `json:"limit,omitempty" example:"25" description:"another name of count, which counts if both are given"`
	ofMember
}

// CleanField implements endpoint.FieldCleaner.
func (s *searchProfiles) CleanField(name string) error {
	switch name {
	case "count":
		return wholeIn(s.Count, name, 1, math.MaxInt32)
	case "limit":
		return wholeIn(s.Limit, name, 1, math.MaxInt32)
	case "location": // the last of the filters
	default:
		return nil
	}
	filters := slices.Concat([]string{s.Keywords, s.Title, s.Company, s.FirstName, s.LastName, s.School, s.Location},
		s.GeoURN, s.CurrentCompany, s.Industry, s.PastCompany, s.ProfileLanguage)
	if all(filters, endpoint.IsBlank) {
		return watchpost.Errorf(watchpost.Invalid, textNoFilter)
	}
	return nil
}

type likePost struct {
	URN string `json:"social_urn" required:"" example:"urn:network:activity:7123456789012345678"`
	ofMember
}

// CleanField implements endpoint.FieldCleaner.
func (l *likePost) CleanField(string) error {
	if !isPost(l.URN) {
		return invalid("social_urn")
	}
	return nil
}

type commentPost struct {
	URN  string `json:"social_urn" required:"" example:"urn:network:activity:7123456789012345678"`
	Text string `json:"comment_text" required:"" example:"Well done!" description:"at most 1250 characters" maxLength:"1250,own"`
	ofMember
}

// CleanField implements endpoint.FieldCleaner.
func (c *commentPost) CleanField(name string) error {
	switch text, ok := watchpost.CleanComment(c.Text); {
	case name == "social_urn" && !isPost(c.URN), name == "comment_text" && (!ok || text == ""):
		return invalid(name)
	}
	return nil
}

type sendMessage struct {
	Recipient string `json:"recipient_urn" required:"" example:"urn:network:member:123456"`
	Message   string `json:"message" required:"" example:"Hello" description:"at most 10000 characters" maxLength:"10000,own"`
	ofMember
}

// CleanField implements endpoint.FieldCleaner.
func (m *sendMessage) CleanField(name string) error {
	switch {
	case name == "recipient_urn" && !isProfile(m.Recipient), name == "message" && endpoint.IsBlank(m.Message):
		return invalid(name)
	case utf8.RuneCountInString(m.Message) > watchpost.MaxMessage:
		return watchpost.Errorf(watchpost.Invalid, textLongMessage)
	}
	return nil
}

type sendConnectionRequest struct {
	URN  string `json:"profile_urn" required:"" example:"urn:network:member:123456" description:"URN or bare id"`
	Note string `json:"note,omitempty" invalid:"Invalid 'note': must be a string" description:"at most 300 characters" maxLength:"300,own"`
	ofMember
}

// CleanField implements endpoint.FieldCleaner.
func (r *sendConnectionRequest) CleanField(name string) error {
	switch {
	case name == "profile_urn" && !isProfile(r.URN):
		return invalid(name)
	case utf8.RuneCountInString(strings.TrimSpace(r.Note)) > watchpost.MaxNote:
		return watchpost.Errorf(watchpost.Invalid, textLongNote)
	}
	return nil
}

type fetchConnections struct {
	Keyword  string   `json:"keyword,omitempty"`
	SortType string   `json:"sort_type,omitempty"`
	Start    *float64 `json:"start,omitempty" example:"0"`
	Count    *float64 `json:"count,omitempty" example:"40" description:"1 to 100, by default 40"`
	ofMember
}

// CleanField implements endpoint.FieldCleaner.
func (f *fetchConnections) CleanField(name string) error {
	switch name {
	case "start":
		return wholeIn(f.Start, name, 0, math.MaxInt32)
	case "count":
		return wholeIn(f.Count, name, 1, maxConnections)
	}
	return nil
}
