package watchpost_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/internal/reference"
	"watchpost/watchpost"
)

func TestCleanReferences(t *testing.T) {
	keys := func(t *testing.T, kind watchpost.WatchlistType, raw ...string) []string {
		t.Helper()
		references, err := watchpost.CleanReferences(kind, raw)
		require.NoError(t, err)
		var all []string
		for _, r := range references {
			all = append(all, r.Key())
		}
		return all
	}
	require.Equal(t, []string{"profile/jane", "profile:12"},
		keys(t, watchpost.PeopleWatchlist, "https://x.example/in/Jane/", "jane", "", "a b", "12", "urn:network:member:12", "https://x.example/company/acme"))
	require.Equal(t, []string{"company/acme", "company:12"},
		keys(t, watchpost.CompanyWatchlist, "acme", "x.example/company/ACME?x", "urn:network:organization:12", "12", "https://x.example/in/jane"))
	for raw, text := range map[string]string{
		"": "No valid profile identifiers provided", "https://x.example/posts/1": "No valid profile identifiers provided",
	} {
		_, err := watchpost.CleanReferences(watchpost.PeopleWatchlist, []string{raw})
		require.EqualError(t, err, text)
	}
	_, err := watchpost.CleanReferences(watchpost.CompanyWatchlist, nil)
	require.EqualError(t, err, "companies array is required and must not be empty")
	require.Equal(t, watchpost.Invalid, watchpost.KindOf(err))
}

func TestListWith(t *testing.T) {
	now := time.Date(2030, 1, 7, 0, 0, 0, 0, time.UTC)
	references, err := watchpost.CleanReferences(watchpost.PeopleWatchlist, []string{"a", "b", "c"})
	require.NoError(t, err)
	var empty watchpost.List
	one, added := empty.With(references[:1], now)
	require.Equal(t, 1, added)
	two, _ := one.With(references[1:2], now)
	other, added := one.With(references, now.Add(time.Hour))
	require.Equal(t, 2, added)
	require.Empty(t, empty.Entries)
	require.Len(t, one.Entries, 1)
	require.Equal(t, references[1], two.Entries[1].Reference)
	require.Equal(t, one.Entries[0], other.Entries[0], "what is there stays as it is")
	require.Equal(t, now.Add(time.Hour), other.Entries[2].AddedAt)
	same, added := other.With(references, now)
	require.Zero(t, added)
	require.Equal(t, other, same)
}

func TestScanFrequency(t *testing.T) {
	hours := func(h int, disabled bool) watchpost.Watchlist {
		return watchpost.Watchlist{Frequency: watchpost.FetchFrequency(time.Duration(h) * time.Hour), Disabled: disabled}
	}
	_, ok := watchpost.ScanFrequency(nil)
	require.False(t, ok)
	_, ok = watchpost.ScanFrequency([]watchpost.Watchlist{hours(1, true)})
	require.False(t, ok)
	f, ok := watchpost.ScanFrequency([]watchpost.Watchlist{hours(24, false), hours(1, true), hours(6, false), hours(12, false)})
	require.True(t, ok)
	require.Equal(t, 6, f.Hours())
}

func TestReferenceNames(t *testing.T) {
	for raw, want := range map[string]string{
		"jane-doe": "Jane Doe", "jane-doe-1a2b3c": "Jane Doe", "jane_doe1": "Jane", "jörg": "Jörg", "李雷": "李雷", "x1": "X1", "12": "", "https://h.example/in/12": "12",
	} {
		r, err := reference.ParseProfile(raw)
		require.NoError(t, err, raw)
		require.Equal(t, want, r.Name(), raw)
	}
	person, _ := reference.ParseProfile("urn:x:member:12")
	company, _ := reference.ParseCompany("12")
	slug, _ := reference.ParseCompany("acme")
	require.Equal(t, []string{"urn:network:profile:12", "urn:network:company:12", ""}, []string{person.URN(), company.URN(), slug.URN()})
	for _, r := range []reference.Reference{person, company} {
		require.True(t, strings.HasSuffix(r.URN(), r.String()))
	}
}

func TestPlanTracks(t *testing.T) {
	require.NoError(t, watchpost.PlanFree.CheckTracked(watchpost.CompanyWatchlist, 200))
	require.ErrorContains(t, watchpost.PlanUltimate.CheckTracked(watchpost.CompanyWatchlist, 201), "200 tracked companies")
	require.ErrorContains(t, watchpost.PlanFree.CheckTracked(watchpost.PeopleWatchlist, 1), "does not include tracked profiles")
	require.False(t, watchpost.PlanFree.Scans(watchpost.PeopleWatchlist))
	require.True(t, watchpost.PlanFree.Scans(watchpost.CompanyWatchlist))
	require.True(t, watchpost.PlanPro.Scans(watchpost.PeopleWatchlist))
}
