package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"watchpost/actors"
	httpapi "watchpost/http"
	"watchpost/internal/protocol"
	"watchpost/internal/testclock"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// TestKeyEndsItsExport: the reply is cut off before its end when its key is deleted or has
// expired, and goes on when another one is renamed. What else the team holds still hears of
// changes.
func TestKeyEndsItsExport(t *testing.T) {
	t.Parallel()
	clock := testclock.New(0, nil, nil)
	t.Cleanup(clock.Close)
	h := build(t, func(o *httpapi.Options) { o.Clock, o.TestClock = clock, clock })
	m := h.team("Exporting", "ultimate")
	p := m.join()
	const lists, each = 16, 8
	m.fill(p, lists, each)
	expiring, _ := m.scopedKey("read", `"expires_at":"`+clock.Now().Add(time.Hour).UTC().Format(time.RFC3339)+`"`)
	expired, held := m.exports(t, expiring), m.follow(t, m.key)
	h.following(1)
	require.NoError(t, clock.Advance(time.Hour))
	_, err := io.ReadAll(expired)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	began := time.Now()
	rotated := read[fields](h.admin("POST", "/admin/teams/"+m.id+"/rotate-key", ""), 200)["api_key"].(string)
	held.ends(began)

	m.key = rotated
	key, id := m.scopedKey("read")
	_, renamed := m.scopedKey("read")
	cut, whole := m.exports(t, key), m.exports(t, m.key)
	read[fields](m.call("DELETE", keysPath+"?id="+id, ""), 200)
	read[fields](m.call("PUT", keysPath, `{"id":"`+renamed+`","name":"Renamed"}`), 200)
	_, err = io.ReadAll(cut)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	rest, err := io.ReadAll(whole)
	require.NoError(t, err)
	require.Equal(t, lists*each, strings.Count(string(rest), "\n"))
}

// TestReadersOfADeletion deletes a watchlist, and reads after each batch that takes posts
// along: exports and the feed have every post of the other watchlist once.
func TestReadersOfADeletion(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Deleting", "ultimate")
	p := m.join()
	const doomed, shared, kept = 450, 150, 50
	var alpha, beta []protocol.Post
	var want []string
	for i := range doomed + kept {
		content := fmt.Sprint("post ", i)
		if i < doomed {
			content += " alpha"
		}
		if i >= doomed-shared {
			content += " beta"
			beta, want = append(beta, sample(i, content)), append(want, content)
		}
		if i < doomed {
			alpha = append(alpha, sample(i, content))
		}
	}
	list, other := m.collect(p, "alpha", alpha...), m.collect(p, "beta", beta...)
	feed := &postFeed{team: m, cursor: "earliest", had: map[[2]string]int{}, contents: map[string]string{}}
	feed.read()
	require.Len(t, feed.of(list), doomed)

	held := &holdUp{make(chan struct{}, 64), make(chan struct{})}
	h.store.heldWrites.Store(held)
	deletion := m.later("DELETE", watchlists+"?id="+list)
	batches := 0
	for left := doomed; left > 0; batches++ {
		select {
		case <-held.reached:
		case <-time.After(patience):
			t.Fatal("the deletion does not go on")
		}
		require.ElementsMatch(t, want, m.exported("&watchlist_id="+other))
		require.ElementsMatch(t, want, slices.DeleteFunc(m.exported(""), func(content string) bool { return !strings.HasSuffix(content, "beta") }))
		feed.read()
		require.ElementsMatch(t, want, feed.of(other))
		left = len(feed.of(list))
		held.release <- struct{}{}
	}
	require.Greater(t, batches, 3)
	h.store.heldWrites.Store(nil)
	close(held.release)
	awaited(t, deletion)
	require.ElementsMatch(t, want, m.exported(""))
}

// exported returns the contents of the posts of an export, each as often as it is there.
func (m team) exported(query string) (contents []string) {
	m.t.Helper()
	r := m.call("GET", "/api-posts/export?format=jsonl"+query, "")
	require.Equal(m.t, 200, r.status, r.raw)
	for line := range strings.Lines(r.raw) {
		var post struct{ Content string }
		require.NoError(m.t, json.Unmarshal([]byte(line), &post))
		contents = append(contents, post.Content)
	}
	return contents
}

// postFeed follows the posts of a team.
type postFeed struct {
	team
	cursor   string
	had      map[[2]string]int // by watchlist and post: how often it came, less how often it went
	contents map[string]string // of the posts
}

// postChanges is what a postFeed reads of a page.
type postChanges struct {
	Changes []struct {
		Action, ID string
		Watchlist  string                    `json:"watchlist_id"`
		Data       *struct{ Content string } // nil: the post is gone
	}
	Cursor string
	More   bool
}

