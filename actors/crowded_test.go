package actors_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// crowd is more records than a batch may have.
const crowd = persistence.MaxBatchOps + 100

// TestCrowdedTeam fills a team with more records of a kind than a batch may have. The
// team activates, serves and, where records have expired, deletes them.
func TestCrowdedTeam(t *testing.T) {
	t.Parallel()
	kinds := keyConstants(t)
	for name := range crowds {
		require.Contains(t, kinds, name, "a kind of persistence/teamspace that is no more")
	}
	for name, prefix := range kinds {
		c, known := crowds[name]
		require.True(t, known, "%s: say in crowds what a team with many records of the kind is", name)
		if c.put == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := actorstest.New(t)
			team := w.CreateTeam(t, watchpost.PlanUltimate)
			p := &planter{W: w, team: team, now: w.Now(), prefix: prefix, member: founder(t, team)}
			for i := range crowd {
				c.put(p, i)
			}
			p.plant()
			require.GreaterOrEqual(t, len(storedKeys(t, w, team, prefix)), crowd)
			w.Crash()
			for range 2 {
				serves(t, team)
				if c.clean != nil {
					c.clean(t, p)
				}
				w.Advance(time.Hour)
				serves(t, team)
				w.Restart()
			}
			if c.over {
				serves(t, team)
				require.Eventually(t, func() bool {
					return len(storedKeys(t, w, team, prefix)) < crowd/4
				}, actorstest.Wait, time.Millisecond, "what is over is forgotten")
			}
		})
	}
}

// serves shows that a team answers reads and takes decisions.
func serves(t *testing.T, team *actorstest.Team) {
	t.Helper()
	actorstest.Must[actors.TeamView](t, team, actors.GetTeam{})
	_, err := team.W.Registry.OpenWebSession(t.Context(), team.ID, team.Email, actors.Browser{})
	require.NoError(t, err)
	team.Create(t, watchpost.TaskSendMessage)
}

func founder(t *testing.T, team *actorstest.Team) watchpost.MemberID {
	view := actorstest.Must[actors.TeamView](t, team, actors.GetTeam{})
	return view.Team.Members[0].ID
}

// keyConstants returns the kinds of records, with their prefixes, as the source of
// persistence/teamspace has them: so a new kind cannot be forgotten here.
func keyConstants(t *testing.T) map[string]string {
	file, err := parser.ParseFile(token.NewFileSet(), "../persistence/teamspace/keys.go", nil, 0)
	require.NoError(t, err)
	kinds := map[string]string{}
	for _, decl := range file.Decls {
		constants, ok := decl.(*ast.GenDecl)
		if !ok || constants.Tok != token.CONST {
			continue
		}
		for _, spec := range constants.Specs {
			value := spec.(*ast.ValueSpec)
			name := value.Names[0].Name
			literal, ok := value.Values[0].(*ast.BasicLit)
			if ok && literal.Kind == token.STRING && value.Type == nil && strings.HasPrefix(strings.ToLower(name), "key") {
				kinds[name], err = strconv.Unquote(literal.Value)
				require.NoError(t, err)
				for other, prefix := range kinds {
					ofSignIn := name == "KeyAddress" || name == "KeyClient" || name == "KeyBlocks" || other == "KeyBlocks"
					require.True(t, other == name || prefix != kinds[name] || ofSignIn, "%s and %s have one prefix", name, other)
				}
			}
		}
	}
	require.Greater(t, len(kinds), 40)
	return kinds
}

// planter writes records as an earlier life of the team would have.
type planter struct {
	W      *actorstest.World
	team   *actorstest.Team
	now    time.Time
	prefix string // of the kind
	member watchpost.MemberID
	batch  persistence.Batch
}

func (p *planter) plant() {
	batch := p.batch
	p.batch = persistence.Batch{}
	p.W.Plant(persistence.Space(p.team.ID), &batch)
}

