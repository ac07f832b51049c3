package planted

// allowances are faults in debits, refunds and ledgers, at midnight and after a restore.
var allowances = []Fault{
	{Name: "one too many", Breaks: withinLimits, Edits: []Edit{
		{"Ledger.roomIn", "return a.Limit - e.Used - e.reserved", "return a.Limit - e.Used - e.reserved + 1"},
	}},
	{Name: "nothing is set aside", Breaks: withinLimits, Edits: []Edit{
		{"Ledger.Reserve", "l.entry(d.Action, d.Period).reserved += d.Count()", "l.entry(d.Action, d.Period)"},
	}},
	{Name: "what is carried over is not set aside", Breaks: withinLimits, Edits: []Edit{
		{"Ledger.CarryOver", "l.entry(d.Action, d.Period).reserved += d.Count()", "l.entry(d.Action, d.Period)"},
	}},
	{Name: "hand-out costs nothing", Breaks: paidFor, Edits: []Edit{
		{"task.onOffer", "c := taskChange{event: taskLeased, debited: t.debits.pay(m.debit, next.Attempts)}", "c := taskChange{event: taskLeased}"},
	}},
	{Name: "debit misses the ledger", Breaks: withinLimits, Edits: []Edit{
		{"Ledger.debit", "e.Used += d.Count()", "e.Used += d.Count() - 1"},
	}},
	{Name: "nothing is carried over", Breaks: paidFor, Edits: []Edit{
		{"sessionActor.carryOver", "if d, later := s.Ledger.CarryOver(l.last, now); later {", "if d, later := s.Ledger.CarryOver(l.last, now); later && !later {"},
	}},
	{Name: "what is carried over is not noted", Breaks: paidFor, Edits: []Edit{
		{"task.onCarryOver", "if !t.state.Holds(m.lease) {", "if t != nil {"},
		{"task.decide", "t.env.Clock.Now()); due {", "t.env.Clock.Now()); due && !due {"},
	}},
	{Name: "report at a reset is not paid", Breaks: paidFor, Edits: []Edit{
		{"task.decide", "t.env.Clock.Now()); due {", "t.env.Clock.Now()); due && !due {"},
	}},
	{Name: "lease is not carried over by the next process", Breaks: paidFor, Missed: "the report pays for itself when it comes after the reset (task.decide)", Edits: []Edit{
		{"sessionActor.onTaskLoaded", "s.carryOver(l, s.env.Clock.Now())", "_ = l"},
	}},
	{Name: "error gives back what was used", Breaks: givenBack, Edits: []Edit{
		{"ClassifyError", "Refund: acted != nil && !*acted,", "Refund: acted == nil || !*acted,"},
	}},
	{Name: "lost lease gives back", Breaks: givenBack, Edits: []Edit{
		{"task.onTimer", "event := returnedOrEnded(&next)", "event := returnedOrEnded(&next)\n\t\t\tt.decide(t.state, taskChange{event: taskStays, refund: t.state.Attempts}, nil)"},
	}},
	{Name: "refund misses the ledger", Breaks: givenBack, Edits: []Edit{
		{"accounts.count", "for _, d := range c.refunded {\n\t\tnote(d.Account)", "for _, d := range c.refunded {\n\t\t_ = d"},
	}},
	{Name: "refund counts twice", Breaks: givenBack, Edits: []Edit{
		{"Ledger.refund", "e.Used = max(0, e.Used-d.Count())", "e.Used = max(0, e.Used-2*d.Count())"},
	}},
	{Name: "refund stays with the task", Breaks: givenBack, Edits: []Edit{
		{"paidDebits.takeBack", "return d.Attempt == attempt", "return false"},
	}},
	{Name: "refund of all attempts", Breaks: givenBack, Edits: []Edit{
		{"paidDebits.takeBack", "if d.Attempt == attempt {", "if attempt > 0 {"},
		{"paidDebits.takeBack", "return d.Attempt == attempt", "return attempt > 0"},
	}},
	{Name: "late denial gives back all attempts", Breaks: givenBack, Edits: []Edit{
		{"lateResults.refund", "if d.Attempt == m.task.Attempts {", "if d.Attempt > 0 {"},
	}},
	{Name: "debits of an unknown outcome are forgotten", Breaks: givenBack, Edits: []Edit{
		{"task.decide", "if next.Unknown() {", "if false {"},
	}},
	{Name: "restored write goes on", Breaks: afterRestore, Edits: []Edit{
		{"environment.restored", "return t.Type.Writes() && !t.CreatedAt.After(env.restoredAt)", "return false"},
	}},
	{Name: "restored account has its allowance", Breaks: afterRestore, Edits: []Edit{
		{"environment.allowancesFrom", "if at := env.restoredAt; !at.IsZero() {", "if at := env.restoredAt; at.IsZero() {"},
	}},
	{Name: "restored account has its allowance minutes later", Breaks: afterRestore, Missed: coincidence + "1011941", Edits: []Edit{
		{"environment.allowancesFrom", "at = at.Add(watchpost.ActTime)", ""},
	}},
	{Name: "go is given until the write is given up", Breaks: paidFor, Missed: coincidence + "2001699", Edits: []Edit{
		{"Lease.MayActAgain", "ActingLimit - ActTime", "ActingLimit"},
	}},
	{Name: "rules go on after a restore", Breaks: afterRestore, Edits: []Edit{
		{"Rules.stopAfterRestore", "if at.IsZero() || !older {", "if at.IsZero() || older || !older {"},
	}},
}
