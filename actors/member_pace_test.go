package actors_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// office are hours of the tests' days, which begin at ten.
func office() *protocol.Hours { return &protocol.Hours{From: "12:00", Until: "14:00", Zone: "UTC"} }

// tenMinutes is a pause of ten minutes.
func tenMinutes() *protocol.Pace { return &protocol.Pace{Pause: &protocol.Span{From: 600, Until: 600}} }

// choose has a connected session tell how its member wants writes to be done.
func choose(s *actorstest.Session, pace *protocol.Pace) {
	s.T.Helper()
	s.Pace = pace
	s.Heartbeat()
	s.ExpectNone()
}

func atHour(w *actorstest.World, hour, minute int) time.Time {
	now := w.Now()
	return time.Date(now.Year(), now.Month(), now.Day(), hour, minute, 0, 0, time.UTC)
}

// TestMemberHours: a write waits for the hours of its member and says so; reads do not.
// A lease ends with the hours. The hours hold after a crash, and in a browser for which
// the member has chosen nothing.
func TestMemberHours(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	choose(s, &protocol.Pace{Hours: office()})
	like := team.Create(t, watchpost.TaskLikePost)
	s.Finish(s.ExpectTask(team.Create(t, watchpost.TaskProfileFetch)))
	for range 2 {
		s.ExpectNone()
		require.Equal(t, atHour(w, 12, 0), wantPending(t, team, like, watchpost.PendingMemberPace).NotBefore)
		w.Crash()
		s = team.Session(t, "ada").Connect() // another browser
	}
	w.SetClock(atHour(w, 11, 59))
	s.ExpectNone()
	w.SetClock(atHour(w, 12, 0))
	s.Finish(s.ExpectTask(like))

	w.SetClock(atHour(w, 13, 58))
	s.Heartbeat()
	late := s.ExpectTask(team.Create(t, watchpost.TaskLikePost))
	require.Equal(t, atHour(w, 14, 0), *late.Deadline)
	s.Finish(late)
	w.SetClock(atHour(w, 14, 0))
	next := team.Create(t, watchpost.TaskLikePost)
	require.Equal(t, atHour(w, 12, 0).AddDate(0, 0, 1), wantPending(t, team, next, watchpost.PendingMemberPace).NotBefore)
}

// TestPaceIsTakenBack: a browser that wants nothing any more holds nothing up, nor does
// one that is revoked.
func TestPaceIsTakenBack(t *testing.T) {
	t.Parallel()
	w, team, a := house(t)
	b := team.Session(t, "ada")
	b.Pace = &protocol.Pace{Hours: office()}
	b.Connect()
	choose(a, &protocol.Pace{Hours: &protocol.Hours{From: "now", Until: "then", Zone: "UTC"}}) // not to be understood
	like := team.Create(t, watchpost.TaskLikePost)
	require.Zero(t, wantPending(t, team, like, watchpost.PendingMemberPace).NotBefore)
	choose(a, &protocol.Pace{})
	require.Equal(t, atHour(w, 12, 0), wantPending(t, team, like, watchpost.PendingMemberPace).NotBefore)
	done(t, team, actors.Revoke{Session: b.ID})
	a.Finish(a.ExpectTask(like))
}

// TestMemberPause: between two writes of an account is the member's pause, with several
// browsers and across a crash; also when the first one takes long to begin.
func TestMemberPause(t *testing.T) {
	t.Parallel()
	w, team, a := house(t)
	b := team.Session(t, "ada")
	b.Pace = tenMinutes()
	b.Connect()
	likes := []watchpost.TaskID{team.Create(t, watchpost.TaskLikePost), team.Create(t, watchpost.TaskLikePost), team.Create(t, watchpost.TaskLikePost)}
	one, other := a, b
	frame := firstTask(t, &one, &other)
	require.Equal(t, string(likes[0]), frame.Task)
	other.ExpectNone()
	require.Zero(t, wantPending(t, team, likes[1], watchpost.PendingMemberPace).NotBefore) // it has not begun
	one.Act(frame)
	began := w.Now()
	require.WithinDuration(t, began.Add(10*time.Minute), wantPending(t, team, likes[1], watchpost.PendingMemberPace).NotBefore, actorstest.Wait)
	w.Advance(time.Minute)
	one.Result(frame, map[string]any{})
	one.ExpectAck(frame)
	ended := w.Now()
	require.WithinDuration(t, ended.Add(10*time.Minute), wantPending(t, team, likes[1], watchpost.PendingMemberPace).NotBefore, actorstest.Wait)

	w.Crash()
	a.Connect()
	w.Advance(9 * time.Minute)
	a.ExpectNone()
	w.Advance(2 * time.Minute)
	a.Finish(a.ExpectTask(likes[1]))
	a.ExpectNone()
	w.Advance(10*time.Minute + time.Second)
	a.Finish(a.ExpectTask(likes[2]))
}

// firstTask returns the task that one of two sessions has got, and makes that the one.
func firstTask(t *testing.T, one, other **actorstest.Session) protocol.Frame {
	t.Helper()
	came := (*one).Settle()
	if len(came) == 0 {
		*one, *other = *other, *one
		came = (*one).Settle()
	}
	require.Len(t, came, 1)
	require.Equal(t, protocol.TypeTask, came[0].Type)
	return came[0]
}

