package reads

import (
	"context"
	"errors"

	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// WatchlistAccess returns nil when the id is a watchlist of the team, NotFound
// when there is none of that id, Forbidden when it is another team's.
func (r *Reader) WatchlistAccess(ctx context.Context, team watchpost.TeamID, id string) error {
	view, err := r.store.View(ctx)
	if err != nil {
		return watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	}
	defer view.Close()
	return watchlistAccess(view, team, id)
}

// ListAccess is WatchlistAccess for a list that watchlists follow.
func (r *Reader) ListAccess(ctx context.Context, team watchpost.TeamID, id string) error {
	view, err := r.store.View(ctx)
	if err != nil {
		return watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	}
	defer view.Close()
	return access(view, team, teamspace.DirList, id, watchpost.TextListNotFound)
}

func watchlistAccess(view persistence.View, team watchpost.TeamID, id string) error {
	return access(view, team, teamspace.DirWatchlist, id, watchpost.TextWatchlistNotFound)
}

// access looks up in the directory whose something is.
func access(view persistence.View, team watchpost.TeamID, kind, id, notFound string) error {
	owner, err := teamspace.Lookup[teamspace.OwnerEntry](view, kind, id)
	switch {
	case id == "" || len(id) > 100 || errors.Is(err, persistence.ErrNotFound):
		return watchpost.Errorf(watchpost.NotFound, "%s", notFound)
	case err != nil:
		return watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	case owner.Team != team:
		return watchpost.Errorf(watchpost.Forbidden, watchpost.TextAccessDenied)
	}
	return nil
}

// Named checks the watchlists that a request names, of those that a team has; none means
// all. Errors: Invalid `Invalid watchlist ID(s)`, Forbidden for another team's.
func Named(view persistence.View, team watchpost.TeamID, live map[watchpost.WatchlistID]bool, named []string) (map[watchpost.WatchlistID]bool, error) {
	if len(named) == 0 {
		return live, nil
	}
	wanted := map[watchpost.WatchlistID]bool{}
	var foreign error
	for _, id := range named {
		if live[watchpost.WatchlistID(id)] {
			wanted[watchpost.WatchlistID(id)] = true
			continue
		}
		err := watchlistAccess(view, team, id)
		switch {
		case err == nil:
			wanted[watchpost.WatchlistID(id)] = true
		case watchpost.KindOf(err) == watchpost.NotFound:
			return nil, watchpost.Errorf(watchpost.Invalid, "Invalid watchlist ID(s)")
		case watchpost.KindOf(err) == watchpost.Forbidden:
			foreign = err // an unknown id is reported first
		default:
			return nil, err
		}
	}
	return wanted, foreign
}

// Teams lists all teams, oldest first.
func (r *Reader) Teams(ctx context.Context) ([]watchpost.Team, error) {
	view, err := r.store.View(ctx)
	if err != nil {
		return nil, root.Unavailable(err)
	}
	defer view.Close()
	teams := []watchpost.Team{}
	err = teamspace.EachEntry(view, teamspace.DirTeam, func(id string, e teamspace.TeamEntry) error {
		teams = append(teams, r.listed(watchpost.TeamID(id), e))
		return nil
	})
	return teams, root.Unavailable(err)
}

// HasTeams reports whether there is a team.
func (r *Reader) HasTeams(ctx context.Context) (bool, error) {
	view, err := r.store.View(ctx)
	if err != nil {
		return false, root.Unavailable(err)
	}
	defer view.Close()
	found, err := teamspace.AnyTeam(view)
	return found, root.Unavailable(err)
}

// listed returns a team by its line in the directory.
func (r *Reader) listed(id watchpost.TeamID, e teamspace.TeamEntry) watchpost.Team {
	return watchpost.Team{ID: id, Name: e.Name, CreatedAt: e.CreatedAt,
		Plan: watchpost.PlanAt(e.Plan, e.PlanExpiresAt, r.clock.Now()), PlanExpiresAt: e.PlanExpiresAt, KeyRotationAskedAt: e.KeyRotationAskedAt}
}

// LiveTeam returns the record of a team that is not being deleted (NotFound).
func LiveTeam(view persistence.View, space persistence.Space) (teamspace.TeamRecord, error) {
	record, err := teamspace.Load[teamspace.TeamRecord](view, space, []byte(teamspace.KeyTeam))
	if errors.Is(err, persistence.ErrNotFound) || err == nil && record.Deleting {
		err = watchpost.Errorf(watchpost.NotFound, "Team not found")
	}
	return record, err
}

// TeamsOf lists the team of an email, or none.
func (r *Reader) TeamsOf(ctx context.Context, email string) ([]watchpost.Team, error) {
	owner, err := teamspace.Read[teamspace.OwnerEntry](ctx, r.store, teamspace.DirEmail, email)
	if errors.Is(err, persistence.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, root.Unavailable(err)
	}
	line, err := teamspace.Read[teamspace.TeamEntry](ctx, r.store, teamspace.DirTeam, string(owner.Team))
	if errors.Is(err, persistence.ErrNotFound) {
		return nil, nil // deleted meanwhile
	}
	return []watchpost.Team{r.listed(owner.Team, line)}, root.Unavailable(err)
}
