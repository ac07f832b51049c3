package actors_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/actors/root"
	"watchpost/actors/vault"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// rotation is a world whose store is bound to the key 1, with two teams, a webhook, a
// session and an idempotent request.
type rotation struct {
	*actorstest.World
	t       *testing.T
	options *actors.Options
	teams   []*actorstest.Team
	scoped  []string // keys with scopes, one of each team
	session *actorstest.Session
	secret  string
	create  func() actors.TargetCreated // the same request again
}

func newRotation(t *testing.T) *rotation {
	t.Helper()
	r := &rotation{t: t}
	r.World = actorstest.New(t, actorstest.With(func(o *actors.Options) {
		r.options = o
		o.Keyring = ring(t, 1)
	}))
	r.restart(1)
	r.teams = []*actorstest.Team{r.CreateTeam(t, watchpost.PlanUltimate), r.CreateTeam(t, watchpost.PlanFree)}
	for _, team := range r.teams {
		made := actorstest.Must[actors.KeyCreated](t, team, actors.CreateKey{Key: watchpost.ScopedKey{Name: "Reader", Scopes: []watchpost.Scope{watchpost.ScopeRead}}})
		r.scoped = append(r.scoped, made.Secret)
	}
	r.create = func() actors.TargetCreated {
		t.Helper()
		made, _, err := actors.AskOnce(r.Context(), r.Registry, r.teams[0].ID, actors.IdempotencyKey{Name: "n", Hash: "h"},
			root.Request[actors.TargetCreated](actors.CreateTarget{Target: watchpost.NotificationTarget{
				Kind: watchpost.TargetWebhook, Name: "Ours", URL: "https://127.0.0.1:9/hook", PerHour: 1, Disabled: true,
			}}))
		require.NoError(t, err)
		return made
	}
	r.secret = r.create().Secret
	require.NotEmpty(t, r.secret)
	r.session = r.teams[0].Session(t, "ada").Connect()
	return r
}

// restart ends the process and starts it with other keys: the first, and a second one.
func (r *rotation) restart(keys ...byte) {
	r.t.Helper()
	k := ring(r.t, keys...)
	require.NoError(r.t, k.Bind(r.Context(), r.Store, r.Now()))
	r.options.Keyring = k
	r.Crash()
}

func ring(t testing.TB, keys ...byte) *vault.Keyring {
	t.Helper()
	var second []*vault.Keyring
	if len(keys) > 1 {
		second = append(second, ring(t, keys[1]))
	}
	k, err := vault.NewKeyring(bytes.Repeat([]byte{keys[0]}, vault.MasterKeySize), second...)
	require.NoError(t, err)
	return k
}

// refuses requires that the store cannot be opened with some keys.
func (r *rotation) refuses(err error, keys ...byte) {
	r.t.Helper()
	require.ErrorIs(r.t, ring(r.t, keys...).Bind(r.Context(), r.Store, r.Now()), err, "%v", keys)
	require.ErrorIs(r.t, ring(r.t, keys...).Check(r.Context(), r.Store), err, "%v", keys)
}

// works requires that keys of teams and tokens are known, and secrets can be read.
func (r *rotation) works() {
	r.t.Helper()
	for i, team := range r.teams {
		of, err := r.Registry.HolderOf(r.Context(), r.scoped[i])
		require.NoError(r.t, err, "of a key with scopes only a hash is stored")
		require.Equal(r.t, team.ID, of.Team)
		require.Equal(r.t, []watchpost.Scope{watchpost.ScopeRead}, of.Key.Scopes)
		of, err = r.Registry.HolderOf(r.Context(), team.Key)
		require.NoError(r.t, err)
		require.Equal(r.t, team.ID, of.Team)
		require.Equal(r.t, team.Key, actorstest.Must[actors.APIKey](r.t, team, actors.RevealKey{}).Key)
	}
	r.session.Connect()
	require.Equal(r.t, r.secret, r.create().Secret)
}

func (r *rotation) rotate(left int) {
	r.t.Helper()
	n, err := r.Registry.RotateMasterKey(r.Context())
	require.NoError(r.t, err)
	require.Equal(r.t, left, n)
}

// TestMasterKeyRotation: with both keys everything works at any time of the rotation;
// at its end, which is a day later at the earliest, the new key alone opens the store,
// and the old one never again. Then the same with the next key.
func TestMasterKeyRotation(t *testing.T) {
	t.Parallel()
	r := newRotation(t)
	r.rotate(0)
	r.refuses(vault.ErrOtherMasterKey, 2)
	r.restart(1, 2) // a node that knows the new key and does not use it yet
	r.rotate(0)
	r.works()
	r.restart(1)
	r.restart(2, 1)
	r.works()
	r.refuses(vault.ErrRotating, 1)
	r.refuses(vault.ErrRotating, 2)
	r.refuses(vault.ErrOtherMasterKey, 3, 1)
	r.restart(1, 2) // one that is not restarted yet seals with the old key
	actorstest.Must[actors.APIKey](t, r.teams[1], actors.RevealKey{})
	r.teams[1].Key = actorstest.Must[actors.APIKey](t, r.teams[1], actors.RotateKey{}).Key
	r.restart(2, 1)
	r.rotate(0)
	r.works()
	r.refuses(vault.ErrRotating, 2)
	r.Advance(26 * time.Hour)
	r.secret, r.create = "", func() actors.TargetCreated { return actors.TargetCreated{} } // its reply is kept for a day
	r.rotate(0)
	r.works()
	r.refuses(vault.ErrRetired, 1)
	r.refuses(vault.ErrRetired, 1, 2)
	r.restart(2)
	r.works()
	r.restart(2, 1) // the flag may stay
	r.works()
	r.rotate(0)

	r.refuses(vault.ErrOtherMasterKey, 3)
	r.restart(3, 2)
	r.rotate(0)
	r.Advance(26 * time.Hour)
	r.rotate(0)
	r.restart(3)
	r.works()
	r.refuses(vault.ErrRetired, 2, 3)
}

// TestMasterKeyRotationGoesOn: whichever commit is cut off, written or not, nothing is
// lost, and the rotation goes on with both keys.
func TestMasterKeyRotationGoesOn(t *testing.T) {
	t.Parallel()
	for _, fault := range []actorstest.Fault{actorstest.Before, actorstest.After} {
		for victim := range 3 { // either team, or the end
			t.Run(fmt.Sprintf("%d %d", fault, victim), func(t *testing.T) {
				t.Parallel()
				r := newRotation(t)
				r.restart(2, 1)
				if victim < 2 {
					r.Store.Fail(persistence.Space(r.teams[victim].ID), 1, fault)
					_, err := r.Registry.RotateMasterKey(r.Context())
					require.Error(t, err)
					r.restart(2, 1)
					r.works()
				}
				r.rotate(0)
				r.Advance(26 * time.Hour)
				r.secret, r.create = "", func() actors.TargetCreated { return actors.TargetCreated{} }
				if victim == 2 {
					r.Store.Fail("keyring", 1, fault)
					_, err := r.Registry.RotateMasterKey(r.Context())
					require.Error(t, err)
					r.restart(2, 1)
					r.works()
				}
				r.rotate(0)
				r.restart(2)
				r.works()
				r.refuses(vault.ErrRetired, 1)
			})
		}
	}
}
