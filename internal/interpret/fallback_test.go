package interpret_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/interpret"
	"watchpost/watchpost"
)

var plain = interpret.Prompt{Text: `Posts about "Kubernetes security" in Germany, without "webinar"`}

// model is a provider with scripted answers.
type model struct {
	result interpret.Result
	err    error
	asked  int
}

func (m *model) Interpret(context.Context, interpret.Prompt) (interpret.Result, error) {
	m.asked++
	return m.result, m.err
}

func ofModel(source interpret.Source) interpret.Result {
	return interpret.Result{
		Subject: "from the model", Keywords: []watchpost.KeywordEntry{{Keyword: "kube-hunter"}, {Keyword: "Kubernetes security"}},
		Slots: []interpret.Slot{
			{Name: interpret.SlotSubject, Values: []string{"from the model"}, Source: interpret.Stated},
			{Name: interpret.SlotKeywords, Values: []string{"kube-hunter"}, Source: source},
		},
	}
}

func TestFallbackWithoutProvider(t *testing.T) {
	t.Parallel()
	var f interpret.Fallback
	r, err := f.Interpret(t.Context(), plain)
	require.NoError(t, err)
	require.Equal(t, "Kubernetes security", r.Subject)
	strict, err := f.Strict(t.Context(), plain)
	require.NoError(t, err)
	require.Equal(t, r, strict)
}

func TestFallbackAsksProvider(t *testing.T) {
	t.Parallel()
	m := &model{result: ofModel(interpret.Stated)}
	r, err := interpret.Fallback{Provider: m}.Interpret(t.Context(), plain)
	require.NoError(t, err)
	require.Equal(t, "from the model", r.Subject)
	require.Equal(t, 1, m.asked)
}

func TestRulesServe(t *testing.T) {
	t.Parallel()
	m := &model{err: errors.New("down")}
	var told error
	f := interpret.Fallback{Provider: m, Failed: func(err error) { told = err }}
	r, err := f.Interpret(t.Context(), plain)
	require.NoError(t, err)
	require.Equal(t, "Kubernetes security", r.Subject)
	require.Equal(t, m.err, told)
}

func TestStrictUnavailable(t *testing.T) {
	t.Parallel()
	m := &model{err: errors.New("secret cause")}
	_, err := interpret.Fallback{Provider: m}.Strict(t.Context(), plain)
	var unavailable *interpret.Unavailable
	require.ErrorAs(t, err, &unavailable)
	require.ErrorIs(t, err, m.err)
	body, err := json.Marshal(unavailable)
	require.NoError(t, err)
	require.JSONEq(t, `{"error":"interpretation_unavailable","message":"The prompt could not be interpreted right now. Nothing was created; try again later or send it without strict."}`, string(body))
}

func TestStrictRefusesGuesses(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]interpret.Fallback{
		"rules":    {},
		"provider": {Provider: &model{result: ofModel(interpret.Inferred)}},
	} {
		_, err := f.Strict(t.Context(), interpret.Prompt{Text: vague})
		var refused *interpret.Refused
		require.ErrorAs(t, err, &refused, name)
		require.Equal(t, interpret.InferredSlots, refused.Reason)
		require.Contains(t, refused.Missing, "keywords")
		require.NotNil(t, refused.Detected["interpretation"])
		holdRefused(t, refused)
		_, err = f.Interpret(t.Context(), interpret.Prompt{Text: vague})
		require.NoError(t, err, name)
	}
}

// TestRefusedBeforeAsking: a prompt that Check refuses never reaches a
// provider.
func TestRefusedBeforeAsking(t *testing.T) {
	t.Parallel()
	m := &model{result: ofModel(interpret.Stated)}
	f := interpret.Fallback{Provider: m}
	for reason, prompts := range refusals {
		if reason == "" || reason == interpret.NoSubject {
			continue
		}
		for _, p := range prompts {
			var refused *interpret.Refused
			_, err := f.Interpret(t.Context(), interpret.Prompt{Text: p})
			require.ErrorAs(t, err, &refused, p)
			_, err = f.Strict(t.Context(), interpret.Prompt{Text: p})
			require.ErrorAs(t, err, &refused, p)
			require.Equal(t, reason, refused.Reason)
		}
	}
	require.Zero(t, m.asked)
}

