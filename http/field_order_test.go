package httpapi_test

import (
	"strings"
	"testing"
)

// The error is that of the first of two wrong fields, whether it is absent, of a
// wrong type or out of bounds (specs/clarifications.md, HTTP).
func TestFirstWrongFieldIsTold(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Acme", "ultimate")
	m.join()
	const unknown = `"id":"01930000-0000-7000-8000-000000000000"`
	long := strings.Repeat("x", 2000)
	for _, c := range []struct{ method, path, body, text string }{
		{"POST", "/network-agent/send-message", `{}`, "Missing or invalid 'recipient_urn'"},
		{"POST", "/network-agent/send-message", `{"recipient_urn":"two words"}`, "Missing or invalid 'recipient_urn'"},
		{"POST", "/network-agent/send-message", `{"recipient_urn":"two words","message":7}`, "Missing or invalid 'recipient_urn'"},
		{"POST", "/network-agent/send-message", `{"recipient_urn":"1","message":7}`, "Missing or invalid 'message'"},
		{"POST", "/network-agent/comment-post", `{"social_urn":"no urn","comment_text":" "}`, "Missing or invalid 'social_urn'"},
		{"POST", "/network-agent/comment-post", `{"comment_text":7}`, "Missing or invalid 'social_urn'"},
		{"POST", "/network-agent/send-connection-request", `{"profile_urn":"two words","note":7}`, "Missing or invalid 'profile_urn'"},
		{"POST", "/network-agent/search-profiles", `{"keywords":7,"count":0}`, "Invalid 'keywords'"},
		{"POST", "/network-agent/search-profiles", `{"geo_urn":"x","profile_language":"en"}`, "Invalid 'geo_urn'"},
		{"POST", "/network-agent/search-profiles", `{"count":"many"}`, "At least one search filter is required"},
		{"POST", "/network-agent/fetch-connections", `{"start":-1,"count":"x"}`, "Invalid 'start'"},
		{"POST", "/network-agent/fetch-connections", `{"keyword":7,"start":-1}`, "Invalid 'keyword'"},

		{"POST", "/api-like", `{"actor_type":"robot"}`, "Missing required parameter: post_id"},
		{"POST", "/api-like", `{"post_id":"x","user_email":" ","actor_type":"robot"}`, "Missing required parameter: user_email"},
		{"POST", "/api-like", `{"post_id":"x","user_email":"y","actor_type":"robot","company_title":7}`, "Invalid actor_type. Must be 'user' or 'company'"},
		{"POST", "/api-like", `{"post_id":"x","user_email":"y","actor_type":"company"}`, "company_title is required when actor_type is 'company'"},
		{"POST", "/api-comment", `{"post_id":"x","user_email":"y","comment_text":" ","actor_type":7}`, "comment_text cannot be empty"},
		{"POST", "/api-comment", `{"post_id":"x","user_email":"y","comment_text":"` + long + `","actor_type":"robot"}`, "Invalid 'comment_text': must be 1250 characters or fewer"},
		{"PUT", "/api-posts", `{"bookmark":"x"}`, "Missing required parameter: id"},
		{"POST", "/api-interactions", `{"interaction_type":"wave","page":0}`, "watchlist_id is required and must be a string"},
		{"POST", "/api-interactions", `{"watchlist_id":"x","interaction_type":"wave","page":"x"}`, "Invalid 'interaction_type'"},
		{"POST", "/api-interactions", `{"watchlist_id":"x","page":0,"page_size":"x"}`, "Invalid 'page'"},

		{"POST", "/api-keyword-watchlist", `{"keywords":[],"name":7}`, "keywords array is required and must not be empty"},
		{"POST", "/api-keyword-watchlist", `{"keywords":[" "],"name":7}`, "No valid keywords provided after cleaning"},
		{"POST", "/api-keyword-watchlist", `{"keywords":["a"],"name":"` + long + `","fetchFreqInHours":5}`, "Invalid 'name'"},
		{"PUT", "/api-people-watchlist", `{` + unknown + `,"scan_now":"x"}`, "Invalid 'scan_now'"},
		{"POST", "/api-keyword-watchlist", `{"keywords":["a"],"description":7,"fetchFreqInHours":"x"}`, "Invalid 'description'"},
		{"POST", "/api-keyword-watchlist", `{"keywords":["a"],"labels":"x","fetchFreqInHours":5}`, "Invalid 'labels'"},
		{"POST", "/api-keyword-watchlist", `{"keywords":["a"],"fetchFreqInHours":5,"slack_webhook_url":7}`, "Invalid fetchFreqInHours"},
		{"POST", "/api-forum-watchlist", `{"prompt":" ","fetchFreqInHours":5}`, "prompt is required and must be a non-empty string"},
		{"POST", "/api-forum-watchlist", `{"prompt":"x","name":7,"fetchFreqInHours":5}`, "Invalid 'name'"},
		{"POST", "/api-people-watchlist", `{"profiles":["two words"],"fetchFreqInHours":"x"}`, "No valid profile identifiers provided"},
		{"POST", "/api-people-watchlist", `{"profiles":["a"],"fetchFreqInHours":5,"list_id":7}`, "Invalid fetchFreqInHours"},
		{"POST", "/api-company-watchlist", `{"companies":[],"name":7}`, "companies array is required and must not be empty"},
		{"PUT", "/api-keyword-watchlist", `{"fetchFreqInHours":5,"disable":"x"}`, "Missing required parameter: id"},
		{"PUT", "/api-keyword-watchlist", `{` + unknown + `,"name":" ","fetchFreqInHours":"x"}`, "Name cannot be empty"},
		{"PUT", "/api-keyword-watchlist", `{` + unknown + `,"fetchFreqInHours":5,"disable":"x"}`, "Invalid fetchFreqInHours"},
		{"PUT", "/api-keyword-watchlist", `{` + unknown + `,"disable":"x","keywords":[]}`, "disable must be a boolean value"},
		{"PUT", "/api-keyword-watchlist", `{` + unknown + `,"keywords":[" "],"labels":7}`, "No valid keywords provided after cleaning"},
		{"PUT", "/api-people-watchlist", `{` + unknown + `,"name":7,"disable":"x"}`, "Invalid 'name'"},
		{"GET", "/api-posts?sort_by=odd&page=0", "", "Invalid 'page'"},
		{"GET", "/api-posts?lang=xx&is_saved=perhaps", "", "Invalid 'is_saved'"},
		{"GET", "/api-interactions?interaction_type=wave", "", "watchlist_id is required and must be a string"},

		{"POST", "/network-agent/auth-send-otp", `{"email":"x","full_name":7}`, "Missing or invalid 'email'"},
		{"POST", "/network-agent/auth-verify-otp", `{"email":"x","otp":7}`, "Missing or invalid 'email'"},
	} {
		m.call(c.method, c.path, c.body).fails(400, c.text)
	}
	h.admin("POST", "/admin/teams", `{"email":"x","full_name":7,"plan":"gold"}`).fails(400, "Missing or invalid 'email'")
	h.admin("POST", "/admin/teams", `{"email":"x@y.example","full_name":"`+long+`","name":7}`).fails(400, "Invalid 'full_name'")
	h.admin("POST", "/admin/teams", `{"email":"x@y.example","name":7}`).fails(400, "Invalid 'name'")
	h.admin("POST", "/admin/teams/"+m.id+"/members", `{"email":7,"role":"king"}`).fails(400, "Missing or invalid 'email'")
}
