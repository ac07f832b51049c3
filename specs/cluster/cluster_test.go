package cluster

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
)

// TestAnyNodeServesAnyTeam sends every kind of request to every node.
func TestAnyNodeServesAnyTeam(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	teams := make([]team, 6)
	for k := range teams {
		teams[k] = w.found(k%nodes, k)
	}
	for k, of := range teams {
		for i := range nodes {
			w.get(i, "GET", "/api-team", nil, nil, "X-Api-Key", of.Key)
		}
		w.watchlists(of)
		w.sessions(of, fmt.Sprintf("account%d", k))
	}
	w.signIn(teams[0])
	w.signIn(teams[1])
	for i := range nodes {
		w.page(i, teams[3].email)
	}
	w.rotation(teams[2])
	w.scopedKey(teams[5])
	w.deletedKeys(teams[5])
	for i := range nodes {
		w.admin(i, "/admin/teams/"+teams[4].ID+"/verify", map[string]bool{"repair": true}, nil)
		w.admin(i, "/admin/teams/"+teams[4].ID+"/reprocess", map[string]bool{"all": true}, nil)
	}

	listed := w.nodesCommand()
	for i := range nodes {
		require.Contains(t, listed, w.nodes[i].advertise)
	}
	require.Equal(t, nodes, strings.Count(listed, "serving"), listed)
	_, found := w.request(0, "GET", "/admin/doctor", nil, "Authorization", "Bearer "+operatorToken)
	require.Equal(t, nodes-1, strings.Count(string(found), "reach each other"), "%s", found)
	_, metrics := w.request(0, "GET", "/metrics", nil, "Authorization", "Bearer "+operatorToken)
	require.Regexp(t, `(?m)^watchpost_cluster_nodes 3$`, string(metrics))
	require.Regexp(t, `(?m)^watchpost_cluster_forwarded_total\{outcome="served"\} [1-9]`, string(metrics))

	w.nodesCommand("drain", w.nodes[2].advertise)
	w.eventually("the node is drained", func() bool { return strings.Contains(w.nodesCommand("list"), "drained") })
	for i := range nodes {
		for _, of := range teams[3:] {
			w.get(i, "GET", "/api-team", nil, nil, "X-Api-Key", of.Key)
		}
	}
	for i := range nodes {
		require.NoError(t, w.nodes[i].process.Stop(), "node %d", i)
	}
}

// watchlists creates a watchlist at one node, and reads it at every node.
func (w *world) watchlists(of team) {
	w.t.Helper()
	var made struct{ ID string }
	w.get(0, "POST", "/api-keyword-watchlist", map[string]any{"name": "tea", "keywords": []string{"tea"}}, &made, "X-Api-Key", of.Key, "X-Request-Id", "r-1")
	for i := range nodes {
		w.get(i, "GET", "/api-keyword-watchlist?id="+made.ID, nil, nil, "X-Api-Key", of.Key)
		w.get(i, "GET", "/api-posts?watchlist_ids="+made.ID, nil, nil, "X-Api-Key", of.Key, "Accept-Encoding", "gzip")
	}
	status, _ := w.request(1, "POST", "/api-keyword-watchlist", map[string]any{"name": "tea"}, "X-Api-Key", of.Key)
	require.Equal(w.t, http.StatusBadRequest, status)
	status, _ = w.request(1, "GET", "/api-team", nil, "X-Api-Key", "wp_"+strings.Repeat("0", 32))
	require.Equal(w.t, http.StatusUnauthorized, status)
}

// sessions connects a session by socket and by poll at every node.
func (w *world) sessions(of team, account string) {
	w.t.Helper()
	for i := range nodes {
		conn, err := w.connect(i, w.token((i+1)%nodes, of), account)
		require.NoError(w.t, err)
		require.NoError(w.t, conn.Close(websocket.StatusNormalClosure, ""))
		token := w.token(i, of)
		var reply struct{ Messages []struct{ Type string } }
		messages := fmt.Sprintf(`{"messages":[%s]}`, hello(token, account))
		w.get(i, "POST", "/extension/poll", rawJSON(messages), &reply, "Authorization", "Bearer "+token)
		require.Equal(w.t, "welcome", reply.Messages[0].Type)
	}
	status, _ := w.request(0, "POST", "/extension/poll", rawJSON(`{"messages":[]}`), "Authorization", "Bearer unknown")
	require.Contains(w.t, []int{http.StatusUnauthorized, http.StatusConflict}, status)
}

