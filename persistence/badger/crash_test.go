package badger

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"watchpost/persistence"

	"github.com/stretchr/testify/require"
)

const (
	crashSpace = persistence.Space("team")
	crashKeep  = 300 // batches whose pairs are kept; older ones are deleted
	crashFlown = 48  // batches in flight
)

var crashLast = persistence.DirectoryKey{Kind: "last", Name: "team"}

// crashBatch writes the number n in two pairs and in the directory and deletes
// the pairs of an earlier batch. The values are large and of varying size, so
// that memtables fill and rotate every few hundred batches.
func crashBatch(n uint64) *persistence.Batch {
	b := &persistence.Batch{}
	value := binary.BigEndian.AppendUint64(nil, n)
	value = append(value, bytes.Repeat([]byte{byte(n)}, int(n*7919%30_000))...)
	b.Put(fmt.Appendf(nil, "a/%010d", n), value)
	b.Put(fmt.Appendf(nil, "z/%010d", n), value)
	if n > crashKeep {
		b.Delete(fmt.Appendf(nil, "a/%010d", n-crashKeep))
		b.Delete(fmt.Appendf(nil, "z/%010d", n-crashKeep))
	}
	b.Set(crashLast, value[:8])
	return b
}

// commitUntilKilled writes batch after batch and prints the number of each
// acknowledged batch.
func commitUntilKilled(dir string) int {
	fmt.Println("opening")
	s, err := Open(Options{Dir: dir, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		fmt.Fprintln(os.Stderr, "child:", err)
		return 1
	}
	v, err := s.View(context.Background())
	if err != nil {
		return 1
	}
	last := lastNumber(v)
	v.Close()
	epoch, err := s.Activate(context.Background(), crashSpace)
	if err != nil {
		return 1
	}
	inFlight := make(chan struct{}, crashFlown)
	for n := last + 1; ; n++ {
		inFlight <- struct{}{}
		s.Submit(crashSpace, epoch, crashBatch(n), func(err error) {
			if err != nil {
				fmt.Fprintln(os.Stderr, "child:", err)
				os.Exit(1)
			}
			// One system call, so that no line is in a buffer when we die.
			os.Stdout.WriteString(strconv.FormatUint(n, 10) + "\n")
			<-inFlight
		})
	}
}

func lastNumber(v persistence.View) uint64 {
	value, err := v.Lookup(crashLast)
	if err != nil {
		return 0
	}
	return binary.BigEndian.Uint64(value)
}

// TestKill repeatedly kills a writing process and examines its store. Every
// acknowledged batch must be there; of the others all or nothing, without a
// gap. Most runs kill while groups are being synced, some while the store
// opens, and some twice in a row.
func TestKill(t *testing.T) {
	kills := 10
	if *long {
		kills = 80
	}
	const seed = 20261121
	random := rand.New(rand.NewPCG(seed, uint64(kills)))
	dir := t.TempDir()
	var acked, epoch uint64
	for kill := range kills {
		lines := 1 // "opening"
		if random.IntN(6) > 0 {
			lines += random.IntN(900)
		}
		acked = max(acked, runAndKill(t, dir, lines))
		if random.IntN(4) == 0 && kill < kills-1 {
			continue
		}
		acked, epoch = examine(t, dir, acked, epoch)
	}
	t.Logf("%d kills, %d batches", kills, acked)
}

// runAndKill starts a writing child, kills it after that many lines and
// returns the last number it printed.
func runAndKill(t *testing.T, dir string, lines int) (acked uint64) {
	c := child(t, "commit", dir)
	stdout, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	in := bufio.NewReader(stdout)
	for read := 0; ; read++ {
		if read == lines {
			require.NoError(t, c.Process.Kill())
		}
		line, err := in.ReadString('\n')
		if err != nil {
			require.ErrorIs(t, err, io.EOF)
			break
		}
		if n, err := strconv.ParseUint(line[:len(line)-1], 10, 64); err == nil {
			require.Greater(t, n, acked)
			acked = n
		}
	}
	require.ErrorContains(t, c.Wait(), "killed")
	return acked
}

// examine opens the child's store and returns the last batch in it and a new
// epoch.
func examine(t *testing.T, dir string, acked, before uint64) (last, epoch uint64) {
	s := opened(t, Options{Dir: dir, Logger: slog.New(slog.DiscardHandler)})
	v, err := s.View(t.Context())
	require.NoError(t, err)
	last = lastNumber(v)
	require.GreaterOrEqual(t, last, acked, "answered batches are lost")
	for _, half := range []string{"a/", "z/"} {
		want := max(last, crashKeep) - crashKeep + 1
		require.NoError(t, v.Scan(crashSpace, []byte(half), persistence.PrefixEnd([]byte(half)), func(key, value []byte) bool {
			require.Equal(t, fmt.Sprintf("%s%010d", half, want), string(key))
			require.True(t, bytes.Equal(value, crashBatch(want).Writes[0].Value), "batch %d is torn", want)
			want++
			return true
		}))
		require.Equal(t, last+1, want)
	}
	v.Close()
	taken := uint64(mustActivate(t, s, crashSpace))
	require.Greater(t, taken, before)
	require.NoError(t, s.Close())
	return last, taken
}
