package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
)

// Readers of the change feed.
const (
	readerTeams    = 200
	teamReaders    = 5
	readersSettle  = 3 * time.Second
	readersObserve = 15 * time.Second // less than a request waits
	readerWait     = 25               // seconds of a request
	readerChanges  = 400
)

// Targets for readers.
const (
	targetReach      = 50 * time.Millisecond
	targetOtherReach = 150 * time.Millisecond
)

// BenchmarkChanges prints the CPU time of the service with 1,000 readers of the change
// feed that wait while nothing happens, as a share of a core, next to that without them;
// and the time from a write to the readers of its team, next to the time to its reply.
func BenchmarkChanges(b *testing.B) {
	for b.Loop() {
		s := startWatchpost(b, b.TempDir())
		keys := s.quietTeams(b, readerTeams)
		wait(readersSettle)
		alone := s.idle(readersObserve)
		before := s.usage()
		f := follow(b)
		for _, key := range keys {
			for range teamReaders {
				f.add(s, key)
			}
		}
		wait(readersSettle)
		held, after := s.idle(readersObserve), s.usage()
		writes, reached := f.measure(s, keys, teamReaders)
		f.end()
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(100*alone, "idle-core-%")
		b.ReportMetric(100*held, "waiting-core-%")
		b.ReportMetric(float64(after.anonymous-before.anonymous)/(readerTeams*teamReaders), "B/reader")
		reportTimes(b, "write", writes)
		reportTimes(b, "reached", reached)
		b.ReportMetric(float64(targetReach.Milliseconds()), "reached-target-ms")
	}
}

// BenchmarkClusterChanges is the time from a write to a reader that waits at another node.
func BenchmarkClusterChanges(b *testing.B) {
	for b.Loop() {
		s := deployment{"cluster-2", 2, true}.start(b)
		key, _ := s.collect(b)
		owner, other := s.ownerOf(b, key)
		f := follow(b)
		f.add(s.at(other), key)
		writes, reached := f.measure(s.at(owner), []string{key}, 1)
		f.end()
		b.ReportMetric(0, "ns/op")
		reportTimes(b, "write", writes)
		reportTimes(b, "reached", reached)
		b.ReportMetric(float64(targetOtherReach.Milliseconds()), "reached-target-ms")
	}
}

// quietTeams makes teams whose only session has been there, and returns their keys.
func (p *server) quietTeams(b *testing.B, teams int) []string {
	keys := make([]string, teams)
	l := &load{url: p.url, report: func(err error) { b.Error(err) }, acked: map[string]chan struct{}{}}
	sessions := make([]*websocket.Conn, teams)
	parallel(teams, func(i int) {
		key, tokens := p.makeTeam(fmt.Sprintf("team%d", i), 1)
		ws, err := l.connect(tokens[0], i)
		if err != nil {
			b.Error(err)
			return
		}
		keys[i], sessions[i] = key, ws
	})
	require.False(b, b.Failed())
	closeAll(sessions)
	return keys
}

// followers are readers that wait for changes, one request after the other.
type followers struct {
	b     *testing.B
	ctx   context.Context
	stop  context.CancelFunc
	all   sync.WaitGroup
	heard chan heard
}

// heard is a change at the moment at which a reader had it.
type heard struct {
	id string
	at time.Time
}

func follow(b *testing.B) *followers {
	ctx, stop := context.WithCancel(b.Context())
	return &followers{b: b, ctx: ctx, stop: stop, heard: make(chan heard, readerTeams*teamReaders)}
}

// add begins to follow the changes of a team from now on.
func (f *followers) add(p *server, key string) {
	page, err := p.changes(f.ctx, key, "")
	require.NoError(f.b, err)
	f.all.Go(func() {
		for {
			page, err = p.changes(f.ctx, key, fmt.Sprintf("?wait=%d&types=watchlist&cursor=%s", readerWait, page.Cursor))
			if f.ctx.Err() != nil {
				return
			}
			if err != nil {
				f.b.Error(err)
				return
			}
			at := time.Now()
			for _, c := range page.Changes {
				f.heard <- heard{c.ID, at}
			}
		}
	})
}

// measure makes watchlists and deletes them again, one at a time. It returns the time
// from sending each request to its reply, and to each of the readers of a team.
func (f *followers) measure(p *server, keys []string, readers int) (writes, reached []time.Duration) {
	for i := range readerChanges / 2 {
		key, id := keys[i%len(keys)], ""
		for _, request := range []func(){
			func() {
				var made struct{ ID string }
				p.call("POST", "/api-keyword-watchlist", "X-Api-Key", key, map[string]any{"name": "tea", "keywords": []string{"tea"}}, &made)
				id = made.ID
			},
			func() { p.call("DELETE", "/api-keyword-watchlist?id="+id, "X-Api-Key", key, nil, nil) },
		} {
			sent := time.Now()
			request()
			writes = append(writes, time.Since(sent))
			for range readers {
				h := <-f.heard
				require.Equal(f.b, id, h.id)
				reached = append(reached, h.at.Sub(sent))
			}
		}
	}
	return writes, reached
}

func (f *followers) end() {
	f.stop()
	f.all.Wait()
}

// changesPage is what a reader uses of a reply.
type changesPage struct {
	Changes []struct{ ID string }
	Cursor  string
}

func (p *server) changes(ctx context.Context, key, query string) (page changesPage, err error) {
	raw, err := fetch(ctx, p.url+"/api-changes"+query, key)
	if err != nil {
		return page, err
	}
	return page, json.Unmarshal(raw, &page)
}
