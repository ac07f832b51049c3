package planted

// effects are faults in objects that must not be requested or done twice: effects, rules,
// Idempotency-Keys and notifications.
var effects = []Fault{
	{Name: "effect is not looked for", Breaks: sameEffect, Edits: []Edit{
		{"tasks.newWrite", "if first != \"\" {\n\t\t\treturn task, first, nil", "if false {\n\t\t\treturn task, first, nil"},
	}},
	{Name: "effect is not stored", Breaks: sameEffect, Edits: []Edit{
		{"tasks.putWrite", "putEffect(batch, effect, task.ID)", "_ = effect"},
	}},
	{Name: "effect outlives a failure", Breaks: sameEffect, Edits: []Edit{
		{"effects.end", "if holder == task.ID {", "if holder != task.ID {"},
	}},
	{Name: "effect loses its account", Breaks: sameEffect, Edits: []Edit{
		{"effects.knowAccount", "putEffect(batch, after, task.ID)", "_ = after"},
	}},
	{Name: "effect of a waiting task is not taken up", Breaks: sameEffect, Edits: []Edit{
		{"effects.open", "if effect != nil {", "if false {"},
		{"tasks.putWrite", "putEffect(batch, effect, task.ID)", "_ = effect"},
	}},
	{Name: "stopped rules act", Breaks: rulesObey, Edits: []Edit{
		{"RuleBook.Decide", "case b.Stopped, !known,", "case !known,"},
	}},
	{Name: "stop of rules is not stored", Breaks: rulesObey, Edits: []Edit{
		{"Rules.onStop", "batch.Put([]byte(teamspace.KeyRulesStopped), teamspace.Encode(*rs.stopped))", "_ = rs"},
	}},
	{Name: "rule does not wait for approval", Breaks: rulesObey, Edits: []Edit{
		{"RuleBook.Decide", "case a.State == RuleProposed, r.Approval && !a.approved():", "case false:"},
	}},
	{Name: "rejected action goes on", Breaks: rulesObey, Edits: []Edit{
		{"Rules.onDecide", "Approve: m.Approve,", "Approve: true,"},
	}},
	{Name: "rules engage with an author twice", Breaks: rulesObey, Edits: []Edit{
		{"RuleBook.taken", "if b.Engaged[AuthorMark(a.Author, now)] {", "if false {"},
	}},
	{Name: "engaged authors are not stored", Breaks: rulesObey, Edits: []Edit{
		{"Rules.end", "ran && rs.book.Engaged[mark] {", "ran && !rs.book.Engaged[mark] {"},
	}},
	{Name: "rule tries a failed action again", Breaks: rulesObey, Missed: "what failed was not done, so that doing it again is the first time to the checks", Edits: []Edit{
		{"stateAfter", "return watchpost.RuleFailed", "return watchpost.RuleQueued"},
	}},
	{Name: "deletions do not wait for their own moment", Breaks: deletionsWait, Edits: []Edit{
		{"pendingDeletions.onDue", "case !d.At.After(now):", "case true || now.IsZero():"},
	}},
	{Name: "undone deletion is stored", Breaks: deletionsWait, Edits: []Edit{
		{"pendingDeletions.forget", "batch.Delete(teamspace.Key(teamspace.KeyDeletion, id))", ""},
	}},
	{Name: "deletion that waits is not stored", Breaks: deletionsWait, Edits: []Edit{
		{"pendingDeletions.onDeleteLater", "batch.Put(teamspace.Key(teamspace.KeyDeletion, m.ID), teamspace.Encode(d))", ""},
	}},
	{Name: "rule acts while its deletion waits", Breaks: deletionsWait, Edits: []Edit{
		{"round.decide", "case v.State == watchpost.RuleRunning && !rs.team.DeletedAt(r.ID).IsZero():", "case false:"},
	}},
	{Name: "reply is not kept", Breaks: sameReply, Edits: []Edit{
		{"idempotency.keep", "batch.Put(teamspace.Key(teamspace.KeyIdempotency, name), teamspace.Encode(record))", "_ = record"},
	}},
	{Name: "reply under way is not seen", Breaks: sameReply, Edits: []Edit{
		{"idempotency.kept", "if fresh := i.fresh[name]; fresh != nil {", "if fresh := i.fresh[name]; fresh != nil && fresh.record.At.IsZero() {"},
	}},
	{Name: "key of another body", Breaks: sameReply, Edits: []Edit{
		{"idempotency.onIdempotentRequest", "case record.Hash != m.Hash:", "case record.Hash == \"\":"},
	}},
	{Name: "reply is kept for an hour", Breaks: sameReply, Edits: []Edit{
		{"idempotency.kept", ">= idempotencyKept {", ">= idempotencyKept/24 {"},
	}},
	{Name: "delivery is tried once", Breaks: targetsHear, Edits: []Edit{
		{"Targets.onAttempted", "if next.State != watchpost.DeliveryPending {", "if next.State != \"\" {"},
	}},
	{Name: "arrivals are forgotten", Breaks: targetsHear, Missed: "the next post that is new to a watchlist with targets wakes the queue too", Edits: []Edit{
		{"Queue.Load", "q.waiting = true", "q.waiting = false"},
	}},
	{Name: "arrival is not noted", Breaks: targetsHear, Missed: "the check learns from the noted arrivals what targets are to hear", Edits: []Edit{
		{"PostStore.admit", "if a.Stored && f.watched.has(in.Watchlist) {", "if a.Stored && f.watched.has(in.Watchlist) && old != nil {"},
	}},
}
