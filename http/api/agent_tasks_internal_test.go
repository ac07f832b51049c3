package api

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/actors"
	"watchpost/watchpost"
)

// TestTaskStatusReply compares the hand-written encoding with package json.
func TestTaskStatusReply(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", `<a> & "b" \ `, "\u2028 € \u007f \x00", "plain"}))
	value := rapid.Custom(func(t *rapid.T) json.RawMessage {
		m := map[string]any{}
		for range rapid.IntRange(0, 3).Draw(t, "members") {
			m[text.Draw(t, "name")] = []any{text.Draw(t, "value"), rapid.Int().Draw(t, "number"), nil}
		}
		if rapid.Bool().Draw(t, "spread") {
			raw, err := json.MarshalIndent(m, " ", "\t")
			require.NoError(t, err)
			return raw
		}
		raw, err := json.Marshal(m)
		require.NoError(t, err)
		return raw
	})
	states := rapid.SampledFrom([]watchpost.TaskState{watchpost.TaskPending, watchpost.TaskCompleted, watchpost.TaskFailed, watchpost.TaskLeased})
	moment := rapid.Custom(func(t *rapid.T) time.Time { return time.Unix(rapid.Int64Range(0, 1e10).Draw(t, "s"), 0) })
	rapid.Check(t, func(t *rapid.T) {
		view := actors.TaskView{ID: watchpost.TaskID(watchpost.NewID(time.Unix(0, 0))), Type: watchpost.TaskProfileFetch, State: states.Draw(t, "state"), Input: value.Draw(t, "input")}
		if rapid.Bool().Draw(t, "ended") {
			view.Output, _ = json.Marshal(value.Draw(t, "output"))
			view.CompletedAt = moment.Draw(t, "completed")
		} else {
			view.Reason, view.NotBefore = watchpost.PendingReason("allowance"), moment.Draw(t, "not before")
		}
		reply := showTask(view)
		want, err := json.Marshal(reply)
		require.NoError(t, err)
		require.Equal(t, string(want), string(reply.AppendTo(nil)))
	})
}
