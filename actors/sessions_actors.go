package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"watchpost"
	"watchpost/persistence"
)

// actorOf returns the session actor of an account, a new one if need be.
func (ss *sessions) actorOf(urn watchpost.AccountURN, member watchpost.MemberID) *actor.PID {
	if ss.actors[urn] == nil {
		ss.spawnSession(urn, member, &ledger{account: urn}, nil)
	}
	return ss.actors[urn]
}

// loadActors starts the session actors of all accounts that the team knows: the
// claimed and bound ones, and those whose allowances or open tasks still count.
func (ss *sessions) loadActors(view persistence.View, open []*watchpost.Task, debits map[watchpost.TaskID][]watchpost.Debit) error {
	ledgers, err := loadLedgers(view, ss.space, ss.env.clock.Now())
	if err != nil {
		return err
	}
	leases := map[watchpost.AccountURN]map[watchpost.TaskID]*heldLease{}
	members := map[watchpost.AccountURN]watchpost.MemberID{}
	know := func(urn watchpost.AccountURN) {
		if ledgers[urn] == nil {
			ledgers[urn] = &ledger{account: urn}
		}
	}
	for _, t := range open {
		for _, d := range debits[t.ID] {
			know(d.Account)
		}
		if l := t.Lease; l != nil {
			know(l.Account)
			if leases[l.Account] == nil {
				leases[l.Account] = map[watchpost.TaskID]*heldLease{}
			}
			held := &heldLease{id: l.ID, session: l.Session, acting: t.State == watchpost.TaskActing}
			if d := debits[t.ID]; len(d) > 0 {
				held.last = d[len(d)-1]
			}
			leases[l.Account][t.ID] = held
		}
	}
	for urn, account := range ss.team.members.accounts {
		know(urn)
		members[urn] = account.Member
	}
	for member, bound := range ss.team.members.bindings {
		know(bound.Account)
		members[bound.Account] = member
	}
	for urn, l := range ledgers {
		ss.spawnSession(urn, members[urn], l, leases[urn])
	}
	return nil
}

// spawnSession starts the session actor of an account with its stored state.
func (ss *sessions) spawnSession(urn watchpost.AccountURN, member watchpost.MemberID, l *ledger, leases map[watchpost.TaskID]*heldLease) {
	now := ss.env.clock.Now()
	st, alive := &standing{ledger: *l}, ss.alive[member]
	ss.team.tasks.dispatch.accounts[urn] = st.present(now)
	ss.actors[urn] = ss.spawn(&session{
		env: ss.env, team: ss.ctx.Self(), account: urn, member: member, standing: st,
		alive: liveness{last: alive, stored: alive}, leases: leases,
	})
}
