package httpapi_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/words"
)

// notOnPages are the errors that no page of the dashboard shows.
var notOnPages = map[string]string{
	"%s": "a text that stands elsewhere",
	"%s array is required and must not be empty":                          "the form asks for an entry first",
	"No valid %s identifiers provided":                                    "the form asks for an entry first",
	"No valid update fields provided":                                     "a form sends all fields",
	"Invalid fetchFreqInHours":                                            "the form has a choice of numbers",
	"Invalid '%s': use %s or %s":                                          "the form has a choice of values",
	"Too many values for '%s', at most %d":                                "the form has a choice of values",
	"Too many intervals, at most %d: use a longer interval or fewer days": "the page chooses the interval",
	"Clock cannot go backwards":                                           "of the operator",
	"Team already exists":                                                 "ids are made by the service",
	"Invalid watchlist ID: %s":                                            "of the API alone",
	"This key may not be used from this address":                          "of the API alone",
	"Invalid API Key":                                                     "of the API alone",
	"Invalid or expired OTP":                                              "the page says it in its own words",
	"Invalid or expired pairing code":                                     "of the extension",
	"Signed out":                                                          "the dashboard leads to its sign-in",
	"Unknown or revoked session token":                                    "of the extension",
	"want an id":                                                          "replaced by the parameter's own text",
	"want one of %s":                                                      "replaced by the parameter's own text",
}

// TestErrorsOnPagesAreTranslated: each language has the errors that pages may show. An error
// about a field of a form that has its own words (keys, targets) counts as one.
func TestErrorsOnPagesAreTranslated(t *testing.T) {
	t.Parallel()
	p := readProgram(t, []string{"dashboard", "../watchpost", "../watchpost/*", "../actors", "../actors/*"})
	require.Greater(t, len(p.errors), 100)
	for _, text := range slices.Sorted(maps.Keys(p.errors)) {
		if notOnPages[text] != "" {
			continue
		}
		english := verb.ReplaceAllString(text, "7")
		if labels, ok := strings.CutPrefix(english, "Invalid 'labels': "); ok {
			english = labels // the form says which field it is
		} else if fields := named.FindStringSubmatch(english); fields != nil && strings.Contains(english, ": ") && fields[1] != "voice" {
			continue
		}
		for _, l := range words.All()[1:] {
			if l.Known(english) == english {
				t.Errorf("%s: the catalogue does not know %q", l.Code, text)
			}
		}
	}
	for text := range notOnPages {
		require.True(t, p.errors[text] || text == "%s", "nothing sends %q", text)
	}
}
