package watchpost_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/watchpost"
)

func TestCleanWatchlistCondition(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		field       string
		given, want []string
	}{
		{"languages", []string{"en", " Deutsch ", "English", "PT-br"}, []string{"en", "de", "pt"}},
		{"seniority_levels", []string{"CEO", "c-level", "Heads", " vice  president "}, []string{"C-Level", "Director", "VP"}},
		{"post_types", []string{"Articles", "newsletter", "photo"}, []string{"article", "image"}},
		{"post_types", []string{}, nil},
		{"languages", nil, nil},
	} {
		got, err := watchpost.CleanWatchlistCondition(c.field, c.given)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
	many := strings.Split(strings.Repeat("en,", watchpost.MaxConditionValues)+"en", ",")
	_, err := watchpost.CleanWatchlistCondition("languages", many[1:])
	require.NoError(t, err)
	for _, c := range []struct {
		field string
		given []string
		want  string
	}{
		{"languages", []string{"en", "klingonisch"}, "Invalid 'languages'"},
		{"languages", []string{""}, "Invalid 'languages'"},
		{"languages", many, "Too many values for 'languages', at most 50"},
		{"seniority_levels", []string{"boss"}, "Invalid 'seniority_levels': use C-Level, Founder, VP, Director, Manager, Senior or Entry"},
		{"post_types", []string{"text", "story"}, "Invalid 'post_types': use text, image, video, article or poll"},
	} {
		_, err := watchpost.CleanWatchlistCondition(c.field, c.given)
		require.EqualError(t, err, c.want)
		require.Equal(t, watchpost.Invalid, watchpost.KindOf(err))
	}
}

func TestWatchlistConditionsDrop(t *testing.T) {
	t.Parallel()
	all := watchpost.WatchlistConditions{Languages: []string{"en", "de"}, Levels: []string{"Director", "VP"}, Types: []string{"article"}}
	for _, c := range []struct {
		name       string
		conditions watchpost.WatchlistConditions
		post       watchpost.Post
		want       watchpost.DropReason
	}{
		{"no conditions", watchpost.WatchlistConditions{}, watchpost.Post{}, ""},
		{"all are met", all, watchpost.Post{Language: "de", Seniority: "VP", Type: "Article"}, ""},
		{"another language", all, watchpost.Post{Language: "fr", Seniority: "VP", Type: "article"}, watchpost.DropLanguage},
		{"a language that is not known", all, watchpost.Post{Language: "und", Seniority: "VP", Type: "article"}, watchpost.DropLanguage},
		{"another level", all, watchpost.Post{Language: "en", Seniority: "Entry", Type: "article"}, watchpost.DropLevel},
		{"a level that is not known", all, watchpost.Post{Language: "en", Type: "article"}, watchpost.DropLevel},
		{"another kind", all, watchpost.Post{Language: "en", Seniority: "VP", Type: "poll"}, watchpost.DropType},
		{"two of them", all, watchpost.Post{Language: "en", Seniority: "Entry", Type: "poll"}, watchpost.DropSeveral},
		{"three of them", all, watchpost.Post{}, watchpost.DropSeveral},
		{"one condition", watchpost.WatchlistConditions{Types: []string{"poll"}}, watchpost.Post{Language: "fr"}, watchpost.DropType},
	} {
		require.Equal(t, c.want, c.conditions.Drops(&c.post), c.name)
	}
}

func someConditions() *rapid.Generator[watchpost.WatchlistConditions] {
	some := func(values ...string) *rapid.Generator[[]string] {
		return rapid.SliceOfNDistinct(rapid.SampledFrom(values), 0, 2, rapid.ID[string])
	}
	return rapid.Custom(func(rt *rapid.T) watchpost.WatchlistConditions {
		return watchpost.WatchlistConditions{
			Languages: some("en", "de", "fr").Draw(rt, "languages"), Levels: some("VP", "Director", "Entry").Draw(rt, "levels"), Types: some("text", "poll", "image").Draw(rt, "types"),
		}
	})
}

