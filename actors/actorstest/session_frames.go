package actorstest

import (
	"encoding/json"

	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// Accept says that a task is in the journal.
func (s *Session) Accept(f protocol.Frame) {
	s.Send(protocol.Frame{Type: protocol.TypeAccepted, Task: f.Task, Lease: f.Lease})
}

// Act says that the session wants to touch the network, and waits to be let go.
func (s *Session) Act(f protocol.Frame) {
	s.T.Helper()
	s.Send(protocol.Frame{Type: protocol.TypeActing, Task: f.Task, Lease: f.Lease})
	got := s.Expect(protocol.TypeGo)
	require.Equal(s.T, f.Task, got.Task)
	require.Equal(s.T, f.Lease, got.Lease)
}

// Result sends a result.
func (s *Session) Result(f protocol.Frame, output any) {
	s.T.Helper()
	raw, err := json.Marshal(output)
	require.NoError(s.T, err)
	s.Send(protocol.Frame{Type: protocol.TypeResult, Task: f.Task, Lease: f.Lease, Attempt: f.Attempt, Output: raw})
}

// Error sends an error.
func (s *Session) Error(f protocol.Frame, code string, acted *bool) {
	s.Send(protocol.Frame{Type: protocol.TypeResult, Task: f.Task, Lease: f.Lease, Attempt: f.Attempt,
		Error: &protocol.TaskError{Code: code, Message: "scripted " + code, Acted: acted}})
}

// SlowDown says that the network asked to slow down, before anything was done.
func (s *Session) SlowDown(f protocol.Frame) {
	s.Send(protocol.Frame{Type: protocol.TypeResult, Task: f.Task, Lease: f.Lease, Attempt: f.Attempt,
		Error: &protocol.TaskError{Code: protocol.CodeNetworkLimit, Message: "rate_limited of any", Acted: Lie, SlowDown: true}})
}

// Part sends a part of a scan.
func (s *Session) Part(f protocol.Frame, seq int, posts ...protocol.Post) {
	s.T.Helper()
	raw, err := json.Marshal(protocol.PostsOutput{Posts: posts})
	require.NoError(s.T, err)
	s.Send(protocol.Frame{Type: protocol.TypePart, Task: f.Task, Lease: f.Lease, Attempt: f.Attempt, Seq: &seq, Output: raw})
}

// Release gives a task back that was not begun.
func (s *Session) Release(f protocol.Frame) {
	s.Send(protocol.Frame{Type: protocol.TypeReleased, Task: f.Task, Lease: f.Lease, Reason: "scripted"})
}

// Ask gives a write back about which the session asks the member.
func (s *Session) Ask(f protocol.Frame) {
	s.Asking = []string{f.Task}
	s.Send(protocol.Frame{Type: protocol.TypeReleased, Task: f.Task, Lease: f.Lease, Reason: protocol.ReleasedAsked})
}

// Allow ends the question: the write may be handed out.
func (s *Session) Allow() {
	s.Asking = nil
	s.Heartbeat()
}

// Decline says that the member does not want the write.
func (s *Session) Decline(f protocol.Frame) {
	s.Send(protocol.Frame{Type: protocol.TypeReleased, Task: f.Task, Lease: f.Lease, Reason: protocol.ReleasedDeclined})
	s.Allow()
}

// Heartbeat tells of the account and of what runs.
func (s *Session) Heartbeat(running ...protocol.Frame) {
	account := s.Account
	f := protocol.Frame{Type: protocol.TypeHeartbeat, Account: &account, Pace: s.Pace, Asking: s.Asking}
	for _, r := range running {
		f.Running = append(f.Running, protocol.RunningTask{Task: r.Task, Lease: r.Lease})
	}
	s.Send(f)
}

// ExpectTask returns the next frame, which must hand out that task.
func (s *Session) ExpectTask(id watchpost.TaskID) protocol.Frame {
	s.T.Helper()
	f := s.Expect(protocol.TypeTask)
	require.Equal(s.T, string(id), f.Task)
	require.NotEmpty(s.T, f.Lease)
	require.NotNil(s.T, f.Deadline)
	return f
}

// ExpectAck returns the next frame, which must acknowledge that one.
func (s *Session) ExpectAck(of protocol.Frame) protocol.Frame {
	s.T.Helper()
	f := s.Expect(protocol.TypeAck)
	require.Equal(s.T, of.Task, f.Task)
	return f
}

// Finish does a task that was handed out, of any type but a scan.
func (s *Session) Finish(f protocol.Frame) {
	s.T.Helper()
	s.Accept(f)
	if watchpost.TaskType(f.TaskType).Writes() {
		s.Act(f)
	}
	s.Result(f, map[string]any{})
	s.ExpectAck(f)
}

// Listed is the entry of the session's journal for a task.
func Listed(f protocol.Frame, state string) protocol.JournalTask {
	return protocol.JournalTask{Task: f.Task, Lease: f.Lease, Attempt: f.Attempt, State: state}
}

// Truth and Lie are what acted may point to.
var (
	Truth = pointer(true)
	Lie   = pointer(false)
)

func pointer[T any](v T) *T { return &v }
