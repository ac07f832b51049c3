package actors

import (
	"slices"
	"time"

	"watchpost/actors/dispatch"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// paced tells a session actor of another pace of its member; nil: none.
type paced struct{ pace *dispatch.Paces }

// paceFrom reads what a session says of its pace.
func paceFrom(p *protocol.Pace) watchpost.MemberPace {
	pace := watchpost.MemberPace{Ask: p.Ask}
	if h := p.Hours; h != nil {
		hours := watchpost.ReadHours(h.Days, h.From, h.Until, h.Zone)
		pace.Hours = &hours
	}
	if p.Pause != nil {
		// Beyond the longest pause in either direction it is not valid anyway.
		longest := int(watchpost.MaxRulePause/time.Second) + 1
		seconds := func(n int) time.Duration { return time.Duration(min(max(n, -1), longest)) * time.Second }
		pace.MinPause, pace.MaxPause = seconds(p.Pause.From), seconds(p.Pause.Until)
	}
	return pace.Clean()
}

// paces is the component of a team that knows how its members want writes to be done, by
// what their sessions say.
//
// The others ask how a member wants it (of) and report a heartbeat (onPace) or a change of
// the member's sessions (spread).
type paces struct {
	*rootActor
	team *team
}

// of returns how a member wants writes to be done; nil: as they come.
func (ps *paces) of(member watchpost.MemberID) *dispatch.Paces {
	paces := map[watchpost.SessionID]watchpost.MemberPace{}
	for _, s := range ps.team.sessions.of(member) {
		if p := s.record.Pace; p != nil {
			paces[s.record.ID] = *p
		}
	}
	return dispatch.NewPaces(paces)
}

// takePace takes up how a session wants writes to be done; nil: as they come. It reports
// whether that is something else than before.
func (s *sessionState) takePace(p *protocol.Pace) (changed bool) {
	var before, now watchpost.MemberPace
	if p != nil {
		now = paceFrom(p)
	}
	if s.record.Pace != nil {
		before = *s.record.Pace
	}
	if now.Equal(before) {
		return false
	}
	if s.record.Pace = &now; now.IsZero() {
		s.record.Pace = nil
	}
	return true
}

// onPace takes up the pace of a heartbeat.
func (ps *paces) onPace(s *sessionState, p *protocol.Pace) {
	if p == nil || !s.takePace(p) {
		return
	}
	batch := &persistence.Batch{}
	batch.Put(teamspace.Key(teamspace.KeySession, s.record.ID), teamspace.Encode(s.record))
	ps.Commits.Submit(batch, nil)
	ps.spread(s.record.Member)
}

// spread tells the session actors of a member's connections its pace, after a change.
func (ps *paces) spread(member watchpost.MemberID) {
	m := paced{ps.of(member)}
	for _, s := range ps.team.sessions.of(member) {
		if s.home != nil {
			ps.Context.Send(s.home, m)
			ps.team.statuses.changed(s)
		}
	}
}

// cancelQuestions ends the questions of a session about tasks that are not open any more.
func (ss *sessions) cancelQuestions(s *sessionState, asking []string) {
	for _, id := range asking {
		if open := ss.team.tasks.find(watchpost.TaskID(id)); open == nil || open.ended {
			ss.Context.Send(s.link, deliver{frame: protocol.Frame{Type: protocol.TypeCancel, Task: id}})
		}
	}
}

// onPaced takes up another pace of the member.
func (s *sessionActor) onPaced(m paced) {
	s.Pace, s.blocked = m.pace, true
	s.announce(announced{paced: true})
}

// maxAsking bounds the questions of a connection: a session asks one at a time.
const maxAsking = 16

// asks takes up about which writes a connection asks the member; it reports whether the
// account may do something else than before. Another connection that asks already goes
// on: the member is asked in one browser.
func (s *sessionActor) asks(c *connection, tasks []string) (changed bool) {
	before := s.Asking
	c.asking = c.asking[:0:0]
	for _, id := range tasks[:min(len(tasks), maxAsking)] {
		if len(id) <= maxJournal {
			c.asking = append(c.asking, watchpost.TaskID(id))
		}
	}
	for _, other := range s.connections {
		if other == c || len(other.asking) == 0 {
			continue
		}
		for _, id := range c.asking {
			s.endQuestion(c, id)
		}
		c.asking = nil
	}
	s.Asking = slices.ContainsFunc(s.connections, func(c *connection) bool { return len(c.asking) > 0 })
	return s.Asking != before
}

// onMembersWord takes up that a connection asks the member about a write, or that the
// member has declined it: that question is over before the task is, and needs no cancel.
// answered: it was declined, and the account may do other writes than before.
func (s *sessionActor) onMembersWord(c *connection, f *protocol.Frame) (answered bool) {
	switch {
	case f.Type != protocol.TypeReleased:
	case f.Reason == protocol.ReleasedAsked:
		s.asks(c, append(texts(c.asking), f.Task))
	case f.Reason == protocol.ReleasedDeclined:
		return s.asks(c, slices.DeleteFunc(texts(c.asking), func(id string) bool { return id == f.Task }))
	}
	return false
}

// forgetQuestion ends the questions about a task that is final.
func (s *sessionActor) forgetQuestion(task watchpost.TaskID) {
	for _, c := range s.connections {
		if !slices.Contains(c.asking, task) {
			continue
		}
		s.endQuestion(c, task)
		s.asks(c, slices.DeleteFunc(texts(c.asking), func(id string) bool { return id == string(task) }))
		s.blocked = true
	}
}

// endQuestion tells a connection that its question about a task is over.
func (s *sessionActor) endQuestion(c *connection, task watchpost.TaskID) {
	s.ctx.Send(c.link, deliver{frame: protocol.Frame{Type: protocol.TypeCancel, Task: string(task)}})
}

func texts(ids []watchpost.TaskID) []string {
	all := make([]string, 0, len(ids))
	for _, id := range ids {
		all = append(all, string(id))
	}
	return all
}
