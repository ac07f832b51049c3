package teamspace_test

import (
	"encoding/json"
	"log/slog"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/persistence/badger"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// records are a record of each kind.
var records = []any{
	teamspace.TeamRecord{ID: "t", Plan: watchpost.PlanGrowth, CreatedAt: time.Unix(1, 0).UTC()}, teamspace.TeamEntry{Name: "n"},
	teamspace.OwnerEntry{Team: "t"}, teamspace.MailEntry{Sealed: []byte{1}}, teamspace.ClaimEntry{Member: "m"},
	teamspace.SessionRecord{ID: "s", Browser: protocol.Browser{Name: "b"}}, teamspace.WebSessionRecord{}, teamspace.ScanRecord{},
	teamspace.EffectRecord{}, teamspace.IdempotencyRecord{Reply: json.RawMessage(`{}`)}, teamspace.LedgerRecord{Used: 3}, teamspace.BindingRecord{},
	teamspace.AccountRecord{}, teamspace.EngagementFlags{}, teamspace.KeyFingerprint{}, teamspace.AddressRecord{}, teamspace.ClientRecord{},
	teamspace.StoppedRecord{}, teamspace.TargetState{}, teamspace.InvitationEntry{By: "b"}, watchpost.Invitation{Email: "e"}, watchpost.InvitationBlocks{All: true}, watchpost.Task{ID: "x", Lease: &watchpost.Lease{ID: "l"}}, watchpost.Watchlist{Name: "w"},
	watchpost.Member{Email: "e"}, watchpost.RuleAction{URN: "u"}, watchpost.EngagementRule{},
}

// FuzzRecord: a stored record that can be read is written and read again as the
// same record, and anything else is an error.
func FuzzRecord(f *testing.F) {
	for i, r := range records {
		f.Add(i, teamspace.Encode(r))
	}
	f.Add(0, []byte{})
	f.Add(0, []byte{2, '{', '}'})
	f.Fuzz(func(t *testing.T, kind int, stored []byte) {
		of := reflect.TypeOf(records[(kind%len(records)+len(records))%len(records)])
		record, again := reflect.New(of), reflect.New(of)
		if teamspace.Decode(stored, record.Interface()) != nil {
			return
		}
		written := teamspace.Encode(record.Interface())
		require.NoError(t, teamspace.Decode(written, again.Interface()))
		require.Equal(t, written, teamspace.Encode(again.Interface()))
	})
}

// FuzzUnknownFields: a record of another build that this build has changed keeps
// what this build does not know, and has the change.
func FuzzUnknownFields(f *testing.F) {
	engine, err := badger.Open(badger.Options{InMemory: true, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(f, err)
	f.Cleanup(func() { require.NoError(f, engine.Close()) })
	for _, seed := range []string{`{"Name":"n","Added":[1],"Lease":{"Owner":"o","Zone":"z"}}`, `{}`, `{"name":"n"}`, `{"name":"n","x":1}`, `{"Lease":{"owner":"o","zone":"z"}}`, `{"NAME":"a","Name":"b"}`, `{"Lease":null,"x":null}`, `{"Lease":{"owner":"o"}}`, `null`} {
		f.Add(seed, "changed")
	}
	f.Fuzz(func(t *testing.T, stored, name string) {
		const space = persistence.Space("team")
		write := func(store persistence.Store, value []byte) {
			epoch, err := store.Activate(t.Context(), space)
			require.NoError(t, err)
			batch := &persistence.Batch{}
			batch.Put([]byte("k"), value)
			require.NoError(t, persistence.Commit(t.Context(), store, space, epoch, batch))
		}
		load := func(store persistence.Store) (record older, err error) {
			view, err := store.View(t.Context())
			require.NoError(t, err)
			defer view.Close()
			return teamspace.Load[older](view, space, []byte("k"))
		}
		write(engine, append([]byte{1}, stored...))
		store := teamspace.KeepUnknown(engine)
		epoch, err := store.Activate(t.Context(), space)
		require.NoError(t, err)
		record, err := load(store)
		if err != nil {
			return
		}
		record.Name = name
		want := older{}
		require.NoError(t, teamspace.Decode(teamspace.Encode(record), &want))
		batch := &persistence.Batch{}
		batch.Put([]byte("k"), teamspace.Encode(record))
		require.NoError(t, persistence.Commit(t.Context(), store, space, epoch, batch))
		got, err := load(engine)
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}
