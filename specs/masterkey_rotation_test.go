package specs_test

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMasterKeyIsRotated: a service that has the new key and the old one moves its
// store to the new one while it runs, also after a crash. Keys of teams and tokens of
// sessions stay valid. At the end the old key opens nothing, and a backup is restored
// with the new one alone.
func TestMasterKeyIsRotated(t *testing.T) {
	t.Parallel()
	w := isolatedWorld(t)
	key := func(name string, b byte) string {
		file := filepath.Join(w.dir, name)
		require.NoError(t, os.WriteFile(file, []byte(base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{b}, 32))), 0o600))
		return file
	}
	old, fresh := key("old.key", 1), key("new.key", 2)
	data := filepath.Join(w.dir, "data")
	refuses := func(says string, flags string) {
		t.Helper()
		w.play(t, "run serve --listen 127.0.0.1:0 --data "+data+" "+flags+"\nstatus 1\ntext contains '"+says+"'")
	}
	works := `
as ACME GET /api-posts
status 200
hello ADA $ADA_TOKEN ada
hangup ADA
as operator POST /admin/teams/$ACME/reveal-key
json api_key == $ACME_KEY
`
	w.play(t, "service --master-key-file "+old+`
team ACME growth ada@acme.example
hello ADA ada@acme.example ada
hangup ADA
service stop
service --master-key-file `+fresh+" --second-master-key-file "+old+" --backup-to "+filepath.Join(w.dir, "backups")+works+`
service crash`+works+`
clock advance 24h
service stop`)
	refuses("name the file of the other one with --second-master-key-file", "--master-key-file "+fresh)
	refuses("name the file of the other one with --second-master-key-file", "--master-key-file "+old)
	w.play(t, "run doctor --data "+data+" --listen 127.0.0.1:0 --master-key-file "+old+`
status 1
text contains 'a rotation of the master key has not ended'
service --master-key-file `+fresh+" --second-master-key-file "+old+" --backup-to "+filepath.Join(w.dir, "backups")+`
clock advance 2h
eventually log has 'the rotation of the master key has ended'`+works+`
as operator POST /admin/backup '{}'
status 201
service stop`)
	refuses("this master key was replaced by another one", "--master-key-file "+old)
	refuses("this master key was replaced by another one", "--master-key-file "+old+" --second-master-key-file "+fresh)
	w.play(t, "run restore --from "+filepath.Join(w.dir, "backups")+" --data restored --master-key-file "+old+`
status 1
text contains 'another master key'
run backup verify --from `+filepath.Join(w.dir, "backups")+" --master-key-file "+old+" --second-master-key-file "+fresh+`
status 0
run restore --from `+filepath.Join(w.dir, "backups")+" --data restored --master-key-file "+fresh+`
status 0
service --data `+filepath.Join(w.dir, "restored")+" --master-key-file "+fresh+works)
}
