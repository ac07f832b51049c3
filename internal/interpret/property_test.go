package interpret_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/internal/interpret"
	"watchpost/watchpost"
)

// pieces are the parts of random prompts: all words that affect the rules, and
// difficult input.
var pieces = strings.Fields(`posts about on by from people founders CTOs hiring for looking_for data_engineers Go Kubernetes k8s AI and or , . ; : ! ? ( ) [ ] < > { } " ' “ ” ' # ##
	#golang "open_source" "" " not no without except excluding but_not must_mention also_mention both together_with in_Germany in_the_US near_me outside_the_UK in_DACH
	in_German in_French senior remote jobs roles who_are that which complaining_about switching_from to with of the a my our product competitors so_that we_can I_sell
	label_them_as https://x.example/in/jane https://acme.com www.x.y urn:li:member:1 asdf qwerty 12345 [topic] {{x}} <name> like my_post get_more_likes C++ C# .NET R&D CI/CD
	é 字字字 ß İ ẞ ﬁ \u0301 \u200b \n \n\n - -x --- … – & / @me $ 100% such_as e.g. including instead_of only AND OR NOT it them IT US us Acme's vendors' Series_A
	looking_for_work open_to_work as nurses use measure hollow impact_of experts' S s ss es ies VPs LLMs`)

func prompts() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.Map(rapid.SampledFrom(pieces), func(s string) string {
			return strings.NewReplacer("_", " ", `\n`, "\n", `\u0301`, "\u0301", `\u200b`, "\u200b").Replace(s)
		}),
		rapid.StringN(0, 8, 20),
		rapid.Just(strings.Repeat("x", 130)),
	)
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		for _, p := range rapid.SliceOfN(piece, 0, 40).Draw(t, "pieces") {
			b.WriteString(p)
			b.WriteString(rapid.SampledFrom([]string{" ", " ", " ", " ", "", ", "}).Draw(t, "space"))
		}
		return b.String()
	})
}

// hold checks the properties of every prompt.
func hold(t require.TestingT, text string) {
	prompt := interpret.Prompt{Text: text}
	r, err := interpret.Rules{}.Interpret(context.Background(), prompt)
	again, errAgain := interpret.Rules{}.Interpret(context.Background(), prompt)
	require.Equal(t, r, again)
	require.Equal(t, err, errAgain)
	refused := interpret.Check(text)
	if refused != nil {
		require.Equal(t, error(refused), err, "Interpret refuses what Check refuses")
	}
	if err != nil {
		require.True(t, errors.As(err, &refused), "%v", err)
		holdRefused(t, refused)
		return
	}
	vetted, err := interpret.Vet(r, text)
	require.NoError(t, err, "%+v", r)
	require.Equal(t, r.Keywords, vetted.Keywords)
	kept, results, err := watchpost.CleanKeywords(r.Keywords)
	require.NoError(t, err)
	require.Equal(t, r.Keywords, kept)
	require.Len(t, results, len(kept))
	require.LessOrEqual(t, len(kept), 12)
	require.Equal(t, kept, watchpost.DistinctRules(kept))
	labels, err := watchpost.CleanLabels(r.Labels)
	require.NoError(t, err)
	require.Len(t, labels, len(r.Labels))
	if guessed := interpret.CheckInferred(r, text); guessed != nil {
		require.Equal(t, r.Inferred(), guessed.Missing)
		require.Contains(t, guessed.Detected, "interpretation")
		holdRefused(t, guessed)
	}
}

// holdRefused checks the properties of every refusal. Its example must be
// accepted, even in strict mode.
func holdRefused(t require.TestingT, r *interpret.Refused) {
	require.True(t, slices.Contains(interpret.Reasons, r.Reason))
	require.Nil(t, interpret.Check(r.Example), r.Example)
	_, err := interpret.Fallback{}.Strict(context.Background(), interpret.Prompt{Text: r.Example})
	require.NoError(t, err, r.Example)
	body, err := json.Marshal(r)
	require.NoError(t, err)
	var fields map[string]any
	require.NoError(t, json.Unmarshal(body, &fields))
	require.Equal(t, "prompt_not_specific_enough", fields["error"])
	for _, name := range []string{"reason", "missing", "detected", "example"} {
		require.NotNil(t, fields[name], name)
	}
}

// long is set for the long forms of tests.
var long = os.Getenv("WATCHPOST_LONG") != ""

func TestEveryPrompt(t *testing.T) {
	t.Parallel()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		if n++; long || n <= 25 {
			hold(t, prompts().Draw(t, "prompt"))
		}
	})
}

func FuzzPrompt(f *testing.F) {
	f.Add("(AI OR ML) AND (healthcare OR NOT (hospital AND \"phase 3\")) -hiring")
	for _, family := range refusals {
		for i, p := range family {
			if long || i%8 == 0 { // TestRefusals has them all
				f.Add(p)
			}
		}
	}
	// A run of signs before a link once took quadratic time.
	f.Add("Posts about remote" + strings.Repeat("-", 2200) + " https://a.example work, excluding crypto and NFTs")
	// The quoted phrase was shortened on the second vetting only.
	f.Add("B~`AAAA㷵 \x00, ो about Ⅴ` excluding crypto ")
	// The mark that turns the direction of text came into a keyword, which a watchlist refuses.
	name := strings.Repeat("x", 130)
	f.Add(name + " k8s \"\u093f\u202e, ” b #A a " + name + "? hair & " + name)
	f.Fuzz(func(t *testing.T, prompt string) { hold(t, prompt) })
}

// TestLongPrompts: a prompt as long as a request body is handled in reasonable
// time.
func TestLongPrompts(t *testing.T) {
	t.Parallel()
	for i, piece := range []string{"\"", "Kubernetes, ", "'a ", "not in Germany or ", "a", "[", "(", "{{", "posts about ", "https://", "like my ", "\n", "字", "<", "#x ", "hiring and "} {
		if prompt := strings.Repeat(piece, (1<<20)/len(piece)); long {
			hold(t, prompt)
		} else if i < 4 {
			_, _ = interpret.Rules{}.Interpret(t.Context(), interpret.Prompt{Text: prompt})
		}
	}
}
