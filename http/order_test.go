package httpapi_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

// refusal is a request that can be refused with 400 and with 403: invalid is
// its text for a malformed request, which names another team's thing as well.
type refusal struct {
	operation string // METHOD path
	request   string // query or body that is malformed and foreign
	invalid   string
	foreign   string // query or body that is foreign only
}

// refusalsOf lists the requests of a team for a watchlist and a list of another
// team.
func refusalsOf(watchlist, list string) []refusal {
	const noFields, badName, noID = "No valid update fields provided", "Name cannot be empty", "Missing required parameter: id"
	long := strings.Repeat("x", 4001)
	all := []refusal{
		{"GET /api-posts", "?watchlist_id=" + watchlist + "," + unknownID, "Invalid watchlist ID(s)", "?watchlist_id=" + watchlist},
		{"GET /api-posts", "?watchlist_id=nonsense," + watchlist, "Invalid watchlist ID(s)", ""},
		{"GET /api-posts", "?watchlist_id=" + watchlist + "&page=0", "Invalid 'page'", ""},
		{"GET /api-posts", "?watchlist_id=" + watchlist + "&people_slug=a%2Fb%2Fc", "Invalid 'people_slug'", ""},
		{"GET /api-leads", "?watchlist_id=" + watchlist + "," + unknownID, "Invalid watchlist ID(s)", "?watchlist_id=" + watchlist},
		{"GET /api-coverage", "?watchlist_id=" + watchlist + "," + unknownID, "Invalid watchlist ID(s)", "?watchlist_id=" + watchlist},
		{"GET /api-trends", "?watchlist_id=" + watchlist + "," + unknownID, "Invalid watchlist ID(s)", "?watchlist_id=" + watchlist},
		{"GET /api-leads/export", "?watchlist_id=" + watchlist + "," + unknownID, "Invalid watchlist ID(s)", "?watchlist_id=" + watchlist},
		{"GET /api-posts/export", "?watchlist_id=" + watchlist + "," + unknownID, "Invalid watchlist ID(s)", "?watchlist_id=" + watchlist},
		{"GET /api-changes", "?watchlist_id=" + watchlist + "," + unknownID, "Invalid watchlist ID(s)", "?watchlist_id=" + watchlist},
		{"GET /api-interactions/export", "?watchlist_id=" + watchlist + "&interaction_type=x", "Invalid 'interaction_type'", "?watchlist_id=" + watchlist},
		{"GET /api-interactions", "?watchlist_id=" + watchlist + "&interaction_type=x", "Invalid 'interaction_type'", "?watchlist_id=" + watchlist},
		{"GET /api-interactions", "?page_size=x&watchlist_id=" + watchlist, "Invalid 'page_size'", ""},
		{"POST /api-interactions", `{"watchlist_id":"` + watchlist + `","interaction_type":"x"}`, "Invalid 'interaction_type'", `{"watchlist_id":"` + watchlist + `"}`},
		{"POST /api-interactions", `{"watchlist_id":"` + watchlist + `","page":0}`, "Invalid 'page'", ""},
		{"POST /api-people-watchlist", `{"profiles":["a"],"list_id":"` + list + `","fetchFreqInHours":5}`, "Invalid fetchFreqInHours", `{"profiles":["a"],"list_id":"` + list + `"}`},
		{"POST /api-people-watchlist", `{"profiles":[7],"list_id":"` + list + `"}`, "No valid profile identifiers provided", ""},
		{"POST /api-company-watchlist", `{"companies":["a"],"list_id":"` + list + `","labels":7}`, "Invalid 'labels'", `{"companies":["a"],"list_id":"` + list + `"}`},
		{"POST /api-company-watchlist", `{"list_id":"` + list + `"}`, "companies array is required and must not be empty", ""},
	}
	for _, path := range []string{"/api-engagement-rules", "/api-engagement-rules/dry-run"} {
		all = append(all,
			refusal{"POST " + path, `{"watchlist_id":"` + watchlist + `","action":"wave"}`, "Invalid 'action'", `{"watchlist_id":"` + watchlist + `","action":"like"}`},
			refusal{"POST " + path, `{"action":"like"}`, "Missing required parameter: watchlist_id", ""},
		)
	}
	all = append(all, refusal{"POST /api-notifications", `{"watchlist_id":"` + watchlist + `","type":"pigeon"}`, "Invalid 'type'",
		`{"watchlist_id":"` + watchlist + `","type":"slack","url":"https://hooks.example/x"}`})
	for _, family := range []string{"keyword", "forum", "people", "company"} {
		path := "/api-" + family + "-watchlist"
		all = append(all,
			refusal{"GET " + path, "?id=" + watchlist + "&id=" + watchlist, "Invalid 'id'", "?id=" + watchlist},
			refusal{"PUT " + path, `{"id":"` + watchlist + `"}`, noFields, `{"id":"` + watchlist + `","name":"x"}`},
			refusal{"PUT " + path, `{"id":"` + watchlist + `","name":" "}`, badName, ""},
			refusal{"DELETE " + path, "?id=" + watchlist + "&id=" + watchlist, "Invalid 'id'", "?id=" + watchlist},
			refusal{"DELETE " + path, `{"id":""}`, noID, `{"id":"` + watchlist + `"}`},
		)
	}
	for _, family := range []string{"keyword", "forum"} {
		for _, path := range []string{"/api-" + family + "-watchlist", "/api-" + family + "-watchlist-prompt"} {
			all = append(all,
				refusal{"PUT " + path, `{"id":"` + watchlist + `","prompt":"x","keywords":["a"]}`, "Pass either prompt or update fields, not both", `{"id":"` + watchlist + `","prompt":"x"}`},
				refusal{"PUT " + path, `{"id":"` + watchlist + `","prompt":" "}`, "prompt is required and must be a non-empty string", ""},
				refusal{"PUT " + path, `{"id":"` + watchlist + `","prompt":"` + long + `"}`, "Invalid 'prompt'", ""},
				refusal{"PUT " + path, `{"id":"","prompt":"posts in which people look for a database"}`, noID, ""},
			)
		}
	}
	return all
}

