package crash

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/stretchr/testify/require"
)

// change is one of the change feed, as far as its follower looks at it.
type change struct {
	Cursor, Type, Action, ID string
	Watchlist                string `json:"watchlist_id"`
}

// name identifies a change that comes at most once: a watchlist is created once, a task ends
// once, and a watchlist gets a post once.
func (c change) name() string {
	return strings.Join([]string{c.Type, c.Action, c.ID, c.Watchlist}, " ")
}

// follower reads the change feed over all kills. It keeps the cursor and the changes together,
// like a client that stores both in one transaction.
type follower struct {
	d      *crashTest
	first  string          // where it began
	before map[string]bool // the tasks that had been asked for then
	cursor string
	got    []change
}

// newFollower returns one that begins now.
func (d *crashTest) newFollower() *follower {
	f := &follower{d: d, before: map[string]bool{}}
	for id := range d.truth.tasks {
		f.before[id] = true
	}
	f.read("", "0")
	require.NotEmpty(d.t, f.cursor)
	f.first = f.cursor
	return f
}

// follow reads changes as they come until the returned function is called. It has all then.
func (f *follower) follow() (end func()) {
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			f.d.truth.mu.Lock()
			up := f.d.up
			f.d.truth.mu.Unlock()
			select {
			case <-stop:
				return
			case <-up:
				changes, _ := f.read(f.cursor, "1")
				f.got = append(f.got, changes...)
			}
		}
	})
	return func() {
		close(stop)
		wg.Wait()
		f.catchUp()
	}
}

// read asks for the changes behind a cursor and moves to the one of the reply; no reply
// moves nothing.
func (f *follower) read(cursor, wait string) (changes []change, more bool) {
	status, body := f.d.request("GET", "/api-changes?limit=7&wait="+wait+"&cursor="+url.QueryEscape(cursor), nil)
	if !f.d.expect(status, http.StatusOK, body) {
		return nil, true
	}
	var page struct {
		Changes []change
		Cursor  string
		More    bool
	}
	if err := json.Unmarshal(body, &page); err != nil || page.Cursor == "" {
		f.d.t.Errorf("%v: %s", err, body)
		return nil, true
	}
	f.cursor = page.Cursor
	return page.Changes, page.More
}

// catchUp reads the rest of the feed.
func (f *follower) catchUp() {
	for more := true; more; {
		var changes []change
		changes, more = f.read(f.cursor, "0")
		f.got = append(f.got, changes...)
	}
}

// checkAgain reads the feed once more from the first cursor: it begins with the same changes.
func (f *follower) checkAgain() {
	again := follower{d: f.d, cursor: f.first}
	again.catchUp()
	require.GreaterOrEqual(f.d.t, len(again.got), len(f.got))
	require.Equal(f.d.t, f.got, again.got[:len(f.got)])
}

// checkRestored: a backup from before the cursor was restored. The cursor is refused, the
// one where the follower began is not.
func (f *follower) checkRestored() {
	status, body := f.d.request("GET", "/api-changes?cursor="+url.QueryEscape(f.cursor), nil)
	require.Equal(f.d.t, http.StatusGone, status, "%s", body)
	require.Equal(f.d.t, "Cursor is unknown", field(body, "error"))
	f.read(field(body, "earliest"), "0")
	again := follower{d: f.d, cursor: f.first}
	again.catchUp()
	require.NotEmpty(f.d.t, again.got)
	same := 0
	for same < len(again.got) && same < len(f.got) && again.got[same] == f.got[same] {
		same++
	}
	require.Positive(f.d.t, same, "the changes of the backup are those of before")
}

// check compares the follower's changes with the acknowledged ones: each comes once.
func (f *follower) check() {
	cursors, once := map[string]bool{}, map[string]int{}
	for _, c := range f.got {
		require.False(f.d.t, cursors[c.Cursor], "%+v came twice", c)
		cursors[c.Cursor] = true
		if c.Action != "updated" && c.Action != "changed" && c.Action != "failed" { // a late truth about a failed one is news
			once[c.name()]++
			require.Equal(f.d.t, 1, once[c.name()], "%+v came twice", c)
		}
	}
	for id, name := range f.d.truth.watchlists {
		require.Equal(f.d.t, 1, once["watchlist created "+id+" "+id], "watchlist %s", id)
		if name == "" {
			require.Equal(f.d.t, 1, once["watchlist deleted "+id+" "+id], "watchlist %s", id)
			continue
		}
		f.checkPosts(id)
	}
	for id := range f.d.truth.tasks {
		if !f.before[id] {
			require.Equal(f.d.t, 1, once["task completed "+id+" "], "task %s", id)
		}
	}
	f.d.t.Logf("%d changes followed", len(f.got))
}

// checkPosts compares the posts of a watchlist with those that the follower has heard of.
func (f *follower) checkPosts(id string) {
	heard := map[string]bool{}
	for _, c := range f.got {
		if c.Type == "post" && c.Watchlist == id {
			heard[c.ID] = c.Action != "removed" && (heard[c.ID] || c.Action == "matched")
		}
	}
	for page, n := 1, 0; ; page++ {
		status, body := f.d.request("GET", fmt.Sprintf("/api-posts?watchlist_id=%s&page=%d&page_size=100", id, page), nil)
		require.Equal(f.d.t, http.StatusOK, status, "%s", body)
		var reply struct {
			Data  []struct{ ID string }
			Count int
		}
		require.NoError(f.d.t, json.Unmarshal(body, &reply))
		for _, p := range reply.Data {
			require.True(f.d.t, heard[p.ID], "post %s of watchlist %s is stored, and the feed does not have it", p.ID, id)
			n++
		}
		if len(reply.Data) < 100 {
			for _, has := range heard {
				if has {
					n--
				}
			}
			require.Zero(f.d.t, n, "the feed has posts of watchlist %s that are not stored", id)
			return
		}
	}
}
