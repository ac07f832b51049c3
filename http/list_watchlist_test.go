package httpapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

const (
	people    = "/api-people-watchlist"
	companies = "/api-company-watchlist"
)

// opaque has the form of a profile's URN id.
const opaque = "ACoAABx7Yz_0k-QwErTyUiOp"

// quoted makes a JSON array of n slugs.
func quoted(name string, n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(`"%s%d"`, name, i)
	}
	return "[" + strings.Join(all, ",") + "]"
}

func TestCreatePeopleWatchlist(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("People", "growth")
	made := read[fields](m.call("POST", people, `{"profiles":[
		"https://www.network.example/in/Jane-Doe-1a2b/?x=1", "jane-doe-1a2b", " network.example/in/john/ ", 7, "", "a b", "urn:network:profile-view:`+opaque+`", "`+opaque+`"
	], "description":"d", "labels":["l"], "slack_webhook_url":"https://hooks.example.com/x", "fetchFreqInHours":6}`), 200)
	id := made["id"].(string)
	require.Regexp(t, "^jane-doe-john-[0-9a-f]{8}$", made["slug"])
	delete(made, "slug")
	require.Equal(t, fields{
		"id": id, "name": "Jane Doe, John", "type": "people", "profiles_count": 3.0, "created": true, "tasks_created": 3.0,
		"scans_per_day": 12.0, "capacity_per_day": 0.0, "warnings": []any{"Needs 12 people scans a day, the team's accounts have 0: entries wait until a member's extension is active"},
	}, made)

	shown := read[fields](m.call("GET", people+"?id="+id, ""), 200)
	list := shown["lists"].([]any)[0].(fields)
	require.True(t, watchpost.ValidID(list["id"].(string)))
	delete(list, "id")
	require.Equal(t, fields{"name": "Jane Doe, John", "count": 3.0}, list)
	var profiles []any
	for _, p := range shown["profiles"].([]any) {
		require.True(t, watchpost.ValidID(p.(fields)["id"].(string)))
		delete(p.(fields), "id")
		profiles = append(profiles, p)
	}
	require.Equal(t, []any{
		fields{"slug": "jane-doe-1a2b", "urn": nil}, fields{"slug": "john", "urn": nil}, fields{"slug": nil, "urn": "urn:network:profile:" + opaque},
	}, profiles)
	require.Equal(t, []string{
		"createdAt", "description", "disabled", "dropped_this_week", "fetchFreqInHours", "id", "labels", "last_scan_at", "lists", "name",
		"next_scan_at", "not_before", "profiles", "profiles_count", "scan_interval_hours", "slack_webhook_url", "slug", "type", "waiting_reason",
	}, sortedKeys(shown))
	require.Equal(t, 6.0, shown["fetchFreqInHours"])
	require.Equal(t, "https://hooks.example.com/x", shown["slack_webhook_url"])
	require.NotNil(t, shown["next_scan_at"])
	require.Nil(t, shown["last_scan_at"])
	require.Len(t, shown["labels"], 1)

	all := read[fields](m.call("GET", people, ""), 200)
	require.Equal(t, 1.0, all["count"])
	require.Equal(t, []string{"createdAt", "description", "disabled", "id", "name", "not_before", "profiles_count", "scan_interval_hours", "slug", "type", "waiting_reason"}, sortedKeys(all["watchlists"].([]any)[0].(fields)))

	only := read[fields](m.call("POST", people, `{"profiles":["12345"]}`), 200)
	require.Equal(t, "People watchlist", only["name"], "nothing but a number is known")
}

func TestCreateCompanyWatchlist(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Companies", "free")
	made := read[fields](m.call("POST", companies, `{"companies":["https://x.example/company/acme-corp","/school/MIT","1441","urn:network:organization:1441",1442], "name":" N "}`), 200)
	id := made["id"].(string)
	require.Equal(t, 3.0, made["companies_count"])
	require.Equal(t, 3.0, made["tasks_created"])
	require.Equal(t, "company", made["type"])
	shown := read[fields](m.call("GET", companies+"?id="+id, ""), 200)
	require.Equal(t, 12.0, shown["fetchFreqInHours"])
	var named []any
	for _, c := range shown["companies"].([]any) {
		named = append(named, c.(fields)["slug"], c.(fields)["urn"])
	}
	require.Equal(t, []any{"acme-corp", nil, "mit", nil, nil, "urn:network:company:1441"}, named)
	m.call("POST", companies, `{"companies":`+quoted("c", 201)+`}`).fails(402, "Your plan includes up to 200 tracked companies per watchlist.")
	require.Equal(t, 200.0, read[fields](m.call("POST", companies, `{"companies":`+quoted("c", 200)+`}`), 200)["companies_count"])
	m.call("POST", companies, `{"companies":["x"]}`).fails(402, "Your plan includes up to 2 watchlists. Upgrade your plan or delete a watchlist to create another.")
}

