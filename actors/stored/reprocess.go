package stored

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/sourcegraph/conc/panics"

	"watchpost/actors/poststore"
	"watchpost/internal/enrich"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// Reprocess applies the present rules to the stored posts of every
// team: those that other rules understood, or all. It is for a store that no
// service has open, and may be repeated; each batch is whole.
//
// Language, sentiment, seniority, tags, relevance and influence are found out
// as if the watchlists that have the post had collected it now, in the order in
// which they did. What the team did with a post, weekly counts and potential
// leads stay. report is called for each team with the posts that changed.
func Reprocess(ctx context.Context, store persistence.Store, all bool, report func(team watchpost.TeamID, posts int)) error {
	teams, err := teamIDs(ctx, store)
	if err != nil {
		return err
	}
	posts := postindex.New(postindex.Options{})
	for _, team := range teams {
		n, err := ReprocessTeam(ctx, store, posts, persistence.Space(team), all)
		if err != nil {
			return fmt.Errorf("team %s: %w", team, err)
		}
		report(team, n)
	}
	return nil
}

// ReprocessTeam goes through the posts of a team, a batch at a time.
func ReprocessTeam(ctx context.Context, store persistence.Store, posts *postindex.Index, space persistence.Space, all bool) (changed int, err error) {
	epoch, err := store.Activate(ctx, space)
	if err != nil {
		return 0, err
	}
	for after := []byte(nil); ; {
		batch := &persistence.Batch{}
		n, last, err := reprocessSome(ctx, store, posts, space, after, all, batch)
		if err != nil {
			return changed, err
		}
		if n > 0 {
			if err := persistence.Commit(ctx, store, space, epoch, batch); err != nil {
				return changed, err
			}
			if err := posts.MergeAll(ctx, store, space, epoch); err != nil {
				return changed, err
			}
		}
		changed += n
		if last == nil {
			return changed, nil
		}
		after = last
	}
}

// reprocessAtOnce bounds the posts that one batch rewrites, so that the index
// is folded in between.
const reprocessAtOnce = 500

// reprocessSome puts into a batch as many posts after a key as fit, and returns
// the last that it looked at; nil when there are no more.
func reprocessSome(ctx context.Context, store persistence.Store, posts *postindex.Index, space persistence.Space, after []byte, all bool, batch *persistence.Batch) (n int, last []byte, err error) {
	view, err := store.View(ctx)
	if err != nil {
		return 0, nil, err
	}
	defer view.Close()
	contexts, err := poststore.LoadContexts(view, space)
	if err != nil {
		return 0, nil, err
	}
	w, err := posts.Writer(view, space, batch)
	if err != nil {
		return 0, nil, err
	}
	var failure error
	last, err = postindex.Each(view, space, after, func(p *watchpost.Post) bool {
		if all || p.Enrichment != enrich.Version {
			var catcher panics.Catcher
			if catcher.Try(func() { contexts.Understand(p) }); catcher.Recovered() != nil {
				return ctx.Err() == nil // it stays as it was
			}
			switch failure = w.Put(p); {
			case errors.Is(failure, postindex.ErrUnindexable):
				failure = nil // it stays as it was
			case failure != nil:
				return false
			}
			n++
		}
		return ctx.Err() == nil && n < reprocessAtOnce && !w.Full(0, 0)
	})
	if err := cmp.Or(failure, err, ctx.Err()); err != nil {
		return 0, nil, err
	}
	_, err = w.Finish()
	return n, last, err
}
