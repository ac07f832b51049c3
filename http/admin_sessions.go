package httpapi

import (
	"net/http"

	"watchpost/actors"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

const textSessionNotFound = "Session not found"

// sessionRoutes are the operator's ways to make and end a team's sessions.
func (s teamsAdmin) sessionRoutes() {
	const path = "/admin/teams/{id}/sessions"
	handleBody(s.ops, http.MethodPost, path, s.openSession, s.operation(operators, "openSession", "Make a session for a member", tagAdmin),
		created(), withBody(textInvalidMail), withError(http.StatusNotFound, textTeamNotFound, textUserNotFound))
	handle(s.ops, http.MethodGet, path, s.listSessions, s.operation(operators, "listSessions", "List a team's sessions", tagAdmin),
		withError(http.StatusNotFound, textTeamNotFound))
	handle(s.ops, http.MethodDelete, path+"/{session}", s.revokeSession,
		s.operation(operators, "revokeSession", "Revoke a session: its token opens nothing any more", tagAdmin),
		withError(http.StatusNotFound, textTeamNotFound, textSessionNotFound))
}

type sessionReply struct {
	Token string `json:"session_token"`
}

func (s teamsAdmin) openSession(r *http.Request, member memberRequest) (sessionReply, error) {
	team, err := teamInPath(r)
	if err != nil {
		return sessionReply{}, err
	}
	opened, err := actors.Ask(r.Context(), s.registry, team, actors.OpenSession{Email: member.Email})
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
	CreatedAt timestamp           `json:"created_at"`
	Connected bool                `json:"connected"`
	Account   string              `json:"account"`
	Version   string              `json:"version"`
	Browser   protocol.Browser    `json:"browser"`
	LastSeen  timestamp           `json:"last_seen_at"`
}

func (s teamsAdmin) listSessions(r *http.Request) (sessionList, error) {
	team, err := teamInPath(r)
	if err != nil {
		return sessionList{}, err
	}
	all, err := actors.Ask(r.Context(), s.registry, team, actors.ListSessions{})
	list := sessionList{Sessions: make([]shownSession, len(all)), Count: len(all)}
	for i, one := range all {
		list.Sessions[i] = shownSession{one.ID, one.Member.Email, timestampOf(one.CreatedAt), one.Connected, one.Account,
			one.Version, one.Browser, timestampOf(one.LastSeen)}
	}
	return list, err
}

type revokeSessionReply struct {
	ID      watchpost.SessionID `json:"id"`
	Revoked bool                `json:"revoked"`
}

func (s teamsAdmin) revokeSession(r *http.Request) (revokeSessionReply, error) {
	team, err := teamInPath(r)
	if err != nil {
		return revokeSessionReply{}, err
	}
	id := r.PathValue("session")
	if !watchpost.ValidID(id) {
		return revokeSessionReply{}, watchpost.Errorf(watchpost.NotFound, textSessionNotFound)
	}
	_, err = actors.Ask(r.Context(), s.registry, team, actors.Revoke{Session: watchpost.SessionID(id)})
	return revokeSessionReply{watchpost.SessionID(id), true}, err
}
