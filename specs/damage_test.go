package specs_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
	"watchpost/persistence/badger"
)

// TestDamagedStore: a store that has lost a file is refused by every command, and left as
// it is. One that has lost records of a team refuses that team, and the others go on, until
// a backup is restored or the loss is accepted.
func TestDamagedStore(t *testing.T) {
	t.Parallel()
	w := isolatedWorld(t)
	w.play(t, `
service
team ACME growth ada@acme.example
team OTHER growth bea@other.example
as ACME POST /api-keyword-watchlist '{"keywords":["tea"]}'
status 200
as OTHER POST /api-keyword-watchlist '{"keywords":["coffee"]}'
status 200
service stop
`)
	folder := filepath.Join(w.dir, "data", "store")
	place := fillTeam(t, folder, persistence.Space(w.ts.Getenv("ACME")))

	manifest := filepath.Join(folder, "MANIFEST")
	require.NoError(t, os.Rename(manifest, manifest+"-kept"))
	before := listing(t, folder)
	for _, command := range []string{"serve --data $DATA --listen 127.0.0.1:0", "verify --data $DATA", "verify --data $DATA --repair --accept-loss", "doctor --data $DATA --listen 127.0.0.1:0", "reprocess --data $DATA"} {
		w.play(t, "run "+command+"\nstatus 1\ntext ~ 'the store is damaged: nothing was changed: restore a backup: MANIFEST'")
		require.Equal(t, before, listing(t, folder), command)
	}
	require.NoError(t, os.Rename(manifest+"-kept", manifest))

	content, err := os.ReadFile(place.file)
	require.NoError(t, err)
	content[place.at] ^= 1
	require.NoError(t, os.WriteFile(place.file, content, 0o600))
	before = listing(t, folder)
	w.play(t, `
run doctor --data $DATA --listen 127.0.0.1:0
status 1
text ~ '(?m)^error +index +1 teams have lost records: .*the store is damaged: team $ACME: 00\d+\.sst at byte \d+: block \d+'
text ~ '→ restore a backup'
run verify --data $DATA
status 1
text ~ 'team $ACME: the store is damaged'
text ~ '1 teams have lost records: restore a backup'
`)
	require.NotContains(t, string(w.last.body), "repaired")
	require.Equal(t, before, listing(t, folder))
	w.play(t, `
run verify --data $DATA --repair
status 1
text ~ '1 teams have lost records'
run verify --data $DATA --accept-loss
status 1
text ~ 'accept-loss needs --repair'
`)
	require.NoError(t, w.startService())
	w.play(t, `
as OTHER GET /api-keyword-watchlist
json count == 1
as OTHER POST /api-keyword-watchlist '{"keywords":["cocoa"]}'
status 200
as nobody GET /readyz
status 200
log has 'the store is damaged'
`)
	r, err := w.request("ACME", "GET", "/api-keyword-watchlist", nil)
	require.NoError(t, err)
	require.GreaterOrEqual(t, r.status, 500, "%s", r)
	w.play(t, `
service stop
run verify --data $DATA --repair --accept-loss
status 0
`)
	require.NoError(t, w.startService())
	w.play(t, `
as ACME GET /api-keyword-watchlist
json count == 1
as OTHER GET /api-keyword-watchlist
json count == 2
`)
}

// listing describes the files of a folder.
func listing(t *testing.T, folder string) (all []string) {
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, e := range entries {
		info, err := e.Info()
		require.NoError(t, err)
		all = append(all, fmt.Sprintf("%s %d %s", e.Name(), info.Size(), info.ModTime()))
	}
	return all
}

// inFile is a byte of a file.
type inFile struct {
	file string
	at   int
}

// fillTeam adds records that nothing reads to a team, and returns where one of them is.
func fillTeam(t *testing.T, folder string, team persistence.Space) inFile {
	store, err := badger.Open(badger.Options{Dir: folder, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	var sought []byte
	for i := range 40 {
		value := make([]byte, 3000)
		for j := range value {
			value[j] = byte(random.Uint32())
		}
		if i == 20 {
			sought = value[1000:1100]
		}
		commitTo(t, store, team, func(b *persistence.Batch) { b.Put(fmt.Appendf(nil, "~filler/%02d", i), value) })
	}
	require.NoError(t, store.Close())
	tables, err := filepath.Glob(filepath.Join(folder, "*.sst"))
	require.NoError(t, err)
	for _, file := range tables {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		if at := bytes.Index(content, sought); at >= 0 {
			return inFile{file, at}
		}
	}
	t.Fatal("the records are in no table")
	return inFile{}
}
