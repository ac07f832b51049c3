package watchpost_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/watchpost"
)

const ruleList watchpost.WatchlistID = "list"

// monday is a Monday at nine in UTC.
var monday = time.Date(2030, 1, 7, 9, 0, 0, 0, time.UTC)

func rulePost(change func(*watchpost.Post)) *watchpost.Post {
	p := &watchpost.Post{
		ID: "p", URN: "urn:network:activity:7", AuthorName: "Ada Lovelace", AuthorURL: "https://network.example/in/ada",
		PostedAt: monday.Add(-time.Hour), CreatedAt: monday, Relevance: 6, Sentiment: "positive", Seniority: "VP", Language: "en",
		Tags: []watchpost.Tag{{Name: "Lead"}}, Matches: []watchpost.Match{{Watchlist: ruleList, Keyword: "storage", Tags: []int{0}}},
	}
	if change != nil {
		change(p)
	}
	return p
}

func likeRule(change func(*watchpost.EngagementRule)) *watchpost.EngagementRule {
	r := watchpost.NewRule(ruleList, watchpost.ActionLike, monday)
	r.ID, r.Members = "rule", []watchpost.MemberID{"ada"}
	if change != nil {
		change(&r)
	}
	return &r
}

func TestRuleWants(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rule func(*watchpost.EngagementRule)
		post func(*watchpost.Post)
		want bool
	}{
		"no condition":      {want: true},
		"disabled":          {rule: func(r *watchpost.EngagementRule) { r.Disabled = true }},
		"a forum post":      {post: func(p *watchpost.Post) { p.Source = watchpost.SourceForum }},
		"liked before":      {post: func(p *watchpost.Post) { p.Liked = true }},
		"commented before":  {post: func(p *watchpost.Post) { p.Commented = true }, want: true},
		"another watchlist": {post: func(p *watchpost.Post) { p.Matches[0].Watchlist = "other" }},
		"label":             {rule: func(r *watchpost.EngagementRule) { r.If.Labels = []string{"lead", "x"} }, want: true},
		"another label":     {rule: func(r *watchpost.EngagementRule) { r.If.Labels = []string{"x"} }},
		"a label that another watchlist gave": {
			rule: func(r *watchpost.EngagementRule) { r.If.Labels = []string{"lead"} },
			post: func(p *watchpost.Post) {
				p.Matches = []watchpost.Match{{Watchlist: ruleList, Keyword: "storage"}, {Watchlist: "other", Tags: []int{0}}}
			},
		},
		"sentiment":         {rule: func(r *watchpost.EngagementRule) { r.If.Sentiments = []string{"positive", "neutral"} }, want: true},
		"another sentiment": {rule: func(r *watchpost.EngagementRule) { r.If.Sentiments = []string{"negative"} }},
		"relevance":         {rule: func(r *watchpost.EngagementRule) { r.If.MinRelevance = 6 }, want: true},
		"less relevant":     {rule: func(r *watchpost.EngagementRule) { r.If.MinRelevance = 6.1 }},
		"seniority":         {rule: func(r *watchpost.EngagementRule) { r.If.Levels = []string{"VP"} }, want: true},
		"another seniority": {rule: func(r *watchpost.EngagementRule) { r.If.Levels = []string{"Senior"} }},
		"language":          {rule: func(r *watchpost.EngagementRule) { r.If.Languages = []string{"de"} }},
		"author":            {rule: func(r *watchpost.EngagementRule) { r.If.Authors = []string{"https://network.example/in/ada/"} }, want: true},
		"another author":    {rule: func(r *watchpost.EngagementRule) { r.If.Authors = []string{"grace"} }},
		"keyword":           {rule: func(r *watchpost.EngagementRule) { r.If.Keyword = "Storage" }, want: true},
		"another keyword":   {rule: func(r *watchpost.EngagementRule) { r.If.Keyword = "energy" }},
		"young enough":      {rule: func(r *watchpost.EngagementRule) { r.If.MaxAge = time.Hour }, want: true},
		"too old":           {rule: func(r *watchpost.EngagementRule) { r.If.MaxAge = time.Hour - time.Second }},
	} {
		require.Equal(t, c.want, likeRule(c.rule).Wants(rulePost(c.post), nil, monday), name)
	}
}

