package drills_test

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/persistence/badger"
	"watchpost/watchpost"
)

// acknowledged is the content of a store by its acknowledged writes, independent of the
// engine: values by "space/key", and by "kind:name" of the directory.
type acknowledged struct {
	mu  sync.Mutex
	all map[string]string
}

// note takes a batch that is durable.
func (a *acknowledged) note(space persistence.Space, batch *persistence.Batch) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, w := range batch.Writes {
		if name := string(space) + "/" + string(w.Key); w.Delete {
			delete(a.all, name)
		} else {
			a.all[name] = string(w.Value)
		}
	}
	for _, d := range batch.Directory {
		if name := d.Key.Kind + ":" + d.Key.Name; d.Value == nil {
			delete(a.all, name)
		} else {
			a.all[name] = string(d.Value)
		}
	}
}

// work has teams make watchlists and tasks and store posts, with a store of a separate
// run of the service.
func work(t *testing.T, engine persistence.Store, known *acknowledged, round int, random *rand.Rand) {
	require.True(t, t.Run("work", func(t *testing.T) { workIn(t, engine, known, round, random) }))
}

func workIn(t *testing.T, engine persistence.Store, known *acknowledged, round int, random *rand.Rand) {
	w := actorstest.New(t, actorstest.On(engine), actorstest.Watching(known.note))
	for n := range 3 {
		team := w.CreateTeam(t, watchpost.PlanGrowth)
		s := team.Session(t, fmt.Sprintf("ada-%d-%d", round, n)).Connect()
		for i := range 5 {
			keyword := fmt.Sprintf("golang%d", i)
			list := watchpost.Watchlist{Type: watchpost.KeywordWatchlist, Frequency: watchpost.FetchFrequency(24 * time.Hour), Keywords: []watchpost.KeywordEntry{{Keyword: keyword}}}
			actorstest.Must[actors.WatchlistView](t, team, actors.CreateWatchlist{Watchlist: list})
			frame := s.Expect(protocol.TypeTask)
			var posts []protocol.Post
			for p := range 25 {
				name := fmt.Sprintf("%d-%d-%d-%d", round, n, i, p)
				posts = append(posts, protocol.Post{
					URN: "urn:network:post:" + name, URL: "/posts/" + name, Content: keyword + " " + words(random, 150) + " " + keyword, AuthorName: "Ada", AuthorURL: "/in/ada" + name,
					PostedAt: w.Now().Add(-time.Hour).UTC().Truncate(time.Millisecond), Likes: int64(p), Type: "text",
				})
			}
			s.Part(frame, 0, posts...)
			s.ExpectAck(frame)
			exhausted := true
			s.Result(frame, protocol.PostsOutput{Exhausted: &exhausted, Posts: []protocol.Post{}})
			s.ExpectAck(frame)
		}
		for range 5 {
			team.Create(t, watchpost.TaskProfileFetch)
		}
		s.Drop()
	}
}

func words(random *rand.Rand, n int) string {
	var text strings.Builder
	for range n {
		fmt.Fprintf(&text, "%x ", random.Uint32())
	}
	return text.String()
}

// image is the files of a folder at one moment, each without the zeros at its end.
type image struct {
	name  string
	files []imageFile
	want  map[string]string
}

type imageFile struct {
	name string
	head []byte
	size int64
}

// take makes an image of a folder. Of an open store it is what a kill of the process
// would leave, because mapped files and files that are read share their pages: it
// reads again when the store replaced tables meanwhile.
func take(t *testing.T, name, dir string, known *acknowledged) *image {
	taken := &image{name: name, want: map[string]string{}}
	for tables := (map[string]bool)(nil); ; tables = taken.tables() {
		taken.files = nil
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			content, err := os.ReadFile(path)
			head := []byte(strings.TrimRight(string(content), "\x00"))
			taken.files = append(taken.files, imageFile{filepath.Base(path), head, int64(len(content))})
			return err
		})
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		require.NoError(t, err)
		if maps.Equal(tables, taken.tables()) {
			break
		}
	}
	known.mu.Lock()
	defer known.mu.Unlock()
	for k, v := range known.all {
		taken.want[k] = v
	}
	return taken
}

// tables are the names of the image's tables.
func (i *image) tables() map[string]bool {
	names := map[string]bool{}
	for _, f := range i.files {
		if kindOf(f.name) == ".sst" {
			names[f.name] = true
		}
	}
	return names
}

// put writes the image into a new folder.
func (i *image) put(t *testing.T) string {
	dir, err := os.MkdirTemp(t.TempDir(), "store")
	require.NoError(t, err)
	for _, f := range i.files {
		path := filepath.Join(dir, f.name)
		require.NoError(t, os.WriteFile(path, f.head, 0o600))
		require.NoError(t, os.Truncate(path, f.size))
	}
	return dir
}

// images are stores that were closed, and that were killed once and twice.
func images(t *testing.T, seed uint64) (all []*image) {
	random := rand.New(rand.NewPCG(seed, 0))
	known := &acknowledged{all: map[string]string{}}
	dir := t.TempDir()
	open := func() *badger.Store {
		s, err := badger.Open(badger.Options{Dir: dir, Logger: slog.New(slog.DiscardHandler)})
		require.NoError(t, err)
		return s
	}
	for round := range 4 {
		s := open()
		work(t, s, known, round, random)
		require.NoError(t, s.Close())
	}
	all = append(all, take(t, "closed", dir, known))
	s := open()
	work(t, s, known, 4, random)
	killed := take(t, "killed", dir, known)
	require.NoError(t, s.Close())
	dir = killed.put(t)
	s = open()
	work(t, s, known, 5, random)
	twice := take(t, "killed twice", dir, known)
	require.NoError(t, s.Close())
	return append(all, killed, twice)
}
