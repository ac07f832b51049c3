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
	const earlier = 3
	m.call("/api-notifications", "x-api-key", key, `{"type":"email","name":"Daily","user_emails":["ada@acme.example","bob@acme.example"]}`)
	m.call("/api-keyword-watchlist", "x-api-key", key, `{"name":"Energy","keywords":["battery"]}`)

	_, opened := m.post("/admin/teams/"+team+"/sessions", `{"email":"ada@acme.example"}`)
	token := "Bearer " + between(opened, `"session_token":"`, `"`)
	hello := `{"type":"hello","v":1,"token":"","boot":"b","journal":"j","version":"specs","account":{"urn":"urn:network:member:ada","slug":"ada","name":"Ada","signed_in":true},"tasks":[]}`
	scan := m.poll(token, protocol.TypeTask, hello)
	var posts protocol.PostsOutput
	for n := range 2 {
		posts.Posts = append(posts.Posts, protocol.Post{
			URN: fmt.Sprintf("urn:network:post:%d", n), URL: fmt.Sprintf("/feed/%d", n), Content: fmt.Sprintf("battery storage number %d <b>bold</b>", n),
			AuthorName: "Marta", AuthorURL: "/in/marta", PostedAt: time.Now(), Type: "text",
		})
	}
	output, err := json.Marshal(posts)
	require.NoError(t, err)
	m.poll(token, protocol.TypeAck, fmt.Sprintf(`{"type":"part","task":%q,"lease":%q,"attempt":%d,"seq":0,"output":%s}`, scan.Task, scan.Lease, scan.Attempt, output))

	require.Len(t, server.Mails(), earlier, "posts are gathered for a day")
	status, body := m.post("/admin/clock", `{"advance":"24h1m"}`)
	require.Equal(t, http.StatusOK, status, body)
	to := map[string]string{}
	for _, letter := range server.Await(earlier + 2)[earlier:] {
		to[letter.To] = letter.Body
		require.Contains(t, letter.Header.Get("Subject"), "2 new posts")
	}
	require.Len(t, to, 2)
	for _, member := range []string{"ada@acme.example", "bob@acme.example"} {
		require.Contains(t, to[member], "battery storage number 0 <b>bold</b>", "plain text")
		require.Contains(t, to[member], "battery storage number 1")
	}
	require.Contains(t, m.call("/api-notifications/send", "x-api-key", key, `{"id":"`+between(m.get("/api-notifications", key), `"id":"`, `"`)+`"}`), `"state":"delivered"`)
	require.Len(t, server.Await(earlier+4), earlier+4)
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
