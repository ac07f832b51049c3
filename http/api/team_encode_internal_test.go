package api

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

func teamMemberShown(m watchpost.Member, p actors.MemberPresence) teamMember {
	v := teamMember{
		ID: m.ID, FullName: m.FullName, Email: m.Email, Role: m.Role, Acting: p.Acting,
		Extension:    extensionState{p.Active, p.Connected, endpoint.TimestampOrNil(p.LastActive)},
		AccountInUse: p.AccountInUse,
		Allowances:   map[watchpost.Action]allowance{},
		Pauses:       make([]pause, len(p.Pauses)),
	}
	if a := p.Account; a != nil {
		v.Account = &networkAccount{a.URN, a.Slug, a.Name, a.SignedIn}
	}
	for _, u := range p.Used {
		v.Allowances[u.Action] = allowance{u.Used, u.Limit, endpoint.TimestampOf(u.ResetsAt)}
	}
	for i, one := range p.Pauses {
		v.Pauses[i] = pause{one.Reason, one.TaskType, one.Action, endpoint.TimestampOrNil(one.Until), one.Failures, endpoint.TimestampOrNil(one.Since), one.Code, one.Message}
	}
	return v
}

// TestTeamReply compares the hand-written encoding with package json.
func TestTeamReply(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", `<a> & "b" \ `, `"members":[`, "\u2028 € \u007f \x00", "\xff", "plain"}))
	moment := rapid.Custom(func(t *rapid.T) time.Time {
		if rapid.IntRange(0, 3).Draw(t, "none") == 0 {
			return time.Time{}
		}
		return time.UnixMilli(rapid.Int64Range(0, 1e13).Draw(t, "ms"))
	})
	rapid.Check(t, func(t *rapid.T) {
		view := actors.TeamView{Team: watchpost.Team{ID: "t", Name: text.Draw(t, "team"), Plan: watchpost.PlanUltimate, PlanExpiresAt: moment.Draw(t, "expires")}, OldestScan: moment.Draw(t, "oldest")}
		for range rapid.IntRange(0, 3).Draw(t, "members") {
			flag := func(name string) bool { return rapid.Bool().Draw(t, name) }
			m := watchpost.Member{ID: watchpost.MemberID(text.Draw(t, "id")), FullName: text.Draw(t, "name"), Email: text.Draw(t, "email"), Role: watchpost.RoleAdmin}
			p := actors.MemberPresence{Member: m.ID, LastActive: moment.Draw(t, "active at"), Active: flag("active"), Connected: flag("connected"), AccountInUse: flag("in use"), Acting: flag("acting")}
			if flag("account") {
				p.Account = &protocol.Account{URN: text.Draw(t, "urn"), Slug: text.Draw(t, "slug"), Name: text.Draw(t, "account name"), SignedIn: flag("signed in")}
				for _, a := range watchpost.Allowances {
					p.Used = append(p.Used, actors.AllowanceUse{Action: a.Action, Used: rapid.IntRange(-1, 100).Draw(t, "used"), Limit: a.Limit, ResetsAt: moment.Draw(t, "resets")})
				}
			}
			for range rapid.IntRange(0, 2).Draw(t, "pauses") {
				p.Pauses = append(p.Pauses, actors.Pause{Reason: actors.PauseFailing, TaskType: watchpost.TaskLikePost, Until: moment.Draw(t, "until"), Failures: 3, Since: moment.Draw(t, "since"), Code: "c", Message: text.Draw(t, "message")})
			}
			view.Team.Members, view.Presence = append(view.Team.Members, m), append(view.Presence, p)
		}
		documented := replyOfTeam(&view)
		documented.Members = make([]teamMember, len(view.Presence))
		for i, p := range view.Presence {
			documented.Members[i] = teamMemberShown(view.Team.Members[i], p)
		}
		want, err := json.Marshal(documented)
		require.NoError(t, err)
		require.Equal(t, string(want), string(replyOfTeam(&view).AppendTo(nil)))
	})
}