func (p *planter) put(key []byte, record any) {
	if _, ops := p.batch.Size(); ops >= persistence.MaxBatchOps-10 {
		p.plant()
	}
	p.batch.Put(key, teamspace.Encode(record))
}

func (p *planter) own(kind, name string, ends time.Time) {
	p.batch.Set(persistence.DirectoryKey{Kind: kind, Name: name}, teamspace.Encode(teamspace.OwnerEntry{Team: p.team.ID, Member: p.member, Ends: ends}))
}

// id is a new id of a record.
func (p *planter) id() string { return watchpost.NewID(p.now) }

// crowdOf is what a team with many records of a kind is.
type crowdOf struct {
	put   func(p *planter, i int)        // nil: there is one, or a test of another actor has it
	over  bool                           // the team is to forget them
	clean func(t *testing.T, p *planter) // what makes it forget a part, in each life
}

// of is a crowd of records that differ by an id.
func of(record any) crowdOf {
	return crowdOf{put: func(p *planter, _ int) { p.put([]byte(p.prefix+p.id()), record) }}
}

// forgotten is a crowd of records that are over.
func forgotten(put func(p *planter, i int)) crowdOf { return crowdOf{put: put, over: true} }

// crowds has every kind of persistence/teamspace.
var crowds = map[string]crowdOf{
	"KeyTeam": {}, "KeyPresentHours": {}, "KeyLastWatchlistChange": {}, "KeyEarlierEngagements": {}, "KeyRulesStopped": {}, "KeyTargetSends": {},
	"KeyRulesRestored": {}, "KeyKeyUse": {}, // one of each
	"KeyScopedKey": {}, "KeyScopedKeyUse": {}, "KeyScopedKeyCount": {}, // at most watchpost.MaxScopedKeys
	"KeyAddress": {}, "KeyClient": {}, "KeyBlocks": {}, // of sign-in, which looks at forgottenAtOnce

	"KeyMember": {put: func(p *planter, i int) {
		m := watchpost.Member{ID: watchpost.MemberID(p.id()), Email: fmt.Sprintf("m%d@example.com", i), Role: watchpost.RoleMember, CreatedAt: p.now}
		p.put(teamspace.Key(p.prefix, m.ID), m)
		p.own(teamspace.DirEmail, m.Email, time.Time{})
	}},
	"KeyLiveness": {put: func(p *planter, _ int) { p.put([]byte(p.prefix+p.id()), p.now) }},
	"KeySession": forgotten(func(p *planter, i int) { // unused for too long
		r := teamspace.SessionRecord{ID: watchpost.SessionID(p.id()), Member: p.member, TokenHash: fmt.Sprint(i), SeenAt: p.now.Add(-watchpost.SessionKept)}
		p.put(teamspace.Key(p.prefix, r.ID), r)
		p.own(teamspace.DirToken, r.TokenHash, time.Time{})
	}),
	"KeyLedger": {put: func(p *planter, i int) {
		p.put(fmt.Appendf(nil, "%s%s\x00urn:%d\x00like", p.prefix, watchpost.Daily.Key(p.now), i), teamspace.LedgerRecord{Used: 1})
	}},
	"KeyTask": {put: putOpenTask}, "KeyOpen": {put: putOpenTask},
	"KeyWaiting": forgotten(func(p *planter, _ int) { p.put([]byte(p.prefix+p.id()), teamspace.WaitingRecord{}) }), // of tasks that have ended
	"KeyDebits":  of([]watchpost.Debit{}),
	"KeyJournal": of(watchpost.JournalEntry{}),
	"KeyJournalChain": {put: func(p *planter, i int) {
		p.put(teamspace.JournalChainKey(uint64(i+1)), watchpost.JournalEntry{Number: uint64(i + 1)})
	}},
	"KeyWatchlist": {put: func(p *planter, i int) { p.watchlist(i) }},
	"KeyDeletion": {put: func(p *planter, i int) { // each is later than the lives of the test
		p.put(teamspace.Key(p.prefix, p.watchlist(i)), teamspace.DeletionRecord{At: p.now.AddDate(0, 0, 2)})
	}},
	"KeyList": {put: func(p *planter, i int) {
		l := watchpost.List{ID: watchpost.ListID(p.id()), Type: watchpost.CompanyWatchlist, CreatedAt: p.now}
		p.put(teamspace.Key(p.prefix, l.ID), l)
		w := watchpost.Watchlist{ID: watchpost.WatchlistID(p.id()), Type: l.Type, List: l.ID, Frequency: 24, CreatedAt: p.now}
		p.put(teamspace.Key(teamspace.KeyWatchlist, w.ID), w)
	}},
	"KeyFetched":    of(teamspace.FetchedRecord{}),
	"KeyScan":       {put: func(p *planter, _ int) { p.put([]byte(p.prefix+p.id()+p.id()), teamspace.ScanRecord{}) }},
	"KeyDeleted":    forgotten(func(p *planter, _ int) { p.put([]byte(p.prefix+p.id()), nil) }),
	"KeyRetag":      forgotten(func(p *planter, _ int) { p.put([]byte(p.prefix+p.id()+p.id()), nil) }),
	"KeyEndedClaim": {put: func(p *planter, i int) { p.put(fmt.Appendf(nil, "%surn:ended:%d", p.prefix, i), struct{}{}) }},
	"KeyAccount": {put: func(p *planter, i int) {
		p.put(fmt.Appendf(nil, "%surn:%d", p.prefix, i), teamspace.AccountRecord{Member: p.member})
	}},
	"KeyPairing": {put: func(p *planter, i int) {
		ends := p.now.Add(-time.Minute)
		p.put(teamspace.PairingKey(ends, fmt.Sprint(i)), nil)
		p.own(teamspace.DirPairing, fmt.Sprint(i), ends)
	}, over: true, clean: func(t *testing.T, p *planter) {
		for range crowd / 100 { // each forgets a hundred
			actorstest.Must[actors.PairingCode](t, p.team, actors.CreatePairingCode{Email: p.team.Email})
		}
	}},
	"KeyWebSession": forgotten(func(p *planter, i int) {
		hash, kind := fmt.Sprint(i), teamspace.DirWebSession
		if i%2 == 0 {
			kind = teamspace.DirSignInLink
		}
		p.put(teamspace.Key(p.prefix, hash), teamspace.WebSessionRecord{Member: p.member, Ends: p.now, Link: i%2 == 0})
		p.own(kind, hash, p.now)
	}),
	"KeyBrowsers": of(teamspace.BrowsersRecord{}),
	"KeyDomain":   of(struct{}{}), "KeyUninvited": of(struct{}{}),
	"KeyPasskey": forgotten(func(p *planter, _ int) { p.put([]byte(p.prefix+p.id()), teamspace.PasskeyRecord{Member: "former"}) }),
	"KeyInvitation": {put: func(p *planter, i int) {
		invited := watchpost.Invitation{ID: watchpost.InvitationID(p.id()), Email: fmt.Sprintf("m%d@example.com", i), MailedAt: p.now}
		p.put(teamspace.Key(p.prefix, invited.ID), invited)
	}},
	"KeyRemoval": forgotten(func(p *planter, _ int) { p.put([]byte(p.prefix+p.id()), struct{}{}) }),
	"KeyBinding": {put: func(p *planter, i int) {
		p.put([]byte(p.prefix+p.id()), teamspace.BindingRecord{Account: watchpost.AccountURN(fmt.Sprint("urn:", i))})
	}},
	// The next batches of posts forget 200 of them each: TestWeeklyLimit.
	"KeyWeeklyCounter": {put: func(p *planter, _ int) {
		p.put(teamspace.WeeklyCounterKey(watchpost.Weekly.Key(p.now), watchpost.WatchlistID(p.id())), watchpost.WeeklyCounter{})
	}},
	"KeyQuotaMark": {put: func(p *planter, _ int) {
		p.put([]byte(teamspace.QuotaMarkKey(watchpost.Weekly.Key(p.now), watchpost.WatchlistID(p.id()), teamspace.QuotaMarkLead, "")), nil)
	}},
	"KeyCovered": {put: func(p *planter, _ int) { p.put([]byte(p.prefix+p.id()+p.id()), teamspace.CoveredRecord{}) }},
	"KeyPostDay": {put: func(p *planter, _ int) {
		p.put(teamspace.PostDayKey(watchpost.Daily.Key(p.now), watchpost.WatchlistID(p.id())), teamspace.PostDay{Found: 1})
	}},
	"KeyScanDay": {put: func(p *planter, _ int) {
		p.put(teamspace.ScanDayKey(watchpost.Daily.Key(p.now), p.id()), teamspace.ScanDay{Done: 1})
	}},
	"KeyIdempotency": {put: putKeptReply, over: true, clean: createOften}, "KeyIdempotencyTime": {put: putKeptReply, over: true, clean: createOften},
	"keyEffect": of(teamspace.EffectRecord{}), "keyEngagementFlags": of(teamspace.EngagementFlags{}), "KeyInteraction": of(watchpost.Interaction{}),
	"KeyEngagements": {}, "KeyEngagementCount": of(teamspace.EngagementCount{Likes: 1}), "KeyEngagementEntry": {}, // of interactions: package engagementindex
	"KeyEngagementLink": of(""), "KeyEngagementMoment": of(teamspace.EngagementMoment{}),
	"KeyEngagementTodo": {put: func(p *planter, i int) {
		p.put(teamspace.EngagementTodoKey(fmt.Sprint(i)), teamspace.EngagementTodo{Target: fmt.Sprint(i)})
	}},
	"KeyRule": {put: func(p *planter, _ int) {
		r := watchpost.EngagementRule{ID: watchpost.RuleID(p.id()), Action: watchpost.ActionLike, CreatedAt: p.now}
		p.put(teamspace.Key(p.prefix, r.ID), r)
	}},
	"KeyRuleAction": forgotten(func(p *planter, _ int) { // of a rule that was deleted
		a := watchpost.RuleAction{ID: watchpost.RuleActionID(p.id()), State: watchpost.RuleQueued, At: p.now}
		p.put(teamspace.Key(p.prefix, a.ID), a)
	}),
	"KeyRuleJournal": {put: func(p *planter, _ int) { // half of the bound of a batch in each pass
		id := watchpost.NewID(p.now.AddDate(-2, 0, 0))
		p.put([]byte(p.prefix+id), watchpost.RuleAction{ID: watchpost.RuleActionID(id)})
	}, over: true, clean: liveAMinute},
	"keyRulePost": of(nil),
	"KeyRuleAuthor": {put: func(p *planter, i int) {
		p.put(teamspace.RuleAuthorKey(watchpost.AuthorMark(fmt.Sprint(i), p.now.AddDate(0, 0, -14))), nil)
	}, over: true, clean: liveAMinute},
	"KeyRulePace": of(watchpost.Pace{}),
	"KeyArrival":  forgotten(func(p *planter, _ int) { p.put([]byte(p.prefix+p.id()+p.id()), nil) }),
	"KeyTarget":   of(watchpost.NotificationTarget{Kind: watchpost.TargetWebhook, Disabled: true}),
	// Of targets that were deleted.
	"KeyTargetState": forgotten(func(p *planter, _ int) { p.put([]byte(p.prefix+p.id()), teamspace.TargetState{}) }),
	"KeyTargetQueue": forgotten(func(p *planter, i int) {
		p.put(fmt.Appendf(nil, "%s%s%016x", p.prefix, p.id(), i), watchpost.PostID(p.id()))
	}),
	"KeyTargetLog": forgotten(func(p *planter, _ int) { p.put([]byte(p.prefix+p.id()+p.id()), watchpost.Delivery{}) }),
	"KeyRefused":   of(teamspace.RefusedPost{}), "KeySavedView": of(watchpost.SavedView{}),
	"KeyTriage": forgotten(func(p *planter, _ int) { p.put([]byte(p.prefix+p.id()), teamspace.TriageRecord{}) }),
	"KeyVisits": forgotten(func(p *planter, _ int) { p.put([]byte(p.prefix+p.id()), watchpost.Visits{}) }),
	"KeyTriageMark": {put: func(p *planter, i int) { // half of them of a member who is gone
		member := p.member
		if i%2 == 0 {
			member = watchpost.MemberID(p.id())
		}
		p.put(teamspace.TriageMarkKey(member, watchpost.PostID(p.id())), teamspace.TriageMark{State: watchpost.TriageLater, StoredAt: p.now})
	}},
	"KeyAssignment": of(watchpost.PostAssignment{Note: "call"}),
	"KeyContacted":  of(teamspace.PersonRecord{}), "KeyConnected": of(teamspace.PersonRecord{}), "KeySamePerson": of(teamspace.PersonRecord{}),
	"KeyAudit": {put: func(p *planter, i int) { p.put(teamspace.AuditKey(uint64(i+1)), watchpost.AuditEntry{At: p.now}) }},
	"KeyChanges": {put: func(p *planter, i int) {
		record := teamspace.ChangesRecord{At: p.now.AddDate(0, 0, -8), Changes: []watchpost.Change{{Type: watchpost.ChangeTask, Action: watchpost.TaskIsCompleted, ID: p.id()}}}
		if _, ops := p.batch.Size(); ops >= persistence.MaxBatchOps-10 {
			p.plant()
		}
		p.batch.Put(teamspace.ChangesKey(uint64(i+1)), record.Encode())
		p.batch.Put([]byte(teamspace.KeyNewestChange), teamspace.NewestChange{Number: uint64(i + 1)}.Encode())
	}, over: true, clean: func(t *testing.T, p *planter) {
		_, err := p.W.Registry.ExpireChanges(t.Context())
		require.NoError(t, err)
	}},
	"KeyPeopleProgress": {}, "KeyNewestChange": {}, "KeyDeletedWatchlist": of(struct{}{}),
}

