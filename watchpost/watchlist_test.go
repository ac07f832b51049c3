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

const disabledText = "Watchlist is disabled. Re-enable it before updating."

func sample(kind watchpost.WatchlistType) watchpost.Watchlist {
	return watchpost.Watchlist{
		ID: "w", Name: "old", Type: kind, Frequency: watchpost.DefaultFrequency(kind), SlackURL: "https://hooks.example/x",
		Labels: []watchpost.Label{{Name: "old"}},
		Keywords: []watchpost.KeywordEntry{
			{ID: "1", Keyword: "go"},
			{ID: "2", Keyword: "rust", Required: []string{"remote", "senior"}},
		},
	}
}

// applied returns the watchlist after a patch.
func applied(w watchpost.Watchlist, p watchpost.WatchlistPatch) (watchpost.Watchlist, error) {
	return p.Apply(w)
}

// TestTransitions checks every cell of the table in the comment of Apply.
func TestTransitions(t *testing.T) {
	yes, no, name := true, false, "new"
	for _, kind := range []watchpost.WatchlistType{"keyword", "forum", "people", "company"} {
		for _, disabled := range []bool{false, true} {
			for _, disable := range []*bool{&yes, &no, nil} {
				w := sample(kind)
				w.Disabled = disabled
				got, err := applied(w, watchpost.WatchlistPatch{Disable: disable, Name: &name})
				if refused := disabled && kind.HasKeywords() && (disable == nil || *disable); refused {
					require.EqualError(t, err, disabledText)
					require.Equal(t, watchpost.Conflict, watchpost.KindOf(err))
					require.Equal(t, w, got)
					continue
				}
				require.NoError(t, err)
				require.Equal(t, "new", got.Name)
				want := disabled
				if disable != nil {
					want = *disable
				}
				require.Equal(t, want, got.Disabled)
				require.Equal(t, disabled, w.Disabled)
			}
		}
	}
}

func TestCheckEnabled(t *testing.T) {
	w := watchpost.Watchlist{Type: watchpost.ForumWatchlist}
	require.NoError(t, w.CheckEnabled())
	w.Disabled = true
	require.EqualError(t, w.CheckEnabled(), disabledText)
	w.Type = watchpost.PeopleWatchlist
	require.NoError(t, w.CheckEnabled())
}

func TestApply(t *testing.T) {
	name, description, objective, url := "new name", "d", "o", "https://hooks.example/y"
	frequency, err := watchpost.ParseFetchFrequency(72)
	require.NoError(t, err)
	labels := []watchpost.Label{{Name: "l"}}
	got, err := applied(sample("keyword"), watchpost.WatchlistPatch{
		Name: &name, Description: &description, Objective: &objective, SlackURL: &url, Frequency: &frequency, Labels: &labels,
	})
	require.NoError(t, err)
	want := sample("keyword")
	want.Name, want.Description, want.Objective, want.SlackURL, want.Frequency = name, description, objective, url, frequency
	want.Labels = labels
	require.Equal(t, want, got)

	none, noLabels := "", []watchpost.Label{}
	got, err = applied(sample("keyword"), watchpost.WatchlistPatch{SlackURL: &none, Labels: &noLabels})
	require.NoError(t, err)
	require.Empty(t, got.SlackURL)
	require.Empty(t, got.Labels)
}

