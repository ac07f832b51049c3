package interpret_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost"
	"watchpost/internal/interpret"
	"watchpost/internal/text"
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
