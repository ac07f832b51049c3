package actors_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// report plays one move of a session in the matter of a task.
func (m *machine) report(p *fakeSession, h *held, move string) {
	if !p.connected {
		return
	}
	m.tell("%s: %s %s", p, move, h)
	c := m.byID[h.frame.Task]
	f := protocol.Frame{Type: protocol.TypeResult, Task: h.frame.Task, Lease: h.frame.Lease, Attempt: h.frame.Attempt}
	acts := c.kind.Writes()
	if acts && h.state == protocol.StateReceived && strings.Contains(failures, move) {
		acts = rapid.Bool().Draw(m.r, "acts") // else it fails before that
	}
	switch {
	case move == "accept":
		m.send(p, protocol.Frame{Type: protocol.TypeAccepted, Task: f.Task, Lease: f.Lease})
		return
	case move == "again" || h.report != nil:
		if h.report != nil {
			m.send(p, *h.report)
		}
		return
	case move == "release":
		if h.state == protocol.StateReceived {
			c.back[h.frame.Attempt] = true
			m.send(p, protocol.Frame{Type: protocol.TypeReleased, Task: f.Task, Lease: f.Lease, Reason: "scripted"})
			m.forget(p, h)
		}
		return
	case acts && h.state == protocol.StateReceived:
		h.state = protocol.StateActing
		m.send(p, protocol.Frame{Type: protocol.TypeActing, Task: f.Task, Lease: f.Lease})
		return
	case acts && !h.let:
		return // not let go yet
	case move == "ok":
		h.counts = true
		mark := fmt.Sprintf("%s-%d", p.Email, len(c.sent))
		c.sent = append(c.sent, mark)
		f.Output, _ = json.Marshal(map[string]string{"name": mark, "comment_urn": mark})
	case move == "unreadable":
		f.Output = json.RawMessage(`[]`)
	default:
		f.Error = &protocol.TaskError{Code: move, Acted: actorstest.Lie}
		if acts || !c.kind.Writes() {
			f.Error.Acted = rapid.SampledFrom([]*bool{nil, actorstest.Truth, actorstest.Lie, actorstest.Lie}).Draw(m.r, "acted")
		}
		m.tell("%s: not acted: %t", p, f.Error.Acted == actorstest.Lie)
		if f.Error.Acted == actorstest.Lie {
			c.back[f.Attempt], c.undone[f.Lease] = true, true
		}
	}
	h.state, h.report = protocol.StateDone, &f
	m.send(p, f)
}

func (m *machine) forget(p *fakeSession, h *held) {
	p.journal = slices.DeleteFunc(p.journal, func(o *held) bool { return o == h })
}

// settle takes the frames of all sessions until everything rests.
func (m *machine) settle() {
	for _, p := range m.sessions {
		if !p.connected {
			continue
		}
		frames, up := p.TrySettle()
		for _, f := range frames {
			m.receive(p, f)
		}
		p.connected = up && p.Open()
	}
}

// witness checks what the service decided, whether the session hears of it or not.
func (m *machine) witness(f protocol.Frame) {
	switch f.Type {
	case protocol.TypeTask:
		if m.known(f.Task, watchpost.TaskType(f.TaskType)).final != nil {
			m.fail("task %s is handed out after its end", f.Task)
		}
	case protocol.TypeGo:
		c := m.byID[f.Task]
		if c.let != "" && c.let != f.Lease && !c.undone[c.let] {
			m.fail("write %s is let go twice: under %s and %s", f.Task, c.let, f.Lease)
		}
		c.let = f.Lease
	}
}

