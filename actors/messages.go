package actors

import (
	"context"
	"encoding/json"
	"time"

	"watchpost/actors/root"
	"watchpost/internal/protocol"
	"watchpost/internal/reference"
	"watchpost/watchpost"
	"watchpost/watchpost/forecast"
	"watchpost/watchpost/scanplan"
)

// The requests that a team answers, each with its reply. Neither the sender nor
// the receiver changes one afterwards. A change of a stored object is a patch, which the
// team applies to its current state (UpdateTarget). A request is answered with its reply
// or with an error; errors are *watchpost.Error.

// RequireExtension asks whether the team may use what needs an extension;
// answered by Done or an ExtensionRequired error (api.md#the-extension-window).
// Outside the actors, Registry.RequireExtension is the shorter way.
type RequireExtension struct{}

// CreateTeam founds the team to which it is sent; answered by TeamCreated. The
// email must belong to no team (Conflict).
type CreateTeam struct {
	Name     string // empty: made from the founder's name
	Plan     watchpost.Plan
	Email    string // normalised
	FullName string
	// SignedIn is whether the founder signs in with it.
	SignedIn bool
}

// TeamCreated tells of a new team, with its only member and its key.
type TeamCreated struct {
	Team   watchpost.Team
	APIKey string
}

// GetTeam is answered by TeamView.
type GetTeam struct{}

// RevealKey is answered by APIKey. A member's request names the member's web session,
// which must be from a fresh sign-in (Forbidden). ToUse means that the service makes
// a call with the key and shows it to no one: that is not audited, and needs no session.
type RevealKey struct {
	ToUse   bool
	Session string
}

// AskKeyRotation asks the operator to replace the team's key; answered by Done. Admins
// ask, and RotateKey ends it.
type AskKeyRotation struct{}

// RotateKey replaces the team's key; answered by APIKey. The old key is
// refused from then on.
type RotateKey struct{}

// APIKey carries the team's key.
type APIKey struct{ Key string }

// UpdateTeam changes the team (Conflict when a domain is another team's); answered by
// watchpost.Team.
type UpdateTeam struct{ Patch watchpost.TeamPatch }

// AddMember adds a member at once, without asking: for the operator. PlanLimit; Conflict
// when the email belongs to a team; answered by watchpost.Member.
type AddMember struct {
	Email    string // normalised
	FullName string
	Role     watchpost.Role
}

// OpenSession makes a session for a member; answered by SessionOpened.
type OpenSession struct{ Email string }

// SessionOpened carries the secret of a new session, which is shown only once.
type SessionOpened struct {
	Token  string
	Team   watchpost.Team
	Member watchpost.Member
}

// CreatePairingCode makes a one-time code with which a browser extension of
// the member signs in; answered by PairingCode.
type CreatePairingCode struct{ Email string }

// PairingCode is a code and the moment after which it is worthless.
type PairingCode struct {
	Code      string
	ExpiresAt time.Time
}

// CreateTask makes an agent task; answered by TaskCreated (api.md#agent-task).
// Input is a JSON object with the request's fields as given.
type CreateTask struct {
	Type  watchpost.TaskType
	Input json.RawMessage
	// Email names the member on whose account a task of a member runs
	// (NotFound `User not found`); nil is the one who acts for the team.
	Email *string
	// MaxAge lets a fetch be answered by a completed one of the same person or company
	// that is not older; nil: a new task is made.
	MaxAge *time.Duration
}

// TaskCreated names the new task, or the one that has the answer.
type TaskCreated struct {
	ID       watchpost.TaskID
	Expected Expected
	// FetchedAt is when the result was fetched that is the answer; zero for a new task.
	FetchedAt time.Time `json:",omitzero"`
}

// Expected says when a new task is done: now, or, with a reason, when it no longer waits
// for that, which is at NotBefore at the earliest if that is known.
type Expected struct {
	Reason    watchpost.PendingReason `json:",omitempty"`
	NotBefore time.Time               `json:",omitzero"`
}

// CancelTask ends a caller's task that has not begun to act; answered by TaskView
// (NotFound; Conflict when it is being done, or was; Forbidden when the caller's key may
// not create tasks of its type).
type CancelTask struct{ ID watchpost.TaskID }