// read reads the changes that have come.
func (f *postFeed) read() {
	f.t.Helper()
	for more := true; more; {
		page := read[postChanges](f.call("GET", changesPath+"?types=post&limit=70&cursor="+f.cursor, ""), 200)
		for _, c := range page.Changes {
			if c.Data != nil {
				f.contents[c.ID] = c.Data.Content
			}
			switch c.Action {
			case "matched":
				f.had[[2]string{c.Watchlist, c.ID}]++
			case "removed":
				f.had[[2]string{c.Watchlist, c.ID}]--
			}
		}
		f.cursor, more = page.Cursor, page.More
	}
}

// of returns the contents of the posts that a watchlist has, each as often as it came.
func (f *postFeed) of(watchlist string) (contents []string) {
	f.t.Helper()
	for key, times := range f.had {
		require.GreaterOrEqual(f.t, times, 0, "%s went before it came", f.contents[key[1]])
		for range times {
			if key[0] == watchlist {
				contents = append(contents, f.contents[key[1]])
			}
		}
	}
	return contents
}

// TestExportIsOfOneMoment holds an export in the middle, while a watchlist is deleted, posts
// come and one is saved: it goes on as it was at its beginning.
func TestExportIsOfOneMoment(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Snapshots", "ultimate")
	p := m.join()
	const each = 400 // 512 posts are read ahead
	some := func(from int, word string) (posts []protocol.Post) {
		for i := range each {
			posts = append(posts, sample(from+i, fmt.Sprint(word, " ", i)))
		}
		return posts
	}
	m.collect(p, "first", some(0, "first")...)
	m.collect(p, "second", some(each, "second")...)
	doomed := m.collect(p, "third", some(2*each, "third")...)
	export := func(held int, meanwhile func()) (posts []string) {
		require.NoError(t, h.registry.ExportPosts(t.Context(), watchpost.TeamID(m.id), nil, watchpost.PostQuery{}, "", func(p *actors.StoredPost, q *watchpost.PostQuery) error {
			if len(posts) == held {
				meanwhile()
			}
			posts = append(posts, string(p.Append(nil, q.Live, q.Tagging)))
			return nil
		}))
		return posts
	}
	began := export(-1, nil)
	require.Len(t, began, 3*each)
	feed := &postFeed{team: m, cursor: "earliest", had: map[[2]string]int{}, contents: map[string]string{}}
	require.Equal(t, began, export(10, func() {
		var late struct{ ID string }
		require.NoError(t, json.Unmarshal([]byte(began[2*each-1]), &late))
		read[fields](m.call("PUT", "/api-posts", `{"id":"`+late.ID+`","bookmark":true}`), 200)
		read[fields](m.call("DELETE", watchlists+"?id="+doomed, ""), 200)
		m.collect(p, "fourth", some(3*each, "fourth")...)
		require.Eventually(t, func() bool { feed.read(); return len(feed.of(doomed)) == 0 }, patience, 5*time.Millisecond)
	}))
	now := export(-1, nil)
	require.Len(t, now, 3*each)
	saved := slices.DeleteFunc(now, func(post string) bool { return !strings.Contains(post, `"bookmark":true`) })
	require.Len(t, saved, 1)
	require.NotContains(t, began, saved[0])
}

// fill collects that many posts for each of some watchlists. Together they have 8 MB, which is
// more than the buffers of a connection hold.
func (m team) fill(p *fakeSession, lists, each int) {
	m.t.Helper()
	length := 8 << 20 / (lists * each)
	for i := range lists {
		var posts []protocol.Post
		for j := range each {
			posts = append(posts, sample(i*each+j, fmt.Sprintf("word%d ", i)+strings.Repeat("x", length)))
		}
		m.collect(p, fmt.Sprintf("word%d", i), posts...)
	}
}

// exports begins to read the posts of a team through a small buffer.
func (m team) exports(t *testing.T, key string) io.Reader {
	t.Helper()
	return m.slowly(t.Context(), t, "/api-posts/export?format=jsonl", "X-Api-Key", key)
}

// slowly sends a request whose reply is read through a small buffer, so that most of it is
// still to be sent. It ends with ctx.
func (h *testServer) slowly(ctx context.Context, t *testing.T, path string, headers ...string) io.Reader {
	t.Helper()
	dialer := net.Dialer{Control: func(_, _ string, c syscall.RawConn) (err error) {
		failed := c.Control(func(fd uintptr) { err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 64<<10) })
		if err == nil {
			err = failed
		}
		return err
	}}
	transport := h.client.Transport.(*http.Transport).Clone()
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		return dialer.DialContext(ctx, network, address)
	}
	t.Cleanup(transport.CloseIdleConnections)
	request, err := http.NewRequestWithContext(ctx, "GET", h.url+path, http.NoBody)
	require.NoError(t, err)
	request.Header.Set("Accept-Encoding", "identity") // these posts compress well
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := (&http.Client{Transport: transport}).Do(request)
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	require.Equal(t, 200, response.StatusCode)
	return response.Body
}

