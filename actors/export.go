package actors

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"watchpost/actors/insight"
	"watchpost/actors/journal"
	"watchpost/actors/root"
	"watchpost/actors/triage"
	"watchpost/persistence"
	"watchpost/persistence/engagementindex"
	"watchpost/persistence/postindex"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// ExportedPost is a post of an export, with the watchlists that count.
type ExportedPost struct {
	Post    *watchpost.Post
	Tagging *watchpost.Tagging
}

// ExportedRule is a rule of an export, with its members.
type ExportedRule struct {
	Rule    watchpost.EngagementRule
	Members []watchpost.Member
}

// ExportTeam calls yield with everything that a team has stored and that is no
// secret, as it was at one moment: the watchpost.Team with its members, then each
// watchpost.Invitation, watchpost.Passkey, watchpost.Watchlist, watchpost.List,
// ExportedRule, watchpost.RuleAction, watchpost.ScopedKey, watchpost.NotificationTarget, watchpost.SavedView, triage.Kept, watchpost.PostAssignment, TaskView, watchpost.Interaction, watchpost.AuditEntry,
// JournalRecord and ExportedPost. It stops at an error of yield and returns it (NotFound).
func (r *upkeep) ExportTeam(ctx context.Context, id watchpost.TeamID, yield func(record any) error) error {
	if _, err := askTeam(ctx, r.base, id, noteExport{}); err != nil {
		return err
	}
	view, err := r.viewFor(ctx)
	if err != nil {
		return root.Unavailable(err)
	}
	defer view.Close()
	space := persistence.Space(id)
	record, err := liveTeam(view, space)
	if err != nil {
		return root.Unavailable(err)
	}
	team := watchpost.Team{ID: id, Name: record.Name, Plan: watchpost.PlanAt(record.Plan, record.PlanExpiresAt, r.env.Clock.Now()), PlanExpiresAt: record.PlanExpiresAt, CreatedAt: record.CreatedAt}
	err = teamspace.LoadAll(view, space, teamspace.KeyMember, func(_ string, m watchpost.Member) { team.Members = append(team.Members, m) })
	if err != nil {
		return root.Unavailable(err)
	}
	watchpost.SortMembers(team.Members)
	if err := yield(team); err != nil {
		return err
	}
	for _, part := range []func() error{
		func() error {
			return exportAll(view, space, teamspace.KeyInvitation, func(i watchpost.Invitation) error { return yield(i) })
		},
		func() error { return exportPasskeys(view, space, yield) },
		func() error {
			return exportAll(view, space, teamspace.KeyWatchlist, func(w watchpost.Watchlist) error { return yield(w) })
		},
		func() error {
			return exportAll(view, space, teamspace.KeyList, func(l watchpost.List) error { return yield(l) })
		},
		func() error { return exportRules(view, space, team.Members, yield) },
		func() error {
			return exportAll(view, space, teamspace.KeyScopedKey, func(r teamspace.ScopedKeyRecord) error { return yield(r.Key) })
		},
		func() error {
			return exportAll(view, space, teamspace.KeyTarget, func(t watchpost.NotificationTarget) error {
				t.Sealed = nil
				return yield(t)
			})
		},
		allOf[watchpost.SavedView](view, space, teamspace.KeySavedView, yield),
		func() error { return triage.Export(view, space, yield) },
		func() error {
			return exportAll(view, space, teamspace.KeyTask, func(t watchpost.Task) error { return yield(viewOf(&t)) })
		},
		allOf[watchpost.Interaction](view, space, teamspace.KeyInteraction, yield),
		allOf[watchpost.AuditEntry](view, space, teamspace.KeyAudit, yield),
		func() error { return journal.Export(view, space, yield) },
		func() error { return r.exportPosts(view, id, yield) },
	} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// exportPasskeys yields the passkeys without their keys.
func exportPasskeys(view persistence.View, space persistence.Space, yield func(any) error) error {
	var list []watchpost.Passkey
	err := teamspace.LoadAll(view, space, teamspace.KeyPasskey, func(id string, r teamspace.PasskeyRecord) {
		list = append(list, r.Passkey(watchpost.PasskeyID(id)))
	})
	for _, p := range list {
		if err == nil {
			err = yield(p)
		}
	}
	return err
}

// exportRules yields the rules, then their actions: those that are open, then those that
// have ended and are still shown.
func exportRules(view persistence.View, space persistence.Space, members []watchpost.Member, yield func(any) error) error {
	err := exportAll(view, space, teamspace.KeyRule, func(r watchpost.EngagementRule) error {
		return yield(ExportedRule{r, slices.DeleteFunc(slices.Clone(members), func(m watchpost.Member) bool { return !slices.Contains(r.Members, m.ID) })})
	})
	for _, actions := range []string{teamspace.KeyRuleAction, teamspace.KeyRuleJournal} {
		if err == nil {
			err = exportAll(view, space, actions, func(a watchpost.RuleAction) error { return yield(a) })
		}
	}
	return err
}

// allOf returns a function that yields the records at keys with a prefix as they are.
func allOf[R any](view persistence.View, space persistence.Space, prefix string, yield func(any) error) func() error {
	return func() error { return exportAll(view, space, prefix, func(r R) error { return yield(r) }) }
}

// exportAll yields the records at keys with a prefix.
func exportAll[R any](view persistence.View, space persistence.Space, prefix string, yield func(R) error) error {
	var failure error
	err := view.Scan(space, []byte(prefix), persistence.PrefixEnd([]byte(prefix)), func(_, value []byte) bool {
		var record R
		if failure = teamspace.Decode(value, &record); failure == nil {
			failure = yield(record)
		}
		return failure == nil
	})
	return errors.Join(err, failure)
}

func (r *upkeep) exportPosts(view persistence.View, id watchpost.TeamID, yield func(any) error) error {
	tagging, err := r.env.watchlists.Of(view, id)
	if err != nil {
		return err
	}
	var failure error
	_, err = postindex.Each(view, persistence.Space(id), nil, func(p *watchpost.Post) bool {
		if p.Collected(func(w watchpost.WatchlistID) bool { return tagging.Live[w] }) {
			failure = yield(ExportedPost{p, tagging})
		}
		return failure == nil
	})
	return errors.Join(err, failure)
}

// StoredPost is a post as it is kept.
type StoredPost = postindex.Stored

// ExportPosts calls yield with the posts that a query selects, as they are at one moment,
// in the order of their ids from the one after a given id on ("": the first). named are as
// those of Posts, and the errors, too; Invalid `Invalid 'after'` for a value that is not
// an id. It stops at an error of yield and returns it.
func (r *reading) ExportPosts(ctx context.Context, team watchpost.TeamID, named []string, q watchpost.PostQuery, after watchpost.PostID, yield func(*StoredPost, *watchpost.PostQuery) error) error {
	if after != "" && !watchpost.ValidID(string(after)) {
		return errInvalidAfter
	}
	return r.stream(ctx, team, named, &q, func(view persistence.View, fail func(error) bool) error {
		return r.env.posts.EachMatching(view, persistence.Space(team), &q, after, func(p *postindex.Stored) bool { return fail(yield(p, &q)) })
	})
}

var errInvalidAfter = watchpost.Errorf(watchpost.Invalid, "Invalid 'after'")

// ExportLeads is ExportPosts for leads; after is the address of an author.
func (r *reading) ExportLeads(ctx context.Context, team watchpost.TeamID, named []string, q watchpost.LeadQuery, after string, yield func(*insight.Lead) error) error {
	key := (&watchpost.Post{AuthorURL: after}).AuthorKey()
	if after != "" && key == "" {
		return errInvalidAfter
	}
	for {
		err := r.stream(ctx, team, named, &q.PostQuery, func(view persistence.View, fail func(error) bool) error {
			return insight.EachLead(view, persistence.Space(team), r.env.posts, &q, key, func(lead *insight.Lead) bool { return fail(yield(lead)) })
		})
		if !errors.Is(err, insight.ErrEarlier) {
			return err
		}
		if _, err := askTeam(ctx, r.base, team, noteAcquaintances{}); err != nil {
			return err
		}
	}
}

// stream calls read on a view for a query of posts. read passes the errors of its caller
// to fail, which reports whether it may go on.
func (r *reading) stream(ctx context.Context, team watchpost.TeamID, named []string, q *watchpost.PostQuery, read func(view persistence.View, fail func(error) bool) error) error {
	var failure error
	err := r.onPosts(ctx, team, named, q, func(view persistence.View) error {
		return read(view, func(err error) bool {
			failure = cmp.Or(err, ctx.Err())
			return failure == nil
		})
	})
	if errors.Is(err, insight.ErrEarlier) {
		return err
	}
	return cmp.Or(failure, root.Unavailable(err))
}

// ExportInteractions calls yield with what the team did on the posts of a watchlist, the
// newest first, from the one after a given id on ("": the newest), with its post. Errors
// are those of Interactions; Invalid `Invalid 'after'` for an unknown id. It stops at an
// error of yield and returns it.
func (r *reading) ExportInteractions(ctx context.Context, team watchpost.TeamID, watchlist string, q watchpost.InteractionQuery, after watchpost.TaskID, yield func(*watchpost.Interaction, *InteractionsPage) error) error {
	q.Page, q.PageSize = 1, 1
	if _, err := r.Interactions(ctx, team, watchlist, q); err != nil { // also completes the index
		return err
	}
	view, err := r.viewFor(ctx)
	if err != nil {
		return root.Unavailable(err)
	}
	defer view.Close()
	space, id := persistence.Space(team), watchpost.WatchlistID(watchlist)
	var last watchpost.Interaction
	if after != "" {
		last, err = teamspace.Load[watchpost.Interaction](view, space, teamspace.Key(teamspace.KeyInteraction, after))
		if errors.Is(err, persistence.ErrNotFound) {
			return errInvalidAfter
		}
		if err != nil {
			return root.Unavailable(err)
		}
	}
	tagging, err := r.env.watchlists.Of(view, team)
	if err != nil {
		return root.Unavailable(err)
	}
	q.PageSize = watchpost.MaxInteractionPage
	for ; ; q.Page++ {
		tasks, _, err := engagementindex.Page(view, space, id, &q, r.env.Clock.Now())
		if err != nil {
			return root.Unavailable(err)
		}
		page := InteractionsPage{Asked: map[watchpost.WatchlistID]bool{id: true}, Tagging: tagging}
		if err := page.complete(view, space, tasks); err != nil {
			return root.Unavailable(err)
		}
		for i := range page.Interactions {
			one := &page.Interactions[i]
			if after != "" && last.Compare(one) >= 0 {
				continue
			}
			if err := cmp.Or(yield(one, &page), ctx.Err()); err != nil {
				return err
			}
		}
		if len(tasks) < q.PageSize {
			return nil
		}
	}
}
