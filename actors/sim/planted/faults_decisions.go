package planted

// decisions are faults in the order of decisions, in what waits for a commit, and in what
// late results tell.
var decisions = []Fault{
	{Name: "overtaken decision", Breaks: oneHistory, Edits: []Edit{
		{"tasks.decide", "if c.number != open.decisions+1 {", "if false {"},
		{"task.submit", "t.ctx.Send(t.team, d)", `if root, team := t.env.System.Root, t.team; c.event == taskLeased {
		t.env.Clock.At(c.at, func() { root.Send(team, d) })
		return
	}
	t.ctx.Send(t.team, d)`},
	}},
	{Name: "result acknowledged early", Breaks: nothingLost, Edits: []Edit{
		{"task.completeWith", "by, then := m.id, t.ack(m)", "by, then := m.id, t.ack(m)\n\tthen(nil)\n\tthen = nil"},
	}},
	{Name: "creation answered early", Breaks: nothingLost, Edits: []Edit{
		{"tasks.createRead", "t.Commits.Submit(batch, created.onCommitted)", "created.onCommitted(nil)\n\t\tt.Commits.Submit(batch, nil)"},
	}},
	{Name: "write answered early", Breaks: nothingLost, Edits: []Edit{
		{"idempotency.commitOnce", "i.Commits.Submit(i.once(batch, reply))", "b, done := i.once(batch, reply)\n\tif done != nil {\n\t\tdone(nil)\n\t}\n\ti.Commits.Submit(b, nil)"},
	}},
	{Name: "failed commit answered", Breaks: failureIsKnown, Edits: []Edit{
		{"commitQueue.onCommitted", "f.run(failure)", "f.run(nil)"},
	}},
	{Name: "failed commit goes on", Breaks: nothingWaits, Edits: []Edit{
		{"commitQueue.onCommitted", "q.broken(err)", "_ = err"},
	}},
	{Name: "answers overtake commits", Breaks: nothingLost, Edits: []Edit{
		{"commitQueue.after", "if q.failure == nil && len(q.pending) > 0 {", "if q.failure == nil && len(q.pending) > 1000 {"},
	}},
	{Name: "go before acting is durable", Breaks: onceOnly, Edits: []Edit{
		{"task.onActing", "t.decide(next, taskChange{event: taskStays}, letGo)", "letGo(nil)\n\tt.decide(next, taskChange{event: taskStays}, nil)"},
	}},
	{Name: "task before its debit is durable", Breaks: paidBefore, Edits: []Edit{
		{"task.onOffer", "t.decide(next, c, sendTask(t.env, m.session, &next))", "sendTask(t.env, m.session, &next)(nil)\n\tt.decide(next, c, nil)"},
	}},
	{Name: "acting write is cancelled", Breaks: trueOutcome, Edits: []Edit{
		{"Task.Cancel", "t.State == TaskLeased && t.Type.Writes():", "t.State != TaskCompleted && t.Type.Writes():"},
	}},
	{Name: "cancelled before it is durable", Breaks: failureIsKnown, Edits: []Edit{
		{"cancelAsked", "t.decide(next, taskChange{event: taskEnded, by: by, refund: refund}, t.alsoCancel(answer))", "answer(nil)\n\tt.decide(next, taskChange{event: taskEnded, by: by, refund: refund}, t.alsoCancel(nil))"},
	}},
	{Name: "another journal proves a write undone", Breaks: onceOnly, Edits: []Edit{
		{"task.onReattach", "t.renewUntil(t.env.Clock.Now().Add(protocol.LeaseTime))", `if undone, ok := t.state.Return(true); ok && m.listed == nil {
		t.decide(undone, taskChange{event: taskReturned}, nil)
		return
	}
	t.renewUntil(t.env.Clock.Now().Add(protocol.LeaseTime))`},
	}},
	{Name: "unknown outcome may be repeated", Breaks: trueOutcome, Missed: allSeen, Edits: []Edit{
		{"ClassifyError", "v.Event, v.Failure.Code = EventFail, FailOutcomeUnknown", "v.Event, v.Failure.Code, v.Failure.RetrySafe = EventFail, FailOutcomeUnknown, true"},
	}},
	{Name: "unknown outcome is tried again", Breaks: onceOnly, Missed: allSeen, Edits: []Edit{
		{"ClassifyError", "v.Event, v.Failure.Code = EventFail, FailOutcomeUnknown", "v.Lost = true"},
	}},
	{Name: "silent write may be repeated", Breaks: trueOutcome, Edits: []Edit{
		{"Task.Expire", `Message: "the session did not say whether it acted"}`, `Message: "the session did not say whether it acted", RetrySafe: true}`},
	}},
	{Name: "acting write loses its lease", Breaks: onceOnly, Edits: []Edit{
		{"Task.LoseLease", "if t.State != TaskLeased {", "if t.State != TaskLeased && t.State != TaskActing {"},
		{"task.arm", "if t.state.State == watchpost.TaskLeased &&", "if t.state.Lease != nil &&"},
		{"task.onTimer", "if t.state.State == watchpost.TaskLeased &&", "if t.state.Lease != nil &&"},
	}},
	{Name: "denial of an earlier attempt", Breaks: trueOutcome, Missed: "an earlier attempt has to say late that it did not act, after a later one has acted and was given up", Edits: []Edit{
		{"Task.Resolve", "last := under.Attempt == t.Attempts && !t.Restored", "last := true"},
	}},
	{Name: "late truth is dropped", Breaks: trueOutcome, Edits: []Edit{
		{"lateResults.onLateResult", "if !ok || !given || !known || !fresh || l.resolved[id] {", "if ok || !given || !known || !fresh || l.resolved[id] {"},
	}},
	{Name: "late truth is not stored", Breaks: nothingLost, Edits: []Edit{
		{"lateResults.onResolved", "l.Commits.Submit(batch, m.then)", "l.Commits.Submit(nil, m.then)"},
	}},
	{Name: "second result counts", Breaks: oneHistory, Edits: []Edit{
		{"TaskState.Next", "next, ok = transitions[s][e]", "if next, ok = transitions[s][e]; !ok && e == EventComplete {\n\t\tnext, ok = TaskCompleted, true\n\t}"},
		{"task.onResult", "case t.state.State.Final():", "case false:"},
	}},
	{Name: "end is forgotten in memory", Breaks: nothingLost, Edits: []Edit{
		{"task.decide", "putTask(d.batch, &next)", "if !ended || next.Failure == nil {\n\t\t\tputTask(d.batch, &next)\n\t\t}"},
	}},
	{Name: "outcome that may be stored is shown as it was", Breaks: nothingLost, Missed: coincidence + "2004159", Edits: []Edit{
		{"lateResults.remember", "l.env.finished.forget([]watchpost.TaskID{task.ID})", ""},
	}},
	{Name: "two tasks at a time", Breaks: oneAtATime, Edits: []Edit{
		{"sessionActor.onAssign", `if c != nil && c.Task == "" &&`, "if c != nil &&"},
		{"tasks.onTaskChange", "open.pinned, open.account = c.task.Account, c.task.Lease.Account", `open.pinned, open.account = c.task.Account, c.task.Lease.Account
		if s := t.team.sessions.byID[open.holder]; s != nil && s.worker != nil {
			s.worker.Task = ""
			t.team.dispatch.Changed(s.worker)
		}`},
	}},
	{Name: "declined offer is not queued again", Breaks: nothingWaits, Missed: rare, Edits: []Edit{
		{"tasks.onTaskChange", "t.team.dispatch.Add(&c.task, t.env.Clock.Now())\n\t\t}\n\tcase taskStays:", "_ = c\n\t\t}\n\tcase taskStays:"},
	}},
	{Name: "returned task is not queued again", Breaks: nothingWaits, Edits: []Edit{
		{"tasks.onTaskChange", "t.hold(c.task.ID, open, \"\")\n\t\tt.team.dispatch.Add(&c.task, t.env.Clock.Now())", "t.hold(c.task.ID, open, \"\")"},
	}},
	{Name: "chain of the journal has no hash", Breaks: wholeJournal, Edits: []Edit{
		{"Chain.Add", "c.number, c.hash = e.Number, HashOf(value)", "c.number = e.Number"},
	}},
	{Name: "chain of the journal begins again", Breaks: wholeJournal, Edits: []Edit{
		{"Chain.Load", "c.number, c.hash = e.Number, HashOf(v)", "c.number = e.Number"},
	}},
}
