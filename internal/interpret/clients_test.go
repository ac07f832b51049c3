package interpret_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/interpret"
	"watchpost/watchpost"
)

func understood(t *testing.T, prompt string) interpret.Result {
	t.Helper()
	r, err := interpret.Rules{}.Interpret(t.Context(), interpret.Prompt{Text: prompt})
	require.NoError(t, err, prompt)
	return r
}

// A name after "our product" is a subject, not a statement about the writer.
func TestOwnProductIsASubject(t *testing.T) {
	t.Parallel()
	for prompt, name := range map[string]string{
		"Track mentions of our product Acme and common complaints":          "Acme",
		"Find posts about our company Brightly and complaints of customers": "Brightly",
	} {
		r := understood(t, prompt)
		require.Equal(t, []string{name}, watchpost.KeywordTexts(r.Keywords), prompt)
		require.Contains(t, r.Keywords[0].Required, "complaint", prompt)
		require.True(t, r.Keywords[0].AnyRequired, prompt)
	}
}

// What the writer sells is the subject of a prompt that names only a purpose.
func TestOfferIsASubject(t *testing.T) {
	t.Parallel()
	for prompt, name := range map[string]string{
		"I sell payroll software to small manufacturers. Find buying signals": "payroll",
		"We offer translation services for hospitals. Show me buying intent":  "translation",
	} {
		r := understood(t, prompt)
		require.Equal(t, name, r.Keywords[0].Keyword, prompt)
		require.Contains(t, r.Keywords[0].Required, "looking for", prompt)
		require.Contains(t, r.Inferred(), interpret.SlotSubject, prompt)
	}
}

// A particle belongs to its participle.
func TestParticles(t *testing.T) {
	t.Parallel()
	for prompt, keyword := range map[string]string{
		"Posts from founders who feel burned out in their second year":   "burned out",
		"Find posts by teachers who are burning out in their first year": "burning out",
	} {
		require.Contains(t, watchpost.KeywordTexts(understood(t, prompt).Keywords), keyword, prompt)
	}
}

// Spellings of the place of those who write are alternatives of one entry.
func TestSpellingsOfAPlaceAreOneEntry(t *testing.T) {
	t.Parallel()
	for prompt, keyword := range map[string]string{
		"CTOs in Germany who post about Kubernetes security":        "Kubernetes security",
		"Engineers in Germany who write about Terraform migrations": "Terraform migrations",
	} {
		r := understood(t, prompt)
		require.Len(t, r.Keywords, 1, prompt)
		require.Equal(t, keyword, r.Keywords[0].Keyword, prompt)
		require.Subset(t, r.Keywords[0].Required, []string{"Germany", "Deutschland"}, prompt)
		require.True(t, r.Keywords[0].AnyRequired, prompt)
	}
}

// The subject and the objective have every word of a name and what is said of it: they count
// for the relevance of posts, also where the keyword is the name alone.
func TestObjectiveHasTheWholeSubject(t *testing.T) {
	t.Parallel()
	for prompt, objective := range map[string]string{
		"CTOs in Germany who post about Kubernetes security":          "Posts by CTOs about Kubernetes security",
		"CTOs who post about Kubernetes security":                     "Posts by CTOs about Kubernetes security",
		"Engineers in Germany who write about Terraform migrations":   "Posts by Engineers about Terraform migrations",
		"CTOs who post about Kafka latency, Terraform or Helm charts": "Posts by CTOs about Kafka latency, Terraform and Helm charts",
	} {
		r := understood(t, prompt)
		require.Equal(t, objective, r.Objective, prompt)
		require.Contains(t, r.Objective, r.Subject, prompt)
	}
}

// An intent to buy that a prompt names becomes words of posts, also at its start.
func TestBuyingIntentHasWords(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{
		"buying intent for CRM tools like HubSpot",
		"Buying signals for helpdesk tools such as Zendesk",
	} {
		for _, k := range understood(t, prompt).Keywords {
			require.Contains(t, k.Required, "looking for", prompt)
			require.True(t, k.AnyRequired, prompt)
		}
	}
}

// Each refusal has a question that can be read alone, and no reason is left out.
func TestQuestionReadsAlone(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for prompt, says := range map[string]string{
		"kubernetes posts":                                                    "too short",
		"https://network.example/in/jane-doe":                                 "link to a profile",
		"https://example.com/some/page":                                       "only a link",
		"Posts about [topic] in Germany please and thanks":                    "placeholder",
		"asdf qwer zxcv hjkl uiop vbnm asdf jklj":                             "cannot be read",
		"Everyone who liked or commented on my own posts last week":           "what others write",
		"Please show me some interesting posts from people":                   "no subject",
		"I sell payroll software to small manufacturers. Find buying signals": "Strict mode accepts only what the prompt states; subject",
		"buying intent for CRM tools like HubSpot":                            "Which words exactly should the posts have?",
		"Posts about Kubernetes security in Germany, not job ads":             "Which words exactly should the posts not have?",
	} {
		_, err := interpret.Fallback{}.Strict(t.Context(), interpret.Prompt{Text: prompt})
		var refused *interpret.Refused
		require.ErrorAs(t, err, &refused, prompt)
		require.Contains(t, refused.Question, says, prompt)
		require.Contains(t, refused.Question, "?", prompt)
		seen[refused.Reason] = true
	}
	for _, reason := range interpret.Reasons {
		require.True(t, seen[reason], reason)
	}
}
