package postindex_test

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
	"watchpost/watchpost"
	"watchpost/watchpost/trend"
)

// grouped is the questions that group posts, each with values drawn again.
var grouped = []struct {
	name string
	ask  func(m *team, view persistence.View, f *forge) (count int, err error)
}{
	{"leads", func(m *team, view persistence.View, _ *forge) (int, error) {
		return m.leadsOf(view, watchpost.PostQuery{}, watchpost.LeadsRecentFirst)
	}},
	{"leads by posts", func(m *team, view persistence.View, _ *forge) (int, error) {
		return m.leadsOf(view, watchpost.PostQuery{}, watchpost.LeadsMostPosts)
	}},
	{"leads of a watchlist", func(m *team, view persistence.View, f *forge) (int, error) {
		return m.leadsOf(view, watchpost.PostQuery{Live: live(f, 1)}, watchpost.LeadsRecentFirst)
	}},
	{"trend by watchlist", func(m *team, view persistence.View, f *forge) (int, error) {
		return m.trendOf(view, f, trend.ByWatchlist, trend.Day)
	}},
	{"trend by language", func(m *team, view persistence.View, f *forge) (int, error) {
		return m.trendOf(view, f, trend.ByLanguage, trend.Day)
	}},
	{"trend by hour", func(m *team, view persistence.View, f *forge) (int, error) {
		return m.trendOf(view, f, trend.ByNothing, trend.Hour)
	}},
}

func (m *team) leadsOf(view persistence.View, q watchpost.PostQuery, by watchpost.LeadOrder) (int, error) {
	_, count, err := m.index.Leads(view, space, &watchpost.LeadQuery{PostQuery: q, By: by, MinPosts: 1})
	return count, err
}

// trendOf counts 30 days, which end at a random one.
func (m *team) trendOf(view persistence.View, f *forge, by trend.By, interval trend.Interval) (n int, err error) {
	q := &trend.Query{Interval: interval, By: by}
	q.To = day0.AddDate(0, 0, -f.r.IntN(300))
	q.From = q.To.AddDate(0, 0, -30)
	if interval == trend.Hour {
		q.From = q.To.AddDate(0, 0, -3)
	}
	switch by {
	case trend.ByWatchlist:
		for i := range 100 {
			q.Names = append(q.Names, string(watchlist(i)))
		}
	case trend.ByLanguage:
		q.Names = []string{"en", "de", "fr", "es"}
	}
	if err := q.Span(day0); err != nil {
		return 0, err
	}
	all, groups, err := m.index.Trend(view, space, q)
	return q.MakeTrend(all, groups).Count, err
}

// groups prints the latency of each question, which takes several processors.
func (m *team) groups(b *testing.B, f *forge, only string) {
	for _, c := range grouped {
		if !strings.Contains(c.name, only) {
			continue
		}
		var took, busy []time.Duration
		count := 0
		for i := range 130 {
			m.view(func(view persistence.View) {
				cpu, began := processTime(), time.Now()
				var err error
				count, err = c.ask(m, view, f)
				require.NoError(b, err)
				if i >= 30 {
					took, busy = append(took, time.Since(began)), append(busy, processTime()-cpu)
				}
			})
		}
		slices.Sort(took)
		slices.Sort(busy)
		fmt.Printf("%-22s count %8d  p50 %7.3f ms  p99 %7.3f  processors: p10 %7.3f  p50 %7.3f\n", c.name, count,
			ms(took[len(took)/2]), ms(took[len(took)*99/100]), ms(busy[len(busy)/10]), ms(busy[len(busy)/2]))
	}
}

// processTime is the processor time that all threads have used.
func processTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
