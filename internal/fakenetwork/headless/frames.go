package headless

import (
	"context"
	"errors"

	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// Causes of the end of a task's context.
var (
	errForgotten  = errors.New("the service is done with the task")
	errCancelled  = errors.New("the service cancelled the task")
	errNewAttempt = errors.New("the task was handed out again")
)

// Reasons of released frames.
const (
	releasedLate      = "deadline"
	releasedBusy      = "busy"
	releasedJournal   = "journal"
	releasedCancelled = "cancelled"
)

// receive handles a frame that arrives after welcome. It ignores unknown frames
// and fields.
func (s *session) receive(_ context.Context, f protocol.Frame) {
	switch f.Type {
	case protocol.TypeTask:
		s.receiveTask(f)
	case protocol.TypeGo:
		s.receiveGo(f)
	case protocol.TypeAck:
		s.receiveAck(f)
	case protocol.TypeCancel:
		s.receiveCancel(f)
	case protocol.TypeStatus:
		s.receiveStatus(f)
	}
}

// receiveTask journals a task and queues it. A task that the journal knows
// keeps its state and gets the new lease.
func (s *session) receiveTask(f protocol.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.tasks[f.Task]; t != nil {
		s.takeAgain(t, f)
		return
	}
	late := f.Deadline != nil && !s.opts.Clock.Now().Add(s.offset).Before(*f.Deadline)
	switch {
	case f.Task == "":
		return
	case late:
		s.releaseLocked(f.Task, f.Lease, releasedLate)
		return
	case len(s.queue) >= maxQueued:
		s.releaseLocked(f.Task, f.Lease, releasedBusy)
		return
	}
	e := Entry{
		Task: f.Task, Lease: f.Lease, Attempt: f.Attempt, TaskType: f.TaskType, Input: f.Input, Deadline: f.Deadline,
		State: protocol.StateReceived, At: s.opts.Clock.Now(), Trace: f.Trace, Restored: f.Restored,
	}
	if err := s.journal.Put(e); err != nil {
		s.log.Error("session: task not journalled", "task", f.Task, "error", err)
		s.releaseLocked(f.Task, f.Lease, releasedJournal)
		return
	}
	t := newTask(s.parent, e)
	s.tasks[e.Task] = t
	s.queue = append(s.queue, t)
	s.sendLocked(protocol.Frame{Type: protocol.TypeAccepted, Task: e.Task, Lease: e.Lease})
	s.wakeWorker()
}

// takeAgain gives a known task the lease and attempt of a new hand-out. A
// running read restarts, because the parts of the older attempt may be lost.
func (s *session) takeAgain(t *task, f protocol.Frame) {
	e := t.entry
	newAttempt := e.Attempt != f.Attempt && !watchpost.TaskType(e.TaskType).Writes()
	e.Lease, e.Attempt, e.Deadline = f.Lease, f.Attempt, f.Deadline
	if err := s.journal.Put(e); err != nil {
		s.log.Error("session: new lease not journalled", "task", f.Task, "error", err)
		return
	}
	t.entry = e
	s.sendLocked(protocol.Frame{Type: protocol.TypeAccepted, Task: e.Task, Lease: e.Lease})
	if newAttempt && t.running && e.State == protocol.StateReceived {
		t.again = true
		t.cancel(errNewAttempt)
		return
	}
	s.repeatLocked(t)
}

// receiveGo starts a write that waits for go.
func (s *session) receiveGo(f protocol.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tasks[f.Task]
	if t != nil && f.Lease == t.entry.Lease {
		t.answer(true)
	}
}

// answer tells a write that waits for go whether it may touch the network.
func (t *task) answer(goes bool) {
	if !t.asking {
		return
	}
	t.asking = false
	select {
	case t.onGo <- goes:
	default:
	}
}

// receiveAck removes an acknowledged part, or the whole task.
func (s *session) receiveAck(f protocol.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tasks[f.Task]
	if t == nil {
		return
	}
	if f.Seq == nil {
		s.forgetLocked(t, errForgotten)
		return
	}
	for i, part := range t.parts {
		if *part.Seq == *f.Seq {
			t.parts = append(t.parts[:i:i], t.parts[i+1:]...)
			break
		}
	}
	if len(t.parts) == 0 && t.flushed != nil {
		close(t.flushed)
		t.flushed = nil
	}
}

// receiveCancel stops a task. A write that may have touched the network goes
// on, and does not touch it once more: only its result shows the outcome. A read that may have is dropped
// without a released frame, because released means that the task cost the
// account nothing.
func (s *session) receiveCancel(f protocol.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tasks[f.Task]
	if t != nil && t.entry.Begun {
		t.answer(false)
	}
	if t == nil || t.entry.Begun || t.entry.State == protocol.StateDone {
		return
	}
	s.forgetLocked(t, errCancelled)
	if untouched := !t.running || watchpost.TaskType(t.entry.TaskType).Writes(); untouched {
		s.releaseLocked(f.Task, t.entry.Lease, releasedCancelled)
	}
}

// releaseLocked reports that a task was not begun.
func (s *session) releaseLocked(task, lease, reason string) {
	s.sendLocked(protocol.Frame{Type: protocol.TypeReleased, Task: task, Lease: lease, Reason: reason})
}

// wakeWorker wakes the worker to check its queue.
func (s *session) wakeWorker() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