// TestProviderRefuses: a provider can refuse a prompt itself.
func TestProviderRefuses(t *testing.T) {
	t.Parallel()
	refused := &interpret.Refused{Reason: interpret.NoSubject, Example: plain.Text}
	f := interpret.Fallback{Provider: &model{err: refused}, Failed: func(error) { t.Error("a refusal is no failure") }}
	_, err := f.Interpret(t.Context(), plain)
	require.Equal(t, error(refused), err)
	_, err = f.Strict(t.Context(), plain)
	require.Equal(t, error(refused), err)
}

func TestRefusedJSON(t *testing.T) {
	t.Parallel()
	body, err := json.Marshal(interpret.Check("asdf qwer zxcv hjkl uiop asdf jkl sdf"))
	require.NoError(t, err)
	require.JSONEq(t, `{"error":"prompt_not_specific_enough","reason":"gibberish","missing":["subject"],
		"detected":{"unreadable":["asdf","qwer","zxcv","hjkl","uiop","asdf","jkl","sdf"]},
		"example":"Posts about \"Kubernetes security\" in Germany, without \"webinar\"",
		"question":"The prompt cannot be read as words. What should the posts be about, in a sentence?"}`, string(body))
}

// TestVet: results of any interpreter keep the rules. Vet repairs or drops
// entries that break one, and marks the slot.
func TestVet(t *testing.T) {
	t.Parallel()
	entry := func(keyword string, required ...string) watchpost.KeywordEntry {
		return watchpost.KeywordEntry{Keyword: keyword, Required: required}
	}
	const prompt = `Posts about kube-hunter and "container image scanning with Trivy today" at CERN, #cloudnative`
	for name, c := range map[string]struct {
		given   watchpost.KeywordEntry
		want    string
		dropped bool
	}{
		"fine":             {given: entry("kube-hunter", "CERN"), want: "  kube-hunter +'CERN'"},
		"control":          {given: entry("kube\x00hunter"), want: "  kube hunter"},
		"long":             {given: entry(strings101 + strings101), want: "  " + strings101[:100]},
		"many words":       {given: entry("one two three four five"), want: "  one two three four"},
		"quoted":           {given: entry("container image scanning with Trivy today"), want: "  container image scanning with Trivy today"},
		"name":             {given: entry("Acme Corp Of The West"), want: "  Acme Corp Of The West"},
		"many required":    {given: entry("kube-hunter", "a", "b", "Germany", "c"), want: "  kube-hunter +'a' +'b' +'Germany'"},
		"both":             {given: watchpost.KeywordEntry{Keyword: "kube-hunter", Excluded: []string{"kube-hunter", "x"}}, want: "  kube-hunter -'x'"},
		"generic":          {given: entry("posts"), dropped: true},
		"generic phrase":   {given: entry("new company"), dropped: true},
		"generic, demands": {given: entry("companies", "CERN"), want: "  companies +'CERN'"},
		"blank":            {given: entry("  "), dropped: true},
	} {
		r := ofModel(interpret.Stated)
		r.Keywords = []watchpost.KeywordEntry{c.given, entry("zeta")}
		got, err := interpret.Vet(r, prompt)
		require.NoError(t, err, name)
		lines := strings.Split(written(got.Keywords), "\n")
		if c.dropped {
			require.Equal(t, "  zeta", lines[0], name)
		} else {
			require.Equal(t, c.want, lines[0], name)
		}
		require.Contains(t, written(got.Keywords), "#cloudnative", "what is quoted or a hashtag lands somewhere")
		require.Contains(t, got.Inferred(), interpret.SlotKeywords, name)
	}
	r := ofModel(interpret.Stated)
	timed, err := interpret.Vet(r, prompt+", twice a day")
	require.NoError(t, err)
	require.Equal(t, 12, timed.Hours, "a stated frequency that the model left out")
	r.Keywords = []watchpost.KeywordEntry{entry("Zscaler")}
	for prompt, inferred := range map[string]bool{"Posts about outages of Zscaler or Netskope": true, "Posts about outages of Zscaler from CTOs": false} {
		lost, err := interpret.Vet(r, prompt)
		require.NoError(t, err)
		require.Equal(t, inferred, slices.Contains(lost.Inferred(), interpret.SlotKeywords), "a name is in no entry: %s", prompt)
	}
	r.Keywords = []watchpost.KeywordEntry{entry("posts")}
	_, err = interpret.Vet(r, prompt)
	require.Error(t, err)
	r = ofModel(interpret.Stated)
	r.Subject = " "
	_, err = interpret.Vet(r, prompt)
	require.Error(t, err)
}

const vague = "I want to know about anyone complaining about Notion"

var strings101 = strings.Repeat("x", 101)