func TestCreateListWatchlistRefusals(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Refused", "growth")
	for path, w := range map[string]struct{ field, text string }{people: {"profiles", "profile"}, companies: {"companies", "company"}} {
		required := w.field + " array is required and must not be empty"
		none := "No valid " + w.text + " identifiers provided"
		ok := `"` + w.field + `":["acme"],`
		for body, text := range map[string]string{
			`{}`:                                                               required,
			`{"` + w.field + `":null}`:                                         required,
			`{"` + w.field + `":[]}`:                                           required,
			`{"` + w.field + `":"acme"}`:                                       required,
			`{"` + w.field + `":{"0":"acme"}}`:                                 required,
			`{"` + w.field + `":[""," ","a b"]}`:                               none,
			`{"` + w.field + `":[1,null,{},[]]}`:                               none,
			`{"` + w.field + `":["https://x.example/posts/1"]}`:                none,
			`{` + ok + `"name":5}`:                                             "Invalid 'name'",
			`{` + ok + `"name":"` + strings.Repeat("n", 121) + `"}`:            "Invalid 'name'",
			`{` + ok + `"description":[]}`:                                     "Invalid 'description'",
			`{` + ok + `"labels":"l"}`:                                         "Invalid 'labels'",
			`{` + ok + `"fetchFreqInHours":2}`:                                 "Invalid fetchFreqInHours",
			`{` + ok + `"slack_webhook_url":"x"}`:                              "Invalid 'slack_webhook_url'",
			`{` + ok + `"list_id":7}`:                                          "Invalid 'list_id'",
			`{` + ok + `"list_id":"` + unknownID + `","fetchFreqInHours":"1"}`: "Invalid fetchFreqInHours",
		} {
			m.call("POST", path, body).fails(400, text)
		}
		m.call("POST", path, `{`+ok+`"list_id":"`+unknownID+`"}`).fails(404, "List not found")
		m.call("POST", path, `{`+ok+`"list_id":"nonsense"}`).fails(404, "List not found")
		require.Equal(t, 0.0, read[fields](m.call("GET", path, ""), 200)["count"], "a refused request changes nothing")
	}
	m.call("POST", people, `{"profiles":`+quoted("p", 201)+`}`).fails(402, "Your plan includes up to 200 tracked profiles per watchlist.")
	h.team("Free", "free").call("POST", people, `{"profiles":["jane"]}`).
		fails(402, "Your plan does not include tracked profiles. Upgrade your plan to track profiles.")
}

func TestUpdateListWatchlist(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Updates", "growth")
	id := read[fields](m.call("POST", people, `{"profiles":["jane"]}`), 200)["id"].(string)
	put := func(fields string) reply { return m.call("PUT", people, `{"id":"`+id+`"`+fields+`}`) }
	require.Equal(t, fields{
		"id": id, "name": "New", "fetchFreqInHours": 72.0, "disable": true, "updated": true, "message": "Watchlist updated successfully",
		"scans_per_day": 0.0, "capacity_per_day": 0.0, "warnings": []any{},
	}, read[fields](put(`,"name":" New ","fetchFreqInHours":72,"disable":true`), 200))
	shown := read[fields](m.call("GET", people+"?id="+id, ""), 200)
	require.Equal(t, true, shown["disabled"])
	require.Nil(t, shown["next_scan_at"])
	require.Equal(t, "Jane", shown["lists"].([]any)[0].(fields)["name"], "the list keeps its name")

	t.Run("a disabled one takes every change", func(t *testing.T) {
		require.Equal(t, true, read[fields](put(`,"name":"Other","slack_webhook_url":"https://hooks.example.com/x"`), 200)["disable"])
		require.Equal(t, 200, put(`,"slack_webhook_url":null,"description":"d"`).status)
		require.Equal(t, false, read[fields](put(`,"disable":false`), 200)["disable"])
		require.NotNil(t, read[fields](m.call("GET", people+"?id="+id, ""), 200)["next_scan_at"])
	})
	for given, text := range map[string]string{
		``:                         "No valid update fields provided",
		`,"profiles":["x"]`:        "No valid update fields provided",
		`,"labels":["x"]`:          "No valid update fields provided",
		`,"name":""`:               "Name cannot be empty",
		`,"disable":1`:             "disable must be a boolean value",
		`,"fetchFreqInHours":2`:    "Invalid fetchFreqInHours",
		`,"slack_webhook_url":"x"`: "Invalid 'slack_webhook_url'",
	} {
		put(given).fails(400, text)
	}
	m.call("PUT", people, `{"name":"x"}`).fails(400, "Missing required parameter: id")
	m.call("PUT", companies, `{"id":"`+id+`","name":"x"}`).fails(404, "Watchlist not found")
}