// TestForType: fields that a type does not have are dropped, and a patch without
// fields is refused.
func TestForType(t *testing.T) {
	text, labels := "x", []watchpost.Label{{Name: "l"}}
	all := watchpost.WatchlistPatch{Name: &text, Objective: &text, Keywords: entries("a"), Append: true, Labels: &labels}
	for _, c := range []struct {
		kind        watchpost.WatchlistType
		patch, want watchpost.WatchlistPatch
	}{
		{"keyword", all, all},
		{"forum", all, all},
		{"people", all, watchpost.WatchlistPatch{Name: &text}},
		{"company", all, watchpost.WatchlistPatch{Name: &text}},
		{"keyword", watchpost.WatchlistPatch{Name: &text, Append: true}, watchpost.WatchlistPatch{Name: &text}},
	} {
		got, err := c.patch.ForType(c.kind)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
	for _, c := range []struct {
		kind  watchpost.WatchlistType
		patch watchpost.WatchlistPatch
	}{
		{"keyword", watchpost.WatchlistPatch{}},
		{"keyword", watchpost.WatchlistPatch{Append: true}},
		{"people", watchpost.WatchlistPatch{Keywords: entries("a"), Labels: &labels, Objective: &text}},
	} {
		_, err := c.patch.ForType(c.kind)
		require.EqualError(t, err, "No valid update fields provided")
		require.Equal(t, watchpost.Invalid, watchpost.KindOf(err))
	}
}

func TestApplyTooManyKeywords(t *testing.T) {
	w := sample("forum")
	got, err := applied(w, watchpost.WatchlistPatch{Keywords: entries(numbered(99)...), Append: true})
	require.EqualError(t, err, "At most 100 keywords per watchlist")
	require.Equal(t, watchpost.Invalid, watchpost.KindOf(err))
	require.Equal(t, w, got)
}

func TestApplyKeywords(t *testing.T) {
	w := sample("keyword")
	before := sample("keyword")
	again := []watchpost.KeywordEntry{
		{Keyword: "Rust", Required: []string{"Senior", "remote"}}, // same meaning
		{Keyword: "zig"},
		{ID: "forged", Keyword: "go", Excluded: []string{"intern"}}, // another meaning
	}
	replaced, err := applied(w, watchpost.WatchlistPatch{Keywords: again})
	require.NoError(t, err)
	require.Equal(t, []watchpost.KeywordEntry{
		{ID: "2", Keyword: "Rust", Required: []string{"Senior", "remote"}},
		{Keyword: "zig"},
		{Keyword: "go", Excluded: []string{"intern"}},
	}, replaced.Keywords)

	added, err := applied(w, watchpost.WatchlistPatch{Keywords: again, Append: true})
	require.NoError(t, err)
	require.Equal(t, []watchpost.KeywordEntry{
		{ID: "1", Keyword: "go"},
		{ID: "2", Keyword: "rust", Required: []string{"remote", "senior"}},
		{Keyword: "zig"},
		{Keyword: "go", Excluded: []string{"intern"}},
	}, added.Keywords)

	full, err := applied(w, watchpost.WatchlistPatch{Keywords: entries(numbered(98)...), Append: true})
	require.NoError(t, err)
	require.Len(t, full.Keywords, 100)
	require.Equal(t, before, w, "the watchlist itself is not changed")
	require.Equal(t, "forged", string(again[2].ID), "nor is the patch")
}

func TestScanNow(t *testing.T) {
	yes, no := true, false
	for _, kind := range []watchpost.WatchlistType{"keyword", "forum", "people", "company"} {
		now := watchpost.WatchlistPatch{ScanNow: true}
		_, err := now.ForType(kind)
		require.NoError(t, err, "it is something to do")
		_, err = applied(sample(kind), now)
		require.NoError(t, err)
		_, err = applied(sample(kind), watchpost.WatchlistPatch{ScanNow: true, Disable: &yes})
		require.EqualError(t, err, disabledText)
		off := sample(kind)
		off.Disabled = true
		_, err = applied(off, now)
		require.EqualError(t, err, disabledText)
		_, err = applied(off, watchpost.WatchlistPatch{ScanNow: true, Disable: &no})
		require.NoError(t, err, "it is enabled by the same patch")
	}
}

func TestNameOfPrompt(t *testing.T) {
	prompt, other := "Posts about heat pumps in Austria", "Posts about solar roofs in Spain"
	made := sample("keyword")
	made.Prompt, made.Name = prompt, watchpost.AutoName("keyword", []string{prompt})
	patch := watchpost.WatchlistPatch{Prompt: &other, Keywords: []watchpost.KeywordEntry{{Keyword: "solar roof"}}}
	got, err := applied(made, patch)
	require.NoError(t, err)
	require.Equal(t, other, got.Name)
	made.Name = "Mine"
	got, err = applied(made, patch)
	require.NoError(t, err)
	require.Equal(t, "Mine", got.Name)
}
