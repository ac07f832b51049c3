package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"watchpost/internal/cluster"
	"watchpost/internal/protocol"
	"watchpost/persistence/teamspace"
	"watchpost/specs/process"
)

// TestNotificationsMoveWithTheTeam kills the node that delivers a notification. The
// next owner of the team delivers it under the same id, although no one asks for the
// team and no session connects. What a newer build has stored of the target stays when
// the new owner, which does not know it, writes the target.
func TestNotificationsMoveWithTheTeam(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	came, open := make(chan string, 8), make(chan struct{})
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		came <- r.Header.Get("webhook-id")
		select {
		case <-open:
		case <-r.Context().Done(): // the node is dead
		}
	}))
	t.Cleanup(hook.Close)
	of := w.found(0, 1)
	var target struct{ ID string }
	w.get(0, "POST", "/api-notifications", map[string]any{"type": "webhook", "url": hook.URL}, &target, "X-Api-Key", of.Key)
	w.get(0, "POST", "/api-keyword-watchlist", map[string]any{"name": "tea", "keywords": []string{"tea"}}, nil, "X-Api-Key", of.Key)

	var members []cluster.Member
	for i := range w.nodes {
		members = append(members, cluster.Member{ID: w.nodes[i].advertise})
	}
	owner := cluster.View{Members: members}.Owner(of.ID)
	victim := slices.IndexFunc(w.nodes[:], func(n node) bool { return n.advertise == owner })
	w.report(victim, w.token(victim, of))

	first := <-came
	stored := w.record(of.ID, teamspace.KeyTarget+target.ID)
	stored(func(record string) string { return strings.TrimSuffix(record, "}") + `,"Newer":[1]}` })
	w.signal(victim, syscall.SIGKILL)
	close(open)
	select {
	case again := <-came:
		require.Equal(t, first, again)
	case <-time.After(process.Patience):
		require.Fail(t, "the next owner delivers nothing")
	}
	w.eventually("the delivery is noted", func() bool {
		var reply struct {
			Targets []struct {
				Waiting   int     `json:"waiting_posts"`
				Delivered *string `json:"delivered_at"`
			}
		}
		w.get((victim+1)%nodes, "GET", "/api-notifications", nil, &reply, "X-Api-Key", of.Key)
		return reply.Targets[0].Waiting == 0 && reply.Targets[0].Delivered != nil
	})

	w.get((victim+1)%nodes, "PUT", "/api-notifications", map[string]any{"id": target.ID, "name": "renamed"}, nil, "X-Api-Key", of.Key)
	stored(func(record string) string {
		require.Contains(t, record, "renamed")
		require.Contains(t, record, `"Newer":[1]`)
		return record
	})
}

// record returns a function that changes a record in the database.
func (w *world) record(space, key string) func(change func(string) string) {
	return func(change func(string) string) {
		w.t.Helper()
		ctx := w.t.Context()
		conn, err := pgx.Connect(ctx, w.store)
		require.NoError(w.t, err)
		defer conn.Close(context.WithoutCancel(ctx))
		var value []byte
		require.NoError(w.t, conn.QueryRow(ctx, "SELECT value FROM pair WHERE space = $1 AND key = $2", []byte(space), []byte(key)).Scan(&value))
		_, err = conn.Exec(ctx, "UPDATE pair SET value = $3 WHERE space = $1 AND key = $2", []byte(space), []byte(key), []byte(change(string(value))))
		require.NoError(w.t, err)
	}
}

// report connects a session, reports one post for the scan that it gets, and leaves.
func (w *world) report(i int, token string) {
	w.t.Helper()
	conn, err := w.connect(i, token, "ada")
	require.NoError(w.t, err)
	defer conn.CloseNow()
	var scan protocol.Frame
	for scan.Type != protocol.TypeTask {
		_, raw, err := conn.Read(w.t.Context())
		require.NoError(w.t, err)
		scan = protocol.Frame{}
		require.NoError(w.t, json.Unmarshal(raw, &scan))
	}
	posts, err := json.Marshal(protocol.PostsOutput{Posts: []protocol.Post{{
		URN: "urn:network:post:1", URL: "/feed/1", Content: "tea for two", AuthorName: "Ada", AuthorURL: "/in/ada", PostedAt: time.Now(), Type: "text",
	}}})
	require.NoError(w.t, err)
	frame := fmt.Sprintf(`{"type":"part","task":%q,"lease":%q,"attempt":%d,"seq":0,"output":%s}`, scan.Task, scan.Lease, scan.Attempt, posts)
	require.NoError(w.t, conn.Write(w.t.Context(), websocket.MessageText, []byte(frame)))
	for ack := (protocol.Frame{}); ack.Type != protocol.TypeAck; {
		_, raw, err := conn.Read(w.t.Context())
		require.NoError(w.t, err)
		require.NoError(w.t, json.Unmarshal(raw, &ack))
	}
}