// GetForecast asks when what waits is done, and what a caller thinks of adding; answered
// by []ActionForecast.
type GetForecast struct{ Added []forecast.Added }

// ActionForecast is the forecast of an action. All that has no allowance is one action.
type ActionForecast struct {
	Action watchpost.Action
	forecast.Forecast
}

// TaskView is a task as get-task-status shows it.
type TaskView struct {
	ID          watchpost.TaskID
	Type        watchpost.TaskType
	State       watchpost.TaskState
	Input       json.RawMessage
	Output      json.RawMessage // null while pending
	CreatedAt   time.Time
	CompletedAt time.Time // zero while pending
	// Reason and NotBefore say why a pending task waits and, when known,
	// until when at least.
	Reason    watchpost.PendingReason
	NotBefore time.Time
}

// CreateWatchlist makes a watchlist of cleaned entries; answered by
// WatchlistView (PlanLimit). Name is empty when it is to be made up.
type CreateWatchlist struct {
	Watchlist watchpost.Watchlist
	Warnings  []string // to be part of the answer
}

// PreviewWatchlist is answered by what the team can expect of the scans of a watchlist of
// cleaned entries, if it was created now. It changes nothing.
type PreviewWatchlist struct{ Watchlist watchpost.Watchlist }

// GetWatchlist is answered by WatchlistView (NotFound).
type GetWatchlist struct {
	Type watchpost.WatchlistType
	ID   watchpost.WatchlistID
}

// ListWatchlists is answered by []WatchlistView, oldest first; without a type,
// those of all types.
type ListWatchlists struct{ Type watchpost.WatchlistType }

// GetScanPlan is answered by scanplan.Plan.
type GetScanPlan struct{}

// UpdateWatchlist changes a watchlist (NotFound, Conflict, Invalid); answered
// by WatchlistView.
type UpdateWatchlist struct {
	Type  watchpost.WatchlistType
	ID    watchpost.WatchlistID
	Patch watchpost.WatchlistPatch

	from watchpost.Origin // of the request, for its decision
}

// DeleteWatchlist deletes a watchlist; answered by Done (NotFound).
type DeleteWatchlist struct {
	Type watchpost.WatchlistType
	ID   watchpost.WatchlistID
}

// DeleteLater notes that a thing is to be deleted at a moment, until which the deletion can be
// taken back; answered by Done (NotFound).
type DeleteLater struct {
	Of Deletable
	ID string
	At time.Time
}

// UndoDeletion takes back a deletion that waits; answered by Done (NotFound; Conflict when none
// waits, or its moment has come).
type UndoDeletion struct {
	Of Deletable
	ID string
}

// Follow makes a people or company watchlist that follows a list: that of
// Watchlist.List, or a new one. The references are added to the list, for all
// who follow it; answered by Followed (NotFound `List not found`, PlanLimit).
// Name is empty when it is to be made up.
type Follow struct {
	Watchlist  watchpost.Watchlist
	References []reference.Reference // of its kind, none twice
}

// ChangeList adds to the list that a people or company watchlist follows, and takes from
// it, for all who follow it. Posts that are stored stay. Answered by WatchlistView
// (NotFound, PlanLimit, Invalid when nothing would be left).
type ChangeList struct {
	Type        watchpost.WatchlistType
	ID          watchpost.WatchlistID
	Add, Remove []reference.Reference // of its kind
}

// Followed is a new watchlist that follows a list, and how many of the
// references were not in the list before.
type Followed struct {
	WatchlistView
	Added int
}

