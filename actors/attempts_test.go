package actors_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

const leaseOver = protocol.LeaseTime + time.Second

// TestReadLostThreeTimes: a read whose lease is over waits again, for any
// session; the third loss fails it.
func TestReadLostThreeTimes(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	id := team.Create(t, watchpost.TaskProfileFetch)
	for attempt := 1; attempt <= 3; attempt++ {
		frame := s.ExpectTask(id)
		require.Equal(t, attempt, frame.Attempt)
		s.Drop()
		w.Advance(protocol.LeaseTime - 5*time.Second)
		wantPending(t, team, id, watchpost.PendingRunning)
		w.Advance(6 * time.Second)
		if attempt < 3 {
			wantPending(t, team, id, watchpost.PendingExtensionOffline)
			s.Connect(actorstest.Listed(frame, protocol.StateReceived))
			cancelled := s.Expect(protocol.TypeCancel)
			require.Equal(t, frame.Task, cancelled.Task)
		}
	}
	wantFailure(t, team.Status(t, id), "no_answer", true)
	s.Connect()
	s.ExpectNone()
	require.Equal(t, 3, team.Used(t, s.Email, watchpost.ActionProfileFetch), "a lost lease gives nothing back")
}

func TestHeartbeatRenewsLease(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	id := team.Create(t, watchpost.TaskProfileFetch)
	frame := s.ExpectTask(id)
	w.Advance(50 * time.Second) // renews to a minute from then, as heartbeats do
	s.Heartbeat(frame)
	s.Settle()
	s.Drop()
	w.Advance(protocol.LeaseTime - 2*time.Second)
	wantPending(t, team, id, watchpost.PendingRunning)
	w.Advance(3 * time.Second)
	wantPending(t, team, id, watchpost.PendingExtensionOffline)

	t.Run("not under another lease, not by another session", func(t *testing.T) {
		s.Connect()
		frame := s.ExpectTask(id)
		stranger := team.SessionOf(t, team.Member(t, "bob"), "bob").Connect()
		stranger.Heartbeat(frame)
		stranger.ExpectNone()
		s.Heartbeat(protocol.Frame{Task: frame.Task, Lease: "other"})
		s.ExpectNone()
		stranger.Drop()
		s.Drop()
		w.Advance(leaseOver)
		wantPending(t, team, id, watchpost.PendingExtensionOffline)
	})
}

// TestStaleAcceptedRenewsNothing: what a session says under a lease that is
// over does not keep the newer one alive.
func TestStaleAcceptedRenewsNothing(t *testing.T) {
	t.Parallel()
	w, team, a := house(t)
	b := team.SessionOf(t, team.Member(t, "bob"), "bob")
	id := team.Create(t, watchpost.TaskProfileFetch)
	first := a.ExpectTask(id)
	a.Drop()
	w.Advance(leaseOver)
	b.Connect()
	b.ExpectTask(id)
	b.Drop()
	w.Advance(40 * time.Second)
	a.Connect(actorstest.Listed(first, protocol.StateDone))
	a.Accept(first)
	a.ExpectNone()
	w.Advance(30 * time.Second)
	require.Equal(t, 3, a.ExpectTask(id).Attempt, "b's lease was over after a minute")
}

// TestLateResult: the answer of an attempt that was given up is taken, and the
// newer attempt called off.
func TestLateResult(t *testing.T) {
	t.Parallel()
	w, team, a := house(t)
	b := team.SessionOf(t, team.Member(t, "bob"), "bob")
	id := team.Create(t, watchpost.TaskProfileFetch)
	first := a.ExpectTask(id)
	a.Drop()
	w.Advance(leaseOver)
	b.Connect()
	second := b.ExpectTask(id)
	a.Connect(actorstest.Listed(first, protocol.StateDone))
	a.ExpectNone()
	a.Result(first, map[string]any{"name": "first"})
	a.ExpectAck(first)
	require.Equal(t, second.Task, b.Expect(protocol.TypeCancel).Task)
	view := team.Status(t, id)
	require.Equal(t, watchpost.TaskCompleted, view.State)

	t.Run("the newer attempt's own answer changes nothing", func(t *testing.T) {
		b.Result(second, map[string]any{"name": "second"})
		b.ExpectAck(second)
		require.Equal(t, view, team.Status(t, id))
	})
	t.Run("both sessions are free again", func(t *testing.T) {
		for range 2 {
			team.Create(t, watchpost.TaskProfileFetch)
		}
		a.Expect(protocol.TypeTask)
		b.Expect(protocol.TypeTask)
	})
}

// TestLateError: the error of an attempt that was given up changes nothing but
// its debit.
func TestLateError(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]string{"fatal": "not_found", "pausing": "signed_out", "closing": "network_limit"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, team, a := house(t)
			b := team.SessionOf(t, team.Member(t, "bob"), "bob")
			id := team.Create(t, watchpost.TaskProfileFetch)
			first := a.ExpectTask(id)
			a.Drop()
			w.Advance(leaseOver)
			b.Connect()
			second := b.ExpectTask(id)
			a.Connect(actorstest.Listed(first, protocol.StateDone))
			for range 2 { // the second time there is nothing left to give back
				a.Error(first, code, actorstest.Lie)
				a.ExpectAck(first)
				wantPending(t, team, id, watchpost.PendingRunning)
				require.Zero(t, team.Used(t, a.Email, watchpost.ActionProfileFetch))
				require.Equal(t, 1, team.Used(t, b.Email, watchpost.ActionProfileFetch))
			}
			a.ExpectTask(team.Create(t, watchpost.TaskProfileFetch)) // neither paused nor closed
			b.Finish(second)
		})
	}
}