func TestRuleText(t *testing.T) {
	t.Parallel()
	r := likeRule(func(r *watchpost.EngagementRule) {
		r.Action, r.Templates = watchpost.ActionComment, []string{"Hi {first_name}, {keyword} and {label}!", "Thanks, {author_name}."}
	})
	seen := map[string]bool{}
	for i := range 50 {
		post := rulePost(func(p *watchpost.Post) { p.URN += fmt.Sprint(i) })
		text, ok := r.Text(post)
		again, _ := r.Text(post)
		require.True(t, ok)
		require.Equal(t, text, again, "the same for the same post")
		seen[text] = true
	}
	require.Equal(t, map[string]bool{"Hi Ada, storage and Lead!": true, "Thanks, Ada Lovelace.": true}, seen)
	t.Run("a template without a value is passed over", func(t *testing.T) {
		t.Parallel()
		for i := range 20 {
			text, ok := r.Text(rulePost(func(p *watchpost.Post) { p.Tags, p.Matches[0].Tags, p.URN = nil, nil, fmt.Sprint(i) }))
			require.True(t, ok)
			require.Equal(t, "Thanks, Ada Lovelace.", text)
		}
		_, ok := r.Text(rulePost(func(p *watchpost.Post) { p.AuthorName = " " }))
		require.False(t, ok)
	})
	t.Run("a value is text, however it looks", func(t *testing.T) {
		t.Parallel()
		one := *r
		one.Templates = []string{"Hi {author_name}"}
		text, ok := one.Text(rulePost(func(p *watchpost.Post) { p.AuthorName = "{keyword}\n" + strings.Repeat("x", 100) }))
		require.True(t, ok)
		require.Equal(t, "Hi {keyword} "+strings.Repeat("x", 50), text)
	})
}

// TestFirstName: a company, a title and an initial have no first name, so a template
// that greets with one does not fit their posts.
func TestFirstName(t *testing.T) {
	t.Parallel()
	r := likeRule(func(r *watchpost.EngagementRule) {
		r.Action, r.Templates = watchpost.ActionComment, []string{"Congratulations, {first_name}!"}
	})
	const person, company = "https://network.example/in/ada", "https://network.example/company/juniper"
	for _, c := range []struct{ url, name, want string }{
		{person, "Ada Lovelace", "Ada"},
		{person, "  Jean-Luc  Picard", "Jean-Luc"},
		{person, "D’Arcy Thompson", "D’Arcy"},
		{person, "Zoë", "Zoë"},
		{person, "王小明", "王小明"},
		{person, "อรุณี ใจดี", "อรุณี"},
		{company, "Juniper Networks", ""},
		{"", "Ada Lovelace", ""},
		{"https://network.example/feed", "Ada Lovelace", ""},
		{person, "", ""},
		{person, "Dr. Ada Lovelace", ""},
		{person, "Prof Ada Lovelace", ""},
		{person, "A. Lovelace", ""},
		{person, "A Lovelace", ""},
		{person, "Lovelace, Ada", ""},
		{person, "🚀 Ada Lovelace", ""},
		{person, "Agent007", ""},
		{person, "-- Ada", ""},
	} {
		comment, ok := r.Text(rulePost(func(p *watchpost.Post) { p.AuthorURL, p.AuthorName = c.url, c.name }))
		require.Equal(t, c.want != "", ok, c.name)
		if ok {
			require.Equal(t, "Congratulations, "+c.want+"!", comment)
		}
	}
}

