package rules

import (
	"bytes"
	"errors"
	"math"
	"time"

	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Two kinds of records of rules end by themselves: ended actions, when the journal of
// rules shows them no longer, and the marks of authors, with their week. A team may live
// for months, so it looks at them when it is activated and a day after each pass.

// forgetDue is the timer of the passes.
type forgetDue struct{}

// A pass removes what one batch holds. When it leaves something over, the next one
// comes soon.
const (
	forgetEvery = 24 * time.Hour
	forgetAgain = time.Minute
	nothingKept = time.Duration(math.MaxInt64)
)

// forget makes a pass, and asks the clock for the next one while anything is kept.
func (rs *Rules) forget(view persistence.View) error {
	now := rs.Env.Clock.Now()
	rs.book.Forget(now)
	batch, next := &persistence.Batch{}, nothingKept
	pass := func(prefix string, kept []byte) error {
		return view.Scan(rs.Space, []byte(prefix), persistence.PrefixEnd([]byte(prefix)), func(k, _ []byte) bool {
			switch _, ops := batch.Size(); {
			case bytes.Compare(k, kept) >= 0:
				next = min(next, forgetEvery)
				return false
			case ops >= root.StepOps:
				next = forgetAgain
				return false
			}
			batch.Delete(bytes.Clone(k))
			return true
		})
	}
	err := errors.Join(
		pass(teamspace.KeyRuleAuthor, teamspace.RuleAuthorKey(watchpost.Weekly.Key(now))),
		pass(teamspace.KeyRuleJournal, journalFrom(now)),
	)
	rs.Commits.Submit(batch, nil)
	if next < nothingKept {
		rs.forgetAfter(next)
	}
	return err
}

// onForget is a pass of the timer.
func (rs *Rules) onForget() {
	rs.forgetTimer = nil
	view, err := rs.Env.View()
	if err != nil {
		rs.Fail(err)
		return
	}
	defer view.Close()
	if err := rs.forget(view); err != nil {
		rs.Fail(err)
		return
	}
	rs.Answer(root.Done{}, nil)
}

// forgetAfter asks the clock for a pass, unless one is to come.
func (rs *Rules) forgetAfter(wait time.Duration) {
	if rs.forgetTimer == nil {
		rs.forgetTimer = rs.Env.TellAt(rs.Env.Clock.Now().Add(wait), rs.Context.Self(), forgetDue{})
	}
}
