package api

import (
	"math"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-fuego/fuego"

	"watchpost/http/endpoint"
	"watchpost/internal/reference"
	"watchpost/watchpost"
)

// The endpoints of agent tasks, and the bodies of their requests. Each body has what
// makes its fields valid, which are in the order in which they are checked.

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

// taskEndpoint is what HTTP knows of a task type beyond its row in the domain.
type taskEndpoint struct {
	kind   watchpost.TaskType
	path   string
	id     string // of the operation, where that of the path is taken
	words  string // of the reply and of the summary
	of     string // what the input describes
	detail string // what the summary does not say
	errors []func(*fuego.BaseRoute)
	// byPost is a request of the posts' endpoints that makes the same task.
	byPost any
	// body is an empty request; add makes its route.
	body any
	add  func(*endpoint.Server, *taskEndpoint)
}

// taking completes an endpoint with the type of its body, which checks its fields.
func taking[B any, P interface {
	*B
	endpoint.FieldCleaner
}](e taskEndpoint) taskEndpoint {
	e.body, e.add = *new(B), addTask[B]
	return e
}

// taskEndpoints is the table of agent tasks, in the order in which the document has
// their inputs.
var taskEndpoints = []taskEndpoint{
	taking[fetchProfile](taskEndpoint{
		kind: watchpost.TaskProfileFetch, path: "fetch-profile", words: "Profile fetch", of: "a profile",
		detail: "The output is the profile. With `max_age`, a completed fetch of the same person that is not older is the answer: `from_stored`.",
	}),
	taking[fetchCompany](taskEndpoint{
		kind: watchpost.TaskCompanyFetch, path: "fetch-company", words: "Company fetch", of: "a company",
		detail: "The output is the company. With `max_age`, a completed fetch of the same company that is not older is the answer: `from_stored`.",
	}),
	taking[fetchProfilesPosts](taskEndpoint{
		kind: watchpost.TaskProfilesPosts, path: "fetch-profiles-posts", words: "Profile posts fetch", of: "posts of people",
		detail: "The output has the posts of up to 50 profiles. Each counts by itself on the allowance; what is over it is done the next day.",
	}),
	taking[fetchCompanyPosts](taskEndpoint{
		kind: watchpost.TaskCompanyPosts, path: "fetch-company-posts", words: "Company posts fetch", of: "posts of a company",
		detail: "The output has the posts of the company.",
	}),
	taking[searchProfiles](taskEndpoint{
		kind: watchpost.TaskProfilesSearch, path: "search-profiles", words: "Profile search", of: "a search for people",
		detail: "Needs at least one filter. The output has the profiles found and their total.",
		errors: []func(*fuego.BaseRoute){endpoint.WithError(http.StatusBadRequest, textNoFilter)},
	}),
	taking[fetchConnections](taskEndpoint{
		kind: watchpost.TaskConnectionsFetch, path: "fetch-connections", words: "Fetch connections", of: "the connections of an account",
		detail: "The output has the connections and their total.",
	}),
	taking[likePost](taskEndpoint{
		kind: watchpost.TaskLikePost, path: "like-post", words: "Like post", of: "a like", byPost: likeRequest{},
		detail: "A like that was asked for before is answered with the task of then.",
	}),
	taking[commentPost](taskEndpoint{
		kind: watchpost.TaskCommentPost, path: "comment-post", words: "Comment post", of: "a comment", byPost: commentRequest{},
		detail: "The output has the URN of the comment.",
	}),
	taking[sendMessage](taskEndpoint{
		kind: watchpost.TaskSendMessage, path: "send-message", words: "Send message", of: "a message",
		detail: "The recipient must be connected.",
		errors: []func(*fuego.BaseRoute){endpoint.WithError(http.StatusBadRequest, textLongMessage)},
	}),
	taking[sendConnectionRequest](taskEndpoint{
		kind: watchpost.TaskConnectionRequest, path: "send-connection-request", words: "Send connection request", of: "an invitation",
		detail: "One that was asked for before is answered with the task of then.",
		errors: []func(*fuego.BaseRoute){
			endpoint.WithError(http.StatusBadRequest, textLongNote),
			endpoint.WithError(http.StatusTooManyRequests, watchpost.TextInvitationCap),
		},
	}),
	taking[withdrawInvitation](taskEndpoint{
		kind: watchpost.TaskWithdrawal, path: "withdraw-invitation", id: "withdrawConnectionRequest", words: "Withdraw invitation", of: "a withdrawal of an invitation",
		detail: "The person can be invited again afterwards. It fails with `not_invited` when the page shows no invitation.",
	}),
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

// fieldMaxAge is the name of the field of maxAge.
const fieldMaxAge = "max_age"

// maxAge is the field of a fetch that an earlier one may answer.
type maxAge struct {
	MaxAge *float64 `json:"max_age,omitempty" example:"86400" description:"seconds; a completed fetch of the same that is not older is the answer, and nothing is debited"`
}

// agedField is a request with that field.
type agedField interface{ age() *time.Duration }

func (m *maxAge) age() *time.Duration {
	if m.MaxAge == nil {
		return nil
	}
	age := time.Duration(*m.MaxAge) * time.Second
	return &age
}

func (m *maxAge) check() error { return wholeIn(m.MaxAge, fieldMaxAge, 0, math.MaxInt32) }

type fetchProfile struct {
	Slug string `json:"profile_slug" required:"" example:"jane-doe" description:"slug or URL of the profile"`
	maxAge
}

// CleanField implements endpoint.FieldCleaner.
func (f *fetchProfile) CleanField(name string) error {
	switch {
	case name == fieldMaxAge:
		return f.check()
	case !isProfile(f.Slug):
		return invalid("profile_slug")
	}
	return nil
}

type fetchCompany struct {
	Slug string `json:"company_slug" required:"" example:"example-corp" description:"slug or URL of the company"`
	maxAge
}

// CleanField implements endpoint.FieldCleaner.
func (f *fetchCompany) CleanField(name string) error {
	switch {
	case name == fieldMaxAge:
		return f.check()
	case !isCompany(f.Slug):
		return invalid("company_slug")
	}
	return nil
}

type fetchCompanyPosts struct {
	Slug string `json:"company_slug" required:"" example:"example-corp" description:"slug or URL of the company"`
}

// CleanField implements endpoint.FieldCleaner.
func (f *fetchCompanyPosts) CleanField(string) error {
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

type withdrawInvitation struct {
	URL string `json:"profile_url,omitempty" example:"https://network.example/in/jane-doe" description:"URL or slug; needed without profile_urn"`
	URN string `json:"profile_urn,omitempty" example:"urn:network:member:123456" description:"URN or bare id; counts if both are given"`
	ofMember
}

// CleanField implements endpoint.FieldCleaner.
func (w *withdrawInvitation) CleanField(name string) error {
	switch {
	case name == "profile_url" && w.URL != "" && !isProfile(w.URL), name == "profile_urn" && w.URN != "" && !isProfile(w.URN):
		return invalid(name)
	case name == "profile_urn" && w.URL == "" && w.URN == "":
		return invalid("profile_url")
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
