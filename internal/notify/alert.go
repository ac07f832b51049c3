package notify

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"watchpost/watchpost"
)

// risen says in a line what an alert tells, in words of ours only.
func risen(a *watchpost.Alerted) string {
	what := " posts on "
	if a.Of == watchpost.AlertNegativeSurge {
		what = " negative posts on "
	}
	return strconv.Itoa(a.Count) + what + a.Day.Format("2 January") + ", usually " + strconv.FormatFloat(a.Usual, 'f', -1, 64)
}

// newWords is a line with the new words of an alert; empty: it has none.
func newWords(m Message) string {
	if m.Alert == nil || len(m.Alert.Words) == 0 {
		return ""
	}
	return oneLine("New words: "+strings.Join(m.Alert.Words, ", "), excerptLength)
}

// link leads to a page of the dashboard. Name is its member in the message to a webhook.
type link struct{ Title, Name, URL string }

// linksOf returns the links of an alert: to its posts in the feed, with the conditions of
// the target as filters, and to the page of trends.
func linksOf(t *watchpost.NotificationTarget, m Message) []link {
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
	return []link{{"See the posts", "posts_url", to("/app", feed)}, {"See the trends", "trends_url", to("/app/trends", trends)}}
}