func TestListID(t *testing.T) {
	t.Parallel()
	h := build(t)
	m, other := h.team("Lists", "ultimate"), h.team("Others", "growth")
	listOf := func(path, id string) string {
		return read[fields](m.call("GET", path+"?id="+id, ""), 200)["lists"].([]any)[0].(fields)["id"].(string)
	}
	first := read[fields](m.call("POST", people, `{"profiles":["jane","john"]}`), 200)["id"].(string)
	list := listOf(people, first)
	made := read[fields](m.call("POST", people, `{"profiles":["john","ada","Ada"],"name":"Second","list_id":"`+list+`"}`), 200)
	second := made["id"].(string)
	require.Equal(t, []any{3.0, 1.0, true}, []any{made["profiles_count"], made["tasks_created"], made["created"]})
	require.Equal(t, list, listOf(people, second))
	require.Equal(t, 3.0, read[fields](m.call("GET", people+"?id="+first, ""), 200)["profiles_count"], "for every follower")

	company := listOf(companies, read[fields](m.call("POST", companies, `{"companies":["acme"]}`), 200)["id"].(string))
	m.call("POST", people, `{"profiles":["x"],"list_id":"`+company+`"}`).fails(404, "List not found")
	m.call("POST", people, `{"profiles":["x"],"list_id":"`+first+`"}`).fails(404, "List not found")
	other.call("POST", people, `{"profiles":["x"],"list_id":"`+list+`"}`).fails(403, watchpost.TextAccessDenied)
	other.call("POST", companies, `{"companies":["x"],"list_id":"`+list+`"}`).fails(403, watchpost.TextAccessDenied)

	m.call("POST", people, `{"profiles":`+quoted("p", 198)+`,"list_id":"`+list+`"}`).fails(402, "Your plan includes up to 200 tracked profiles per watchlist.")
	require.Equal(t, 200.0, read[fields](m.call("POST", people, `{"profiles":`+quoted("p", 197)+`,"list_id":"`+list+`"}`), 200)["profiles_count"])

	t.Run("the last follower takes it along", func(t *testing.T) {
		for _, w := range read[fields](m.call("GET", people, ""), 200)["watchlists"].([]any) {
			require.Equal(t, 200, m.call("POST", people, `{"profiles":["jane"],"list_id":"`+list+`","name":"again"}`).status)
			require.Equal(t, 200, m.call("DELETE", people+"?id="+w.(fields)["id"].(string), "").status)
		}
		for _, w := range read[fields](m.call("GET", people, ""), 200)["watchlists"].([]any) {
			require.Equal(t, 200, m.call("DELETE", people+"?id="+w.(fields)["id"].(string), "").status)
		}
		m.call("POST", people, `{"profiles":["jane"],"list_id":"`+list+`"}`).fails(404, "List not found")
		other.call("POST", people, `{"profiles":["jane"],"list_id":"`+list+`"}`).fails(404, "List not found")
	})
}

// Team isolation, as for watchlists of keywords.
func TestListWatchlistsOfOtherTeams(t *testing.T) {
	t.Parallel()
	h := build(t)
	owner, stranger := h.team("Owner", "growth"), h.team("Stranger", "growth")
	for path, body := range map[string]string{people: `{"profiles":["x"]}`, companies: `{"companies":["x"]}`, forums: `{"keywords":["x"]}`} {
		id := read[fields](owner.call("POST", path, body), 200)["id"].(string)
		stranger.call("GET", path+"?id="+id, "").fails(403, watchpost.TextAccessDenied)
		stranger.call("PUT", path, `{"id":"`+id+`","name":"mine"}`).fails(403, watchpost.TextAccessDenied)
		stranger.call("DELETE", path+"?id="+id, "").fails(403, watchpost.TextAccessDenied)
		stranger.call("GET", path+"?id="+unknownID, "").fails(404, "Watchlist not found")
		stranger.call("DELETE", path, `{"id":"nonsense"}`).fails(404, "Watchlist not found")
		require.Equal(t, 0.0, read[fields](stranger.call("GET", path, ""), 200)["count"])
	}
}