// TestStatusNamesThePace: the status says until when writes wait because the member
// wants it so, while some wait.
func TestStatusNamesThePace(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	choose(s, &protocol.Pace{Hours: office()})
	team.Create(t, watchpost.TaskLikePost)
	s.Settle()
	w.Advance(2 * time.Second)
	status := s.ExpectStatus(func(f protocol.Frame) bool { return len(f.Blocked) == 1 })
	require.Equal(t, protocol.BlockedMemberPace, status.Blocked[0].Reason)
	var writes []string
	for _, kind := range watchpost.TaskTypes() {
		if kind.Writes() {
			writes = append(writes, string(kind))
		}
	}
	require.ElementsMatch(t, writes, status.Blocked[0].TaskTypes)
	require.Equal(t, atHour(w, 12, 0), *status.Blocked[0].Until)
	w.SetClock(atHour(w, 12, 0))
	s.Expect(protocol.TypeTask)
	w.Advance(2 * time.Second)
	s.ExpectStatus(func(f protocol.Frame) bool { return len(f.Blocked) == 0 })
}

// TestAskBeforeEachWrite: while a member is asked about a write, it and the others wait,
// reads go on, and nothing is debited. When the member allows it, it is the next.
func TestAskBeforeEachWrite(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	choose(s, &protocol.Pace{Ask: true})
	likes := []watchpost.TaskID{team.Create(t, watchpost.TaskLikePost), team.Create(t, watchpost.TaskLikePost)}
	s.Ask(s.ExpectTask(likes[0]))
	s.ExpectNone()
	for _, id := range likes {
		wantPending(t, team, id, watchpost.PendingMemberAsked)
	}
	require.Zero(t, team.Used(t, s.Email, watchpost.ActionLike))
	s.Finish(s.ExpectTask(team.Create(t, watchpost.TaskProfileFetch)))

	w.Crash() // the hello has the settings for asking
	s.Connect()
	s.Heartbeat()
	s.ExpectNone()
	wantPending(t, team, likes[0], watchpost.PendingMemberAsked)
	s.Allow()
	s.Finish(s.ExpectTask(likes[0]))

	s.Ask(s.ExpectTask(likes[1]))
	s.ExpectNone()
	require.Equal(t, 1, team.Used(t, s.Email, watchpost.ActionLike))
	s.Drop() // the question goes with the browser
	wantPending(t, team, likes[1], watchpost.PendingExtensionOffline)
}

// TestDeclinedWrite: what the member does not want fails, whether its session still has
// it or has released it to ask, and others go on.
func TestDeclinedWrite(t *testing.T) {
	t.Parallel()
	_, team, s := house(t)
	choose(s, &protocol.Pace{Ask: true})
	likes := []watchpost.TaskID{team.Create(t, watchpost.TaskLikePost), team.Create(t, watchpost.TaskLikePost), team.Create(t, watchpost.TaskLikePost)}
	frame := s.ExpectTask(likes[0])
	s.Ask(frame)
	s.ExpectNone()
	// The report alone ends the question: no heartbeat is needed, and no cancel follows.
	s.Send(protocol.Frame{Type: protocol.TypeReleased, Task: frame.Task, Lease: frame.Lease, Reason: protocol.ReleasedDeclined})
	frame = s.ExpectTask(likes[1])
	wantFailure(t, team.Status(t, likes[0]), "declined", false)
	s.Decline(frame) // the member has said so before
	frame = s.ExpectTask(likes[2])
	wantFailure(t, team.Status(t, likes[1]), "declined", false)
	require.Equal(t, 1, team.Used(t, s.Email, watchpost.ActionLike))

	s.Act(frame) // a task that has begun cannot be declined
	s.Decline(frame)
	s.ExpectNone()
	require.Equal(t, "pending", team.Status(t, likes[2]).State.PublicStatus())
}

// TestOnlyBrowsersThatAsk: a member who wants to be asked is asked; a browser that cannot
// ask gets reads only. The member is asked in one browser at a time.
func TestOnlyBrowsersThatAsk(t *testing.T) {
	t.Parallel()
	_, team, silent := house(t)
	asks := team.Session(t, "ada")
	asks.Pace = &protocol.Pace{Ask: true}
	asks.Connect()
	like := team.Create(t, watchpost.TaskLikePost)
	frame := asks.ExpectTask(like)
	silent.ExpectNone()
	asks.Ask(frame)
	asks.ExpectNone()
	silent.ExpectNone()
	asks.Drop()
	silent.ExpectNone()
	wantPending(t, team, like, watchpost.PendingExtensionOffline)
	silent.Finish(silent.ExpectTask(team.Create(t, watchpost.TaskProfileFetch)))

	second := team.Session(t, "ada")
	second.Pace = &protocol.Pace{Ask: true}
	second.Connect()
	second.Ask(second.ExpectTask(like))
	second.ExpectNone()
	asks.Connect() // with its old question
	require.Equal(t, string(like), asks.Expect(protocol.TypeCancel).Task)
	asks.Asking = nil
	asks.ExpectNone()
	second.Allow()
	one, other := second, asks
	one.Finish(firstTask(t, &one, &other))
}

// TestQuestionEndsWithItsTask: a session stops asking about a task that is over.
func TestQuestionEndsWithItsTask(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	choose(s, &protocol.Pace{Ask: true})
	like := team.Create(t, watchpost.TaskLikePost)
	s.Ask(s.ExpectTask(like))
	s.ExpectNone()
	w.Advance(watchpost.TaskExpiry)
	require.Equal(t, string(like), s.Expect(protocol.TypeCancel).Task)
	wantFailure(t, team.Status(t, like), watchpost.FailExpired, true)

	s.Drop()
	s.Connect() // it has not heard of it
	require.Equal(t, string(like), s.Expect(protocol.TypeCancel).Task)
}
