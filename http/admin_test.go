package httpapi_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	httpapi "watchpost/http"
	"watchpost/internal/testclock"
	"watchpost/watchpost"
)

func TestAdminNeedsTheToken(t *testing.T) {
	t.Parallel()
	h := build(t)
	for _, header := range []string{"", "Bearer", "Bearer ", "Bearer wrong", "Basic " + adminToken, adminToken, "Bearer " + adminToken + "x"} {
		h.do("GET", "/admin/teams", "", "Authorization", header).fails(401, "Unauthorized")
	}
	require.Equal(t, 200, h.do("GET", "/admin/teams", "", "Authorization", "bearer "+adminToken).status)
	closed := build(t, func(o *httpapi.Options) { o.AdminToken = "" })
	closed.do("GET", "/admin/teams", "", "Authorization", "Bearer ").fails(404, "Not found")
	closed.do("POST", "/admin/teams", "{}").fails(404, "Not found")
}

func TestAdminTeams(t *testing.T) {
	t.Parallel()
	h := build(t)
	made := read[fields](h.admin("POST", "/admin/teams", `{"email":"Jane@Example.com","full_name":"Jane Doe","plan":"pro"}`), 201)
	id := made["id"].(string)
	require.Equal(t, []string{"api_key", "domains", "id", "keep_posts", "key_rotation_asked_at", "members", "name", "plan", "plan_expires_at"}, sortedKeys(made))
	require.Equal(t, "pro", made["plan"])
	require.Equal(t, "Jane Doe's Team", made["name"])
	member := made["members"].([]any)[0].(fields)
	require.Equal(t, "jane@example.com", member["email"])
	require.Equal(t, "admin", member["role"])
	h.admin("POST", "/admin/teams", `{"email":"jane@example.com","plan":"free"}`).fails(409, "Email already belongs to a team")

	list := read[fields](h.admin("GET", "/admin/teams", ""), 200)
	require.Equal(t, 1.0, list["count"])
	listed := list["teams"].([]any)[0].(fields)
	require.Equal(t, id, listed["id"])
	require.NotContains(t, listed, "api_key")

	require.Equal(t, "expert", read[fields](h.admin("PATCH", "/admin/teams/"+id, `{"plan":"expert"}`), 200)["plan"])
	added := read[fields](h.admin("POST", "/admin/teams/"+id+"/members", `{"email":"joe@example.com","full_name":"Joe","role":"member"}`), 201)
	require.Equal(t, "joe@example.com", added["email"])
	require.Equal(t, "member", added["role"])
	require.Regexp(t, "^wps_[0-9A-Za-z]{46}$", read[fields](h.admin("POST", "/admin/teams/"+id+"/sessions", `{"email":"joe@example.com"}`), 201)["session_token"])
	h.admin("POST", "/admin/teams/"+id+"/sessions", `{"email":"nobody@example.com"}`).fails(404, "User not found")
	h.admin("POST", "/admin/teams/"+id+"/pairing-codes", `{"email":"nobody@example.com"}`).fails(404, "User not found")

	key := made["api_key"].(string)
	rotated := read[fields](h.admin("POST", "/admin/teams/"+id+"/rotate-key", ""), 200)["api_key"].(string)
	h.do("GET", watchlists, "", "x-api-key", key).fails(401, badKey)
	require.Equal(t, 200, h.do("GET", watchlists, "", "x-api-key", rotated).status)
}

func TestAdminMemberQuota(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Full", "free")
	for _, name := range []string{"b", "c", "d", "e"} {
		require.Equal(t, 201, h.admin("POST", "/admin/teams/"+m.id+"/members", `{"email":"`+name+`@example.com","role":"member"}`).status)
	}
	h.admin("POST", "/admin/teams/"+m.id+"/members", `{"email":"f@example.com","role":"member"}`).
		fails(402, "Your plan includes up to 5 team members.")
}