// WatchlistView is a watchlist with the state of its scans.
type WatchlistView struct {
	Watchlist  watchpost.Watchlist
	List       watchpost.List // that it follows; empty for one of keywords
	LastScanAt time.Time      // zero: none finished
	NextScanAt time.Time      // zero: disabled
	// PostsThisWeek counts the posts of the week that the weekly limit is about,
	// DroppedThisWeek those that it kept out; filled in the answers to
	// GetWatchlist and ListWatchlists.
	PostsThisWeek   int
	DroppedThisWeek int
	// Outlook is the forecast of its scans; Warnings say where it falls short of the
	// request.
	Outlook  scanplan.Outlook `json:",omitzero"`
	Warnings []string         `json:",omitempty"`
	// Waits says why scans that are due are not done, and NotBefore until when at least if
	// that is known; empty when none is due. Filled like PostsThisWeek.
	Waits     watchpost.PendingReason `json:",omitempty"`
	NotBefore time.Time               `json:",omitzero"`
	// DeletedAt is when it will be deleted, unless that is taken back; zero: it will not.
	DeletedAt time.Time `json:",omitzero"`
}

// ListSessions is answered by []SessionView, oldest first.
type ListSessions struct{}

// SessionView is a session as the operator sees it.
type SessionView struct {
	ID        watchpost.SessionID
	Member    watchpost.Member
	CreatedAt time.Time
	Connected bool
	Account   string // the slug reported last; "" before the first
	Version   string // of the extension
	Browser   protocol.Browser
	LastSeen  time.Time
}

// Revoke ends a session (NotFound `Session not found`); answered by Done.
type Revoke struct{ Session watchpost.SessionID }

func (RequireExtension) AnsweredWith(root.Done)     {}
func (CreateTeam) AnsweredWith(TeamCreated)         {}
func (GetTeam) AnsweredWith(TeamView)               {}
func (GetForecast) AnsweredWith([]ActionForecast)   {}
func (UpdateTeam) AnsweredWith(watchpost.Team)      {}
func (RevealKey) AnsweredWith(APIKey)               {}
func (RotateKey) AnsweredWith(APIKey)               {}
func (AskKeyRotation) AnsweredWith(root.Done)       {}
func (expirePosts) AnsweredWith(expiryStep)         {}
func (expireTasks) AnsweredWith(expiryStep)         {}
func (expireChanges) AnsweredWith(changesExpired)   {}
func (reseal) AnsweredWith(root.Done)               {}
func (deleteTeam) AnsweredWith(deletionStep)        {}
func (listEngagements) AnsweredWith(root.Done)      {}
func (noteAcquaintances) AnsweredWith(root.Done)    {}
func (noteClaims) AnsweredWith(root.Done)           {}
func (getScanStates) AnsweredWith(scanStates)       {}
func (AddMember) AnsweredWith(watchpost.Member)     {}
func (UpdateMember) AnsweredWith(watchpost.Member)  {}
func (RemoveMember) AnsweredWith(root.Done)         {}
func (LeaveTeam) AnsweredWith(root.Done)            {}
func (ReleaseAccount) AnsweredWith(root.Done)       {}
func (OpenSession) AnsweredWith(SessionOpened)      {}
func (ListSessions) AnsweredWith([]SessionView)     {}
func (Revoke) AnsweredWith(root.Done)               {}
func (CreatePairingCode) AnsweredWith(PairingCode)  {}
func (CreateTask) AnsweredWith(TaskCreated)         {}
func (CancelTask) AnsweredWith(TaskView)            {}
func (Engage) AnsweredWith(TaskCreated)             {}
func (BookmarkPost) AnsweredWith(root.Done)         {}
func (CreateWatchlist) AnsweredWith(WatchlistView)  {}
func (PreviewWatchlist) AnsweredWith(WatchlistView) {}
func (Follow) AnsweredWith(Followed)                {}
func (ChangeList) AnsweredWith(WatchlistView)       {}
func (GetWatchlist) AnsweredWith(WatchlistView)     {}
func (GetScanPlan) AnsweredWith(scanplan.Plan)      {}
func (ListWatchlists) AnsweredWith([]WatchlistView) {}
func (UpdateWatchlist) AnsweredWith(WatchlistView)  {}
func (DeleteWatchlist) AnsweredWith(root.Done)      {}
func (DeleteLater) AnsweredWith(root.Done)          {}
func (UndoDeletion) AnsweredWith(root.Done)         {}
func (sessionHello) AnsweredWith(sessionWelcomed)   {}
func (redeemPairing) AnsweredWith(SessionOpened)    {}

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
