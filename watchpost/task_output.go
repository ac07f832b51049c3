package watchpost

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/url"
)

// MaxOutput bounds the stored output of a task in bytes.
const MaxOutput = 512 << 10

// list is a JSON array that is never null.
type list []json.RawMessage

// MarshalJSON encodes a nil list as [].
func (l list) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]json.RawMessage(l))
}

// entries is a JSON array that is never null. Elements of another shape are left out: they
// are no reason to lose the rest of a page.
type entries[T any] []T

// MarshalJSON encodes nil as [].
func (l entries[T]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]T(l))
}

// UnmarshalJSON implements json.Unmarshaler.
func (l *entries[T]) UnmarshalJSON(raw []byte) error {
	var elements []json.RawMessage
	if err := json.Unmarshal(raw, &elements); err != nil {
		return err
	}
	*l = nil
	for _, raw := range elements {
		var element *T
		if err := json.Unmarshal(raw, &element); err == nil && element != nil {
			*l = append(*l, *element)
		}
	}
	return nil
}

type profileOutput struct {
	Name        string          `json:"name"`
	Headline    string          `json:"headline"`
	Location    string          `json:"location"`
	ProfileURL  string          `json:"profile_url"`
	Connections int64           `json:"connections"`
	Followers   int64           `json:"followers"`
	About       string          `json:"about"`
	Experience  entries[job]    `json:"experience"`
	Education   entries[school] `json:"education"`
	Skills      entries[string] `json:"skills"`
	ProfileURN  string          `json:"profile_urn"`
	ProfileSlug string          `json:"profile_slug"`
	Profile     profileDetail   `json:"profile"`
}

type profileDetail struct {
	ProfileURN  string            `json:"profile_urn"`
	ProfileSlug string            `json:"profile_slug"`
	FullName    string            `json:"full_name"`
	Headline    string            `json:"headline"`
	Location    string            `json:"location"`
	Positions   []profilePosition `json:"positions"`
}

type profilePosition struct {
	Title       string `json:"title"`
	CompanyName string `json:"company_name"`
	Location    string `json:"location"`
	StartYear   int    `json:"start_year"`
	StartMonth  int    `json:"start_month"`
	EndYear     int    `json:"end_year"`
	EndMonth    int    `json:"end_month"`
	IsCurrent   bool   `json:"is_current"`
}

// job is a position with the page of the company, if it has one.
type job struct {
	profilePosition
	CompanySlug string `json:"company_slug"`
}

type school struct {
	School    string `json:"school"`
	Degree    string `json:"degree"`
	Field     string `json:"field"`
	StartYear int    `json:"start_year"`
	EndYear   int    `json:"end_year"`
}

type companyOutput struct {
	Name          string          `json:"name"`
	Slug          string          `json:"slug"`
	CompanyURN    string          `json:"company_urn"`
	Industry      string          `json:"industry"`
	Description   string          `json:"description"`
	EmployeeCount int64           `json:"employee_count"`
	Headquarters  string          `json:"headquarters"`
	Website       string          `json:"website"`
	Followers     int64           `json:"followers"`
	LogoURL       string          `json:"logo_url"`
	Specialties   entries[string] `json:"specialties"`
}

type postsOutput struct {
	Posts list `json:"posts"`
}

type foundProfile struct {
	Name        string `json:"name"`
	Headline    string `json:"headline"`
	Location    string `json:"location"`
	ProfileSlug string `json:"profile_slug"`
	ProfileURN  string `json:"profile_urn"`
	ProfileURL  string `json:"profile_url"`
	Degree      int    `json:"degree"`
}

// locate completes the address of the profile: the address that the session
// reported, or else the path of the slug on the network.
func (p *foundProfile) locate(network *url.URL) {
	if p.ProfileURL == "" && p.ProfileSlug != "" {
		p.ProfileURL = "/in/" + url.PathEscape(p.ProfileSlug)
	}
	if path, err := url.Parse(p.ProfileURL); err == nil && network != nil && p.ProfileURL != "" {
		p.ProfileURL = network.ResolveReference(path).String()
	}
	p.ProfileURL = webURL(p.ProfileURL)
}

