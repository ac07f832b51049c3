package actors

import (
	"context"

	"watchpost/watchpost"
)

// Request is a message to a team that is answered with an R or an error. The part
// of the team that handles a message X does so in its method onX; its receive
// table answers the short ones.
type Request[R any] interface{ answeredWith(R) }

func (RequireExtension) answeredWith(Done)               {}
func (CreateTeam) answeredWith(TeamCreated)              {}
func (GetTeam) answeredWith(TeamView)                    {}
func (UpdateTeam) answeredWith(watchpost.Team)           {}
func (RevealKey) answeredWith(APIKey)                    {}
func (RotateKey) answeredWith(APIKey)                    {}
func (AskKeyRotation) answeredWith(Done)                 {}
func (expirePosts) answeredWith(expiryStep)              {}
func (expireTasks) answeredWith(expiryStep)              {}
func (reseal) answeredWith(Done)                         {}
func (deleteTeam) answeredWith(deletionStep)             {}
func (listEngagements) answeredWith(Done)                {}
func (noteClaims) answeredWith(Done)                     {}
func (AddMember) answeredWith(watchpost.Member)          {}
func (UpdateMember) answeredWith(watchpost.Member)       {}
func (RemoveMember) answeredWith(Done)                   {}
func (LeaveTeam) answeredWith(Done)                      {}
func (InviteMember) answeredWith(watchpost.Invitation)   {}
func (mailInvitation) answeredWith(watchpost.Invitation) {}
func (WithdrawInvitation) answeredWith(Done)             {}
func (acceptInvitation) answeredWith(SignedIn)           {}
func (declineInvitation) answeredWith(Done)              {}
func (ReleaseAccount) answeredWith(Done)                 {}
func (OpenSession) answeredWith(SessionOpened)           {}
func (ListSessions) answeredWith([]SessionView)          {}
func (Revoke) answeredWith(Done)                         {}
func (CreatePairingCode) answeredWith(PairingCode)       {}
func (CreateTask) answeredWith(TaskCreated)              {}
func (Engage) answeredWith(TaskCreated)                  {}
func (BookmarkPost) answeredWith(Done)                   {}
func (CreateWatchlist) answeredWith(WatchlistView)       {}
func (Follow) answeredWith(Followed)                     {}
func (GetWatchlist) answeredWith(WatchlistView)          {}
func (ListWatchlists) answeredWith([]WatchlistView)      {}
func (UpdateWatchlist) answeredWith(WatchlistView)       {}
func (DeleteWatchlist) answeredWith(Done)                {}
func (openWebSession) answeredWith(WebSessionOpened)     {}
func (CreateSignInLink) answeredWith(WebSessionOpened)   {}
func (ListWebSessions) answeredWith([]WebSessionView)    {}
func (EndWebSessions) answeredWith(Done)                 {}
func (redeemLink) answeredWith(WebSessionOpened)         {}
func (beginPasskey) answeredWith(passkeyBegun)           {}
func (takePasskey) answeredWith(waitingPasskey)          {}
func (addPasskey) answeredWith(passkeyChanged)           {}
func (RenamePasskey) answeredWith(Done)                  {}
func (removePasskey) answeredWith(passkeyChanged)        {}
func (ListPasskeys) answeredWith([]watchpost.Passkey)    {}
func (sessionHello) answeredWith(sessionWelcomed)        {}
func (signInMember) answeredWith(SignedIn)               {}
func (joinByDomain) answeredWith(SignedIn)               {}
func (redeemPairing) answeredWith(SessionOpened)         {}

// Ask sends a request to a team and waits for its reply. When ctx ends first,
// or the team fails meanwhile, the error is Unavailable and it is not known
// whether the request was carried out.
func Ask[R any](ctx context.Context, r *Registry, team watchpost.TeamID, request Request[R]) (R, error) {
	return ask[R](ctx, r, string(team), withOrigin(ctx, request))
}

// IdempotencyKey identifies a request that a caller may repeat.
type IdempotencyKey struct {
	Name string // of the request within the team: what makes two the same
	Hash string // of its body
}

// KeptReply returns the reply to the request of that key, and whether there is
// one. The error is a Conflict if the key was used with another body.
func KeptReply[R any](ctx context.Context, r *Registry, team watchpost.TeamID, key IdempotencyKey) (reply R, kept bool, err error) {
	return askIdempotent[R](ctx, r, team, IdempotentRequest{Name: key.Name, Hash: key.Hash})
}

// AskOnce is Ask for a request that a caller may repeat: a repetition returns
// the reply to the first and true.
func AskOnce[R any](ctx context.Context, r *Registry, team watchpost.TeamID, key IdempotencyKey, request Request[R]) (reply R, kept bool, err error) {
	return askIdempotent[R](ctx, r, team, IdempotentRequest{Name: key.Name, Hash: key.Hash, Request: request})
}

func askIdempotent[R any](ctx context.Context, r *Registry, team watchpost.TeamID, request IdempotentRequest) (reply R, kept bool, err error) {
	answer, err := r.call(ctx, string(team), withOrigin(ctx, request))
	if err != nil {
		return reply, false, err
	}
	if replayed, ok := answer.(ReplayedReply); ok {
		answer, kept = replayed.Reply, true
	}
	if _, none := answer.(Done); none && request.Request == nil {
		return reply, false, nil
	}
	reply, err = typed[R](r, request.Request, answer)
	return reply, kept, err
}

// Call sends a message of any type to a team and returns its reply. Callers that
// know the type use Ask.
func (r *Registry) Call(ctx context.Context, team watchpost.TeamID, request any) (any, error) {
	return r.call(ctx, string(team), request)
}