// TestResultsThatDoNotCount are acknowledged, so that the journal forgets them,
// and ignored.
func TestResultsThatDoNotCount(t *testing.T) {
	t.Parallel()
	_, team, s := house(t)
	stranger := team.SessionOf(t, team.Member(t, "bob"), "bob")
	id := team.Create(t, watchpost.TaskProfileFetch)
	frame := s.ExpectTask(id)
	stranger.Connect()

	wrong := frame
	wrong.Lease = "wrong"
	for name, from := range map[string]func(){
		"wrong lease":             func() { s.Result(wrong, map[string]any{}); s.ExpectAck(wrong) },
		"other session's lease":   func() { stranger.Result(frame, map[string]any{}); stranger.ExpectAck(frame) },
		"other session's error":   func() { stranger.Error(frame, "not_found", nil); stranger.ExpectAck(frame) },
		"other session's release": func() { stranger.Release(frame); stranger.ExpectNone() },
		"part of what is no scan": func() { s.Part(frame, 3); require.Equal(t, 3, *s.ExpectAck(frame).Seq) },
		"unknown task": func() {
			f := protocol.Frame{Task: watchpost.NewID(time.Unix(0, 0)), Lease: frame.Lease}
			s.Result(f, map[string]any{})
			s.ExpectAck(f)
		},
		"acting on an unknown task": func() {
			s.Send(protocol.Frame{Type: protocol.TypeActing, Task: "none", Lease: frame.Lease})
			require.Equal(t, "none", s.Expect(protocol.TypeCancel).Task)
		},
		"acting under another's lease": func() {
			stranger.Send(protocol.Frame{Type: protocol.TypeActing, Task: frame.Task, Lease: frame.Lease})
			stranger.Expect(protocol.TypeCancel)
		},
		"acting on a read": func() {
			s.Send(protocol.Frame{Type: protocol.TypeActing, Task: frame.Task, Lease: frame.Lease})
			s.Expect(protocol.TypeCancel)
		},
		"unknown type": func() { s.Send(protocol.Frame{Type: "news", Task: frame.Task, Lease: frame.Lease}); s.ExpectNone() },
	} {
		from()
		wantPending(t, team, id, watchpost.PendingRunning)
		_ = name
	}
	s.Result(frame, map[string]any{"name": "once"})
	s.ExpectAck(frame)
	view := team.Status(t, id)
	for range 3 {
		s.Result(frame, map[string]any{"name": "again"})
		s.ExpectAck(frame)
		s.Error(frame, "not_found", actorstest.Lie)
		s.ExpectAck(frame)
	}
	require.Equal(t, view, team.Status(t, id))
	require.Equal(t, 1, team.Used(t, s.Email, watchpost.ActionProfileFetch), "an error that does not count gives nothing back")
}

// TestUnreadableOutput: an output of another shape fails the task; whether the
// network was touched the session did not say, so nothing is given back.
func TestUnreadableOutput(t *testing.T) {
	t.Parallel()
	for _, kind := range []watchpost.TaskType{watchpost.TaskProfileFetch, watchpost.TaskCommentPost} {
		for name, output := range map[string]any{"no object": []int{1}, "wrong field": map[string]any{"name": 7, "commented": 7}, "null": nil} {
			t.Run(fmt.Sprint(kind, " ", name), func(t *testing.T) {
				t.Parallel()
				_, team, s := house(t)
				id := team.Create(t, kind)
				frame := s.ExpectTask(id)
				if kind.Writes() {
					s.Act(frame)
				}
				s.Result(frame, output)
				s.ExpectAck(frame)
				wantFailure(t, team.Status(t, id), "invalid_output", !kind.Writes())
				require.Equal(t, 1, team.Used(t, s.Email, kind.Action()))
			})
		}
	}
}

func TestReleased(t *testing.T) {
	t.Parallel()
	for _, kind := range []watchpost.TaskType{watchpost.TaskProfileFetch, watchpost.TaskLikePost} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			w, team, s := house(t)
			id := team.Create(t, kind)
			frame := s.ExpectTask(id)
			s.Release(frame)
			s.ExpectNone()
			view := wantPending(t, team, id, watchpost.PendingRetry)
			require.Zero(t, team.Used(t, s.Email, kind.Action()), "not begun: given back")
			w.SetClock(view.NotBefore)
			again := s.ExpectTask(id)
			require.Equal(t, 2, again.Attempt)
			require.NotEqual(t, frame.Lease, again.Lease)
			s.Release(frame) // the old lease says nothing any more
			s.ExpectNone()
			s.Finish(again)
			require.Equal(t, 1, team.Used(t, s.Email, kind.Action()))
		})
	}
}