type foundConnection struct {
	foundProfile
	ConnectedAt string `json:"connected_at"`
}

type profilesOutput struct {
	Profiles []foundProfile `json:"profiles"`
	Total    int64          `json:"total"`
}

type connectionsOutput struct {
	Connections []foundConnection `json:"connections"`
	Total       int64             `json:"total"`
}

// located is implemented by outputs with addresses on the network.
type located interface{ locate(network *url.URL) }

func (p *profilesOutput) locate(network *url.URL) {
	for i := range p.Profiles {
		p.Profiles[i].locate(network)
	}
}

func (c *connectionsOutput) locate(network *url.URL) {
	for i := range c.Connections {
		c.Connections[i].locate(network)
	}
}

// completed is implemented by outputs that need more than decoding.
type completed interface{ complete() }

func (p *profileOutput) complete() {
	if p.Profile.Positions == nil {
		p.Profile.Positions = []profilePosition{}
	}
	p.ProfileURL = webURL(p.ProfileURL)
	p.Connections, p.Followers = max(0, p.Connections), max(0, p.Followers)
}

func (c *companyOutput) complete() {
	c.Website, c.LogoURL = webURL(c.Website), webURL(c.LogoURL)
	c.EmployeeCount, c.Followers = max(0, c.EmployeeCount), max(0, c.Followers)
}

func (p *profilesOutput) complete() {
	if p.Profiles == nil {
		p.Profiles = []foundProfile{}
	}
	p.Total = max(0, p.Total)
}

func (c *connectionsOutput) complete() {
	if c.Connections == nil {
		c.Connections = []foundConnection{}
	}
	c.Total = max(0, c.Total)
}

func (l *likedOutput) complete()     { l.Liked = true }
func (c *commentedOutput) complete() { c.Commented = true }
func (s *sentOutput) complete()      { s.Sent = true }

func (w *withdrawnOutput) complete() {
	w.Withdrawn = true
	w.ProfileURL = webURL(w.ProfileURL)
}

// webURL returns s if it is an http or https address, and "" otherwise.
func webURL(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return s
}

type likedOutput struct {
	Liked bool `json:"liked"`
}

type commentedOutput struct {
	Commented  bool   `json:"commented"`
	CommentURN string `json:"comment_urn"`
}

type sentOutput struct {
	Sent bool `json:"sent"`
}

type withdrawnOutput struct {
	Withdrawn  bool   `json:"withdrawn"`
	ProfileURN string `json:"profile_urn"`
	ProfileURL string `json:"profile_url"`
}

// CleanOutput converts a session's output to the shape of its task type. It
// returns an error for an output of another shape or one over MaxOutput.
// network completes addresses; it may be nil.
func CleanOutput(t TaskType, output json.RawMessage, network *url.URL) (json.RawMessage, error) {
	clean := TaskOutputShape(t)
	if clean == nil {
		return nil, errors.New("task type has no output")
	}
	if len(output) > MaxOutput {
		return nil, errors.New("output is too large")
	}
	if trimmed := bytes.TrimSpace(output); len(trimmed) == 0 || trimmed[0] != '{' {
		return nil, errors.New("output is not an object")
	}
	if err := json.Unmarshal(output, clean); err != nil {
		return nil, err
	}
	if c, ok := clean.(completed); ok {
		c.complete()
	}
	if l, ok := clean.(located); ok {
		l.locate(network)
	}
	// Encoding escapes characters, so the stored output may be larger than the
	// received one.
	stored, err := json.Marshal(clean)
	if err == nil && len(stored) > MaxOutput {
		return nil, errors.New("output is too large")
	}
	return stored, err
}
