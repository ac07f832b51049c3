package headless_test

import (
	"testing"

	"watchpost/internal/fakenetwork"
	"watchpost/internal/protocol"
)

// TestReads runs every fetch and search and checks the promised parts of its
// output.
func TestReads(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	b := w.browser("ann")
	person := b.Get("/search/people").People[0]
	firm := b.Get("/in/" + person.Slug).Profile.Positions[0]
	w.run()
	c, _ := w.welcomed()
	for id, test := range map[string]struct {
		kind   string
		input  any
		fields []string
	}{
		"profile by address": {"agent_profile_fetch", map[string]string{"profile_slug": "https://www.elsewhere.example/in/" + person.Slug + "/?x=1"},
			[]string{"name", "headline", "profile_url", "experience", "profile_urn", "profile"}},
		"profile by urn": {"agent_profile_fetch", map[string]string{"profile_slug": person.URN}, []string{"name", "skills"}},
		"company": {"agent_company_fetch", map[string]string{"company_slug": firm.CompanySlug},
			[]string{"name", "slug", "company_urn", "industry", "description", "employee_count", "headquarters", "website", "followers", "logo_url", "specialties"}},
		"profiles' posts":  {"agent_profiles_posts_fetch", map[string]any{"profile_urns": []string{person.URN, "1", person.URN[len("urn:network:member:"):]}}, []string{"posts"}},
		"company's posts":  {"agent_company_posts_fetch", map[string]string{"company_slug": "https://n.example/company/" + firm.CompanySlug}, []string{"posts"}},
		"search":           {"agent_profiles_search", map[string]any{"keywords": "engineer", "count": 5}, []string{"profiles", "total"}},
		"search by filter": {"agent_profiles_search", map[string]any{"current_company": []string{firm.CompanyName}, "industry": []string{}}, []string{"profiles", "total"}},
		"connections":      {"agent_connections_fetch", map[string]any{"start": 3, "count": 4, "sort_type": "last_name"}, []string{"connections", "total"}},
	} {
		c.send(task(id, test.kind, test.input))
		c.read(protocol.TypeAccepted)
		result := c.read(protocol.TypeResult)
		if result.Error != nil {
			t.Errorf("%s: %+v", id, result.Error)
		} else {
			out := decode[map[string]any](t, result.Output)
			for _, field := range test.fields {
				v := out[field]
				if list, ok := v.([]any); v == nil || v == "" || ok && len(list) == 0 {
					t.Errorf("%s: %s is %v", id, field, v)
				}
			}
			if list, ok := out["profiles"].([]any); ok && id == "search" && len(list) > 5 {
				t.Errorf("%s: %d profiles", id, len(list))
			}
			if list, ok := out["connections"].([]any); ok && len(list) != 4 {
				t.Errorf("%s: %d connections", id, len(list))
			}
		}
		c.send(ack(id))
	}
	for id, f := range map[string]protocol.Frame{
		"p": task("p", "agent_profile_fetch", map[string]string{"profile_slug": "nobody-at-all"}),
		"c": task("c", "agent_company_fetch", map[string]string{"company_slug": "none"}),
		"s": task("s", "agent_profiles_posts_fetch", map[string]any{"profile_urns": []string{"1", "2"}}),
		"o": task("o", "agent_company_posts_fetch", map[string]string{"company_slug": "none"}),
	} {
		c.send(f)
		c.read(protocol.TypeAccepted)
		wantError(t, c.read(protocol.TypeResult), protocol.CodeNotFound)
		c.send(ack(id))
	}
	for id, f := range map[string]protocol.Frame{
		"e": task("e", "agent_profile_fetch", map[string]string{"profile_slug": " "}),
		"d": task("d", "agent_company_fetch", map[string]string{"company_slug": ".."}),
		"n": task("n", "agent_profiles_posts_fetch", map[string]any{"profile_urns": []string{}}),
		"w": task("w", "agent_profiles_search", map[string]any{"count": "many"}),
	} {
		c.send(f)
		c.read(protocol.TypeAccepted)
		wantError(t, c.read(protocol.TypeResult), protocol.CodeInvalidInput)
		c.send(ack(id))
	}
}
