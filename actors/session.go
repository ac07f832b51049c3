package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"watchpost"
	"watchpost/internal/protocol"
)

// session is the actor of one session while it is connected.
//
// Owner and lifetime: the team spawns it at the session's first hello and stops
// it when the last connection is gone. It owns the connection: there is one at
// a time, a newer one ends the older. What a session may do, and which tasks it
// holds, is the team's to know.
type session struct {
	env  *environment
	id   watchpost.SessionID
	team *actor.PID
	link *actor.PID
	// hellos counts the connections that the team has announced; it tells the
	// end of the last one from that of one which was already replaced.
	hellos int
	// welcomed is set when the welcome of the last hello has left; early holds
	// the frames for that connection before it.
	welcomed bool
	early    []deliver
}

// attach announces a new connection.
type attach struct{ link *actor.PID }

// sessionDown tells the team that the connection of that number is gone.
type sessionDown struct {
	session watchpost.SessionID
	hellos  int
}

// sessionFrame carries a session's frame to the team.
type sessionFrame struct {
	session watchpost.SessionID
	frame   protocol.Frame
}

func newSession(env *environment, id watchpost.SessionID, team *actor.PID) *session {
	return &session{env: env, id: id, team: team}
}

// Receive implements actor.Actor.
func (s *session) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case attach:
		if s.link != nil {
			c.Send(s.link, endLink{protocol.CloseReplaced, "replaced by a newer connection"})
		}
		s.link = m.link
		s.hellos++
		s.welcomed, s.early = false, nil
		c.Send(s.link, attached{c.Self()})
	case fromLink:
		// That a task was journalled changes nothing here: its lease is fresh.
		if m.link.Equal(s.link) && m.frame.Type != protocol.TypeAccepted {
			c.Send(s.team, sessionFrame{s.id, m.frame})
		}
	case deliver:
		s.deliver(c, m)
	case endLink:
		if s.link != nil {
			c.Send(s.link, m)
		}
	case linkDown:
		s.onLinkDown(c, m.link)
	}
}

func (s *session) onLinkDown(c actor.Context, link *actor.PID) {
	if link.Equal(s.link) {
		s.link = nil
		c.Send(s.team, sessionDown{s.id, s.hellos})
	}
}

// deliver sends a frame over the connection, the welcome before any other.
func (s *session) deliver(c actor.Context, m deliver) {
	if s.link == nil {
		return
	}
	if !s.welcomed && m.frame.Type != protocol.TypeWelcome {
		s.early = append(s.early, m)
		return
	}
	c.Send(s.link, m)
	s.welcomed = true
	for _, e := range s.early {
		c.Send(s.link, e)
	}
	s.early = nil
}
