package httpapi_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const aPrompt = "Posts about Kubernetes security in Germany, not job ads"

func TestPrompt(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/api-keyword-watchlist", "/api-forum-watchlist"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			h := build(t)
			m := h.team("Forum", "growth")
			made := read[fields](m.call("POST", path, `{"prompt":"`+aPrompt+`","fetchFreqInHours":6,"objective":" teams that switch ","description":"Ours"}`), 200)
			require.Equal(t, aPrompt, made["prompt"])
			require.Equal(t, "Watchlist created.", made["message"])
			require.Equal(t, true, made["created"])
			require.NotEmpty(t, made["keywords"])
			require.NotContains(t, made, "results")
			require.Equal(t, "rules", made["interpreter"])
			id := made["id"].(string)
			shown := read[fields](m.call("GET", path+"?id="+id, ""), 200)
			require.Equal(t, aPrompt, shown["prompt"])
			require.EqualValues(t, 6, shown["fetchFreqInHours"])
			require.Equal(t, []any{"teams that switch", "Ours"}, []any{shown["objective"], shown["description"]}, "in place of those of the prompt")

			const other = "Posts about battery storage projects in Spain, except job ads"
			changed := read[fields](m.call("PUT", path, `{"id":"`+id+`","prompt":"`+other+`"}`), 200)
			require.Equal(t, fields{
				"id": id, "prompt": other, "keywords": changed["keywords"], "updated": true, "message": "Prompt updated.",
				"interpreter":   "rules",
				"scans_per_day": changed["scans_per_day"], "capacity_per_day": changed["capacity_per_day"], "warnings": changed["warnings"],
			}, changed)
			require.Equal(t, other, read[fields](m.call("GET", path+"?id="+id, ""), 200)["name"], "the name came from the prompt")
			read[fields](m.call("PUT", path, `{"id":"`+id+`","name":"Mine"}`), 200)
			read[fields](m.call("PUT", path, `{"id":"`+id+`","prompt":"`+aPrompt+`"}`), 200)
			require.Equal(t, "Mine", read[fields](m.call("GET", path+"?id="+id, ""), 200)["name"], "a given name stays")
			read[fields](m.call("PUT", path, `{"id":"`+id+`","prompt":"`+other+`"}`), 200)
			require.Contains(t, changed["keywords"], "battery storage")

			m.call("PUT", path, `{"id":"`+id+`","prompt":"`+other+`","name":"x"}`).fails(400, "Pass either prompt or update fields, not both")
			m.call("PUT", path, `{"id":"`+id+`","prompt":"`+other+`","slack_webhook_url":null}`).fails(400, "Pass either prompt or update fields, not both")
			read[fields](m.call("PUT", path, `{"id":"`+id+`","keywords":["given"]}`), 200)
			require.NotContains(t, read[fields](m.call("GET", path+"?id="+id, ""), 200), "prompt", "its keywords were given")

			read[fields](m.call("PUT", path, `{"id":"`+id+`","disable":true}`), 200)
			for _, rest := range []string{`"prompt":"` + other + `"`, `"prompt":"x","disable":false`, `"prompt":""`, `"prompt":7`} {
				m.call("PUT", path, `{"id":"`+id+`",`+rest+`}`).fails(409, "Watchlist is disabled. Re-enable it before updating.")
			}
		})
	}
}

// A stated frequency counts unless the request gives one.
func TestPromptFrequency(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Clock", "ultimate")
	const path = "/api-keyword-watchlist"
	for body, want := range map[string]int{
		`{"prompt":"` + aPrompt + `"}`:                                                         12,
		`{"prompt":"Every hour, posts about kube-hunter in Germany or Austria"}`:               1,
		`{"prompt":"Posts about kube-hunter in Germany, once a week"}`:                         72,
		`{"prompt":"Einmal täglich Beiträge über kube-hunter in Deutschland"}`:                 24,
		`{"prompt":"Posts about kube-hunter in Germany, once a week","fetchFreqInHours":3}`:    3,
		`{"prompt":"Posts about kube-hunter in Germany, every two days","fetchFreqInHours":6}`: 6,
	} {
		made := read[fields](m.call("POST", path, body), 200)
		require.EqualValues(t, want, made["fetchFreqInHours"], body)
		require.NotContains(t, made["keywords"], "week")
	}
	made := read[fields](m.call("POST", path, `{"prompt":"`+aPrompt+`"}`), 200)
	id := made["id"].(string)
	read[fields](m.call("PUT", path, `{"id":"`+id+`","prompt":"Posts about kube-hunter in Germany, twice a day"}`), 200)
	require.EqualValues(t, 12, read[fields](m.call("GET", path+"?id="+id, ""), 200)["fetchFreqInHours"])
	read[fields](m.call("PUT", path, `{"id":"`+id+`","prompt":"Posts about kube-hunter in Germany, every 6 hours"}`), 200)
	require.EqualValues(t, 6, read[fields](m.call("GET", path+"?id="+id, ""), 200)["fetchFreqInHours"])
}

