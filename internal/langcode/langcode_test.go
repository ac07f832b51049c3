package langcode_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/langcode"
)

func TestParse(t *testing.T) {
	for in, want := range map[string]string{
		"en": "en", "EN": "en", "English": "en", " german ": "de", "pt-BR": "pt", "zh_Hant_TW": "zh", "nb": "no", "Norwegian": "no",
		"ms": "id", "zsm": "id", "Malay": "id", "ms-MY": "id", "bs": "hr", "Bosnian": "hr", "bs_Latn_BA": "hr",
		"nn": "no", "nb-NO": "no", "nob": "no", "nno": "no", "Bokmål": "no", "Nynorsk": "no", "Norwegian Nynorsk": "no",
		"fil": "tl", "und": "und", "Unknown": "und", "ast": "ast",
		"deutsch": "de", "Français": "fr", "ESPAÑOL": "es", "日本語": "ja", "Русский": "ru", "Türkçe": "tr",
	} {
		got, ok := langcode.Parse(in)
		require.True(t, ok, in)
		require.Equal(t, want, got, in)
	}
	for _, in := range []string{"", "e", "klingon", "e1", "-en", "日本", "en glish"} {
		_, ok := langcode.Parse(in)
		require.False(t, ok, in)
	}
}
