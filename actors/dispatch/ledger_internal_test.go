package dispatch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/persistence"
	"watchpost/watchpost"
)

func TestLedger(t *testing.T) {
	t.Parallel()
	const account, like = watchpost.AccountURN("urn:a"), watchpost.ActionLike
	l := &Ledger{account: account}
	batch := &persistence.Batch{}
	require.Equal(t, 50, l.Room(like, wednesday))
	d := l.Reserve(like, 1, wednesday)
	require.Equal(t, watchpost.Debit{Account: account, Action: like, Period: "2030-01-09", Units: 1}, d)
	require.Equal(t, 49, l.Room(like, wednesday))
	require.True(t, batch.Empty(), "what is reserved is not stored")
	l.Release(d)
	require.Equal(t, 50, l.Room(like, wednesday))
	l.debit(batch, d)
	require.Equal(t, 49, l.Room(like, wednesday))
	require.Equal(t, 50, l.Room(like, wednesday.AddDate(0, 0, 1)), "another day")
	require.Equal(t, 25, l.Room(watchpost.ActionComment, wednesday), "another action")
	require.Equal(t, "a2030-01-09\x00urn:a\x00like", string(batch.Writes[0].Key))
	l.refund(batch, d)
	l.refund(batch, d)
	require.Equal(t, 50, l.Room(like, wednesday), "never more than all")
	l.close(batch, like, wednesday)
	require.Zero(t, l.Room(like, wednesday))
	require.Equal(t, 50, l.Room(like, wednesday.AddDate(0, 0, 1)))

	t.Run("what is not counted", func(t *testing.T) {
		before := len(batch.Writes)
		none := l.Reserve(watchpost.ActionNone, 1, wednesday)
		require.Zero(t, none)
		l.Release(none)
		require.Equal(t, 1, l.Room(watchpost.ActionNone, wednesday))
		l.close(batch, watchpost.ActionNone, wednesday)
		require.Equal(t, 1, l.Room(watchpost.ActionNone, wednesday))
		require.Len(t, batch.Writes, before)
	})
	t.Run("a week", func(t *testing.T) {
		for range 100 {
			l.debit(batch, l.Reserve(watchpost.ActionInvitation, 1, wednesday))
		}
		for i := range l.entries {
			l.entries[i].reserved = 0
		}
		sunday, monday := watchpost.Weekly.Reset(wednesday).Add(-1), watchpost.Weekly.Reset(wednesday)
		require.Zero(t, l.Room(watchpost.ActionInvitation, sunday))
		require.Equal(t, 100, l.Room(watchpost.ActionInvitation, monday))
		l.Forget(sunday)
		require.Zero(t, l.Room(watchpost.ActionInvitation, sunday))
		l.Forget(monday)
		before := l.Used(watchpost.Allowances[len(watchpost.Allowances)-1], sunday)
		l.refund(batch, watchpost.Debit{Account: account, Action: watchpost.ActionInvitation, Period: "2030-01-07"})
		require.Equal(t, before-1, l.Used(watchpost.Allowances[len(watchpost.Allowances)-1], sunday), "the week before is still known")
		l.Forget(monday.AddDate(0, 0, 7))
		require.Empty(t, l.entries)
		written := len(batch.Writes)
		l.refund(batch, watchpost.Debit{Account: account, Action: watchpost.ActionInvitation, Period: "2030-01-07"})
		require.Len(t, batch.Writes, written, "what is no longer known is not overwritten")
	})
}

// ledgerView is a view of what the batches of a ledger wrote.
type ledgerView struct {
	persistence.View
	values map[string][]byte
}

func (s ledgerView) Scan(_ persistence.Space, from, to []byte, yield func(key, value []byte) bool) error {
	for k, v := range s.values {
		if k >= string(from) && k < string(to) && !yield([]byte(k), v) {
			break
		}
	}
	return nil
}

// TestLedgerReloads checks that a reloaded ledger equals the old one, except for
// reservations and weeks that are over.
func TestLedgerReloads(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		s := ledgerView{values: map[string][]byte{}}
		now := wednesday
		accounts := []watchpost.AccountURN{"urn:a", "urn:ab", "urn:a:b"}
		ledgers := map[watchpost.AccountURN]*Ledger{}
		for _, account := range accounts {
			ledgers[account] = &Ledger{account: account}
		}
		actions := []watchpost.Action{watchpost.ActionLike, watchpost.ActionComment, watchpost.ActionInvitation}
		for range rapid.IntRange(1, 80).Draw(r, "steps") {
			batch := &persistence.Batch{}
			account, action := rapid.SampledFrom(accounts).Draw(r, "account"), rapid.SampledFrom(actions).Draw(r, "action")
			l := ledgers[account]
			switch rapid.IntRange(0, 6).Draw(r, "step") {
			case 0, 1, 2:
				if l.Room(action, now) > 0 {
					d := l.Reserve(action, 1, now)
					l.Release(d)
					l.debit(batch, d)
				}
			case 3:
				a, _ := watchpost.AllowanceOf(action)
				l.refund(batch, watchpost.Debit{Account: account, Action: action, Period: a.Period.Key(now)})
			case 4:
				if rapid.IntRange(0, 9).Draw(r, "close") == 0 {
					l.close(batch, action, now)
				}
			case 5:
				now = now.Add(time.Duration(rapid.IntRange(0, 30).Draw(r, "hours")) * time.Hour)
			case 6:
				l.Forget(now)
			}
			for _, w := range batch.Writes {
				s.values[string(w.Key)] = w.Value
			}
			all, err := LoadLedgers(s, "team", now)
			require.NoError(r, err)
			for account, l := range ledgers {
				loaded := all[account]
				if loaded == nil {
					loaded = &Ledger{account: account}
				}
				present := l.present(now)
				for _, action := range actions {
					require.Equal(r, l.Room(action, now), loaded.Room(action, now), "%s %s", account, action)
					require.Equal(r, l.Room(action, now), present.Room(action, now), "%s %s", account, action)
					require.GreaterOrEqual(r, l.Room(action, now), 0)
				}
			}
		}
	})
}
