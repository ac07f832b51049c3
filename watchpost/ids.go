package watchpost

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// Identifiers are UUIDv7 strings, which sort by creation time.
type (
	// TeamID names a team; it also names the team's space in the store.
	TeamID string
	// MemberID names a member (the API calls it a user).
	MemberID string
	// WatchlistID names a watchlist of any type.
	WatchlistID string
	// ListID names a list of profiles or companies that watchlists follow.
	ListID string
	// EntryID names a keyword entry (keyword_id) or an entry of a list, which
	// scans search for.
	EntryID string
	// PostID names a stored post.
	PostID string
	// TaskID names a task (api_agent_task_id).
	TaskID string
	// InvitationID names an invitation into a team.
	InvitationID string
	// ViewID names a saved view of the feed.
	ViewID string
	// SessionID names a session: one paired browser extension.
	SessionID string
	// AccountURN names an account on the network, normalized.
	AccountURN string
)

// CreatedAt returns when the task was created, to the millisecond; the zero time for an
// invalid id.
func (id TaskID) CreatedAt() time.Time {
	u, err := uuid.Parse(string(id))
	if err != nil {
		return time.Time{}
	}
	var ms int64
	for _, b := range u[:6] {
		ms = ms<<8 | int64(b)
	}
	return time.UnixMilli(ms)
}

// Follows reports whether the task was created after another, or in the same
// millisecond.
func (id TaskID) Follows(other TaskID) bool { return !id.CreatedAt().Before(other.CreatedAt()) }

// NewID returns a new UUIDv7 with the time now, so that ids follow the Clock.
func NewID(now time.Time) string {
	var id uuid.UUID
	if _, err := rand.Read(id[:]); err != nil {
		panic(err) // the runtime aborts before it returns an error
	}
	ms := now.UnixMilli()
	for i := 5; i >= 0; i-- {
		id[i] = byte(ms)
		ms >>= 8
	}
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	return id.String()
}

// FirstID returns a text that sorts before the ids made at t or later, and after
// those made earlier.
func FirstID(t time.Time) string {
	ms := t.UnixMilli()
	return fmt.Sprintf("%08x-%04x-7", ms>>16, ms&0xffff)
}

// ValidID reports whether s has the form of an id.
func ValidID(s string) bool {
	if len(s) != 36 {
		return false
	}
	_, err := uuid.Parse(s)
	return err == nil
}

// NewSecret returns n random bytes as hexadecimal text.
func NewSecret(n int) string {
	b := make([]byte, n)
	if _, err := rand.Read(b); err != nil {
		panic(err) // the runtime aborts before it returns an error
	}
	return hex.EncodeToString(b)
}
