package intake

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
	one, other := NewUnstored(team, leave), NewUnstored(team, leave)
	part := func(seq int, bytes int) *protocol.Frame {
		return &protocol.Frame{Type: protocol.TypePart, Task: "task", Seq: &seq, Output: make([]byte, bytes)}
	}
	const quarter = maxUnstored / 4
	for seq := range 4 {
		require.NoError(t, one.Add(part(seq, quarter), time.Minute))
	}
	require.ErrorIs(t, one.Add(part(4, 1), time.Millisecond), ErrTooManyParts)
	ack := protocol.Frame{Type: protocol.TypeAck, Task: "task", Seq: part(2, 0).Seq}
	one.Acknowledged(&ack)
	require.NoError(t, one.Add(part(4, quarter), time.Minute))
	one.Acknowledged(&protocol.Frame{Type: protocol.TypeAck, Task: "another"})
	require.ErrorIs(t, one.Add(part(5, 1), time.Millisecond), ErrTooManyParts, "an acknowledgement of something else")

	result := &protocol.Frame{Type: protocol.TypeResult, Task: "task", Output: make([]byte, 2*quarter)}
	require.NoError(t, other.Add(result, time.Minute))
	require.ErrorIs(t, other.Add(part(0, 1), time.Millisecond), ErrTooManyParts, "the team's bound")
	one.End()
	require.NoError(t, other.Add(part(0, 2*quarter), time.Minute))
	ack = protocol.Frame{Type: protocol.TypeAck, Task: "task"}
	other.Acknowledged(&ack)
	require.NoError(t, other.Add(part(1, 2*quarter), time.Minute))

	waiting := make(chan error)
	go func() { waiting <- other.Add(part(2, quarter), time.Hour) }()
	other.End()
	require.ErrorIs(t, <-waiting, context.Canceled)
	require.True(t, team.TryAcquire(maxUnstored+maxUnstored/2), "all was given back")
	require.Equal(t, 2, ended)
}

// TestTeamRooms checks that the connections of a team share its room, and that
// a team without connections takes no memory.
func TestTeamRooms(t *testing.T) {
	t.Parallel()
	rooms := NewTeamRooms()
	first := rooms.Enter("a")
	require.Same(t, first, rooms.Enter("a"))
	require.NotSame(t, first, rooms.Enter("b"))
	rooms.Leave("a")
	require.Same(t, first, rooms.Enter("a"))
	for range 2 {
		rooms.Leave("a")
	}
	rooms.Leave("b")
	require.Empty(t, rooms.byTeam)
}
