package admin

import (
	"net/http"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

const textSessionNotFound = "Session not found"

// sessionRoutes are the operator's ways to make and end a team's sessions.
func (s teams) sessionRoutes() {
	const path = "/admin/teams/{id}/sessions"
	endpoint.HandleBody(s.Ops, http.MethodPost, path, s.openSession, s.Operation(endpoint.Operators, "openSession", "Make a session for a member", endpoint.TagAdmin),
		endpoint.Created(), endpoint.WithBody(endpoint.TextInvalidMail), endpoint.WithError(http.StatusNotFound, endpoint.TextTeamNotFound, endpoint.TextUserNotFound))
	endpoint.Handle(s.Ops, http.MethodGet, path, s.listSessions, s.Operation(endpoint.Operators, "listSessions", "List a team's sessions", endpoint.TagAdmin),
		endpoint.WithError(http.StatusNotFound, endpoint.TextTeamNotFound))
	endpoint.Handle(s.Ops, http.MethodDelete, path+"/{session}", s.revokeSession,
		s.Operation(endpoint.Operators, "revokeSession", "Revoke a session: its token opens nothing any more", endpoint.TagAdmin),
		endpoint.WithError(http.StatusNotFound, endpoint.TextTeamNotFound, textSessionNotFound))
}

type sessionReply struct {
	Token string `json:"session_token"`
}

func (s teams) openSession(r *http.Request, member memberRequest) (sessionReply, error) {
	team, err := endpoint.TeamInPath(r)
	if err != nil {
		return sessionReply{}, err
	}
	opened, err := actors.Ask(r.Context(), s.Registry, team, actors.OpenSession{Email: member.Email})
	return sessionReply{opened.Token}, err
}

type sessionList struct {
	Sessions []shownSession `json:"sessions" validate:"required"`
	Count    int            `json:"count"`
}

// shownSession is a session without its secret, which is shown only once.
type shownSession struct {
	ID        watchpost.SessionID `json:"id"`
	Email     string              `json:"email"`
	CreatedAt endpoint.Timestamp  `json:"created_at"`
	Connected bool                `json:"connected"`
	Account   string              `json:"account"`
	Version   string              `json:"version"`
	Browser   protocol.Browser    `json:"browser"`
	LastSeen  endpoint.Timestamp  `json:"last_seen_at"`
}

func (s teams) listSessions(r *http.Request) (sessionList, error) {
	team, err := endpoint.TeamInPath(r)
	if err != nil {
		return sessionList{}, err
	}
	all, err := actors.Ask(r.Context(), s.Registry, team, actors.ListSessions{})
	list := sessionList{Sessions: make([]shownSession, len(all)), Count: len(all)}
	for i, one := range all {
		list.Sessions[i] = shownSession{one.ID, one.Member.Email, endpoint.TimestampOf(one.CreatedAt), one.Connected, one.Account,
			one.Version, one.Browser, endpoint.TimestampOf(one.LastSeen)}
	}
	return list, err
}

type revokeSessionReply struct {
	ID      watchpost.SessionID `json:"id"`
	Revoked bool                `json:"revoked"`
}

func (s teams) revokeSession(r *http.Request) (revokeSessionReply, error) {
	team, err := endpoint.TeamInPath(r)
	if err != nil {
		return revokeSessionReply{}, err
	}
	id := r.PathValue("session")
	if !watchpost.ValidID(id) {
		return revokeSessionReply{}, watchpost.Errorf(watchpost.NotFound, textSessionNotFound)
	}
	_, err = actors.Ask(r.Context(), s.Registry, team, actors.Revoke{Session: watchpost.SessionID(id)})
	return revokeSessionReply{watchpost.SessionID(id), true}, err
}