func TestAdminRefusals(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Fields", "free")
	for _, c := range []struct{ method, path, body, text string }{
		{"POST", "/admin/teams", `{"plan":"free"}`, "Missing or invalid 'email'"},
		{"POST", "/admin/teams", `{"email":"x","plan":"free"}`, "Missing or invalid 'email'"},
		{"POST", "/admin/teams", `{"email":"x@example.com"}`, "Missing or invalid 'plan'"},
		{"POST", "/admin/teams", `{"email":"x@example.com","plan":"gold"}`, "Missing or invalid 'plan'"},
		{"POST", "/admin/teams", `{"email":"x@example.com","plan":"free","name":5}`, "Invalid 'name'"},
		{"PATCH", "/admin/teams/" + m.id, `{}`, "Missing or invalid 'plan'"},
		{"PATCH", "/admin/teams/" + m.id, `{"plan":7}`, "Missing or invalid 'plan'"},
		{"POST", "/admin/teams/" + m.id + "/members", `{"email":"x@example.com"}`, "Missing or invalid 'role'"},
		{"POST", "/admin/teams/" + m.id + "/members", `{"email":"x@example.com","role":"king"}`, "Missing or invalid 'role'"},
		{"POST", "/admin/teams/" + m.id + "/members", `{"role":"admin"}`, "Missing or invalid 'email'"},
		{"POST", "/admin/teams/" + m.id + "/sessions", `{}`, "Missing or invalid 'email'"},
		{"POST", "/admin/teams/" + m.id + "/pairing-codes", `[]`, badJSON},
	} {
		h.admin(c.method, c.path, c.body).fails(400, c.text)
	}
	for _, id := range []string{"nonsense", unknownID} {
		h.admin("PATCH", "/admin/teams/"+id, `{"plan":"free"}`).fails(404, "Team not found")
		h.admin("POST", "/admin/teams/"+id+"/members", `{"email":"x@example.com","role":"admin"}`).fails(404, "Team not found")
		h.admin("POST", "/admin/teams/"+id+"/sessions", `{"email":"x@example.com"}`).fails(404, "Team not found")
		h.admin("POST", "/admin/teams/"+id+"/pairing-codes", `{"email":"x@example.com"}`).fails(404, "Team not found")
		h.admin("POST", "/admin/teams/"+id+"/rotate-key", "").fails(404, "Team not found")
	}
}

func TestAdminClock(t *testing.T) {
	t.Parallel()
	build(t).admin("GET", "/admin/clock", "").fails(404, "Not found")
	clock := testclock.New(0, nil, nil)
	h := build(t, func(o *httpapi.Options) { o.Clock, o.TestClock = clock, clock })
	now := func(r reply) time.Time {
		at, err := time.Parse("2006-01-02T15:04:05.000Z", read[fields](r, 200)["now"].(string))
		require.NoError(t, err)
		return at
	}
	before := now(h.admin("GET", "/admin/clock", ""))
	after := now(h.admin("POST", "/admin/clock", `{"advance":"24h"}`))
	require.GreaterOrEqual(t, after.Sub(before), 24*time.Hour)
	require.Equal(t, 2130, now(h.admin("POST", "/admin/clock", `{"set":"2130-01-07T00:00:00Z"}`)).Year())
	for body, text := range map[string]string{
		`{}`:                 "Missing or invalid 'advance'",
		`{"advance":5}`:      "Missing or invalid 'advance'",
		`{"advance":"soon"}`: "Missing or invalid 'advance'",
		`{"advance":"1h","set":"2131-01-01T00:00:00Z"}`: "Missing or invalid 'advance'",
		`{"set":"tomorrow"}`:                            "Missing or invalid 'set'",
		`{"set":1}`:                                     "Missing or invalid 'set'",
		`{"advance":"-1s"}`:                             "Clock cannot go backwards",
		`{"set":"2029-01-01T00:00:00Z"}`:                "Clock cannot go backwards",
	} {
		h.admin("POST", "/admin/clock", body).fails(400, text)
	}
}

// TestWritesWaitForRoom: while nothing can be stored, every request that changes
// something is refused as overload, after its key; reads and sessions go on, and
// /readyz says why.
func TestWritesWaitForRoom(t *testing.T) {
	t.Parallel()
	var full atomic.Bool
	room := func() error {
		if full.Load() {
			return errors.New("disk nearly full")
		}
		return nil
	}
	h := build(t, func(o *httpapi.Options) { o.Writable = room })
	made := read[fields](h.admin("POST", "/admin/teams", `{"email":"jane@example.com","plan":"growth"}`), 201)
	key := made["api_key"].(string)
	full.Store(true)
	for _, method := range []string{"POST", "PUT", "DELETE"} {
		r := h.do(method, watchlists, `{"keywords":["a"]}`, "x-api-key", key)
		r.fails(500, watchpost.TextUnavailable)
		require.NotEmpty(t, r.header.Get("Retry-After"))
		h.do(method, watchlists, `{}`, "x-api-key", "unknown").fails(401, badKey)
	}
	h.do("POST", "/network-agent/auth-send-otp", `{"email":"a@example.com"}`).fails(500, watchpost.TextUnavailable)
	h.admin("POST", "/admin/teams", `{}`).fails(503, watchpost.TextUnavailable)
	require.Equal(t, 200, h.do("GET", watchlists, "", "x-api-key", key).status)
	require.Equal(t, 200, h.do("GET", "/healthz", "").status)
	require.Equal(t, fields{"error": watchpost.TextUnavailable, "reason": "disk nearly full"}, read[fields](h.do("GET", "/readyz", ""), 503))
	full.Store(false)
	require.Equal(t, 200, h.do("POST", watchlists, `{"keywords":["a"]}`, "x-api-key", key).status)
	require.Equal(t, 200, h.do("GET", "/readyz", "").status)
}