func putOpenTask(p *planter, _ int) {
	task := watchpost.Task{ID: watchpost.TaskID(p.id()), Type: watchpost.TaskSendMessage, Member: p.member, State: watchpost.TaskPending, CreatedAt: p.now}
	p.put(teamspace.Key(teamspace.KeyTask, task.ID), task)
	p.put(teamspace.Key(teamspace.KeyOpen, task.ID), []watchpost.Debit{})
}

func (p *planter) watchlist(i int) watchpost.WatchlistID {
	w := watchpost.Watchlist{
		ID: watchpost.WatchlistID(p.id()), Type: watchpost.KeywordWatchlist, Frequency: 24, Disabled: true, CreatedAt: p.now,
		Keywords: []watchpost.KeywordEntry{{ID: watchpost.EntryID(p.id()), Keyword: fmt.Sprint("word ", i)}},
	}
	p.put(teamspace.Key(teamspace.KeyWatchlist, w.ID), w)
	return w.ID
}

func putKeptReply(p *planter, i int) {
	at, name := p.now.AddDate(0, 0, -2), fmt.Sprint(i)
	p.put(teamspace.Key(teamspace.KeyIdempotency, name), teamspace.IdempotencyRecord{At: at})
	p.put(teamspace.IdempotencyTimeKey(at, name), nil)
}

// createOften makes requests with keys. Each request forgets twenty other keys.
func createOften(t *testing.T, p *planter) {
	for range crowd / 20 {
		actorstest.Must[actors.TaskCreated](t, p.team, actors.IdempotentRequest{Name: watchpost.NewSecret(4), Hash: "h", Request: actorstest.NewTask(watchpost.TaskSendMessage)})
	}
}

// liveAMinute lets the next pass over the records of rules come, in the same life.
func liveAMinute(t *testing.T, p *planter) {
	p.W.Advance(time.Minute)
	serves(t, p.team)
}
