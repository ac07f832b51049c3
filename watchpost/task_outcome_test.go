package watchpost_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

// TestClassifyError checks the table of error codes for each code, each value
// of acted and each task type.
func TestClassifyError(t *testing.T) {
	t.Parallel()
	pauses := map[string]func(watchpost.Outcome) bool{
		"signed_out":          func(v watchpost.Outcome) bool { return v.PauseAccount },
		"challenge":           func(v watchpost.Outcome) bool { return v.PauseAccount },
		"page_not_understood": func(v watchpost.Outcome) bool { return v.PauseType },
		"network_limit":       func(v watchpost.Outcome) bool { return v.CloseAction },
		"timeout":             func(watchpost.Outcome) bool { return true },
	}
	final := []string{"not_found", "not_connected", "company_not_managed", "invalid_input"}
	for _, kind := range allTypes {
		for _, code := range append(append(final, "outcome_unknown", "", "new_code"), "signed_out", "challenge", "page_not_understood", "network_limit", "timeout") {
			for _, acted := range []*bool{nil, new(bool), truth()} {
				v := watchpost.ClassifyError(kind, code, "why", acted)
				name := fmt.Sprint(kind, " ", code, " ", acted == nil, acted != nil && *acted)
				notActed := acted != nil && !*acted
				require.Equal(t, notActed, v.Refund, "%s: given back only when it said so", name)
				require.Equal(t, "why", v.Failure.Message)
				paused := 0
				for _, p := range []bool{v.PauseAccount, v.PauseType, v.CloseAction} {
					if p {
						paused++
					}
				}
				switch {
				case code == "outcome_unknown", kind.Writes() && acted == nil:
					require.Equal(t, watchpost.EventFail, v.Event, name)
					require.Equal(t, "outcome_unknown", v.Failure.Code, name)
					require.False(t, v.Failure.RetrySafe, name)
					require.Zero(t, paused, name)
				case slices.Contains(final, code), kind.Writes() && *acted:
					require.Equal(t, watchpost.EventFail, v.Event, name)
					require.Equal(t, code, v.Failure.Code, name)
					require.False(t, v.Failure.RetrySafe, name)
					require.Zero(t, paused, name)
				case pauses[code] != nil:
					require.Equal(t, watchpost.EventReturn, v.Event, name)
					require.True(t, pauses[code](v), name)
					require.LessOrEqual(t, paused, 1, name)
					signedOut := code == "signed_out" || code == "challenge"
					require.Equal(t, code == "timeout" || signedOut && kind.Writes(), v.Lost, name)
				default:
					require.Equal(t, watchpost.EventFail, v.Event, name)
					require.True(t, v.Failure.RetrySafe, name)
				}
			}
		}
	}
}

func truth() *bool { b := true; return &b }
