package actors_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/watchpost"
)

// TestBreakerOfAnAccount: after three tasks of a type that the network failed, the
// others wait and say so; a probe that fails makes them wait longer, one that succeeds
// lets all go on by itself.
func TestBreakerOfAnAccount(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	ids := fetches(t, team, 6)
	fail := func(id watchpost.TaskID) {
		t.Helper()
		frame := s.ExpectTask(id)
		s.Error(frame, "odd_answer", actorstest.Truth)
		s.ExpectAck(frame)
	}
	for _, id := range ids[:3] {
		fail(id)
		wantFailure(t, team.Status(t, id), "odd_answer", true)
	}
	s.ExpectNone()
	opened := w.Now()
	for _, id := range ids[3:] {
		require.WithinDuration(t, opened.Add(15*time.Minute), wantPending(t, team, id, watchpost.PendingPaused).NotBefore, actorstest.Wait)
	}
	pauses := presenceOf(t, team, team.Email).Pauses
	require.Len(t, pauses, 1)
	require.Equal(t, []any{actors.PauseFailing, watchpost.TaskProfileFetch, 3, "odd_answer", "scripted odd_answer"},
		[]any{pauses[0].Reason, pauses[0].TaskType, pauses[0].Failures, pauses[0].Code, pauses[0].Message})
	s.Finish(s.ExpectTask(team.Create(t, watchpost.TaskCompanyFetch))) // other types go on

	w.Advance(16 * time.Minute)
	fail(ids[3]) // the probe
	s.ExpectNone()
	require.WithinDuration(t, w.Now().Add(30*time.Minute), wantPending(t, team, ids[4], watchpost.PendingPaused).NotBefore, actorstest.Wait)
	w.Advance(31 * time.Minute)
	s.Finish(s.ExpectTask(ids[4]))
	s.Finish(s.ExpectTask(ids[5])) // at once
	require.Empty(t, presenceOf(t, team, team.Email).Pauses)

	// It begins from zero: two failures stop nothing.
	again := fetches(t, team, 3)
	fail(again[0])
	fail(again[1])
	s.Finish(s.ExpectTask(again[2]))
}
