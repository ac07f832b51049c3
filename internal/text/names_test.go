package text_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/internal/text"
)

func TestNormalizeName(t *testing.T) {
	require.Equal(t, text.NormalizeName("  No \t LABELS "), "no labels")
	require.Equal(t, text.NormalizeName("CAFÉ"), text.NormalizeName("cafe\u0301"))
	require.NotEqual(t, text.NormalizeName("café"), text.NormalizeName("cafe"))
	require.Equal(t, text.NormalizeName("Ꭰ"), text.NormalizeName("ꭰ"))
	rapid.Check(t, func(t *rapid.T) {
		// A character that folding does not change avoids the fast path.
		ascii := rapid.StringMatching(`[\x00-\x7f]*`).Draw(t, "ascii")
		require.Equal(t, text.NormalizeName(ascii+"x東"), text.NormalizeName(ascii+"x")+"東")
		once := text.NormalizeName(mixedText.Draw(t, "name"))
		require.Equal(t, once, text.NormalizeName(once))
	})
}

func TestClipBytes(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{"": "", "abc": "abc", "abcd": "abc", "aéé": "aé", "aaéé": "aa", "日本": "日", "\x80\x80\x80\x80": ""} {
		require.Equal(t, want, text.ClipBytes(s, 3), "%q", s)
	}
}

func TestPlainLines(t *testing.T) {
	for given, want := range map[string]string{
		"":                               "",
		"a\r\nb\rc\n\nd\te":              "a\nb\nc\n\nd e",
		"a\x00b\x1b[1mc\u0085":           "ab[1mc",
		"\u202eevil\u202c \u2066x\u2069": "evil x",
		"Grüße 👩‍👩‍👧 \u0645\u06cc\u200c": "Grüße 👩‍👩‍👧 \u0645\u06cc\u200c",
	} {
		require.Equal(t, want, text.PlainLines(given))
	}
}