type rawJSON string

// MarshalJSON implements json.Marshaler.
func (r rawJSON) MarshalJSON() ([]byte, error) { return []byte(r), nil }

// signIn redeems a one-time code and a pairing code at every node.
func (w *world) signIn(of team) {
	w.t.Helper()
	for i := range nodes {
		code := w.oneTimeCode(i, of.email)
		var signed struct {
			APIKey string `json:"api_key"`
		}
		w.get((i+1)%nodes, "POST", "/network-agent/auth-verify-otp", map[string]string{"email": of.email, "otp": code}, &signed)
		require.Equal(w.t, of.Key, signed.APIKey)
		var pairing struct{ Code string }
		w.admin(i, "/admin/teams/"+of.ID+"/pairing-codes", map[string]string{"email": of.email}, &pairing)
		var session struct {
			Token string `json:"session_token"`
		}
		w.get((i+2)%nodes, "POST", "/extension/sign-in", map[string]string{"code": pairing.Code}, &session)
		require.NotEmpty(w.t, session.Token)
	}
	code := w.oneTimeCode(0, "new-"+of.email)
	var signed struct {
		APIKey string `json:"api_key"`
	}
	w.get(1, "POST", "/network-agent/auth-verify-otp", map[string]string{"email": "new-" + of.email, "otp": code}, &signed)
	w.get(2, "GET", "/api-team", nil, nil, "X-Api-Key", signed.APIKey)
}

// page signs in to the dashboard at a node and loads the feed at every node.
func (w *world) page(i int, email string) {
	w.t.Helper()
	code := w.oneTimeCode(i, email)
	form := url.Values{"email": {email}, "otp": {code}}
	client := *w.client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	signed, err := client.PostForm("http://"+w.nodes[i].listen+"/app/sign-in/code", form)
	require.NoError(w.t, err)
	require.NoError(w.t, signed.Body.Close())
	require.Equal(w.t, http.StatusSeeOther, signed.StatusCode)
	at := slices.IndexFunc(signed.Cookies(), func(c *http.Cookie) bool { return c.Name == "watchpost" })
	require.GreaterOrEqual(w.t, at, 0, "no cookie of a sign-in")
	for k := range nodes {
		w.get(k, "GET", "/app", nil, nil, "Cookie", signed.Cookies()[at].String())
	}
}

var digits = regexp.MustCompile(`\b[0-9]{6}\b`)

// oneTimeCode requests a code and reads it from the mail, at whichever node that
// was written.
func (w *world) oneTimeCode(i int, email string) (code string) {
	w.t.Helper()
	before := w.mails(email)
	w.get(i, "POST", "/network-agent/auth-send-otp", map[string]string{"email": email}, nil)
	w.eventually("the mail to "+email, func() bool {
		for path, text := range w.mails(email) {
			if _, old := before[path]; !old {
				code = digits.FindString(text)
			}
		}
		return code != ""
	})
	return code
}

func (w *world) mails(email string) map[string]string {
	found := map[string]string{}
	for i := range nodes {
		folder := w.file(filepath.Join(fmt.Sprintf("node%d", i), "mail"))
		_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() { // the folder is made with the first mail
				if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), "<"+email+">") {
					found[path] = string(text)
				}
			}
			return nil
		})
	}
	return found
}

// scopedKey makes a key at one node, uses it at every node and deletes it: then it is
// refused, and so are the requests that wait.
func (w *world) scopedKey(of team) {
	w.t.Helper()
	var made struct{ ID, Key string }
	w.get(0, "POST", "/api-keys", map[string]any{"name": "agent", "scopes": []string{"read"}}, &made, "X-Api-Key", of.Key)
	held := make(chan string, nodes)
	for i := range nodes {
		var now struct{ Cursor string }
		w.get(i, "GET", "/api-changes", nil, &now, "X-Api-Key", made.Key)
		go func() {
			status, reply := w.request(i, "GET", "/api-changes?types=watchlist&wait=25&cursor="+now.Cursor, nil, "X-Api-Key", made.Key)
			held <- fmt.Sprint(status, " ", string(reply))
		}()
	}
	w.widenedKey(of, made.ID, made.Key)
	w.get(1, "DELETE", "/api-keys?id="+made.ID, nil, nil, "X-Api-Key", of.Key)
	for range nodes {
		require.Equal(w.t, `401 {"error":"Invalid API Key"}`, strings.TrimSpace(<-held))
	}
}

