package teamspace

import (
	"time"

	"watchpost/watchpost"
)

// WaitingRecord is what a team knows of a caller's task that was never leased, to let
// it wait without its own record.
//
// A node of the release before neither writes nor deletes it. The record holds while
// the task is open and has no debits (KeyOpen), because such a node debits every lease
// of these tasks. Only Account may be out of date then.
type WaitingRecord struct {
	Type      watchpost.TaskType   `json:"type"` // of the first slice
	CreatedAt time.Time            `json:"created_at"`
	Member    watchpost.MemberID   `json:"member,omitempty"`
	Account   watchpost.AccountURN `json:"account,omitempty"`
	Units     int                  `json:"units"`
	// Actor and Target are those of the task's effect; empty without one.
	Actor  string `json:"actor,omitempty"`
	Target string `json:"target,omitempty"`
	// NotBefore is when a session may have it at the earliest.
	NotBefore time.Time `json:"not_before,omitzero"`
}

// WaitingOf returns the WaitingRecord of a task; ok is false if it has none.
func WaitingOf(t *watchpost.Task) (r WaitingRecord, ok bool) {
	_, debited := watchpost.AllowanceOf(t.Type.Action())
	if t.State != watchpost.TaskPending || t.Attempts > 0 || t.Type.Scan() || !debited {
		return r, false
	}
	effect, _ := t.Effect()
	return WaitingRecord{
		Type: t.LeasedType(), CreatedAt: t.CreatedAt, Member: t.Member, Account: t.Account, Units: t.Units(),
		Actor: effect.Actor, Target: effect.Target, NotBefore: t.NotBefore,
	}, true
}

// Task returns the task without its input and without the fields that only its creation
// uses.
func (r *WaitingRecord) Task(id watchpost.TaskID) watchpost.Task {
	return watchpost.Task{
		ID: id, Type: r.Type, State: watchpost.TaskPending, CreatedAt: r.CreatedAt, Member: r.Member, Account: r.Account, NotBefore: r.NotBefore,
	}
}

// Effect returns the effect of the task, or nil.
func (r *WaitingRecord) Effect() *watchpost.Effect {
	if r.Target == "" {
		return nil
	}
	e := &watchpost.Effect{Account: r.Account, Actor: r.Actor, Action: r.Type.Action(), Target: r.Target}
	if r.Account == "" {
		e.Member = r.Member
	}
	return e
}
