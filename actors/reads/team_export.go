package reads

import (
	"context"
	"errors"
	"slices"

	"watchpost/actors/journal"
	"watchpost/actors/root"
	"watchpost/actors/triage"
	"watchpost/persistence"
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
// ExportedRule, watchpost.RuleAction, watchpost.ScopedKey, watchpost.NotificationTarget,
// watchpost.SavedView, triage.Kept, watchpost.PostAssignment, task as Host.ShownTask
// returns it, watchpost.Interaction, watchpost.AuditEntry, journal.Record and ExportedPost.
// It stops at an error of yield and returns it (NotFound).
func (r *Reader) ExportTeam(ctx context.Context, id watchpost.TeamID, yield func(record any) error) error {
	if err := r.host.NoteExport(ctx, id); err != nil {
		return err
	}
	view, err := View(ctx, r.store)
	if err != nil {
		return root.Unavailable(err)
	}
	defer view.Close()
	space := persistence.Space(id)
	record, err := LiveTeam(view, space)
	if err != nil {
		return root.Unavailable(err)
	}
	team := watchpost.Team{ID: id, Name: record.Name, Plan: watchpost.PlanAt(record.Plan, record.PlanExpiresAt, r.clock.Now()), PlanExpiresAt: record.PlanExpiresAt, CreatedAt: record.CreatedAt, Voice: record.Voice}
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
			return exportAll(view, space, teamspace.KeyTask, func(t watchpost.Task) error { return yield(r.host.ShownTask(&t)) })
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

func (r *Reader) exportPosts(view persistence.View, id watchpost.TeamID, yield func(any) error) error {
	tagging, err := r.tagging(view, id)
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