// keyUse is a request that a key needs no scope for but read.
type keyUse struct {
	method, path string
	body         any
}

var (
	readWatchlists = keyUse{"GET", "/api-keyword-watchlist", nil}
	// The node that gets it answers, also when another one serves the team.
	pingModels = keyUse{"POST", "/mcp", rawJSON(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)}
)

// allowed reports whether a node takes a key.
func (w *world) allowed(i int, use keyUse, key string) bool {
	status, reply := w.request(i, use.method, use.path, use.body, "X-Api-Key", key, "Content-Type", "application/json", "Accept", "application/json, text/event-stream")
	if status != http.StatusOK && status != http.StatusUnauthorized {
		w.t.Errorf("%s at node %d: status %d %s", use.path, i, status, reply)
	}
	return status == http.StatusOK
}

// deletedKeys: a deleted key is refused by all nodes from the reply on, because the node that
// serves the team answers. What nodes remember of a key counts where they answer themselves,
// for a second, and when the team moves at that moment. So one try proves little, but most do.
// A slow machine does not count: a request is timed when it is sent.
func (w *world) deletedKeys(of team) {
	w.t.Helper()
	const tries = 5
	atOnce := 0
	for try := range tries {
		var made struct{ ID, Key string }
		w.get(try%nodes, "POST", "/api-keys", map[string]any{"name": "agent", "scopes": []string{"read"}}, &made, "X-Api-Key", of.Key)
		for i := range nodes {
			require.True(w.t, w.allowed(i, readWatchlists, made.Key)) // each node knows the key
			require.True(w.t, w.allowed(i, pingModels, made.Key))
		}
		w.get((try+1)%nodes, "DELETE", "/api-keys?id="+made.ID, nil, nil, "X-Api-Key", of.Key)
		deleted := time.Now()
		served, remembered := w.lastUse(readWatchlists, made.Key, deleted), w.lastUse(pingModels, made.Key, deleted)
		require.LessOrEqual(w.t, max(served, remembered), time.Second)
		if served == 0 {
			atOnce++
		}
	}
	w.t.Logf("all nodes refused a deleted key at once after %d of %d tries", atOnce, tries)
	require.Greater(w.t, atOnce, tries/2, "tries after which no node took the key once more")
}

// lastUse sends requests with a deleted key to all nodes until they refuse it, for three seconds
// at most. It returns how long after the deletion the last one was sent that was taken; 0 if
// none was.
func (w *world) lastUse(use keyUse, key string, deleted time.Time) (last time.Duration) {
	w.t.Helper()
	uses := make(chan time.Duration, nodes)
	for i := range nodes {
		go func() {
			var last time.Duration
			for sent := time.Since(deleted); w.allowed(i, use, key) && sent < 3*time.Second; sent = time.Since(deleted) {
				last = sent
			}
			uses <- last
		}()
	}
	for range nodes {
		last = max(last, <-uses)
	}
	return last
}

// widenedKey: what a key may do more counts at all nodes from the reply on, also where it
// was refused a moment ago. Requests that wait have its scope all the time.
func (w *world) widenedKey(of team, id, key string) {
	w.t.Helper()
	allowed := func(i int) bool {
		status, _ := w.request(i, "POST", "/network-agent/fetch-profile", nil, "X-Api-Key", key)
		return status != http.StatusForbidden
	}
	for i := range nodes {
		require.False(w.t, allowed(i)) // each node knows the key
	}
	w.get(1, "PUT", "/api-keys", map[string]any{"id": id, "scopes": []string{"read", "tasks"}}, nil, "X-Api-Key", of.Key)
	for i := range nodes {
		require.True(w.t, allowed(i), "node %d", i)
	}
}

// rotation replaces a team's key. The old one is refused at every node a second
// later; TestCachedKeyExpires measures the second.
func (w *world) rotation(of team) {
	w.t.Helper()
	for i := range nodes {
		w.get(i, "GET", "/api-team", nil, nil, "X-Api-Key", of.Key) // each node knows the key
	}
	var rotated struct {
		APIKey string `json:"api_key"`
	}
	w.admin(1, "/admin/teams/"+of.ID+"/rotate-key", nil, &rotated)
	for i := range nodes {
		w.eventually("the old key is refused", func() bool {
			status, _ := w.request(i, "GET", "/api-team", nil, "X-Api-Key", of.Key)
			return status == http.StatusUnauthorized
		})
		w.get(i, "GET", "/api-team", nil, nil, "X-Api-Key", rotated.APIKey)
	}
}