// Prompts are counted by who interpreted them and what became of them.
func TestPromptMetric(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Count", "growth")
	m.call("POST", "/api-keyword-watchlist", `{"prompt":"`+aPrompt+`"}`)
	m.call("POST", "/api-keyword-watchlist", `{"prompt":"kubernetes posts"}`)
	metrics := h.admin("GET", "/metrics", "").raw
	require.Contains(t, metrics, `watchpost_prompts_total{interpreter="rules",outcome="accepted"} 1`)
	require.Contains(t, metrics, `watchpost_prompts_total{interpreter="",outcome="too_short"} 1`)
}

func TestPromptRefused(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Forum", "growth")
	refused := func(body, reason string) fields {
		t.Helper()
		got := read[fields](m.call("POST", "/api-keyword-watchlist", body), 422)
		require.Equal(t, "prompt_not_specific_enough", got["error"])
		require.Equal(t, reason, got["reason"])
		require.NotEmpty(t, got["example"])
		require.Contains(t, got, "missing")
		require.Contains(t, got, "detected")
		return got
	}
	refused(`{"prompt":"https://network.example/in/jane-doe"}`, "bare_profile_link")
	refused(`{"prompt":"https://example.com/some/page"}`, "bare_url")
	refused(`{"prompt":"Posts about [topic] in Germany please and thanks"}`, "placeholder")
	refused(`{"prompt":"kubernetes posts"}`, "too_short")
	refused(`{"prompt":"Everyone who liked or commented on my own posts last week"}`, "own_engagement")
	strict := refused(`{"prompt":"`+aPrompt+`","strict":true}`, "inferred_slots")
	require.NotEmpty(t, strict["missing"])
	require.Contains(t, strict["detected"], "interpretation")
	require.EqualValues(t, 0, read[fields](m.call("GET", "/api-keyword-watchlist", ""), 200)["count"], "nothing is written")
}

// Prompts that clients sent: each becomes a watchlist whose keywords match the request.
func TestPromptsOfClients(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Clients", "ultimate")
	for prompt, want := range map[string]struct {
		keywords  []any
		anyOf     []any // words that each entry asks one of
		objective string
	}{
		"Track mentions of our product Acme and common complaints": {[]any{"Acme"}, []any{"complaint", "complaints"}, "Posts about Acme (complaint)"},
		"I sell payroll software to small manufacturers. Find buying signals": {
			[]any{"payroll"}, []any{"looking for", "recommend"}, "I sell payroll software to small manufacturers",
		},
		"Posts from founders who feel burned out in their second year": {[]any{"burned out"}, []any{"second year"}, "Posts by founders about burned out"},
		"CTOs in Germany who post about Kubernetes security": {
			[]any{"Kubernetes security"}, []any{"Germany", "Deutschland"}, "Posts by CTOs about Kubernetes security",
		},
		"buying intent for CRM tools like HubSpot": {
			[]any{"CRM", "HubSpot"}, []any{"looking for", "recommend"}, "Posts about CRM and HubSpot (buying intent)",
		},
	} {
		made := read[fields](m.call("POST", "/api-keyword-watchlist", `{"prompt":"`+prompt+`"}`), 200)
		require.Equal(t, want.keywords, made["keywords"], prompt)
		require.EqualValues(t, len(want.keywords)*2, made["scans_per_day"], prompt)
		shown := read[fields](m.call("GET", "/api-keyword-watchlist?id="+made["id"].(string), ""), 200)
		require.Equal(t, want.objective, shown["objective"], prompt)
		entries := shown["keyword_tracking"].([]any)
		require.Len(t, entries, len(want.keywords), prompt)
		for _, entry := range entries {
			require.Subset(t, entry.(fields)["required_keywords"], want.anyOf, prompt)
			require.Equal(t, false, entry.(fields)["include_all_required"], prompt)
		}
	}
}
