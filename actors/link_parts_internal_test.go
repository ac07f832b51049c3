package actors

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/semaphore"

	"watchpost/internal/protocol"
)

// TestUnstoredPartsAreBounded checks the bounds of a connection and of a team. A
// part that is acknowledged, or ends with its connection, makes room.
func TestUnstoredPartsAreBounded(t *testing.T) {
	t.Parallel()
	team := semaphore.NewWeighted(maxUnstored + maxUnstored/2)
	ended := 0
	leave := func() { ended++ }
	one, other := newUnstored(team, leave), newUnstored(team, leave)
	part := func(seq int, bytes int) *protocol.Frame {
		return &protocol.Frame{Type: protocol.TypePart, Task: "task", Seq: &seq, Output: make([]byte, bytes)}
	}
	const quarter = maxUnstored / 4
	for seq := range 4 {
		require.NoError(t, one.add(part(seq, quarter), time.Minute))
	}
	require.ErrorIs(t, one.add(part(4, 1), time.Millisecond), errTooManyParts)
	ack := ackOf(part(2, 0))
	one.acknowledged(&ack)
	require.NoError(t, one.add(part(4, quarter), time.Minute))
	one.acknowledged(&protocol.Frame{Type: protocol.TypeAck, Task: "another"})
	require.ErrorIs(t, one.add(part(5, 1), time.Millisecond), errTooManyParts, "an acknowledgement of something else")

	result := &protocol.Frame{Type: protocol.TypeResult, Task: "task", Output: make([]byte, 2*quarter)}
	require.NoError(t, other.add(result, time.Minute))
	require.ErrorIs(t, other.add(part(0, 1), time.Millisecond), errTooManyParts, "the team's bound")
	one.end()
	require.NoError(t, other.add(part(0, 2*quarter), time.Minute))
	ack = ackOf(result)
	other.acknowledged(&ack)
	require.NoError(t, other.add(part(1, 2*quarter), time.Minute))

	waiting := make(chan error)
	go func() { waiting <- other.add(part(2, quarter), time.Hour) }()
	other.end()
	require.ErrorIs(t, <-waiting, context.Canceled)
	require.True(t, team.TryAcquire(maxUnstored+maxUnstored/2), "all was given back")
	require.Equal(t, 2, ended)
}

// TestTeamRooms checks that the connections of a team share its room, and that
// a team without connections takes no memory.
func TestTeamRooms(t *testing.T) {
	t.Parallel()
	rooms := newTeamRooms()
	first := rooms.enter("a")
	require.Same(t, first, rooms.enter("a"))
	require.NotSame(t, first, rooms.enter("b"))
	rooms.leave("a")
	require.Same(t, first, rooms.enter("a"))
	for range 2 {
		rooms.leave("a")
	}
	rooms.leave("b")
	require.Empty(t, rooms.byTeam)
}
