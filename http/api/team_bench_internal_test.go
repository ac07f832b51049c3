package api

import (
	"fmt"
	"testing"
	"time"

	"watchpost/actors"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// largeTeam is the view of a team of 1,000 members who work.
func largeTeam() actors.TeamView {
	now := time.Date(2030, 1, 9, 10, 0, 0, 0, time.UTC)
	view := actors.TeamView{Team: watchpost.Team{ID: "01JZ0000000000000000000000", Name: "Large", Plan: watchpost.PlanUltimate}}
	for i := range 1_000 {
		m := watchpost.Member{ID: watchpost.MemberID(watchpost.NewID(now)), FullName: "A Member", Email: fmt.Sprintf("member-%04d@example.com", i), Role: watchpost.RoleMember}
		p := actors.MemberPresence{Member: m.ID, LastActive: now, Active: true, Connected: true}
		p.Account = &protocol.Account{URN: fmt.Sprintf("urn:network:member:account-%04d", i), Slug: fmt.Sprintf("account-%04d", i), Name: "A Member", SignedIn: true}
		for _, a := range watchpost.Allowances {
			p.Used = append(p.Used, actors.AllowanceUse{Action: a.Action, Used: i % a.Limit, Limit: a.Limit, ResetsAt: a.Period.Reset(now)})
		}
		view.Team.Members, view.Presence = append(view.Team.Members, m), append(view.Presence, p)
	}
	return view
}

// BenchmarkLargeTeam writes the reply to GET /api-team of 1,000 members.
func BenchmarkLargeTeam(b *testing.B) {
	view := largeTeam()
	b.ReportAllocs()
	var body []byte
	for b.Loop() {
		if body = replyOfTeam(&view).AppendTo(body[:0]); len(body) < 100_000 {
			b.Fatal(len(body))
		}
	}
}
