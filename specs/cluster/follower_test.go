package cluster

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/stretchr/testify/require"
)

// follower reads the change feed of a team through the proxy, over all faults. It keeps
// the cursor and the changes together, like a client that stores both at once. Every other
// team's asks for a stream of events.
type follower struct {
	d             *drill
	of            *drillTeam
	first, cursor string
	got           []followed
	streams       int // that were begun
	stop          context.CancelFunc
	running       sync.WaitGroup
}

// followed is a change of the feed.
type followed struct{ Cursor, Type, Action, ID string }

func (f followed) name() string { return f.Type + " " + f.Action + " " + f.ID }

// follow begins to read the changes of a team that come from now on.
func (d *drill) follow(of *drillTeam) *follower {
	ctx, stop := context.WithCancel(d.t.Context())
	f := &follower{d: d, of: of, stop: stop}
	d.eventually("the change feed has a cursor", func() bool { f.read("0"); return f.cursor != "" })
	f.first = f.cursor
	f.running.Go(func() {
		for ctx.Err() == nil {
			if of.number%2 == 1 {
				f.listen(ctx)
			} else if _, answered := f.read("1"); answered {
				continue
			}
			select {
			case <-ctx.Done():
			case <-time.After(50 * time.Millisecond): // paces the tries
			}
		}
	})
	return f
}

// listen reads a stream from the cursor on, until it ends: with each fault of its node, and
// when the node gives the team away. An event counts when it has come whole.
func (f *follower) listen(ctx context.Context) {
	r, err := http.NewRequestWithContext(ctx, "GET", "http://"+f.d.proxy+"/api-changes", http.NoBody)
	if err != nil {
		f.d.fail(err)
		return
	}
	r.Header.Set("X-Api-Key", f.of.Key)
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("Last-Event-ID", f.cursor)
	response, err := f.d.client.Do(r)
	if err != nil {
		return
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(response.Body)
		if _, missed := unanswered(response.StatusCode, body); !missed {
			f.d.fail(fmt.Errorf("stream of team %d: %d %s", f.of.number, response.StatusCode, body))
		}
		return
	}
	f.streams++
	id, data := "", []string(nil)
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case name == "id":
			id = value
		case name == "data": // read when the event has ended: the stream may end inside of it
			data = append(data, value)
		case lines.Text() == "" && id != "":
			for _, text := range data {
				var c followed
				if err := json.Unmarshal([]byte(text), &c); err != nil {
					f.d.fail(fmt.Errorf("stream of team %d: %q: %w", f.of.number, text, err))
				}
				f.got = append(f.got, c)
			}
			f.cursor = id
			id, data = "", nil
		}
	}
}

// read reads the changes behind the cursor, and moves it behind them. Without an answer
// nothing moves.
func (f *follower) read(wait string) (more, answered bool) {
	status, body := f.d.requestAt(f.d.proxy, "GET", "/api-changes?limit=7&wait="+wait+"&cursor="+url.QueryEscape(f.cursor), nil, "X-Api-Key", f.of.Key)
	if _, missed := unanswered(status, body); missed {
		return true, false
	}
	var page struct {
		Changes []followed
		Cursor  string
		More    bool
	}
	if status != http.StatusOK || json.Unmarshal(body, &page) != nil || page.Cursor == "" {
		f.d.fail(fmt.Errorf("changes of team %d: %d %s", f.of.number, status, body))
		return false, true
	}
	f.got, f.cursor = append(f.got, page.Changes...), page.Cursor
	return page.More, true
}

// catchUp reads the rest of the feed.
func (f *follower) catchUp() {
	f.d.eventually("the follower has all changes", func() bool {
		more, answered := f.read("0")
		return answered && !more
	})
}

// check ends the follower and compares its changes with the replies to clients, and with
// the feed as it is read once more: each change came once. The tasks of done have
// completed.
func (f *follower) check(done []string) {
	t := f.d.t
	f.stop()
	f.running.Wait()
	require.NotEmpty(t, f.got, "team %d, before it is asked for the rest", f.of.number)
	f.catchUp()
	cursors, once := map[string]bool{}, map[string]int{}
	for _, c := range f.got {
		require.False(t, cursors[c.Cursor], "%+v came twice", c)
		cursors[c.Cursor] = true
		once[c.name()]++
	}
	for kind, ids := range map[string][]string{"watchlist created ": f.of.created, "watchlist deleted ": f.of.deleted, "task completed ": done} {
		for _, id := range ids {
			require.Equal(t, 1, once[kind+id], "%s%s", kind, id)
		}
	}
	again := &follower{d: f.d, of: f.of, cursor: f.first}
	again.catchUp()
	require.GreaterOrEqual(t, len(again.got), len(f.got))
	require.Equal(t, f.got, again.got[:len(f.got)], "the feed of team %d, read again", f.of.number)
	t.Logf("team %d: %d changes followed in %d streams; %d watchlists made, %d deleted, %d tasks done", f.of.number, len(f.got), f.streams, len(f.of.created), len(f.of.deleted), len(done))
}
