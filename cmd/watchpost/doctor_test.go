package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/http/admin"
	"watchpost/persistence"
	"watchpost/persistence/enginetest"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// TestDoctorOfAStoppedService looks at what its flags say: the folder, the key, the
// address, and variables without an effect.
func TestDoctorOfAStoppedService(t *testing.T) {
	t.Parallel()
	found := func(c *serveCommand) string {
		findings, err := examineStopped(t.Context(), c)
		require.NoError(t, err)
		var all strings.Builder
		for _, f := range findings {
			if f.Level != admin.FindingOK {
				all.WriteString(f.Check + ": " + f.Found + ": " + f.Advice + "\n")
			}
		}
		return all.String()
	}
	data := t.TempDir()
	require.Contains(t, found(&serveCommand{Data: data, Listen: "127.0.0.1:0"}), "store: "+data+": not the data folder of a service")

	s, err := openStore(t.Context(), data, "", newLog(0), 0)
	require.NoError(t, err)
	enginetest.Commit(t, s, teamspace.KeyringSpace, func(b *persistence.Batch) {
		b.Put(teamspace.FingerprintKey, teamspace.Encode(teamspace.KeyFingerprint{Hash: "x", CreatedAt: watchpost.SystemClock{}.Now()}))
	})
	require.NoError(t, s.Close())
	require.Contains(t, found(&serveCommand{Data: data, Listen: "127.0.0.1:0"}), "master.key")
	another := found(&serveCommand{Data: data, Listen: "nonsense", MasterKey: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", unknown: []string{"WATCHPOST_SMPT_HOST"}})
	require.Contains(t, another, "another key")
	require.Contains(t, another, "configuration: ")
	require.Contains(t, another, "WATCHPOST_SMPT_HOST is unknown")
}
