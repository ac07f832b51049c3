package actors

import (
	"time"

	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// planExpired is the team's own timer: its plan is free from now on.
type planExpired struct{}

// plan returns the plan that counts now.
func (t *team) plan() watchpost.Plan {
	return watchpost.PlanAt(t.record.Plan, t.record.PlanExpiresAt, t.env.Clock.Now())
}

func (t *team) onUpdateTeam(m UpdateTeam) {
	batch := &persistence.Batch{}
	if m.Patch.Domains != nil {
		if err := t.members.setDomains(batch, *m.Patch.Domains); err != nil {
			t.Answer(nil, err)
			return
		}
	}
	r := &t.record
	next := m.Patch.Apply(watchpost.Team{Name: r.Name, Plan: r.Plan, PlanExpiresAt: r.PlanExpiresAt, KeepPosts: r.KeepPosts, Voice: r.Voice})
	if next.Voice != r.Voice { // the text stays out of the audit, which keeps many entries
		t.audit.note(batch, watchpost.AuditVoiceChanged, "", "")
	}
	if m.Patch != (watchpost.TeamPatch{Voice: m.Patch.Voice}) {
		t.audit.note(batch, watchpost.AuditTeamChanged, "", next.Name+", "+string(next.Plan))
	}
	r.Name, r.Plan, r.PlanExpiresAt, r.KeepPosts, r.Voice = next.Name, next.Plan, next.PlanExpiresAt, next.KeepPosts, next.Voice
	t.putTeam(batch)
	t.Commit(batch, t.value())
	t.armPlan()
	t.watchlists.tellPlan()
}

// armPlan asks the clock for the moment when the plan expires. A team that is not
// in memory needs no timer: every reader of its plan compares the moment.
func (t *team) armPlan() {
	if t.planTimer != nil {
		t.planTimer.Stop()
		t.planTimer = nil
	}
	if at := t.record.PlanExpiresAt; at.After(t.env.Clock.Now()) {
		t.planTimer = t.env.TellAt(at, t.Context.Self(), planExpired{})
	}
}

// onPlanExpired tells the lists, whose scans the free plan may not include.
func (t *team) onPlanExpired() {
	t.planTimer = nil
	t.armPlan() // the clock may have rung for a date that was changed meanwhile
	t.watchlists.tellPlan()
	t.Answer(root.Done{}, nil)
}

// weeklyQuota is what each of the team's watchlists may take in a week. A free
// team in which neither a session nor a person was seen for a week has less.
func (t *team) weeklyQuota(now time.Time) watchpost.WeeklyQuota {
	last := t.record.SignedInAt
	for _, alive := range t.accounts.alive {
		if alive.last.After(last) {
			last = alive.last
		}
	}
	return t.plan().WeeklyQuota(watchpost.Inactive(last, now))
}
