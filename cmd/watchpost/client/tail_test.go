package client

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// matchedPost is a change of the feed.
func matchedPost(cursor, id string) string {
	return fmt.Sprintf(`{"cursor":%q,"type":"post","action":"matched","id":%q,"data":{"id":%q,"content":"a\nb","author_name":"A","posted_at":"2030-01-01T10:20:30Z"}}`, cursor, id, id)
}

// TestTailGoesOn: a follower asks again with its cursor after any failure of the service,
// prints each post once, and ends when it is interrupted.
func TestTailGoesOn(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	replies := []struct {
		status int
		body   string
	}{
		{200, `{"changes":[],"cursor":"c0"}`},
		{200, `{"changes":[` + matchedPost("c1", "one") + `,{"cursor":"c2","action":"updated","id":"one","data":{}}],"cursor":"c2"}`},
		{500, `{"error":"Failed to fetch changes"}`},
		{200, `{"changes":[` + matchedPost("c3", "one") + `,` + matchedPost("c4", "two") + `,{"cursor":"c5","action":"matched","id":"x","data":null}],"cursor":"c5"}`},
		{410, `{"error":"Cursor is unknown","earliest":"c6"}`},
		{200, `{"changes":[],"cursor":"c7"}`},
	}
	var cursors []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := len(cursors)
		cursors = append(cursors, r.URL.Query().Get("cursor"))
		if n == len(replies) {
			interrupt()
			<-r.Context().Done()
			return
		}
		w.WriteHeader(replies[n].status)
		_, _ = w.Write([]byte(replies[n].body))
	}))
	t.Cleanup(s.Close)
	var out, notes bytes.Buffer
	require.NoError(t, (&Tail{Service: Flags{URL: s.URL, Key: "wp_right"}}).print(ctx, &out, &notes))
	require.Equal(t, []string{"", "c0", "c2", "c2", "c5", "earliest", "c7"}, cursors)
	require.Equal(t, "one  2030-01-01T10:20  A  a b\ntwo  2030-01-01T10:20  A  a b\n", out.String())
	require.Contains(t, notes.String(), "trying again")
	require.Contains(t, notes.String(), "Cursor is unknown")
}

func TestTailEndsAtARefusal(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`{"error":"Access denied"}`))
	}))
	t.Cleanup(s.Close)
	var out, notes bytes.Buffer
	require.EqualError(t, (&Tail{Service: Flags{URL: s.URL, Key: "x"}, Since: "earliest"}).print(t.Context(), &out, &notes), "Access denied")
	require.Empty(t, notes.String())
}