// watchedStore counts its open views, and can be told to fail their reads.
type watchedStore struct {
	persistence.Store
	open   atomic.Int64
	broken atomic.Bool
}

// View implements persistence.Store.
func (s *watchedStore) View(ctx context.Context) (persistence.View, error) {
	view, err := s.Store.View(ctx)
	if err != nil {
		return nil, err
	}
	s.open.Add(1)
	return &watchedView{View: view, store: s}, nil
}

type watchedView struct {
	persistence.View
	store  *watchedStore
	closed sync.Once
}

// Close implements persistence.View.
func (v *watchedView) Close() {
	v.closed.Do(func() { v.store.open.Add(-1) })
	v.View.Close()
}

var errBrokenView = errors.New("read /secret/disk: on fire")

// GetAll implements persistence.View.
func (v *watchedView) GetAll(space persistence.Space, keys [][]byte) ([][]byte, error) {
	if v.store.broken.Load() {
		return nil, errBrokenView
	}
	return v.View.GetAll(space, keys)
}

// Scan implements persistence.View.
func (v *watchedView) Scan(space persistence.Space, from, to []byte, yield func(key, value []byte) bool) error {
	if v.store.broken.Load() {
		return errBrokenView
	}
	return v.View.Scan(space, from, to, yield)
}

// streamedExports are those whose replies are sent as they are made.
var streamedExports = []string{"/api-posts/export?format=csv", "/api-posts/export?format=jsonl", "/app/posts.csv"}

// watched opens a service on such a store, with a team that has much to export. begin sends a
// request of an export and reads the first bytes of its reply.
func watched(t *testing.T) (m team, store *watchedStore, begin func(ctx context.Context, path string) io.Reader) {
	t.Helper()
	store = &watchedStore{}
	h := buildWith(t, func(o *actors.Options) { store.Store, o.Store = o.Store, store })
	m = h.team("Watched", "ultimate")
	m.fill(m.join(), 16, 64) // posts are read 256 at once
	b := h.browser()
	b.signIn(m.email)
	address, err := url.Parse(h.url + "/app")
	require.NoError(t, err)
	var cookies []string
	for _, c := range b.client.Jar.Cookies(address) {
		cookies = append(cookies, c.Name+"="+c.Value)
	}
	require.NotEmpty(t, cookies)
	return m, store, func(ctx context.Context, path string) io.Reader {
		t.Helper()
		body := h.slowly(ctx, t, path, "X-Api-Key", m.key, "Cookie", strings.Join(cookies, "; "))
		_, err := io.ReadFull(body, make([]byte, 1000))
		require.NoError(t, err)
		return body
	}
}

// TestAbandonedExport: a client that goes away in the middle of its export leaves no view of
// the store, no goroutine and no place among those under way. It is not parallel: the
// goroutines of other tests would count.
func TestAbandonedExport(t *testing.T) { //nolint:paralleltest // see above
	_, store, begin := watched(t)
	for _, path := range streamedExports {
		require.Eventually(t, func() bool { return store.open.Load() == 0 }, patience, time.Millisecond)
		before := goleak.IgnoreCurrent()
		for range 6 { // a team may have 4 under way
			ctx, leave := context.WithCancel(t.Context())
			begin(ctx, path)
			require.Positive(t, store.open.Load(), path)
			leave()
			require.Eventually(t, func() bool { return store.open.Load() == 0 }, patience, time.Millisecond, path)
		}
		require.NoError(t, goleak.Find(before), path)
	}
}

// TestBrokenExport: the reply of an export that fails in the middle has no end, so that its
// client does not take it for the whole.
func TestBrokenExport(t *testing.T) {
	t.Parallel()
	m, store, begin := watched(t)
	for _, path := range streamedExports {
		body := begin(t.Context(), path)
		store.broken.Store(true)
		_, err := io.ReadAll(body)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, path)
		require.Eventually(t, func() bool { return store.open.Load() == 0 }, patience, time.Millisecond, path)
		if strings.HasPrefix(path, "/api-") { // before its first byte
			r := m.call("GET", path, "")
			r.fails(500, "Failed to fetch posts")
			require.Empty(t, r.header.Get("Content-Disposition"), path)
		}
		store.broken.Store(false)
		rest, err := io.ReadAll(begin(t.Context(), path))
		require.NoError(t, err, path)
		require.Equal(t, 16*64, strings.Count(string(rest), "\n"), path)
	}
}