// behindExtension are malformed requests to the endpoints that require an
// extension, except those of agentTasks.
var behindExtension = []refusal{
	{operation: "POST /api-like", request: `{}`, invalid: "Missing required parameter: post_id"},
	{operation: "POST /api-like", request: `{"post_id":"nonsense"}`, invalid: "Missing required parameter: user_email"},
	{operation: "POST /api-comment", request: `{"post_id":"nonsense","user_email":"x"}`, invalid: "Missing required parameter: comment_text"},
	{operation: "GET /network-agent/get-task-status", request: "?api_agent_task_id=", invalid: "Missing or invalid 'api_agent_task_id'"},
}

// send sends a request whose fields are a query or a body.
func (m team) send(operation, request string, headers ...string) reply {
	m.t.Helper()
	method, path, _ := strings.Cut(operation, " ")
	if strings.HasPrefix(request, "?") {
		return m.call(method, path+request, "", headers...)
	}
	return m.call(method, path, request, headers...)
}

// A malformed request is 400 even if it names another team's thing; a missing
// extension comes before both. Every operation of a team that documents
// both has its rows here.
func TestOrderOf400And403(t *testing.T) {
	t.Parallel()
	h := build(t)
	m, other := h.team("Askers", "expert"), h.team("Others", "expert")
	list := func(path, body string) (watchlist, list string) {
		watchlist = read[fields](other.call("POST", path, body), 200)["id"].(string)
		shown := read[fields](other.call("GET", path+"?id="+watchlist, ""), 200)
		return watchlist, shown["lists"].([]any)[0].(fields)["id"].(string)
	}
	theirs, theirList := list("/api-people-watchlist", `{"profiles":["a"]}`)
	covered := map[string]bool{}
	for _, r := range refusalsOf(theirs, theirList) {
		covered[r.operation] = true
		m.send(r.operation, r.request).fails(400, r.invalid)
		if r.foreign != "" {
			m.send(r.operation, r.foreign).fails(403, watchpost.TextAccessDenied)
		}
	}
	m.send("POST /api-people-watchlist", `{"profiles":["a"],"list_id":"`+theirList+`"}`, "Idempotency-Key", "a b").
		fails(400, "Invalid 'Idempotency-Key'")
	behind := slices.Clone(behindExtension)
	for _, task := range agentTasks {
		for _, refused := range task.refused {
			behind = append(behind, refusal{operation: "POST /network-agent/" + task.path, request: refused[0], invalid: refused[1]})
		}
	}
	for _, r := range behind {
		covered[r.operation] = true
		m.send(r.operation, r.request, "Idempotency-Key", "a b").fails(403, watchpost.TextExtensionRequired)
	}
	m.join()
	for _, r := range behind {
		m.send(r.operation, r.request).fails(400, r.invalid)
	}
	require.Empty(t, slices.DeleteFunc(teamOperations(t, "400", "403"), func(o string) bool { return covered[o] }))
}

// teamOperations lists the operations that take a team's key and document all
// these statuses, with another text than those of keys with scopes.
func teamOperations(t *testing.T, statuses ...string) (operations []string) {
	missing := func(o *openapi3.Operation, status string) bool {
		response := o.Responses.Value(status)
		if response == nil {
			return true
		}
		for _, example := range response.Value.Content.Get("application/json").Examples {
			text := example.Value.Value.(map[string]any)["error"].(string)
			if !strings.HasPrefix(text, "This key may not ") {
				return false
			}
		}
		return true
	}
	for path, item := range document(t).Paths.Map() {
		for method, o := range item.Operations() {
			byKey := slices.ContainsFunc(*o.Security, func(r openapi3.SecurityRequirement) bool { return r["ApiKeyAuth"] != nil })
			if byKey && !slices.ContainsFunc(statuses, func(s string) bool { return missing(o, s) }) {
				operations = append(operations, method+" "+path)
			}
		}
	}
	slices.Sort(operations)
	return operations
}
