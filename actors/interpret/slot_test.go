package interpret_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors/interpret"
)

// told writes slots as the table has them; a guess has a question mark.
func told(slots []interpret.Slot) string {
	var lines []string
	for _, s := range slots {
		if s.Name == interpret.SlotKeywords || s.Name == interpret.SlotRequired {
			if s.Source == interpret.Inferred {
				lines = append(lines, s.Name+"?")
			}
			continue
		}
		line := s.Name + "=" + strings.Join(s.Values, "|")
		if s.Source == interpret.Inferred {
			line += "?"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

func TestSlots(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ prompt, want string }{
		{"Posts about Kubernetes security in Germany, not internships", "subject=Kubernetes security; exclusions=internships|internship; location=Germany"},
		{"Posts about Kubernetes security in Germany, not job ads", "subject=Kubernetes security; exclusions=job ads|job ad|hiring|vacancy|job opening?; location=Germany"},
		{"Posts by founders looking for a CTO in Berlin", "subject=CTO; location=Berlin; role=founders; seniority=Founder; objective=Posts by founders looking for CTO"},
		{"Senior data engineers complaining about dbt, but not consultants", "subject=dbt; keywords?; exclusions=consultants|consultant; role=senior data engineers; seniority=Senior; objective=Posts by senior data engineers complaining about dbt"},
		{"Posts in German about heat pumps or solar panels", "subject=heat pumps and solar panels; language=de"},
		{"French-language posts about heat pumps or solar panels", "subject=heat pumps and solar panels; language=fr"},
		{"I'm looking for posts about supply chain visibility in DACH", "subject=supply chain visibility; location=DACH?"},
		{"Posts about solar panels near Ouagadougou by installers", "subject=solar panels; location=Ouagadougou?; role=installers; objective=Posts by installers about solar panels"},
		{"Find posts about heat pumps or solar panels near me", "subject=heat pumps and solar panels; location=?"},
		{"Find CEOs of SaaS companies who talk about churn or retention", "subject=churn and retention; role=CEOs of SaaS companies; seniority=C-Level; objective=Posts by CEOs of SaaS companies about churn and retention"},
		{"Posts about AI and education in Africa, but not ChatGPT", "subject=AI and education; keywords?; exclusions=ChatGPT; location=Africa"},
		{"Posts about either AI or education in Africa, but not ChatGPT", "subject=AI and education; exclusions=ChatGPT; location=Africa"},
		{"We sell payroll software. Find small business owners asking for help with payroll in Ireland.", "subject=payroll; location=Ireland; role=small business owners; seniority=Founder; objective=We sell payroll software"},
		{"Find HR directors discussing employee burnout so that we can offer our wellness program", "subject=employee burnout; role=HR directors; seniority=Director; objective=So that we can offer our wellness program"},
		{"Show me senior data engineers in Germany please", "subject=senior data engineers?; location=Germany; role=senior data engineers; seniority=Senior; objective=Posts by senior data engineers"},
		{"Posts about Salesforce pricing. Label them as Complaint, Question or Praise", "subject=Salesforce pricing; labels=Complaint|Question|Praise"},
		{"Label them as Complaint, Question and Praise: posts about Salesforce pricing", "subject=Salesforce pricing; labels=Complaint|Question|Praise"},
	} {
		r, err := interpret.Offline{}.Interpret(t.Context(), c.prompt)
		require.NoError(t, err, c.prompt)
		if got := told(r.Slots); got != c.want {
			t.Errorf("%q\ngot  %s\nwant %s", c.prompt, got, c.want)
		}
		holdOrder(t, r)
	}
}

// Slots come in the order of SlotNames.
func holdOrder(t *testing.T, r interpret.Result) {
	t.Helper()
	at := -1
	for _, s := range r.Slots {
		for i, name := range interpret.SlotNames {
			if name == s.Name {
				require.Greater(t, i, at)
				at = i
			}
		}
	}
}

// Examples keep what a refused prompt does say.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ prompt, want string }{
		{"Posts about AI in Germany", "Posts about AI in Germany, without internships"},
		{"kubernetes jobs", "Posts about kubernetes in Germany, without internships"},
		{"Show me all posts by founders in Spain please", "Posts by founders about Kubernetes security in Spain, without internships"},
		{"https://network.com/in/jane-doe", `Posts that mention "Jane Doe", without "hiring" or "vacancy"`},
		{"https://network.com/company/acme-corp", `Posts that mention "Acme Corp", without "hiring" or "vacancy"`},
		{"https://www.acme.com/pricing?x=y", `Posts that mention "acme.com", without "hiring" or "vacancy"`},
		{"Track posts about [topic] from [industry] leaders", "Track posts about Kubernetes security from logistics leaders"},
		{"Posts about [YOUR PRODUCT] by founders in [city]", "Posts about Salesforce by founders in Berlin"},
		{"Like my latest post and comment on it so that it goes viral", "Posts by founders about content marketing, without webinars or giveaways"},
	} {
		r := interpret.Check(c.prompt)
		require.NotNil(t, r, c.prompt)
		require.Equal(t, c.want, r.Example, c.prompt)
	}
	_, err := interpret.Fallback{}.Strict(t.Context(), "Find CTOs complaining about cloud costs in the UK")
	var refused *interpret.Refused
	require.ErrorAs(t, err, &refused)
	require.Equal(t, `Posts that mention "cloud costs" or "cloud cost" and that must mention "frustrated" and "UK"`, refused.Example)
}