// TestErrorCodes is the table of the session protocol, each code with each
// value of acted, for a read and for a write.
func TestErrorCodes(t *testing.T) {
	t.Parallel()
	type want struct {
		pending watchpost.PendingReason // "": failed
		code    string
		safe    bool
		used    int
	}
	pending := func(r watchpost.PendingReason, used int) want { return want{pending: r, used: used} }
	failed := func(code string, safe bool, used int) want { return want{code: code, safe: safe, used: used} }
	const read, write = watchpost.TaskProfileFetch, watchpost.TaskLikePost
	table := []struct {
		code                                                          string
		readFalse, readTrue, readNil, writeFalse, writeTrue, writeNil want
	}{
		{"signed_out", pending("paused", 0), pending("paused", 1), pending("paused", 1),
			pending("paused", 0), failed("signed_out", false, 1), failed("outcome_unknown", false, 1)},
		{"challenge", pending("paused", 0), pending("paused", 1), pending("paused", 1),
			pending("paused", 0), failed("challenge", false, 1), failed("outcome_unknown", false, 1)},
		{"page_not_understood", pending("paused", 0), pending("paused", 1), pending("paused", 1),
			pending("paused", 0), failed("page_not_understood", false, 1), failed("outcome_unknown", false, 1)},
		{"network_limit", pending("daily_cap", 0), pending("daily_cap", 1), pending("daily_cap", 1),
			pending("daily_cap", 0), failed("network_limit", false, 1), failed("outcome_unknown", false, 1)},
		{"timeout", pending("retry", 0), pending("retry", 1), pending("retry", 1),
			pending("retry", 0), failed("timeout", false, 1), failed("outcome_unknown", false, 1)},
		{"not_found", failed("not_found", false, 0), failed("not_found", false, 1), failed("not_found", false, 1),
			failed("not_found", false, 0), failed("not_found", false, 1), failed("outcome_unknown", false, 1)},
		{"not_connected", failed("not_connected", false, 0), failed("not_connected", false, 1), failed("not_connected", false, 1),
			failed("not_connected", false, 0), failed("not_connected", false, 1), failed("outcome_unknown", false, 1)},
		{"company_not_managed", failed("company_not_managed", false, 0), failed("company_not_managed", false, 1), failed("company_not_managed", false, 1),
			failed("company_not_managed", false, 0), failed("company_not_managed", false, 1), failed("outcome_unknown", false, 1)},
		{"invalid_input", failed("invalid_input", false, 0), failed("invalid_input", false, 1), failed("invalid_input", false, 1),
			failed("invalid_input", false, 0), failed("invalid_input", false, 1), failed("outcome_unknown", false, 1)},
		{"outcome_unknown", failed("outcome_unknown", false, 0), failed("outcome_unknown", false, 1), failed("outcome_unknown", false, 1),
			failed("outcome_unknown", false, 0), failed("outcome_unknown", false, 1), failed("outcome_unknown", false, 1)},
		{"never_heard_of", failed("never_heard_of", true, 0), failed("never_heard_of", true, 1), failed("never_heard_of", true, 1),
			failed("never_heard_of", true, 0), failed("never_heard_of", false, 1), failed("outcome_unknown", false, 1)},
	}
	for _, row := range table {
		for _, c := range []struct {
			kind  watchpost.TaskType
			acted *bool
			want  want
		}{
			{read, actorstest.Lie, row.readFalse}, {read, actorstest.Truth, row.readTrue}, {read, nil, row.readNil},
			{write, actorstest.Lie, row.writeFalse}, {write, actorstest.Truth, row.writeTrue}, {write, nil, row.writeNil},
		} {
			acted, _ := json.Marshal(c.acted)
			t.Run(fmt.Sprintf("%s/%s/acted %s", row.code, c.kind, acted), func(t *testing.T) {
				t.Parallel()
				w, team, s := house(t)
				id := team.Create(t, c.kind)
				frame := s.ExpectTask(id)
				if c.kind.Writes() {
					s.Act(frame)
				}
				s.Error(frame, row.code, c.acted)
				s.ExpectAck(frame)
				s.ExpectNone()
				view := team.Status(t, id)
				if c.want.code != "" {
					wantFailure(t, view, c.want.code, c.want.safe)
				} else {
					require.Equal(t, c.want.pending, view.Reason, "%s", view.Output)
				}
				require.Equal(t, c.want.used, team.Used(t, s.Email, c.kind.Action()))
				if view.Reason == watchpost.PendingDailyCap {
					require.Equal(t, watchpost.Daily.Reset(w.Now()), view.NotBefore)
				}
				w.Crash()
				s.Connect()
				require.Equal(t, c.want.used+again(s, 1), team.Used(t, s.Email, c.kind.Action()), "the same after a crash")
			})
		}
	}
}

// again counts the hand-outs that are new: of an attempt after the known ones.
func again(s *actorstest.Session, known int) int {
	n := 0
	for _, f := range s.Settle() {
		if f.Type == protocol.TypeTask && f.Attempt > known {
			n++
		}
	}
	return n
}
