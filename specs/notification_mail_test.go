package specs_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/internal/mail/mailtest"
	"watchpost/internal/protocol"
)

// TestMailDigestOverSMTP: a target of type email sends the posts of a day to each
// member in one mail, through the mail server.
func TestMailDigestOverSMTP(t *testing.T) {
	team := startMailedTeam(t)
	team.m.call("/api-notifications", "x-api-key", team.key, `{"type":"email","name":"Daily","user_emails":["ada@acme.example","bob@acme.example"]}`)
	var posts []protocol.Post
	for n := range 2 {
		posts = append(posts, batteryPost(n, fmt.Sprintf("battery storage number %d <b>bold</b>", n), time.Now()))
	}
	team.collect(posts)

	require.Len(t, team.server.Mails(), team.earlier, "posts are gathered for a day")
	team.advance("24h1m")
	to := map[string]string{}
	for _, letter := range team.server.Await(team.earlier + 2)[team.earlier:] {
		to[letter.To] = letter.Body
		require.Contains(t, letter.Header.Get("Subject"), "2 new posts")
	}
	require.Len(t, to, 2)
	for _, member := range []string{"ada@acme.example", "bob@acme.example"} {
		require.Contains(t, to[member], "battery storage number 0 <b>bold</b>", "plain text")
		require.Contains(t, to[member], "battery storage number 1")
	}
	require.Contains(t, team.m.call("/api-notifications/send", "x-api-key", team.key, `{"id":"`+between(team.m.get("/api-notifications", team.key), `"id":"`, `"`)+`"}`), `"state":"delivered"`)
	require.Len(t, team.server.Await(team.earlier+4), team.earlier+4)
}

