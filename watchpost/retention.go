package watchpost

import (
	"strconv"
	"strings"
	"time"
)

// KeepDays is how many days posts are kept from when they were stored, or tasks from
// when they ended. Zero says nothing: of a team, that the service's setting counts.
type KeepDays int

// KeepForever keeps them without an end.
const KeepForever KeepDays = -1

// Bounds of KeepDays. A post that is deleted within the week that counts it could be
// collected and counted again.
const (
	MinKeepPosts = KeepDays(7)
	MaxKeep      = KeepDays(36500)
)

// ParseKeepDays reads days as 365d, or "forever" (Invalid).
func ParseKeepDays(s string) (KeepDays, error) {
	if s == "forever" {
		return KeepForever, nil
	}
	number, isDays := strings.CutSuffix(s, "d")
	days, err := strconv.Atoi(number)
	if !isDays || err != nil || days < int(MinKeepPosts) || days > int(MaxKeep) {
		return 0, Errorf(Invalid, "Invalid 'keep_posts'")
	}
	return KeepDays(days), nil
}

// String returns what ParseKeepDays reads; "" for zero.
func (k KeepDays) String() string {
	switch k {
	case 0:
		return ""
	case KeepForever:
		return "forever"
	}
	return strconv.Itoa(int(k)) + "d"
}

// Expires returns the moment before which posts have been kept for long enough, by
// the setting of the team or else of the service; false when none have.
func (k KeepDays) Expires(service KeepDays, now time.Time) (before time.Time, ends bool) {
	if k == 0 {
		k = service
	}
	return now.AddDate(0, 0, -int(k)), k > 0
}

// Expired reports whether the post goes, when those that were stored before a moment
// do. Posts stay that the team saved, or liked or commented on: its interactions show
// them.
func (p *Post) Expired(before time.Time) bool {
	return p.CreatedAt.Before(before) && !p.Bookmark && !p.Liked && !p.Commented
}

// MinKeepTasks is how many days ended tasks are kept at least. A browser that was away
// may still say how a write ended, as long as its session lasts.
const MinKeepTasks = KeepDays(SessionKept / (24 * time.Hour))

// Expired is Task.Expired for the entry of a task, which stays in the journal.
func (e *JournalEntry) Expired(before time.Time) bool {
	if !e.State.Final() || !e.EndedAt.Before(before) {
		return false
	}
	done := e.State == TaskCompleted || e.Acted != nil && *e.Acted
	return !e.Type.writing().once || !done
}

// Expired reports whether the task goes, when those that ended before a moment do. Likes
// and invitations that were done stay: the same, asked for again, is answered with their
// task.
func (t *Task) Expired(before time.Time) bool {
	if !t.State.Final() || !t.EndedAt.Before(before) {
		return false
	}
	_, once := t.Effect()
	done := t.State == TaskCompleted || t.Resolved != nil && t.Resolved.Acted
	return !once || !done
}
