package notify_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"watchpost/internal/mail/outgoing"
	"watchpost/internal/notify"
	"watchpost/internal/words"
	"watchpost/watchpost"
)

// TestMailsInEachLanguage: each language has each message, with all that it is to say.
func TestMailsInEachLanguage(t *testing.T) {
	t.Parallel()
	day := time.Date(2030, 11, 18, 0, 0, 0, 0, time.UTC)
	posts := func(n int) (all []notify.Post) {
		for range n {
			all = append(all, notify.Post{Post: &watchpost.Post{AuthorName: "Marta", Content: "telemetry", URL: "https://network.example/p"}})
		}
		return all
	}
	alert := func(of watchpost.AlertKind, count int) *watchpost.Alerted {
		return &watchpost.Alerted{Of: of, Day: day, Count: count, Usual: 4.5, Words: []string{"outage", "blackout"}}
	}
	target := &watchpost.NotificationTarget{ID: "t", Name: "Market", Kind: watchpost.TargetEmail}
	const post = "\nMarta: telemetry\nhttps://network.example/p\n"
	const links = "See the posts: https://watch.example/app?end_date=2030-11-18&start_date=2030-11-18\nSee the trends: https://watch.example/app/trends\n"
	for name, c := range map[string]struct {
		m             notify.Message
		subject, body string // in English
		says          []string
	}{
		"test":  {notify.Message{Test: true}, "Watchpost: test of a notification", "Watchpost: test of Market\nNew posts will arrive here.\n", []string{"Market"}},
		"one":   {notify.Message{Posts: posts(1)}, "Watchpost: 1 new post", "Market: a new post of Marta\n" + post, []string{"Market", "Marta", post}},
		"three": {notify.Message{Posts: posts(3)}, "Watchpost: 3 new posts", "Market: 3 new posts\n" + post + post + post, []string{"Market", "3", post}},
		"spike": {notify.Message{Alert: alert(watchpost.AlertSpike, 23)}, "Watchpost: 23 posts on 18 November, usually 4.5",
			"Market: 23 posts on 18 November, usually 4.5\nNew words: outage, blackout\n", []string{"Market", "23", "18", "outage", "blackout"}},
		"surge": {notify.Message{Alert: alert(watchpost.AlertNegativeSurge, 23), Origin: "https://watch.example", Posts: posts(1)}, "Watchpost: 23 negative posts on 18 November, usually 4.5",
			"Market: 23 negative posts on 18 November, usually 4.5\nNew words: outage, blackout\n" +
				strings.ReplaceAll(links, "18&start", "18&sentiment=negative&start") + post,
			[]string{"Market", "23", "https://watch.example/app?end_date=2030-11-18&sentiment=negative&start_date=2030-11-18\n", "https://watch.example/app/trends\n", post}},
		"many": {notify.Message{Alert: alert(watchpost.AlertSpike, 1234)}, "Watchpost: 1,234 posts on 18 November, usually 4.5",
			"Market: 1,234 posts on 18 November, usually 4.5\nNew words: outage, blackout\n", []string{"234"}},
	} {
		english := notify.Mail(outgoing.Recipient{Address: "ada@example.com"}, target, c.m)
		require.Equal(t, outgoing.Mail{To: "ada@example.com", Language: "en", Subject: c.subject, Body: c.body}, english, name)
		for _, l := range words.All()[1:] {
			m := notify.Mail(outgoing.Recipient{Address: "ada@example.com", Language: l.Code}, target, c.m)
			assert.Equal(t, l.Code, m.Language)
			assert.NotEqual(t, c.subject, m.Subject, "%s in %s", name, l.Code)
			assert.NotContains(t, m.Subject, "Mar", "%s in %s: a name is in the subject", name, l.Code)
			assert.NotContains(t, m.Subject+m.Body, "{", "%s in %s: an argument is missing", name, l.Code)
			assert.NotContains(t, m.Subject+m.Body, "message.", "%s in %s: a text is missing", name, l.Code)
			for _, part := range c.says {
				assert.Contains(t, m.Body, part, "%s in %s", name, l.Code)
			}
		}
	}
	german := notify.Mail(outgoing.Recipient{Language: "de"}, target, notify.Message{Alert: alert(watchpost.AlertSpike, 1234)})
	require.Equal(t, "Watchpost: 1.234 Beiträge am 18. November, üblich sind 4,5", german.Subject)
	require.Contains(t, notify.Mail(outgoing.Recipient{Language: "ja"}, target, notify.Message{Alert: alert(watchpost.AlertSpike, 9)}).Body, "新しい言葉：outage、blackout\n")
	require.Equal(t, "\u200fWatchpost: 3 منشورات جديدة", notify.Mail(outgoing.Recipient{Language: "ar"}, target, notify.Message{Posts: posts(3)}).Subject)
}
