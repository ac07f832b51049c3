package actors

import (
	"errors"
	"time"

	"watchpost/actors/dispatch"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// liveness is a member's last sign of life, signed in to the network.
type liveness struct {
	last   time.Time
	stored time.Time // what the store holds of it
}

// livenessGrain is how far the stored sign of life of a connected member may
// lag behind: a crash may close the 48-hour window that much early for a member
// who does not come back. Each store of it is a synced commit.
const livenessGrain = 10 * time.Minute

// lives notes a member's sign of life. It is stored when what is stored lags too far
// behind, or when the connection that brought it has left.
func (as *accounts) lives(batch *persistence.Batch, member watchpost.MemberID, at time.Time, left bool) {
	l := as.alive[member]
	if at.After(l.last) {
		l.last, as.newest = at, later(as.newest, at)
		as.alive[member] = l
		as.showPresence()
		as.noteHour(batch, at)
	}
	if unstored := l.last.Sub(l.stored); unstored >= livenessGrain || left && unstored > 0 {
		as.alive[member] = liveness{last: l.last, stored: l.last}
		batch.Put(teamspace.Key(teamspace.KeyLiveness, member), teamspace.Encode(l.last))
	}
}

// noteHour notes that a member is active in an hour of the day.
func (as *accounts) noteHour(batch *persistence.Batch, at time.Time) {
	if as.hours.Note(at) {
		batch.Put([]byte(teamspace.KeyPresentHours), teamspace.Encode(as.hours))
		as.team.dispatch.Present(as.hours)
	}
}

// loadLiveness takes up the members' signs of life.
func (as *accounts) loadLiveness(view persistence.View) error {
	return teamspace.LoadAll(view, as.Space, teamspace.KeyLiveness, func(id string, at time.Time) {
		as.alive[watchpost.MemberID(id)], as.newest = liveness{last: at, stored: at}, later(as.newest, at)
	})
}

// lastAlive returns the last sign of life of a member; known is false when there was none.
func (as *accounts) lastAlive(member watchpost.MemberID) (last time.Time, known bool) {
	l, known := as.alive[member]
	return l.last, known
}

// lastOfAny returns the last sign of life of any member; zero when there was none.
func (as *accounts) lastOfAny() time.Time { return as.newest }

// loadHours takes up in which hours of the day members were active.
func (as *accounts) loadHours(view persistence.View) (err error) {
	as.hours, err = teamspace.Load[watchpost.PresentHours](view, as.Space, []byte(teamspace.KeyPresentHours))
	if errors.Is(err, persistence.ErrNotFound) {
		return nil
	}
	as.team.dispatch.Present(as.hours)
	return err
}

// leaves forgets the signs of life of a member who is removed.
func (as *accounts) leaves(member watchpost.MemberID) {
	delete(as.alive, member)
	as.newest = time.Time{}
	for _, alive := range as.alive {
		as.newest = later(as.newest, alive.last)
	}
	as.showPresence()
}

// live are the accounts that members work as and were active with within
// LivenessWindow.
func (as *accounts) live(now time.Time) (live []watchpost.AccountURN) {
	for member, alive := range as.alive {
		bound, works := as.team.members.binding(member)
		if works && bound.Account != "" && watchpost.ExtensionActive(alive.last, now) {
			live = append(live, bound.Account)
		}
	}
	return live
}

// showPresence lets Registry.RequireExtension read the newest sign of life.
func (as *accounts) showPresence() { as.env.presence.Store(as.team.id, as.newest) }

// ruleAccount says what a member's account may do of a type, for a rule to decide by.
func (as *accounts) ruleAccount(kind watchpost.TaskType, member watchpost.MemberID, now time.Time) watchpost.RuleAccount {
	account := as.team.members.accountOf(member)
	reason, until := as.team.dispatch.Why(dispatch.Key{Kind: kind, Member: member, Account: account}, now)
	return watchpost.RuleAccount{
		Seen: as.alive[member].last, Connected: reason == watchpost.PendingQueued || !until.IsZero(),
		Ready: until, Free: as.team.dispatch.Free(member, account, kind, now),
	}
}
