package watchpost

import (
	"cmp"
	"encoding/json"
	"time"
)

// AskerKind says by what way a task was asked for.
type AskerKind string

// The ways. The API key is shared by all members of a team.
const (
	AskedByKey    AskerKind = "key"
	AskedByMember AskerKind = "member" // in the dashboard
	AskedByRule   AskerKind = "rule"   // of automatic engagement
)

// Asker says who asked for a task. The zero value is the API key.
type Asker struct {
	Kind AskerKind `json:",omitempty"`
	ID   string    `json:",omitempty"` // of the member or the rule
}

// Way returns the kind, that of the zero value included.
func (a Asker) Way() AskerKind {
	if a.Kind == "" {
		return AskedByKey
	}
	return a.Kind
}

// JournalEntry is what the journal keeps of a caller's task: an action on the
// network, in short. The task itself has the whole input and output.
type JournalEntry struct {
	ID      TaskID
	Type    TaskType
	State   TaskState // pending until it is final
	Way     AskerKind // of Asked; always set, so that a filter finds it
	Asked   string    `json:",omitempty"` // ID of the member or the rule
	Member  MemberID  `json:",omitempty"` // in whose name
	Account AccountURN
	At      time.Time // asked for
	EndedAt time.Time `json:",omitzero"`
	Subject string    // its object, as the request named it
	Text    string    `json:",omitempty"` // beginning of a comment or message
	Post    PostID    `json:",omitempty"` // a stored post
	Code    string    `json:",omitempty"` // why it failed
	Message string    `json:",omitempty"`
	Safe    bool      `json:",omitempty"` // it may be repeated without acting twice
	// Acted is what became known after an unknown outcome; nil before.
	Acted *bool `json:",omitempty"`
	// Number and Before are its place in the chain: the hash is that of the record
	// before. Entries from before the chain have neither.
	Number uint64 `json:",omitempty"`
	Before string `json:",omitempty"`
	Hash   string `json:"-"` // of the record
}

// maxJournalText bounds each text of a journal entry, in bytes.
const maxJournalText = 200

// Journal returns the entry of a task.
func (t *Task) Journal() JournalEntry {
	var in struct {
		Post     PostID          `json:"post_id"`
		URN      string          `json:"social_urn"`
		Profile  string          `json:"profile_slug"`
		Company  string          `json:"company_slug"`
		Person   string          `json:"profile_urn"`
		Receiver string          `json:"recipient_urn"`
		People   json.RawMessage `json:"profile_urns"`
		Keywords string          `json:"keywords"`
		Title    string          `json:"title"`
		Keyword  string          `json:"keyword"`
		Author   string          `json:"profile"` // of a scan
		Firm     string          `json:"company"` // of a scan
		Comment  string          `json:"comment_text"`
		Message  string          `json:"message"`
		Note     string          `json:"note"`
	}
	_ = json.Unmarshal(t.Input.JSON(), &in) // a field of another type stays empty
	e := JournalEntry{
		ID: t.ID, Type: t.Type, State: TaskPending, Way: t.Asked.Way(), Asked: t.Asked.ID, Member: t.Member, Account: t.Account,
		At: t.CreatedAt, EndedAt: t.EndedAt, Post: in.Post,
	}
	if t.Lease != nil {
		e.Account = t.Lease.Account
	} else if n := len(t.Past); n > 0 {
		e.Account = t.Past[n-1].Account
	}
	var people []string
	_ = json.Unmarshal(in.People, &people) // references of another type stay out
	subjects := append([]string{in.URN, in.Profile, in.Company, in.Person, in.Receiver, in.Keywords, in.Title, in.Keyword, in.Author, in.Firm}, people...)
	e.Subject, e.Text = clipText(cmp.Or(subjects...)), clipText(cmp.Or(in.Comment, in.Message, in.Note))
	if t.State.Final() {
		e.State = t.State
	}
	if t.Failure != nil {
		e.Code, e.Message, e.Safe = t.Failure.Code, clipText(t.Failure.Message), t.Failure.RetrySafe
	}
	if t.Resolved != nil {
		e.Acted = &t.Resolved.Acted
	}
	return e
}

// clipText cuts a text to maxJournalText at the border of a character.
func clipText(s string) string {
	if len(s) <= maxJournalText {
		return s
	}
	cut := 0
	for i := range s {
		if i > maxJournalText {
			break
		}
		cut = i
	}
	return s[:cut]
}

// JournalQuery selects entries of the journal. Empty fields select all.
type JournalQuery struct {
	Way    AskerKind
	Member MemberID // in whose name
	Type   TaskType
	State  TaskState // pending, completed or failed
	Rule   string    // id of a rule that asked
	From   time.Time // asked for at or after
	To     time.Time // asked for before
}

// Matches defines the meaning of a query.
func (q *JournalQuery) Matches(e *JournalEntry) bool {
	return (q.Way == "" || q.Way == e.Way) && (q.Member == "" || q.Member == e.Member) && (q.Type == "" || q.Type == e.Type) &&
		(q.State == "" || q.State == e.State) && (q.Rule == "" || q.Rule == e.Asked && e.Way == AskedByRule) &&
		!e.At.Before(q.From) && (q.To.IsZero() || e.At.Before(q.To))
}

// JournalTypes are the task types that the journal has, in the order of a menu.
func JournalTypes() []TaskType {
	return []TaskType{
		TaskLikePost, TaskCommentPost, TaskConnectionRequest, TaskSendMessage, TaskProfileFetch, TaskCompanyFetch,
		TaskProfilesPosts, TaskCompanyPosts, TaskProfilesSearch, TaskConnectionsFetch,
	}
}
