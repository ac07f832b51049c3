package actors

import (
	"errors"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/actors/dispatch"
	"watchpost/actors/root"
	"watchpost/watchpost"
)

// handouts is the component of a team that hands waiting tasks to free sessions: what the
// dispatcher chooses, unless an effect or a rule speaks against it. It knows what session
// actors were asked and have not answered, and wakes when time alone lets a task run.
//
// The others have it look again after a change (run, runOne, hand, assign), and report what
// session actors answer (asked, answered) and that the clock is set forward (renew); arm sets
// its timer, answerTimer answers the clock when all is decided.
type handouts struct {
	*rootActor
	team *team

	wake   watchpost.Timer
	wakeAt time.Time
	// unanswered counts what session actors were asked to do and have not
	// answered; wakers are the timers that wait for that.
	unanswered int
	wakers     []*actor.PID
	// renewed is until when sessions keep their leases while the clock is set
	// forward: they cannot answer in between.
	renewed time.Time
}

// run assigns waiting tasks to free sessions until nothing fits. Rules get the
// sessions that are still free then.
func (h *handouts) run() {
	now := h.env.Clock.Now()
	h.asked(h.team.accounts.beginDay(now))
	for h.Broken == nil {
		a, ok := h.team.dispatch.Next(now)
		if !ok {
			break
		}
		h.hand(a)
	}
	h.team.workRules(now)
	h.team.accounts.showRelieved()
	if h.team.dispatch.HasNews() {
		h.team.statuses.someChanged()
	}
	h.team.pending.show(now)
	if h.team.dispatch.Withholds() {
		h.arm()
	}
}

// runOne assigns a task that was made for a connection that is free.
func (h *handouts) runOne(id watchpost.TaskID) {
	if a, ok := h.team.dispatch.Take(id, h.env.Clock.Now()); ok {
		h.hand(a)
		return
	}
	h.team.tasks.tell(rulePostponed, h.team.tasks.find(id))
}

// hand assigns a task to a session. It fails the task when the account has done the
// same already, or when the rule that asked for it would not do it now; one that undoes
// what an open task does waits for the end of that one.
func (h *handouts) hand(a dispatch.Assignment) {
	open := h.team.tasks.find(a.Task)
	if !h.team.tasks.start(open) {
		return
	}
	if !h.team.rules.Allow(a.Task) {
		h.handNothing(a.Worker)
		h.team.tasks.tell(rulePostponed, open)
		return
	}
	first, err := h.team.effects.duplicate(open, a.Worker.Account)
	before, err2 := h.team.effects.waitsFor(open, a.Worker.Account)
	if err := errors.Join(err, err2); err != nil {
		h.Fail(err)
		return
	}
	switch {
	case first != "":
		h.handNothing(a.Worker)
		h.team.tasks.tell(duplicateOf(first), open)
	case before != "":
		h.handNothing(a.Worker)
		h.team.effects.putBehind(before, open)
	default:
		h.assign(open, a)
	}
}

// handNothing frees a worker that was chosen for a task.
func (h *handouts) handNothing(w *dispatch.Worker) {
	w.Task = ""
	h.team.dispatch.Changed(w)
}

// assign asks the session actor of the chosen connection to do a task.
func (h *handouts) assign(open *openTask, a dispatch.Assignment) {
	open.offered = a.Worker.Account
	a.Worker.Offers++
	h.unanswered++
	h.Context.Send(h.team.accounts.actor(open.offered), assign{
		id: a.Task, task: open.actor, kind: a.Kind, units: open.units, session: a.Worker.Session, until: h.renewed,
		before: h.team.rules.Closing(a.Task),
	})
}

// answered notes that a session actor has answered an offer or a message.
func (h *handouts) answered(open *openTask) {
	if open != nil {
		open.offered = ""
	}
	if h.unanswered--; h.unanswered > 0 {
		return
	}
	for _, waker := range h.wakers {
		h.Commits.Submit(nil, h.env.ReplyTo(waker, root.Done{}))
	}
	h.wakers = nil
}

// arm asks the clock for the next moment at which waiting tasks may run
// without anything else happening.
func (h *handouts) arm() {
	if h.team.tasks.count() == 0 {
		return
	}
	at := h.team.dispatch.Wake(h.env.Clock.Now())
	if h.wake != nil {
		if h.wakeAt.Equal(at) {
			return
		}
		h.wake.Stop()
	}
	h.wakeAt = at
	h.wake = h.env.TellAt(at, h.Context.Self(), wakeUp{})
}

// onWake hands out what a reset or the end of a pause has made possible.
func (h *handouts) onWake() {
	h.wake = nil
	h.run()
	h.team.statuses.someChanged()
	h.arm()
	h.answerTimer()
}

// answerTimer lets the clock go on when all hand-outs of this moment are decided.
func (h *handouts) answerTimer() {
	if sender := h.Context.Sender(); h.unanswered > 0 && sender != nil {
		h.wakers = append(h.wakers, sender)
		return
	}
	h.Answer(root.Done{}, nil)
}

// stopTimer stops the timer of the component.
func (h *handouts) stopTimer() {
	if h.wake != nil {
		h.wake.Stop()
	}
}

// asked notes that n session actors were asked something that they answer.
func (h *handouts) asked(n int) { h.unanswered += n }

// renew lets sessions keep what they are handed until a moment: the clock is set forward.
func (h *handouts) renew(until time.Time) { h.renewed = until }