// TestTrialTexts: a dry run shows up to three filled texts, of each template first,
// also of posts that are not acted on; and none that a variable leaves without a value.
func TestTrialTexts(t *testing.T) {
	t.Parallel()
	r := likeRule(func(r *watchpost.EngagementRule) {
		r.Action, r.Templates = watchpost.ActionComment, []string{"Hello {first_name}", "Well said, {author_name}", "About {keyword}"}
	})
	var posts []*watchpost.Post
	for i := range 40 {
		posts = append(posts, rulePost(func(p *watchpost.Post) {
			p.ID, p.URN, p.CreatedAt = watchpost.PostID(fmt.Sprint(i)), fmt.Sprint(i), monday.Add(time.Duration(i)*time.Minute)
		}))
	}
	var texts []string
	for _, filled := range r.Try(posts, nil).Texts {
		texts = append(texts, filled.Text)
		want, _ := r.Text(filled.Post)
		require.Equal(t, want, filled.Text)
	}
	require.ElementsMatch(t, []string{"Hello Ada", "Well said, Ada Lovelace", "About storage"}, texts)

	r.Templates = []string{"Hello {first_name}"}
	for i, p := range posts {
		if i != 7 && i != 9 {
			p.AuthorURL = "https://network.example/company/juniper"
		}
	}
	trial := r.Try(posts, nil)
	require.Len(t, trial.Texts, 2)
	require.Equal(t, watchpost.PostID("9"), trial.Texts[0].Post.ID, "the newest first")
	require.Equal(t, 38, trial.NoText)
	require.Empty(t, likeRule(nil).Try(posts, nil).Texts)
}

func TestCleanRule(t *testing.T) {
	t.Parallel()
	for field, change := range map[string]func(*watchpost.EngagementRule){
		"name":              func(r *watchpost.EngagementRule) { r.Name = strings.Repeat("x", 121) },
		"action":            func(r *watchpost.EngagementRule) { r.Action = watchpost.ActionMessage },
		"labels":            func(r *watchpost.EngagementRule) { r.If.Labels = []string{" "} },
		"sentiments":        func(r *watchpost.EngagementRule) { r.If.Sentiments = []string{"glad"} },
		"min_relevance":     func(r *watchpost.EngagementRule) { r.If.MinRelevance = 10.5 },
		"seniority_levels":  func(r *watchpost.EngagementRule) { r.If.Levels = []string{"Lord"} },
		"languages":         func(r *watchpost.EngagementRule) { r.If.Languages = []string{"e"} },
		"authors":           func(r *watchpost.EngagementRule) { r.If.Authors = []string{"two words"} },
		"keyword":           func(r *watchpost.EngagementRule) { r.If.Keyword = strings.Repeat("x", 101) },
		"max_age_hours":     func(r *watchpost.EngagementRule) { r.If.MaxAge = -1 },
		"comment_templates": func(r *watchpost.EngagementRule) { r.Templates = []string{"x"} },
		"max_per_day":       func(r *watchpost.EngagementRule) { r.PerDay = 51 },
		"working_hours":     func(r *watchpost.EngagementRule) { r.Hours.Zone = "Mars/Base" },
		"pause_minutes":     func(r *watchpost.EngagementRule) { r.MaxPause = r.MinPause - 1 },
	} {
		_, err := likeRule(change).Clean()
		require.EqualError(t, err, "Invalid '"+field+"'")
	}
	comment := likeRule(func(r *watchpost.EngagementRule) { r.Action = watchpost.ActionComment })
	for _, templates := range [][]string{nil, {" "}, {"{nobody}"}, {"{"}, {strings.Repeat("x", 1251)}} {
		comment.Templates = templates
		_, err := comment.Clean()
		require.EqualError(t, err, "Invalid 'comment_templates'")
	}
	comment.Templates = []string{" Well done, {first_name} "}
	cleaned, err := comment.Clean()
	require.NoError(t, err)
	require.Equal(t, []string{"Well done, {first_name}"}, cleaned.Templates)
}

