package watchpost_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/watchpost"
)

func TestFetchFrequency(t *testing.T) {
	allowed := []float64{1, 3, 6, 12, 24, 48, 72}
	for h := -1.0; h < 100; h += 0.5 {
		f, err := watchpost.ParseFetchFrequency(h)
		if !slices.Contains(allowed, h) {
			require.EqualError(t, err, "Invalid fetchFreqInHours")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, int(h), f.Hours())
		require.Equal(t, time.Duration(h)*time.Hour, f.Duration())
	}
	for kind, hours := range map[watchpost.WatchlistType]int{"keyword": 12, "people": 12, "company": 12, "forum": 24} {
		require.Equal(t, hours, watchpost.DefaultFrequency(kind).Hours())
	}
}

func TestNextScan(t *testing.T) {
	created := time.Date(2030, 1, 7, 10, 0, 0, 0, time.UTC)
	f := watchpost.DefaultFrequency(watchpost.KeywordWatchlist)
	require.Equal(t, created, watchpost.NextScan(time.Time{}, created, f))
	require.Equal(t, created.Add(13*time.Hour), watchpost.NextScan(created.Add(time.Hour), created, f))
}

func TestScanSince(t *testing.T) {
	now := time.Date(2030, 1, 31, 10, 0, 0, 0, time.UTC)
	require.Equal(t, now.AddDate(0, 0, -30), watchpost.ScanSince(time.Time{}, now))
	require.Equal(t, now.Add(-25*time.Hour), watchpost.ScanSince(now.Add(-time.Hour), now))
	require.Equal(t, now.AddDate(0, 0, -61), watchpost.ScanSince(now.AddDate(0, 0, -60), now))
	require.Equal(t, now.AddDate(0, 0, -1), watchpost.ScanSince(now.Add(time.Hour), now))
}

func TestCleanName(t *testing.T) {
	for in, want := range map[string]string{
		" a  b\n":                "a b",
		strings.Repeat("字", 120): strings.Repeat("字", 120),
	} {
		got, err := watchpost.CleanName(in)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for in, want := range map[string]string{
		"": "Name cannot be empty", " \u200b\t": "Name cannot be empty", strings.Repeat("字", 121): "Invalid 'name'",
		"pay\u202eselas": "Invalid 'name'", "bell\a": "Invalid 'name'", "\u2066x": "Invalid 'name'",
	} {
		_, err := watchpost.CleanName(in)
		require.EqualError(t, err, want)
	}
}

func TestAutoName(t *testing.T) {
	for _, c := range []struct {
		kind  watchpost.WatchlistType
		words []string
		want  string
	}{
		{"keyword", []string{"go", " ", "open  source", "rust", "zig"}, "go, open source, rust"},
		{"people", []string{"Ada"}, "Ada"},
		{"keyword", nil, "Keyword watchlist"},
		{"people", nil, "People watchlist"},
		{"company", []string{""}, "Company watchlist"},
		{"forum", nil, "Forum watchlist"},
		{"forum", []string{strings.Repeat("字", 119) + " e\u0301"}, strings.Repeat("字", 119)},
	} {
		got := watchpost.AutoName(c.kind, c.words)
		require.Equal(t, c.want, got)
		_, err := watchpost.CleanName(got)
		require.NoError(t, err)
	}
}

func TestCleanSlackURL(t *testing.T) {
	for in, want := range map[string]string{
		"": "", " ": "", " https://hooks.example/services/T/B/x ": "https://hooks.example/services/T/B/x",
		"HTTPS://hooks.example": "HTTPS://hooks.example",
	} {
		got, err := watchpost.CleanSlackURL(in)
		require.NoError(t, err, in)
		require.Equal(t, want, got)
	}
	for _, in := range []string{
		"http://hooks.example", "hooks.example/x", "https://", "https:///x", "https://:443/x", "https://a@hooks.example/", "javascript:alert(1)",
		"https://hooks.example/\x00", "https://hooks example/", "https://hooks.example/" + strings.Repeat("x", 2048),
	} {
		_, err := watchpost.CleanSlackURL(in)
		require.EqualError(t, err, "Invalid 'slack_webhook_url'", in)
	}
}

func TestSlug(t *testing.T) {
	const id = "01890a5d-ac96-774b-bcce-b302099a8057"
	for name, want := range map[string]string{
		"My Watchlist":              "my-watchlist",
		"  --Go & Rust!!  ":         "go-and-rust",
		"Größe Ñandú Česko":         "grosse-nandu-cesko",
		"Łódź Ærø Þór ðœß":          "lodz-aero-thor-doess",
		"Ｆｕｌｌ １２":                   "full-12",
		"it's Ada’s":                "its-adas",
		"日本語":                       "keyword",
		"🚀🚀":                        "keyword",
		"":                          "keyword",
		"日本 AI":                     "ai",
		"a_b.c/d":                   "a-b-c-d",
		strings.Repeat("word ", 40): "word-word-word-word-word-word-word-word-word-word-word-word",
		strings.Repeat("x", 90):     strings.Repeat("x", 60),
	} {
		require.Equal(t, want+"-099a8057", keywordSlug(name, id), name)
	}
	require.Equal(t, "a-b", keywordSlug("a", "b"))
	people := watchpost.Watchlist{ID: id, Name: "人", Type: watchpost.PeopleWatchlist}
	require.Equal(t, "people-099a8057", people.Slug())

	form := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*-099a8057$`)
	rapid.Check(t, func(t *rapid.T) {
		require.Regexp(t, form, keywordSlug(rapid.String().Draw(t, "name"), id))
	})
}

func keywordSlug(name, id string) string {
	w := watchpost.Watchlist{ID: watchpost.WatchlistID(id), Name: name, Type: watchpost.KeywordWatchlist}
	return w.Slug()
}