// hear is what a session does with a frame.
func (m *machine) hear(p *fakeSession, f protocol.Frame) {
	m.tell("%s is told %s %s %s %d", p, f.Type, f.Task, f.Lease, f.Attempt)
	i := slices.IndexFunc(p.journal, func(h *held) bool { return h.frame.Task == f.Task })
	switch f.Type {
	case protocol.TypeTask:
		if i >= 0 && p.journal[i].frame.Lease == f.Lease {
			return // told again
		}
		if i >= 0 {
			p.journal = slices.Delete(p.journal, i, i+1)
		}
		p.journal = append(p.journal, &held{frame: f, state: protocol.StateReceived})
	case protocol.TypeGo:
		if i >= 0 && p.journal[i].frame.Lease == f.Lease {
			p.journal[i].let = true
		}
	case protocol.TypeCancel:
		if i >= 0 && p.journal[i].report == nil && p.journal[i].state == protocol.StateReceived {
			p.journal = slices.Delete(p.journal, i, i+1)
		}
	case protocol.TypeAck:
		if i < 0 || p.journal[i].report == nil {
			return
		}
		h := p.journal[i]
		p.journal = slices.Delete(p.journal, i, i+1)
		c := m.byID[f.Task]
		switch e := h.report.Error; {
		case e == nil:
			c.answered = c.answered || h.counts
		case e.Acted == actorstest.Lie && m.expected.counted(h.frame, e.Code):
			c.surely[h.frame.Attempt] = true
		}
	}
}

// poll asks for each task and compares the answers with earlier answers.
func (m *machine) poll() {
	for _, c := range m.tasks {
		view := patiently(m, func() (actors.TaskView, error) {
			return m.w.Registry.TaskStatus(m.t.Context(), m.team.ID, c.id)
		})
		if c.let != "" && !c.undone[c.let] && strings.Contains(string(view.Output), `"resolved":{"acted":false`) {
			m.fail("task %s is said to be undone, and was let go under %s: %s", c.id, c.let, view.Output)
		}
		switch {
		case c.final != nil:
			if lateTruth(c.final, &view) {
				c.final = &view
			}
			if view.State != c.final.State || string(view.Output) != string(c.final.Output) || !view.CompletedAt.Equal(c.final.CompletedAt) {
				m.fail("task %s changed after its end: %+v, then %+v", c.id, c.final, view)
			}
		case view.State.Final():
			c.final = &view
			m.judge(c, view)
		case c.answered:
			m.fail("task %s: its result was acknowledged, and it is %s", c.id, view.State)
		case view.Reason == "":
			m.fail("task %s waits without a reason", c.id)
		}
	}
}

// lateTruth reports whether a poll shows of a final task the truth about an
// unknown outcome, which the last one did not, and nothing else that is new.
func lateTruth(before, now *actors.TaskView) bool {
	old, shown := string(before.Output), string(now.Output)
	return strings.Contains(old, watchpost.FailOutcomeUnknown) && !strings.Contains(old, `"resolved"`) &&
		strings.HasPrefix(shown, strings.TrimSuffix(old, "}")+`,"resolved":{"acted":`)
}

// judge checks a final view: a completed task says what a session sent.
func (m *machine) judge(c *promised, view actors.TaskView) {
	if view.State != watchpost.TaskCompleted || c.kind == watchpost.TaskLikePost {
		return
	}
	if !slices.ContainsFunc(c.sent, func(mark string) bool { return strings.Contains(string(view.Output), mark) }) {
		m.fail("task %s says what nobody sent: %s", c.id, view.Output)
	}
}

// finish lets the sessions do all that is left, and looks at everything once
// more: now, after a restart and after a crash.
func (m *machine) finish() {
	m.w.Store.FailWhen(nil)
	m.w.Store.LoseReads(nil)
	for range 4 {
		for _, p := range m.sessions {
			m.connect(p)
			if p.connected {
				p.Heartbeat()
			}
		}
		for range 8 {
			m.settle()
			for _, p := range m.sessions {
				for _, h := range slices.Clone(p.journal) {
					m.report(p, h, "ok")
				}
			}
		}
		m.w.Advance(time.Minute)
		m.poll()
	}
	m.w.Restart()
	m.cutOff()
	m.poll()
	m.crash()
	m.poll()
	m.expected.check(m)
}
