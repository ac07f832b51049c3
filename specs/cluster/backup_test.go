package cluster

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/specs/process"
)

// TestBackupOfACluster makes a backup through one node while all nodes take writes, and
// restores it into files. Every write acknowledged before the backup began is in the
// restored service.
func TestBackupOfACluster(t *testing.T) {
	t.Parallel()
	backups := filepath.Join(t.TempDir(), "backups")
	w := newWorld(t, "--backup-to", backups)
	const path, teams = "/api-keyword-watchlist", 6
	var all [teams]team
	var written [teams]atomic.Int64 // the last name of each team's watchlist that was acknowledged
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for i := range all {
		all[i] = w.found(i%nodes, i)
		var made struct{ ID string }
		w.get(i%nodes, "POST", path, map[string]any{"name": "0", "keywords": []string{"tea"}}, &made, "X-Api-Key", all[i].Key)
		writers.Go(func() {
			for n := int64(1); ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				status, _ := w.request(int(n)%nodes, "PUT", path, map[string]any{"id": made.ID, "name": fmt.Sprint(n)}, "X-Api-Key", all[i].Key)
				if status == 200 {
					written[i].Store(n)
				}
			}
		})
	}
	w.eventually("every team has writes", func() bool {
		for i := range written {
			if written[i].Load() < 5 {
				return false
			}
		}
		return true
	})
	var least [teams]int64
	for i := range written {
		least[i] = written[i].Load()
	}
	w.admin(1, "/admin/backup", map[string]bool{"full": true}, nil)
	close(stop)
	writers.Wait()

	key, data := w.file("master.key"), w.file("restored")
	require.Contains(t, w.command("restore", "--from", backups, "--data", data, "--master-key-file", key), " 0 problems of the index")
	restored, err := process.Launch("restored", w.dir, w.binary, "serve", "--listen", "127.0.0.1:0", "--data", data, "--master-key-file", key)
	require.NoError(t, err)
	t.Cleanup(restored.Kill)
	url, err := restored.URL()
	require.NoError(t, err)
	w.nodes[0].listen = strings.TrimPrefix(url, "http://")
	for i, of := range all {
		var reply struct{ Watchlists []struct{ Name string } }
		w.get(0, "GET", path, nil, &reply, "X-Api-Key", of.Key)
		require.Len(t, reply.Watchlists, 1)
		n, err := strconv.ParseInt(reply.Watchlists[0].Name, 10, 64)
		require.NoError(t, err)
		require.GreaterOrEqual(t, n, least[i], of.email)
	}
}
