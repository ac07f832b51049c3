package headless

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// reader does a read or scan: it takes the input and returns the output for the
// service.
type reader func(ctx context.Context, r *run) (output any, err error)

// readers maps each read to its implementation, one file each.
var readers = map[watchpost.TaskType]reader{
	watchpost.TaskProfileFetch:     fetchProfile,
	watchpost.TaskCompanyFetch:     fetchCompany,
	watchpost.TaskProfilesPosts:    fetchProfilesPosts,
	watchpost.TaskCompanyPosts:     fetchCompanyPosts,
	watchpost.TaskProfilesSearch:   searchProfiles,
	watchpost.TaskConnectionsFetch: fetchConnections,
	watchpost.TaskKeywordScan:      scanKeyword,
	watchpost.TaskForumScan:        scanForum,
	watchpost.TaskPeopleScan:       scanPeople,
	watchpost.TaskCompanyScan:      scanCompany,
}

// writers maps each write to its implementation, one file each.
var writers = map[watchpost.TaskType]func(input json.RawMessage) (writer, error){
	watchpost.TaskLikePost:          newLike,
	watchpost.TaskCommentPost:       newComment,
	watchpost.TaskSendMessage:       newMessage,
	watchpost.TaskConnectionRequest: newInvitation,
	watchpost.TaskWithdrawal:        newWithdrawal,
}

// run is the context of a running task.
type run struct {
	s   *session
	t   *task
	net *client
	in  json.RawMessage
}

// decode reads the task's input.
func decode(in json.RawMessage, into any) error {
	if err := json.Unmarshal(in, into); err != nil {
		return faultf(protocol.CodeInvalidInput, "input: %v", err)
	}
	return nil
}

// work does the queued tasks one by one until ctx ends.
func (s *session) work(ctx context.Context) {
	for {
		t := s.next()
		if t == nil {
			select {
			case <-ctx.Done():
				return
			case <-s.wake:
			}
			continue
		}
		s.do(t)
		if ctx.Err() != nil {
			return
		}
	}
}

// next takes a task from the queue; nil if there is none. It returns none
// before the first welcome: until then the session knows neither the service's
// time nor whether the journal's leases are valid.
func (s *session) next() *task {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.welcomed || len(s.queue) == 0 {
		return nil
	}
	t := s.queue[0]
	s.queue = s.queue[1:]
	t.running = true
	return t
}

// do does one task. A task that ends without a result, because the process
// stops or the service cancelled or forgot it, leaves the journal unchanged.
func (s *session) do(t *task) {
	e := s.entry(t)
	log := s.log.With("task", e.Task, "task_type", e.TaskType)
	kind := watchpost.TaskType(e.TaskType)
	var output any
	var err error
	if e.Trace != "" {
		ctx, span := s.opts.Tracer.Start(t.ctx, "session "+e.TaskType, trace.WithAttributes(attribute.String("watchpost.task", e.Task)))
		t.ctx = ctx
		defer func() {
			if err != nil {
				span.SetStatus(codes.Error, err.Error())
			}
			span.End()
		}()
	}
	switch {
	case writers[kind] != nil:
		output, err = s.write(t)
	case readers[kind] != nil:
		if s.late(t) {
			s.release(t, releasedLate)
			return
		}
		output, err = readers[kind](t.ctx, &run{s: s, t: t, net: s.net, in: e.Input})
		if err == nil {
			err = s.flush(t)
		}
	default:
		err = faultf(protocol.CodeInvalidInput, "unknown task type %q", e.TaskType)
	}
	if t.ctx.Err() != nil {
		s.stopped(t)
		return
	}
	if errors.Is(err, errReleased) {
		return
	}
	if err := s.finish(t, output, err); err != nil {
		log.Error("session: result not journalled", "error", err)
		return
	}
	log.Info("session: task done", "error", err)
}

// stopped puts a task that was handed out again back into the queue.
func (s *session) stopped(t *task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !t.again || s.tasks[t.entry.Task] != t || s.parent.Err() != nil {
		return
	}
	fresh := newTask(s.parent, t.entry)
	s.tasks[t.entry.Task] = fresh
	s.queue = append(s.queue, fresh)
	s.wakeWorker()
}

// late reports whether the task's deadline has passed; then it may not touch
// the network.
func (s *session) late(t *task) bool {
	d := s.entry(t).Deadline
	return d != nil && !s.now().Before(*d)
}

// release returns a task that was not begun.
func (s *session) release(t *task, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forgetLocked(t, errForgotten)
	s.releaseLocked(t.entry.Task, t.entry.Lease, reason)
}

// finish journals the result and sends it.
func (s *session) finish(t *task, output any, failure error) error {
	err := s.put(t, func(e *Entry) {
		e.State = protocol.StateDone
		e.Output, e.Error = nil, nil
		if failure != nil {
			e.Error = taskError(e.TaskType, failure)
			return
		}
		b, err := json.Marshal(output)
		if err == nil && len(b) > protocol.MaxFrame-4096 {
			err = fmt.Errorf("an output of %d bytes", len(b))
		}
		if err != nil {
			e.Error = taskError(e.TaskType, err)
			return
		}
		e.Output = b
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t.running = false
	s.sendLocked(resultFrame(t.entry))
	return nil
}

// resultFrame returns the result of a done entry.
func resultFrame(e Entry) protocol.Frame {
	return protocol.Frame{
		Type: protocol.TypeResult, Task: e.Task, Lease: e.Lease, Attempt: e.Attempt, Output: e.Output, Error: e.Error,
	}
}

// taskError converts a failure to the error of a result. A read never changed
// anything; a write reports whether it may have.
func taskError(taskType string, err error) *protocol.TaskError {
	out := &protocol.TaskError{Code: "internal", Message: err.Error()}
	acted := false
	out.Acted = &acted
	var f *fault
	if errors.As(err, &f) {
		out.Code, out.Message, out.SlowDown = f.code, f.message, f.slowDown
		if !f.sure && watchpost.TaskType(taskType).Writes() {
			out.Acted = nil
		}
	}
	return out
}

// hasCode reports whether err is a fault with that code.
func hasCode(err error, code string) bool {
	var f *fault
	return errors.As(err, &f) && f.code == code
}
