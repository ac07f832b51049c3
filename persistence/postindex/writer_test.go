package postindex_test

import (
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/internal/text"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// awkward draws a text that takes much room when it is encoded, of any length.
func awkward(t *rapid.T, name string, most int) string {
	piece := of([]string{"a", "go ", "<", "\"", "\x01", "\u2028", "\xff", "東", "é", "😀", "a b c d e f "}).Draw(t, name)
	return strings.Repeat(piece, rapid.IntRange(0, most/len(piece)).Draw(t, name+" times"))
}

// awkwardPost draws a post of any size.
func awkwardPost(t *rapid.T, f *forge, made int) *watchpost.Post {
	p := f.post()
	p.ID = watchpost.PostID(watchpost.NewID(day0))
	p.URN += strings.Repeat("x", made)
	p.Content = awkward(t, "content", of([]int{100, 40_000, 60_000}).Draw(t, "most"))
	p.ImageText, p.AuthorHeadline = awkward(t, "image text", 2000), awkward(t, "headline", 1000)
	for range rapid.IntRange(0, 5).Draw(t, "several") {
		p.Tags = append(p.Tags, watchpost.Tag{Name: awkward(t, "tag", 200), Description: awkward(t, "description", 3000)})
		p.Matches = append(p.Matches, watchpost.Match{Watchlist: lists[0], Keyword: awkward(t, "keyword", 200), At: day0})
		p.ImageURLs = append(p.ImageURLs, awkward(t, "image", 2000))
		p.Videos = append(p.Videos, awkward(t, "video", 2000))
	}
	return p
}

func textTerms(x *postindex.Index, p *watchpost.Post) postindex.TextTerms {
	return x.TextTerms(p.Language, text.New(p.Content).WithImage(p.ImageText))
}

// TestFits fills batches with posts as long as they fit: each leaves as much
// room as was asked for, and an empty batch has room for any post.
func TestFits(t *testing.T) {
	store, f := memory(t), newForge()
	rapid.Check(t, func(t *rapid.T) {
		m := newTeam(t, store, postindex.Options{})
		empty(t, store, m.epoch)
		batch := &persistence.Batch{}
		m.view(func(view persistence.View) {
			w, err := m.index.Writer(view, space, batch)
			require.NoError(t, err)
			put := 0
			for ; put < 15; put++ {
				p := awkwardPost(t, f, put)
				text := textTerms(m.index, p)
				if !w.Fits(p, text, 0, 0) {
					break
				}
				most := sort.Search(persistence.MaxBatchBytes, func(bytes int) bool { return !w.Fits(p, text, bytes, 0) }) - 1
				if err := w.PutText(p, text); err != nil {
					require.ErrorIs(t, err, postindex.ErrUnindexable)
				}
				size, _ := batch.Size()
				require.LessOrEqual(t, size+most, persistence.MaxBatchBytes-mostManifest)
			}
			require.Positive(t, put)
			_, err = w.Finish()
			require.NoError(t, err)
		})
		require.NoError(t, batch.Check())
		m.commit(batch)
	})
}

// mostManifest is the room that is left for what Finish writes.
const mostManifest = 64 << 10

// TestPutText puts posts with their terms made before: all that is written is
// as without, also of a text that is not kept to the byte.
func TestPutText(t *testing.T) {
	store, f := memory(t), newForge()
	rapid.Check(t, func(t *rapid.T) {
		m := newTeam(t, store, of([]postindex.Options{{}, {PostTerms: 5}}).Draw(t, "options"))
		empty(t, store, m.epoch)
		p := awkwardPost(t, f, 0)
		if rapid.Bool().Draw(t, "usual") {
			draw(t, p, rapid.Bool().Draw(t, "rising"))
		}
		write := func(put func(*postindex.Writer) error) *persistence.Batch {
			batch := &persistence.Batch{}
			m.view(func(view persistence.View) {
				w, err := m.index.Writer(view, space, batch)
				require.NoError(t, err)
				if err := put(w); err != nil {
					require.ErrorIs(t, err, postindex.ErrUnindexable)
				}
				_, err = w.Finish()
				require.NoError(t, err)
			})
			return batch
		}
		text := textTerms(m.index, p)
		require.Equal(t,
			write(func(w *postindex.Writer) error { return w.Put(p) }),
			write(func(w *postindex.Writer) error { return w.PutText(p, text) }))
	})
}
