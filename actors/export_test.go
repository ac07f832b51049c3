package actors

import (
	"context"

	"watchpost/watchpost"
)

// Processes counts the actors in memory, of all kinds.
func (r *Registry) Processes() (count int) {
	for _, bucket := range r.env.System.ProcessRegistry.LocalPIDs.LocalPIDs {
		count += bucket.Count()
	}
	return count
}

// DeleteTeamOnce is DeleteTeam with one attempt.
func (r *Registry) DeleteTeamOnce(ctx context.Context, team watchpost.TeamID) error {
	return r.deleteTeam(ctx, team)
}

// CountSessions counts n more connected sessions, which have no team.
func (r *Registry) CountSessions(n int) { r.env.countSessions(n) }