func TestDailyHours(t *testing.T) {
	t.Parallel()
	at := func(s string) time.Time {
		when, err := time.Parse(time.RFC3339, s)
		require.NoError(t, err)
		return when
	}
	work := watchpost.DailyHours{Days: []time.Weekday{time.Monday, time.Friday}, From: 9 * 60, Until: 17 * 60, Zone: "Europe/Berlin"}
	for now, want := range map[string]string{
		"2030-01-07T07:59:59Z": "2030-01-07T08:00:00Z", // Monday, Berlin is an hour ahead
		"2030-01-07T08:00:00Z": "2030-01-07T08:00:00Z",
		"2030-01-07T15:59:59Z": "2030-01-07T15:59:59Z",
		"2030-01-07T16:00:00Z": "2030-01-11T08:00:00Z",
		"2030-07-05T15:30:00Z": "2030-07-08T07:00:00Z", // summer time
	} {
		next, ok := work.Next(at(now))
		require.True(t, ok)
		require.Equal(t, at(want), next, now)
	}
	night := watchpost.DailyHours{From: 22 * 60, Until: 6 * 60}
	for now, want := range map[string]bool{"2030-01-07T05:59:59Z": true, "2030-01-07T06:00:00Z": false, "2030-01-07T22:00:00Z": true} {
		_, within := night.Contains(at(now))
		require.Equal(t, want, within, now)
	}
	until, _ := night.Contains(at("2030-01-07T23:00:00Z"))
	require.Equal(t, at("2030-01-08T06:00:00Z"), until)
	none := watchpost.DailyHours{}
	_, within := none.Contains(monday)
	require.False(t, within)
	_, ok := none.Next(monday)
	require.False(t, ok)
	idle := likeRule(func(r *watchpost.EngagementRule) { r.Hours = none })
	_, err := idle.Clean()
	require.EqualError(t, err, "Invalid 'working_hours'", "a rule that never acts")
}

// TestRulePace: whatever the hours, the pauses and the days, an account acts
// within the hours, after the pause and within the rule's part of a day.
func TestRulePace(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := likeRule(func(r *watchpost.EngagementRule) {
			r.PerDay = rapid.IntRange(1, 5).Draw(t, "per day")
			r.MinPause = time.Duration(rapid.IntRange(1, 300).Draw(t, "pause")) * time.Minute
			r.MaxPause = r.MinPause + time.Duration(rapid.IntRange(0, 300).Draw(t, "spread"))*time.Minute
			r.Hours.From = rapid.IntRange(0, 23*60).Draw(t, "from")
			r.Hours.Until = rapid.IntRange(0, 24*60).Draw(t, "until")
			r.Hours.Zone = rapid.SampledFrom([]string{"", "Europe/Berlin", "America/New_York", "Asia/Kolkata"}).Draw(t, "zone")
		})
		now, pace := monday.Add(time.Duration(rapid.IntRange(0, 400*24*60).Draw(t, "start"))*time.Minute), watchpost.Pace{}
		days, last := map[string]int{}, time.Time{}
		for i := range 20 {
			at := r.NextStart(pace, now)
			if _, within := r.Hours.Contains(at); !within {
				t.Fatalf("%v is outside the hours", at)
			}
			if days[watchpost.Daily.Key(at)]++; days[watchpost.Daily.Key(at)] > r.PerDay {
				t.Fatalf("too many on %v", at)
			}
			if gap := at.Sub(last); !last.IsZero() && gap < r.MinPause {
				t.Fatalf("a pause of %v", gap)
			}
			if earlier := r.NextStart(pace, at.Add(-time.Second)); at.After(now) && earlier.Before(at) {
				t.Fatalf("%v is not the first moment", at)
			}
			pace, last, now = r.After(pace, watchpost.RuleActionID(fmt.Sprint(i)), at), at, at
		}
	})
}

func TestTryRule(t *testing.T) {
	t.Parallel()
	r := likeRule(nil)
	var posts []*watchpost.Post
	for i := range 6 {
		posts = append(posts, rulePost(func(p *watchpost.Post) {
			p.ID, p.URN, p.CreatedAt = watchpost.PostID(fmt.Sprint(i)), fmt.Sprint(i), monday.Add(time.Duration(i)*time.Hour)
			p.AuthorURL = fmt.Sprintf("https://network.example/in/author-%d", i/2)
			p.Liked = true // it is about what the rule would have done
		}))
	}
	posts[5].CreatedAt = monday.AddDate(0, 0, 7)
	trial := r.Try(posts, nil)
	require.Equal(t, []int{6, 6, 2, 3}, []int{trial.Posts, trial.Matches, trial.SecondOfAuthor, trial.Busiest})
	require.Len(t, trial.Acts, 4, "one of an author and week")
	require.Equal(t, posts[0].CreatedAt, trial.Acts[0].At)
}
