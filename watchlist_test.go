package watchpost_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost"
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
