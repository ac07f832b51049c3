package interpret_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/interpret"
	"watchpost/internal/text"
	"watchpost/watchpost"
)

// TestNamedTwice: for a prompt that names a thing twice, in other words, with
// more conditions or with an end that does not fit, no entry covers another.
func TestNamedTwice(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{
		"Posts about Kubernetes security in Germany, Kubernetes security and kubernetes in Germany, not job ads",
		"Track posts mentioning Rust, rust and RUST programming language by developers",
		"Posts about solar energy, solar power, Solar Energy and solar energy in Spain",
		"Posts about Kubernetes for #golang" + strings.Repeat("x", 130) + " in Germany",
		"Posts about Kubernetes, #golang" + strings.Repeat("x", 130) + " and #golang" + strings.Repeat("x", 131),
	} {
		result, err := interpret.Rules{}.Interpret(context.Background(), interpret.Prompt{Text: prompt})
		require.NoError(t, err)
		require.Equal(t, watchpost.DistinctRules(result.Keywords), result.Keywords, prompt)
		seen := map[string]bool{}
		for _, k := range result.Keywords {
			if len(k.Required) == 0 {
				require.False(t, seen[text.NormalizeName(k.Keyword)], "%s: %q twice", prompt, k.Keyword)
				seen[text.NormalizeName(k.Keyword)] = true
			}
		}
	}
	rust, err := interpret.Rules{}.Interpret(context.Background(), interpret.Prompt{Text: "Track posts mentioning Rust, rust and RUST programming language by developers"})
	require.NoError(t, err)
	require.Equal(t, []string{"Rust"}, watchpost.KeywordTexts(rust.Keywords))
}

// TestOneForm: keywords that differ in number, inflection or hyphens find the
// same posts, so results of any interpreter have one of them.
func TestOneForm(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"Posts about golang developers and golangs in Spain":          "golang",
		"Posts about heat pumps, a heat pump or heat-pump installers": "heat pumps, heat-pump installers",
		"Beiträge über Verspätungen und jede Verspätung bei Kunden":   "Verspätungen",
		"बेंगलुरु में इलेक्ट्रिक स्कूटर के बारे में पोस्ट दिखाओ":       "इलेक्ट्रिक स्कूटर",
		"منشورات عن الطاقة الشمسية في مصر بدون إعلانات":                "الطاقة الشمسية",
		"Publicações sobre energia eólica e energias eólicas no Porto": "energia eólica",
	} {
		require.Equal(t, want, strings.Join(watchpost.KeywordTexts(rules(t, prompt).Keywords), ", "))
	}
	r := ofModel(interpret.Stated)
	r.Keywords = nil
	for _, k := range []string{"heat pump", "heat pumps", "Heat-pump", "open source", "open-source", "opensource", "heat pump rebate"} {
		r.Keywords = append(r.Keywords, watchpost.KeywordEntry{Keyword: k, Required: []string{"Germany"}})
	}
	vetted, err := interpret.Vet(r, "Posts about heat pumps in Germany")
	require.NoError(t, err)
	require.Equal(t, []string{"heat pump", "open source", "heat pump rebate"}, watchpost.KeywordTexts(vetted.Keywords))
	quoted, err := interpret.Vet(r, `Posts about "heat pump" or "heat pumps" in Germany`)
	require.NoError(t, err)
	require.Contains(t, watchpost.KeywordTexts(quoted.Keywords), "heat pumps", "quotes ask for both forms")
}

// TestQuotedWithSpace: a long quoted phrase with a space after its quote keeps
// its words when the result is vetted again.
func TestQuotedWithSpace(t *testing.T) {
	t.Parallel()
	hold(t, "A \" AAAA AA , from 孢\" "+strings.Repeat("x", 130)+" ")
}
