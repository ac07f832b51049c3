package watchpost_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost"
)

func TestSlug(t *testing.T) {
	const id = "01890a5d-ac96-774b-bcce-b302099a8057"
	for name, want := range map[string]string{
		"My Watchlist":              "my-watchlist",
		"  --Go & Rust!!  ":         "go-and-rust",
		"Größe Ñandú Česko":         "grosse-nandu-cesko",
		"Łódź Ærø Þór ðœß":          "lodz-aero-thor-doess",
		"Ｆｕｌｌ １２":                   "full-12",
		"it's Ada’s":                "its-adas",
		"日本語":                       "watchlist",
		"🚀🚀":                        "watchlist",
		"":                          "watchlist",
		"日本 AI":                     "ai",
		"a_b.c/d":                   "a-b-c-d",
		strings.Repeat("word ", 40): "word-word-word-word-word-word-word-word-word-word-word-word",
		strings.Repeat("x", 90):     strings.Repeat("x", 60),
	} {
		require.Equal(t, want+"-099a8057", watchpost.Slug(name, id), name)
	}
	require.Equal(t, "a-b", watchpost.Slug("a", "b"))
	people := watchpost.Watchlist{ID: id, Name: "人", Type: watchpost.PeopleWatchlist}
	require.Equal(t, "people-099a8057", people.Slug())

	form := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*-099a8057$`)
	rapid.Check(t, func(t *rapid.T) {
		require.Regexp(t, form, watchpost.Slug(anyText.Draw(t, "name"), id))
	})
}

func TestFoldName(t *testing.T) {
	require.Equal(t, watchpost.FoldName("  No \t LABELS "), watchpost.NoLabels)
	require.Equal(t, watchpost.FoldName("CAFÉ"), watchpost.FoldName("cafe\u0301"))
	require.NotEqual(t, watchpost.FoldName("café"), watchpost.FoldName("cafe"))
	require.Equal(t, watchpost.FoldName("Ꭰ"), watchpost.FoldName("ꭰ"))
	rapid.Check(t, func(t *rapid.T) {
		// A character that folding leaves alone takes the longer way.
		ascii := rapid.StringMatching(`[\x00-\x7f]*`).Draw(t, "ascii")
		require.Equal(t, watchpost.FoldName(ascii+"x東"), watchpost.FoldName(ascii+"x")+"東")
		once := watchpost.FoldName(anyText.Draw(t, "name"))
		require.Equal(t, once, watchpost.FoldName(once))
	})
}

func TestParseLanguage(t *testing.T) {
	for in, want := range map[string]string{
		"en": "en", "EN": "en", "English": "en", " german ": "de", "pt-BR": "pt", "zh_Hant_TW": "zh", "nb": "no", "Norwegian": "no",
		"fil": "tl", "und": "und", "Unknown": "und", "ast": "ast",
	} {
		got, ok := watchpost.ParseLanguage(in)
		require.True(t, ok, in)
		require.Equal(t, want, got, in)
	}
	for _, in := range []string{"", "e", "klingon", "e1", "-en", "日本", "en glish"} {
		_, ok := watchpost.ParseLanguage(in)
		require.False(t, ok, in)
	}
}