// TestAlertOverSMTP: a target of type email with an alert sends one mail on a day with many
// more posts than usual, which says from what to what they rose. The log of deliveries has
// the same.
func TestAlertOverSMTP(t *testing.T) {
	team := startMailedTeam(t)
	team.m.call("/api-notifications", "x-api-key", team.key, `{"type":"email","name":"Spikes","user_emails":["ada@acme.example"],"alert":{"of":"spike","minimum":8}}`)
	var posts []protocol.Post
	for day := range 20 {
		posts = append(posts, batteryPost(day, "battery storage", time.Now().AddDate(0, 0, -1-day)))
	}
	for n := range 9 {
		posts = append(posts, batteryPost(100+n, "battery fire in Lisbon", time.Now()))
	}
	team.collect(posts)
	require.Len(t, team.server.Mails(), team.earlier, "the posts of a scan are counted together")
	team.advance("6m")
	letter := team.server.Await(team.earlier + 1)[team.earlier]
	require.Equal(t, "ada@acme.example", letter.To)
	require.Regexp(t, `^Watchpost: 9 posts on \d+ \w+, usually 1$`, letter.Header.Get("Subject"))
	require.Contains(t, letter.Body, "New words: fire, lisbon")
	require.Contains(t, letter.Body, "Marta: battery fire in Lisbon")
	require.NotContains(t, letter.Body, "battery storage")
	var log struct {
		Deliveries []struct {
			Kind, State string
			Alert       struct {
				Of    string
				Count int
				Usual float64
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(team.m.get("/api-notifications/deliveries", team.key)), &log))
	require.Len(t, log.Deliveries, 1)
	told := log.Deliveries[0]
	require.Equal(t, []any{"alert", "delivered", "spike", 9, 1.0}, []any{told.Kind, told.State, told.Alert.Of, told.Alert.Count, told.Alert.Usual})
}

// mailedTeam is a team with two members who have signed in, and a watchlist whose scan is
// handed out.
type mailedTeam struct {
	m       *mailed
	server  *mailtest.Server
	key     string
	token   string // of a session
	scan    protocol.Frame
	earlier int // mails of the sign-in
}

func startMailedTeam(t *testing.T) *mailedTeam {
	t.Helper()
	server := mailtest.Start(t, mailtest.Options{NoAuth: true})
	m := startMailed(t, server)
	status, made := m.post("/admin/teams", `{"email":"ada@acme.example","plan":"growth","name":"Acme"}`)
	require.Equal(t, http.StatusCreated, status)
	team, key := between(made, `"id":"`, `"`), between(made, `"api_key":"`, `"`)
	status, _ = m.post("/admin/teams/"+team+"/members", `{"email":"bob@acme.example","role":"member"}`)
	require.Equal(t, http.StatusCreated, status)
	server.Await(1) // the invitation
	for n, member := range []string{"ada@acme.example", "bob@acme.example"} {
		m.sends(member)
		status, body := m.verify(member, onlyCode.FindString(server.Await(n + 2)[n+1].Body))
		require.Equal(t, http.StatusOK, status, body)
	}
	m.call("/api-keyword-watchlist", "x-api-key", key, `{"name":"Energy","keywords":["battery"]}`)
	_, opened := m.post("/admin/teams/"+team+"/sessions", `{"email":"ada@acme.example"}`)
	token := "Bearer " + between(opened, `"session_token":"`, `"`)
	hello := `{"type":"hello","v":1,"token":"","boot":"b","journal":"j","version":"specs","account":{"urn":"urn:network:member:ada","slug":"ada","name":"Ada","signed_in":true},"tasks":[]}`
	return &mailedTeam{m: m, server: server, key: key, token: token, scan: m.poll(token, protocol.TypeTask, hello), earlier: 3}
}

// collect reports posts of the scan.
func (team *mailedTeam) collect(posts []protocol.Post) {
	team.m.t.Helper()
	output, err := json.Marshal(protocol.PostsOutput{Posts: posts})
	require.NoError(team.m.t, err)
	team.m.poll(team.token, protocol.TypeAck, fmt.Sprintf(`{"type":"part","task":%q,"lease":%q,"attempt":%d,"seq":0,"output":%s}`, team.scan.Task, team.scan.Lease, team.scan.Attempt, output))
}

func (team *mailedTeam) advance(by string) {
	team.m.t.Helper()
	status, body := team.m.post("/admin/clock", `{"advance":"`+by+`"}`)
	require.Equal(team.m.t, http.StatusOK, status, body)
}

func batteryPost(n int, content string, at time.Time) protocol.Post {
	return protocol.Post{
		URN: fmt.Sprintf("urn:network:post:%d", n), URL: fmt.Sprintf("/feed/%d", n), Content: content,
		AuthorName: "Marta", AuthorURL: "/in/marta", PostedAt: at, Type: "text",
	}
}

// call posts a body under a header and returns the reply, which must be 200.
func (m *mailed) call(path, header, value, body string) string {
	m.t.Helper()
	return m.do(http.MethodPost, path, header, value, body)
}

func (m *mailed) get(path, key string) string {
	m.t.Helper()
	return m.do(http.MethodGet, path, "x-api-key", key, "")
}

func (m *mailed) do(method, path, header, value, body string) string {
	m.t.Helper()
	request, err := http.NewRequestWithContext(m.t.Context(), method, m.url+path, bytes.NewBufferString(body))
	require.NoError(m.t, err)
	request.Header.Set(header, value)
	response, err := m.client.Do(request)
	require.NoError(m.t, err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	require.NoError(m.t, err)
	require.Equal(m.t, http.StatusOK, response.StatusCode, "%s %s: %s", method, path, answer)
	return string(answer)
}

// poll sends a message as a session and polls until a message of a type comes.
func (m *mailed) poll(token, kind, message string) protocol.Frame {
	m.t.Helper()
	for {
		var reply struct{ Messages []protocol.Frame }
		require.NoError(m.t, json.Unmarshal([]byte(m.call("/extension/poll", "Authorization", token, `{"messages":[`+message+`]}`)), &reply))
		for _, f := range reply.Messages {
			if f.Type == kind {
				return f
			}
		}
		message = ""
	}
}
