package watchpost

import (
	"encoding/json"
	"slices"
	"time"

	"watchpost/internal/reference"
)

// TaskQuery selects a team's tasks, those of callers. Empty fields select all.
type TaskQuery struct {
	IDs    []TaskID // any of them; at most MaxTaskIDs
	Status string   // pending, completed or failed, as PublicStatus returns it
	Types  []TaskType
	Since  time.Time // created at or after it
	Page   int       // from 1
	Size   int       // of a page
}

// Bounds of a TaskQuery.
const (
	// MaxTaskIDs bounds the ids of a query, and MaxTaskPage its page.
	MaxTaskIDs  = 100
	MaxTaskPage = 100
	// TaskPageSize is the size of a page that a request does not name.
	TaskPageSize = 20
)

// Matches defines the meaning of a query for a task, on any page.
func (q *TaskQuery) Matches(id TaskID, kind TaskType, state TaskState) bool {
	return (len(q.IDs) == 0 || slices.Contains(q.IDs, id)) && (q.Status == "" || q.Status == state.PublicStatus()) &&
		(len(q.Types) == 0 || slices.Contains(q.Types, kind)) && !id.CreatedAt().Before(q.Since.Truncate(time.Millisecond))
}

// FetchedKeys returns the keys of what a completed fetch of a profile or a company has
// brought: those of its input and of its output. They are none for other tasks. A later
// request for the same is found by one of them.
func (t *Task) FetchedKeys() (keys []string) {
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
	_ = json.Unmarshal(t.Input.JSON(), &in) // what has another type names nothing
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