// TestWatchlistConditionsAreFilters: a watchlist keeps exactly the posts that the filters
// of GET /api-posts with the same values select.
func TestWatchlistConditionsAreFilters(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		c := someConditions().Draw(rt, "conditions")
		p := &watchpost.Post{
			Language:  rapid.SampledFrom([]string{"en", "de", "fr", "und"}).Draw(rt, "language"),
			Seniority: rapid.SampledFrom([]string{"VP", "Director", "Entry", ""}).Draw(rt, "level"),
			Type:      rapid.SampledFrom([]string{"text", "poll", "image", "video"}).Draw(rt, "type"),
		}
		q := watchpost.PostQuery{Languages: c.Languages, Levels: c.Levels, Types: c.Types}
		require.Equal(rt, q.Matches(p), c.Drops(p) == "")
	})
}

// TestWiderConditionsBeginAgain: entries get new ids, and so a first scan, exactly when a
// change lets a post through that was dropped before.
func TestWiderConditionsBeginAgain(t *testing.T) {
	t.Parallel()
	var posts []*watchpost.Post
	for _, language := range []string{"en", "de", "fr", "und"} {
		for _, level := range []string{"VP", "Director", "Entry", ""} {
			for _, kind := range []string{"text", "poll", "image", "video"} {
				posts = append(posts, &watchpost.Post{Language: language, Seniority: level, Type: kind})
			}
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		w := sample("keyword")
		w.Conditions = someConditions().Draw(rt, "old")
		next := someConditions().Draw(rt, "new")
		patch := watchpost.WatchlistPatch{Languages: &next.Languages, Levels: &next.Levels, Types: &next.Types}
		wider := false
		for _, p := range posts {
			wider = wider || next.Drops(p) == "" && w.Conditions.Drops(p) != ""
		}
		got, err := applied(w, patch)
		require.NoError(rt, err)
		require.Equal(rt, next, got.Conditions)
		for i, e := range sample("keyword").Keywords {
			require.Equal(rt, wider, got.Keywords[i].ID == "")
			require.Equal(rt, e.ID, w.Keywords[i].ID, "the watchlist itself is not changed")
		}
	})
}

func TestApplyOneCondition(t *testing.T) {
	t.Parallel()
	w := sample("forum")
	w.Conditions = watchpost.WatchlistConditions{Languages: []string{"en"}, Levels: []string{"VP"}, Types: []string{"poll"}}
	none := []string{}
	got, err := applied(w, watchpost.WatchlistPatch{Levels: &none})
	require.NoError(t, err)
	require.Equal(t, watchpost.WatchlistConditions{Languages: []string{"en"}, Levels: none, Types: []string{"poll"}}, got.Conditions)
	patch, err := (watchpost.WatchlistPatch{Types: &none}).ForType("forum")
	require.NoError(t, err)
	require.Equal(t, watchpost.WatchlistPatch{Types: &none}, patch, "one condition is a change")
	for _, kind := range []watchpost.WatchlistType{"people", "company"} {
		_, err = (watchpost.WatchlistPatch{Languages: &none, Levels: &none, Types: &none}).ForType(kind)
		require.EqualError(t, err, "No valid update fields provided")
	}
}

// TestConditionsOfARecord: a watchlist of an earlier build has no conditions, and one
// without conditions is stored as that build stores it.
func TestConditionsOfARecord(t *testing.T) {
	t.Parallel()
	w := sample("keyword")
	stored, err := json.Marshal(w)
	require.NoError(t, err)
	require.NotContains(t, string(stored), "Conditions")
	var read watchpost.Watchlist
	require.NoError(t, json.Unmarshal(stored, &read))
	require.Empty(t, read.Conditions.Drops(&watchpost.Post{Language: "fr", Type: "poll"}))
	w.Conditions.Levels = []string{"VP"}
	stored, err = json.Marshal(w)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(stored, &read))
	require.Equal(t, w, read)
}
