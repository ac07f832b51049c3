package headless

import (
	"context"
	"errors"
	"time"

	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// writer is one kind of write on the network.
type writer interface {
	// look reads the page and returns its state of the write. A fault says why
	// the write cannot be done.
	look(ctx context.Context, net *client) (Witness, error)
	// act does the write as the account with that URN. A fault that is not sure
	// means that the outcome is unknown.
	act(ctx context.Context, net *client, as string) error
	// output is the task's output after the write; it may use the results of
	// the last look and act.
	output() any
}

// secondLook is the delay, from the entry in acting, before a page is checked
// again; a request on its way has arrived by then. The stand-in network shows
// an applied write at once.
const secondLook = 30 * time.Second

// errReleased means that the task was returned to the service.
var errReleased = errors.New("released")

// write does a task that changes something on the network, at most once.
//
//	received ── look ── acting ── go ── begun ── act ── done
//	                      │                └── no sure answer, or the process died:
//	                      │                    look: changed → done
//	                      │                    unchanged → look again 30 s after acting
//	                      │                    unchanged → begun again, act ── once more
//	                      └── the process died before go: nothing was done, start over
//
// On a network that may show a write late, no write is repeated. A second
// crash, or an unreadable page, results in outcome_unknown.
func (s *session) write(t *task) (any, error) {
	e := s.entry(t)
	w, err := writers[watchpost.TaskType(e.TaskType)](e.Input)
	if err != nil {
		return nil, err
	}
	one := writing{s, t, w}
	if e.Begun {
		return one.recover()
	}
	if err := one.prepare(); err != nil {
		return nil, err
	}
	if s.late(t) {
		s.release(t, releasedLate)
		return nil, errReleased
	}
	e = s.entry(t)
	as, err := s.actAs(e)
	if err != nil {
		return nil, err
	}
	if err := s.put(t, func(e *Entry) { e.Begun = true }); err != nil {
		return nil, err // not begun: sure
	}
	if e.decided() && e.Witness.Done {
		return w.output(), nil // done by another caller: nothing to do
	}
	err = w.act(t.ctx, s.net, as)
	if unsure(err) {
		s.log.Warn("session: no answer to a write, looking at the page", "task", e.Task, "error", err)
		return one.recover()
	}
	return w.output(), err
}

// writing is one write of a session.
type writing struct {
	*session
	task *task
	on   writer
}

// prepare takes the witness, journals acting and waits for go.
func (s writing) prepare() error {
	if s.late(s.task) {
		s.release(s.task, releasedLate)
		return errReleased
	}
	witness, err := s.on.look(s.task.ctx, s.net)
	if err != nil {
		return err
	}
	if code := watchpost.TaskType(s.entry(s.task).TaskType).Needless(); witness.Done && code != "" {
		return faultf(code, "the page shows that there is nothing to do")
	}
	if e := s.entry(s.task); e.Restored && !e.decided() && witness.Count > 0 {
		return faultf(protocol.CodeOutcomeUnknown, "the page shows this text already, and the service was restored from a backup")
	}
	at := s.opts.Clock.Now()
	err = s.put(s.task, func(e *Entry) {
		e.State, e.Witness, e.ActingAt, e.Account = protocol.StateActing, &witness, &at, s.memberAccount()
	})
	if err != nil {
		return err
	}
	return s.ask()
}

// ask waits until the service lets the write touch the network.
func (s writing) ask() error {
	s.mu.Lock()
	s.task.asking = true
	s.sendLocked(protocol.Frame{Type: protocol.TypeActing, Task: s.task.entry.Task, Lease: s.task.entry.Lease})
	s.mu.Unlock()
	select {
	case goes := <-s.task.onGo:
		if !goes {
			return unknown("the service no longer waits for the write")
		}
		return nil
	case <-s.task.ctx.Done():
		return context.Cause(s.task.ctx)
	}
}

// recover finds out whether a begun write was done, and repeats it once if it
// certainly was not.
func (s writing) recover() (any, error) {
	e := s.entry(s.task)
	as, err := s.actAs(e)
	if err != nil {
		return nil, unknown(err.Error()) // its pages do not show the write
	}
	if e.decided() {
		return s.recoverDecided(as)
	}
	first, firstErr := s.on.look(s.task.ctx, s.net)
	if firstErr == nil && first.Count > e.Witness.Count {
		return s.recovered()
	}
	if e.Again {
		return nil, unknown("the write was begun twice and the page does not show it")
	}
	if err := s.waitForSecondLook(); err != nil {
		return nil, err
	}
	second, err := s.on.look(s.task.ctx, s.net)
	switch {
	case err != nil:
		return nil, unknown("the page cannot be read: " + err.Error())
	case second.Count > e.Witness.Count:
		return s.recovered()
	case firstErr != nil || first.Count != e.Witness.Count || second.Count != e.Witness.Count:
		return nil, unknown("the page does not allow a comparison")
	case s.opts.ShowsLate:
		return nil, unknown("the network may yet show what was written")
	}
	if err := s.ask(); err != nil {
		return nil, err
	}
	if err := s.put(s.task, func(e *Entry) { e.Again = true }); err != nil {
		return nil, unknown(err.Error())
	}
	if err := s.on.act(s.task.ctx, s.net, as); !unsure(err) {
		return s.on.output(), err
	}
	if third, err := s.on.look(s.task.ctx, s.net); err == nil && third.Count > e.Witness.Count {
		return s.recovered()
	}
	return nil, unknown("no answer to the second try either")
}

// recoverDecided recovers a write that the page's state alone decides.
func (s writing) recoverDecided(as string) (any, error) {
	for range 2 {
		now, err := s.on.look(s.task.ctx, s.net)
		if err != nil {
			return nil, unknown("the page cannot be read: " + err.Error())
		}
		if now.Done {
			return s.recovered()
		}
		if err := s.ask(); err != nil {
			return nil, err
		}
		if err := s.on.act(s.task.ctx, s.net, as); !unsure(err) {
			return s.on.output(), err
		}
	}
	if now, err := s.on.look(s.task.ctx, s.net); err == nil && now.Done {
		return s.recovered()
	}
	return nil, unknown("no answer to the second try either")
}

// recovered returns the output of a write that the page shows as done.
func (s writing) recovered() (any, error) {
	s.log.Info("session: the page shows the write", "task", s.entry(s.task).Task)
	return s.on.output(), nil
}

// waitForSecondLook waits until secondLook after the entry in acting. If the
// clock was set back since, it waits secondLook from now.
func (s writing) waitForSecondLook() error {
	due := s.entry(s.task).ActingAt.Add(secondLook)
	if latest := s.opts.Clock.Now().Add(secondLook); due.After(latest) {
		due = latest
	}
	reached := make(chan struct{})
	timer := s.opts.Clock.At(due, func() { close(reached) })
	defer timer.Stop()
	select {
	case <-reached:
		return nil
	case <-s.task.ctx.Done():
		return context.Cause(s.task.ctx)
	}
}

// unsure reports whether a write may have been applied despite err.
func unsure(err error) bool {
	var f *fault
	return errors.As(err, &f) && !f.sure
}

// unknown is the fault of a write whose outcome cannot be determined.
func unknown(why string) *fault {
	return &fault{code: protocol.CodeOutcomeUnknown, message: why}
}
