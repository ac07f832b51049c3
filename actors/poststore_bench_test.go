package actors_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// BenchmarkIngest prints the processor time that a post takes from a session's
// frame to its place in the index: read, matched, understood, indexed,
// committed, folded.
func BenchmarkIngest(b *testing.B) {
	w := actorstest.New(b)
	team := w.CreateTeam(b, watchpost.PlanUltimate)
	s := team.Session(b, "ada").Connect()
	list := watchpost.Watchlist{Type: watchpost.KeywordWatchlist, Frequency: watchpost.FetchFrequency(time.Hour), Keywords: []watchpost.KeywordEntry{{Keyword: "telemetry"}}}
	actorstest.Must[any](b, team, actors.CreateWatchlist{Watchlist: list})
	scan := s.Expect(protocol.TypeTask)
	const parts, posts = 60, 150
	began, from := benchProcessor(), time.Now()
	for part := range parts {
		var some []protocol.Post
		for i := range posts {
			n := part*posts + i
			some = append(some, protocol.Post{
				URN: fmt.Sprintf("urn:li:activity:%d", 7_000_000_000_000_000_000+n), URL: fmt.Sprintf("/posts/%d", n),
				Content:    fmt.Sprintf("Our telemetry pipeline number %d is %s and the team shares what it learned while building it for customers in %d countries", n, strings.Repeat("faster than before, ", n%7), n%90),
				AuthorName: "Ada", AuthorURL: fmt.Sprintf("/in/ada-%d", n%900), AuthorHeadline: "VP of Engineering at Acme",
				PostedAt: w.Now().Add(-time.Duration(n) * time.Second).UTC().Truncate(time.Millisecond), Likes: int64(n % 300), Type: "text",
			})
		}
		s.Part(scan, part, some...)
		s.ExpectAck(scan)
	}
	used, took := benchProcessor()-began, time.Since(from)
	fmt.Printf("%d posts: %v of processor time each, %.0f/s\n", parts*posts, used/(parts*posts), parts*posts/took.Seconds())
}

// benchProcessor is the processor time of the process.
func benchProcessor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
