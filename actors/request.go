package actors

import (
	"context"

	"watchpost/actors/root"
	"watchpost/watchpost"
	"watchpost/watchpost/scanplan"
)

func (RequireExtension) AnsweredWith(root.Done)          {}
func (CreateTeam) AnsweredWith(TeamCreated)              {}
func (GetTeam) AnsweredWith(TeamView)                    {}
func (GetForecast) AnsweredWith([]ActionForecast)        {}
func (UpdateTeam) AnsweredWith(watchpost.Team)           {}
func (RevealKey) AnsweredWith(APIKey)                    {}
func (RotateKey) AnsweredWith(APIKey)                    {}
func (AskKeyRotation) AnsweredWith(root.Done)            {}
func (expirePosts) AnsweredWith(expiryStep)              {}
func (expireTasks) AnsweredWith(expiryStep)              {}
func (expireChanges) AnsweredWith(changesExpired)        {}
func (reseal) AnsweredWith(root.Done)                    {}
func (deleteTeam) AnsweredWith(deletionStep)             {}
func (listEngagements) AnsweredWith(root.Done)           {}
func (noteAcquaintances) AnsweredWith(root.Done)         {}
func (noteClaims) AnsweredWith(root.Done)                {}
func (getScanStates) AnsweredWith(scanStates)            {}
func (AddMember) AnsweredWith(watchpost.Member)          {}
func (UpdateMember) AnsweredWith(watchpost.Member)       {}
func (RemoveMember) AnsweredWith(root.Done)              {}
func (LeaveTeam) AnsweredWith(root.Done)                 {}
func (InviteMember) AnsweredWith(watchpost.Invitation)   {}
func (mailInvitation) AnsweredWith(watchpost.Invitation) {}
func (WithdrawInvitation) AnsweredWith(root.Done)        {}
func (acceptInvitation) AnsweredWith(SignedIn)           {}
func (declineInvitation) AnsweredWith(root.Done)         {}
func (ReleaseAccount) AnsweredWith(root.Done)            {}
func (OpenSession) AnsweredWith(SessionOpened)           {}
func (ListSessions) AnsweredWith([]SessionView)          {}
func (Revoke) AnsweredWith(root.Done)                    {}
func (CreatePairingCode) AnsweredWith(PairingCode)       {}
func (CreateTask) AnsweredWith(TaskCreated)              {}
func (CancelTask) AnsweredWith(TaskView)                 {}
func (Engage) AnsweredWith(TaskCreated)                  {}
func (BookmarkPost) AnsweredWith(root.Done)              {}
func (CreateWatchlist) AnsweredWith(WatchlistView)       {}
func (PreviewWatchlist) AnsweredWith(WatchlistView)      {}
func (Follow) AnsweredWith(Followed)                     {}
func (ChangeList) AnsweredWith(WatchlistView)            {}
func (GetWatchlist) AnsweredWith(WatchlistView)          {}
func (GetScanPlan) AnsweredWith(scanplan.Plan)           {}
func (ListWatchlists) AnsweredWith([]WatchlistView)      {}
func (UpdateWatchlist) AnsweredWith(WatchlistView)       {}
func (DeleteWatchlist) AnsweredWith(root.Done)           {}
func (openWebSession) AnsweredWith(WebSessionOpened)     {}
func (CreateSignInLink) AnsweredWith(WebSessionOpened)   {}
func (ListWebSessions) AnsweredWith([]WebSessionView)    {}
func (EndWebSessions) AnsweredWith(root.Done)            {}
func (redeemLink) AnsweredWith(WebSessionOpened)         {}
func (beginPasskey) AnsweredWith(passkeyBegun)           {}
func (takePasskey) AnsweredWith(waitingPasskey)          {}
func (addPasskey) AnsweredWith(passkeyChanged)           {}
func (RenamePasskey) AnsweredWith(root.Done)             {}
func (removePasskey) AnsweredWith(passkeyChanged)        {}
func (ListPasskeys) AnsweredWith([]watchpost.Passkey)    {}
func (sessionHello) AnsweredWith(sessionWelcomed)        {}
func (signInMember) AnsweredWith(SignedIn)               {}
func (joinByDomain) AnsweredWith(SignedIn)               {}
func (redeemPairing) AnsweredWith(SessionOpened)         {}

// Ask sends a request to a team and waits for its reply. When ctx ends first,
// or the team fails meanwhile, the error is Unavailable and it is not known
// whether the request was carried out.
func Ask[R any](ctx context.Context, r *Registry, team watchpost.TeamID, request root.Request[R]) (R, error) {
	return askTeam(ctx, r.base, team, request)
}

// askTeam is Ask for the subjects of a Registry.
func askTeam[R any](ctx context.Context, d *base, team watchpost.TeamID, request root.Request[R]) (R, error) {
	return root.Ask(ctx, d.Registry, string(team), request)
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
func AskOnce[R any](ctx context.Context, r *Registry, team watchpost.TeamID, key IdempotencyKey, request root.Request[R]) (reply R, kept bool, err error) {
	return askIdempotent[R](ctx, r, team, IdempotentRequest{Name: key.Name, Hash: key.Hash, Request: request})
}

func askIdempotent[R any](ctx context.Context, r *Registry, team watchpost.TeamID, request IdempotentRequest) (reply R, kept bool, err error) {
	answer, err := r.Deliver(ctx, string(team), root.Originating(ctx, request))
	if err != nil {
		return reply, false, err
	}
	if replayed, ok := answer.(ReplayedReply); ok {
		answer, kept = replayed.Reply, true
	}
	if _, none := answer.(root.Done); none && request.Request == nil {
		return reply, false, nil
	}
	reply, err = root.Reply[R](r.Registry, request.Request, answer)
	return reply, kept, err
}

// Call sends a message of any type to a team and returns its reply. Callers that
// know the type use Ask.
func (r *Registry) Call(ctx context.Context, team watchpost.TeamID, request any) (any, error) {
	return r.Deliver(ctx, string(team), request)
}
