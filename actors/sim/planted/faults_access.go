package planted

// access are faults in claims, members, keys and deletions.
var access = []Fault{
	{Name: "claim without comparison", Breaks: oneOwner, Edits: []Edit{
		{"members.setClaim", "batch.CompareAndSet(persistence.DirectoryKey{Kind: teamspace.DirAccount, Name: string(urn)}, held.stored, stored)", "batch.Set(persistence.DirectoryKey{Kind: teamspace.DirAccount, Name: string(urn)}, stored)"},
	}},
	{Name: "claim of another is taken", Breaks: oneOwner, Edits: []Edit{
		{"members.claim", "if !held.over(now) {", "if held.stored == nil {"},
	}},
	{Name: "second claimant may begin at once", Breaks: nextReset, Edits: []Edit{
		{"members.claim", "next.From, next.FromWeekly = watchpost.Daily.Reset(now), watchpost.Weekly.Reset(now)", "_ = now"},
	}},
	{Name: "claim outlives its member", Breaks: membersLeave, Edits: []Edit{
		{"members.endClaims", "ended.Ended = true", "ended.Ended = false"},
	}},
	{Name: "writes outlive their member", Breaks: membersLeave, Missed: "no browser of the member is left to do them, and no check asks how they end", Edits: []Edit{
		{"tasks.endWrites", "if !open.acting {", "if open.acting {"},
	}},
	{Name: "session outlives its member", Breaks: membersLeave, Edits: []Edit{
		{"members.remove", "ends = append(ends, ms.team.sessions.close(st.Room(2), s))", "_ = s"},
	}},
	{Name: "removed member keeps the address", Breaks: membersLeave, Edits: []Edit{
		{"members.remove", "batch.Set(persistence.DirectoryKey{Kind: teamspace.DirEmail, Name: member.Email}, nil)", "_ = member"},
	}},
	{Name: "old key stays", Breaks: keysChange, Edits: []Edit{
		{"team.onRotateKey", "batch.Set(persistence.DirectoryKey{Kind: teamspace.DirKey, Name: t.record.KeyHash}, nil)", "_ = batch"},
	}},
	{Name: "old key stays in memory", Breaks: keysChange, Edits: []Edit{
		{"team.onRotateKey", "forget := func(error) { keys.Drop(id) }", "forget := func(error) { _, _ = keys, id }"},
	}},
	{Name: "deletion leaves entries of the directory", Breaks: teamsGo, Edits: []Edit{
		{"deletion.release", "if err != nil || !ok {", "if err != nil || ok {"},
	}},
	{Name: "deletion leaves records", Breaks: teamsGo, Edits: []Edit{
		{"deletion.removeNext", "batch.Delete(d.after)", "if len(d.after)%2 == 0 {\n\t\t\tbatch.Delete(d.after)\n\t\t}"},
	}},
	{Name: "deletion frees an account at once", Breaks: nextReset, Edits: []Edit{
		{"deletion.release", "left, err = endedClaim(stored)", "_ = stored"},
	}},
}
