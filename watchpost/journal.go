package watchpost

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"watchpost/internal/reference"
)

// AskerKind says by what way a task was asked for.
type AskerKind string

// The ways. The team's key is shared by all its members.
const (
	AskedByKey    AskerKind = "key"
	AskedByMember AskerKind = "member" // in the dashboard
	AskedByRule   AskerKind = "rule"   // of automatic engagement
)

// Asker says who asked for a task. The zero value is the team's key.
type Asker struct {
	Kind AskerKind `json:",omitempty"`
	ID   string    `json:",omitempty"` // of the member, the rule or the key with scopes
	Name string    `json:",omitempty"` // of the key with scopes, at the time
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
	Asked   string    `json:",omitempty"` // ID of the member, the rule or the key with scopes
	Key     string    `json:",omitempty"` // name of the key with scopes
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
	var in map[string]json.RawMessage
	_ = json.Unmarshal(t.Input.JSON(), &in) // an input of another type names nothing
	row := t.Type.row()
	e := JournalEntry{
		ID: t.ID, Type: t.Type, State: TaskPending, Way: t.Asked.Way(), Asked: t.Asked.ID, Key: t.Asked.Name, Member: t.Member, Account: t.Account,
		At: t.CreatedAt, EndedAt: t.EndedAt,
		Post: PostID(textIn(in["post_id"])), Text: clipText(textIn(in[row.text])),
	}
	if t.Lease != nil {
		e.Account = t.Lease.Account
	} else if n := len(t.Past); n > 0 {
		e.Account = t.Past[n-1].Account
	}
	for _, field := range row.subject {
		e.Subject = cmp.Or(e.Subject, clipText(textIn(in[field])))
	}
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

// textIn reads a text, or the first of a list of texts; "" if it is neither.
func textIn(raw json.RawMessage) (text string) {
	if len(raw) == 0 {
		return ""
	}
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var list []string
	_ = json.Unmarshal(raw, &list) // of another type: no text
	return cmp.Or(list...)
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
	Code   string    // why it failed
	Except string    // not for this reason
	Key    KeyID     // of a key with scopes that asked
	Post   PostID    // a stored post that it is about
	About  *Subjects // nil: anything
	From   time.Time // asked for at or after
	To     time.Time // asked for before
}

// Matches defines the meaning of a query.
func (q *JournalQuery) Matches(e *JournalEntry) bool {
	return (q.Way == "" || q.Way == e.Way) && (q.Member == "" || q.Member == e.Member) && (q.Type == "" || q.Type == e.Type) &&
		(q.State == "" || q.State == e.State) && (q.Rule == "" || q.Rule == e.Asked && e.Way == AskedByRule) && (q.Key == "" || string(q.Key) == e.Asked && e.Way == AskedByKey) && (q.Code == "" || q.Code == e.Code) && (q.Except == "" || q.Except != e.Code) &&
		(q.Post == "" || q.Post == e.Post) && (q.About == nil || q.About.has(e)) &&
		!e.At.Before(q.From) && (q.To.IsZero() || e.At.Before(q.To))
}

// Subjects are people or companies, by the keys of their references, and stored posts.
type Subjects struct {
	Authors []string
	Posts   []PostID
}

func (s *Subjects) has(e *JournalEntry) bool {
	return e.Post != "" && slices.Contains(s.Posts, e.Post) || slices.Contains(s.Authors, e.author())
}

// author returns the key of the person or company whose page the task needed; "" for none.
func (e *JournalEntry) author() string {
	switch e.Type.row().page {
	case PageMember, PageThread:
		return personKey(e.Subject)
	case PageCompany:
		if r, err := reference.ParseCompany(e.Subject); err == nil {
			return r.Key()
		}
	}
	return ""
}

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

// The chain of a journal. Each state that an entry takes is a separate record, with
// a number and the hash of the record before. A record that is changed, removed or put
// in between later no longer fits the one after it.

// JournalHash returns the hash of a record of the chain, as it is stored: SHA-256 in
// hexadecimal.
func JournalHash(record []byte) string {
	sum := sha256.Sum256(record)
	return hex.EncodeToString(sum[:])
}

// JournalVerifier checks the records of a chain one by one, the newest first, down to
// its beginning. It holds nothing but the record before. The zero value is ready.
type JournalVerifier struct {
	after JournalEntry // the record that was checked last
	seen  bool
}

// Check checks the next record and returns it. The error names the first record that
// does not fit.
func (v *JournalVerifier) Check(record []byte) (JournalEntry, error) {
	var e JournalEntry
	if err := json.Unmarshal(record, &e); err != nil {
		return e, fmt.Errorf("a record of the journal cannot be read: %w", err)
	}
	switch {
	case !v.seen: // the entries after it are not known
	case e.Number+1 != v.after.Number:
		return e, fmt.Errorf("journal: the record before number %d is missing", v.after.Number)
	case JournalHash(record) != v.after.Before:
		return e, fmt.Errorf("journal: record %d was changed", e.Number)
	}
	v.after, v.seen = e, true
	return e, nil
}

// End checks that the last record is the first of its chain.
func (v *JournalVerifier) End() error {
	if v.seen && (v.after.Number != 1 || v.after.Before != "") {
		return fmt.Errorf("journal: the record before number %d is missing", v.after.Number)
	}
	return nil
}
