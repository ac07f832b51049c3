package notify

import (
	"net/url"
	"strings"
	"time"

	"watchpost/internal/words"
	"watchpost/watchpost"
)

// risen says in a line what an alert tells, in words of ours only.
func risen(say *words.Language, a *watchpost.Alerted) string {
	day, usual := say.Date("date.day", a.Day), say.Decimal(a.Usual)
	if a.Of == watchpost.AlertNegativeSurge {
		return say.Text("message.risen_negative", "n", a.Count, "day", day, "usual", usual)
	}
	return say.Text("message.risen", "n", a.Count, "day", day, "usual", usual)
}

// newWords is a line with the new words of an alert; empty: it has none.
func newWords(say *words.Language, m Message) string {
	if m.Alert == nil || len(m.Alert.Words) == 0 {
		return ""
	}
	return oneLine(say.Text("message.new_words", "words", say.List(m.Alert.Words...)), excerptLength)
}

// link leads to a page of the dashboard. Name is its member in the message to a webhook.
type link struct{ Title, Name, URL string }

// linksOf returns the links of an alert: to its posts in the feed, with the conditions of
// the target as filters, and to the page of trends.
func linksOf(say *words.Language, t *watchpost.NotificationTarget, m Message) []link {
	if m.Alert == nil || m.Origin == "" {
		return nil
	}
	day, trends := m.Alert.Day.Format(time.DateOnly), url.Values{}
	then := *t // the target may have another alert by now
	then.Alert.Of = m.Alert.Of
	feed := then.CountedParams()
	feed.Set("start_date", day)
	feed.Set("end_date", day)
	if t.Watchlist != "" {
		trends.Set("list", string(t.Watchlist))
	}
	to := func(path string, query url.Values) string {
		return strings.TrimSuffix(m.Origin+path+"?"+query.Encode(), "?")
	}
	return []link{
		{say.Text("message.see_the_posts"), "posts_url", to("/app", feed)},
		{say.Text("message.see_the_trends"), "trends_url", to("/app/trends", trends)},
	}
}
