package actors_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// FuzzFrames sends a session's frames, one a line, in the middle of a write. TASK
// and LEASE stand for what the session holds. Nothing fails in the team.
func FuzzFrames(f *testing.F) {
	files, err := filepath.Glob("../internal/protocol/testdata/*.json")
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, name := range files {
		raw, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(strings.ReplaceAll(string(raw), "\n", " "))
	}
	for _, seed := range []string{
		`{"type":"accepted","task":"TASK","lease":"LEASE"}`,
		`{"type":"acting","task":"TASK","lease":"LEASE"}` + "\n" + `{"type":"result","task":"TASK","lease":"LEASE","attempt":1,"output":{}}`,
		`{"type":"acting","task":"TASK","lease":"LEASE"}` + "\n" + `{"type":"result","task":"TASK","lease":"LEASE","attempt":1,"error":{"code":"network_limit","acted":false}}`,
		`{"type":"acting","task":"TASK","lease":"LEASE"}` + "\n" + `{"type":"released","task":"TASK","lease":"LEASE","reason":"x"}`,
		`{"type":"part","task":"TASK","lease":"LEASE","attempt":1,"seq":0,"output":{"posts":[{"urn":"u","content":"c"}]}}`,
		`{"type":"part","task":"TASK","lease":"LEASE","seq":-1,"output":{"posts":[null]}}`,
		`{"type":"heartbeat","account":{"signed_in":false},"running":[{"task":"TASK","lease":"LEASE"},{}]}`,
		`{"type":"bind","account":{"urn":"urn:network:member:x","slug":"x","signed_in":true}}`,
		`{"type":"bind"}`, `{"type":"result","task":"TASK","lease":"LEASE","output":[]}`, `{"type":"hello","tasks":[{"task":"TASK"}]}`,
	} {
		f.Add(seed)
	}
	engine := actorstest.Engine(f)
	f.Fuzz(func(t *testing.T, lines string) {
		w := actorstest.New(t, actorstest.On(engine))
		defer w.End()
		team := w.CreateTeam(t, watchpost.PlanUltimate)
		s := team.Session(t, "ada-"+watchpost.NewSecret(4)).Connect()
		id := team.Create(t, watchpost.TaskLikePost)
		task := s.ExpectTask(id)
		named := strings.NewReplacer("TASK", task.Task, "LEASE", task.Lease)
		for line := range strings.Lines(lines) {
			var frame protocol.Frame
			if json.Unmarshal([]byte(named.Replace(line)), &frame) != nil || frame.Type == protocol.TypeHello || frame.Type == "" {
				continue // the gateway refuses them
			}
			if frame.Seq != nil && *frame.Seq < 0 {
				continue // Settle's own
			}
			s.Send(frame)
		}
		s.TrySettle()
		w.Advance(7 * time.Hour)
		view := team.Status(t, id)
		require.Equal(t, id, view.ID)
		actorstest.Must[actors.TeamView](t, team, actors.GetTeam{})
		require.Zero(t, w.Failures())
		require.LessOrEqual(t, w.Store.Activations(persistence.Space(team.ID)), 3, "the team has failed")
	})
}
