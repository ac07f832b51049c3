package interpret_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost"
	"watchpost/actors/interpret"
)

const plain = "Posts about Kubernetes security in Germany, without webinars"

// model is a provider that answers what it is told to.
type model struct {
	result interpret.Result
	err    error
	asked  int
}

func (m *model) Interpret(context.Context, string) (interpret.Result, error) {
	m.asked++
	return m.result, m.err
}

func ofModel(source interpret.Source) interpret.Result {
	return interpret.Result{
		Subject: "from the model", Keywords: []watchpost.KeywordEntry{{Keyword: "from the model"}},
		Slots: []interpret.Slot{
			{Name: interpret.SlotSubject, Values: []string{"from the model"}, Source: interpret.Stated},
			{Name: interpret.SlotKeywords, Values: []string{"from the model"}, Source: source},
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

func TestFallbackServesOffline(t *testing.T) {
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
	require.JSONEq(t, `{"error":"interpretation_unavailable","message":"`+interpret.UnavailableMessage+`"}`, string(body))
}

func TestStrictRefusesGuesses(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]interpret.Fallback{
		"offline":  {},
		"provider": {Provider: &model{result: ofModel(interpret.Inferred)}},
	} {
		_, err := f.Strict(t.Context(), "Find engineers complaining about Datadog in Germany")
		var refused *interpret.Refused
		require.ErrorAs(t, err, &refused, name)
		require.Equal(t, interpret.InferredSlots, refused.Reason)
		require.Equal(t, []string{"keywords"}, refused.Missing)
		require.NotNil(t, refused.Detected["interpretation"])
		holdRefused(t, refused)
		_, err = f.Interpret(t.Context(), "Find engineers complaining about Datadog in Germany")
		require.NoError(t, err, name)
	}
}

// What is refused offline never reaches a provider.
func TestRefusedBeforeAsking(t *testing.T) {
	t.Parallel()
	m := &model{result: ofModel(interpret.Stated)}
	f := interpret.Fallback{Provider: m}
	for reason, prompts := range refusals {
		if reason == "" {
			continue
		}
		for _, p := range prompts {
			var refused *interpret.Refused
			_, err := f.Interpret(t.Context(), p)
			require.ErrorAs(t, err, &refused, p)
			_, err = f.Strict(t.Context(), p)
			require.ErrorAs(t, err, &refused, p)
			require.Equal(t, reason, refused.Reason)
		}
	}
	require.Zero(t, m.asked)
}

// A provider may say itself that a prompt does not say enough.
func TestProviderRefuses(t *testing.T) {
	t.Parallel()
	refused := &interpret.Refused{Reason: interpret.NoSubject, Example: plain}
	f := interpret.Fallback{Provider: &model{err: refused}, Failed: func(error) { t.Error("a refusal is no failure") }}
	_, err := f.Interpret(t.Context(), plain)
	require.Equal(t, error(refused), err)
	_, err = f.Strict(t.Context(), plain)
	require.Equal(t, error(refused), err)
}

func TestRefusedJSON(t *testing.T) {
	t.Parallel()
	body, err := json.Marshal(&interpret.Refused{Reason: interpret.Gibberish, Example: "x"})
	require.NoError(t, err)
	require.JSONEq(t, `{"error":"prompt_not_specific_enough","reason":"gibberish","missing":[],"detected":{},"example":"x"}`, string(body))
	body, err = json.Marshal(&interpret.Refused{Reason: interpret.NoSubject, Missing: []string{"subject"}, Example: "x", Question: "y"})
	require.NoError(t, err)
	require.JSONEq(t, `{"error":"prompt_not_specific_enough","reason":"no_subject","missing":["subject"],"detected":{},"example":"x","question":"y"}`, string(body))
}

func TestVet(t *testing.T) {
	t.Parallel()
	good := ofModel(interpret.Stated)
	_, err := interpret.Vet(good)
	require.NoError(t, err)
	for name, spoil := range map[string]func(*interpret.Result){
		"no subject":       func(r *interpret.Result) { r.Subject = " " },
		"control":          func(r *interpret.Result) { r.Subject = "a\x00b" },
		"long objective":   func(r *interpret.Result) { r.Objective = string(make([]rune, 301)) },
		"no keywords":      func(r *interpret.Result) { r.Keywords = nil },
		"long keyword":     func(r *interpret.Result) { r.Keywords[0].Keyword = strings101 },
		"contradiction":    func(r *interpret.Result) { r.Keywords[0].Excluded = []string{"model"} },
		"comma in a label": func(r *interpret.Result) { r.Labels = []watchpost.Label{{Name: "a, b"}} },
		"unknown slot":     func(r *interpret.Result) { r.Slots[0].Name = "mood" },
		"repeated slot":    func(r *interpret.Result) { r.Slots[0].Name = interpret.SlotKeywords },
		"unknown source":   func(r *interpret.Result) { r.Slots[0].Source = "heard" },
		"slot missing":     func(r *interpret.Result) { r.Slots = r.Slots[:1] },
	} {
		r := ofModel(interpret.Stated)
		spoil(&r)
		_, err := interpret.Vet(r)
		require.Error(t, err, name)
	}
}

var strings101 = strings.Repeat("x", 101)
