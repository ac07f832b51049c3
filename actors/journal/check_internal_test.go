package journal

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// journalStore is a store with one journal.
type journalStore struct {
	persistence.Store
	*journalOf
}

func (s journalStore) Close() error                                   { return nil }
func (s journalStore) View(context.Context) (persistence.View, error) { return s.journalOf, nil }

// journalOf is a view of a journal whose tasks have a record each. It says how much
// memory was in use at most while it was read.
type journalOf struct {
	persistence.View
	records [][]byte // by number, from 1
	steps   int
	peak    uint64
}

func newJournal(n int) *journalOf {
	j := &journalOf{records: make([][]byte, n)}
	hash := ""
	for i := range j.records {
		j.records[i] = teamspace.Encode(watchpost.JournalEntry{ID: journalTask(i + 1), Number: uint64(i + 1), Before: hash})
		hash = HashOf(j.records[i])
	}
	return j
}

func journalTask(number int) watchpost.TaskID {
	return watchpost.TaskID(fmt.Sprintf("00000000-0000-7000-8000-%012x", number))
}

func (j *journalOf) Close() {}

func (j *journalOf) Scan(_ persistence.Space, from, _ []byte, yield func(k, v []byte) bool) error {
	entries := string(from) == teamspace.KeyJournal
	for number := len(j.records); number > 0; number-- {
		if j.steps++; j.steps%max(1, len(j.records)/5) == 0 {
			var now runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&now)
			j.peak = max(j.peak, now.HeapAlloc)
		}
		key := teamspace.JournalChainKey(uint64(number))
		if entries {
			key = teamspace.JournalKey(journalTask(number))
		}
		if !yield(key, j.records[number-1]) {
			break
		}
	}
	return nil
}

func (j *journalOf) GetAll(_ persistence.Space, keys [][]byte) ([][]byte, error) {
	values := make([][]byte, len(keys))
	for i, key := range keys {
		number := int(teamspace.JournalNumber(key))
		if strings.HasPrefix(string(key), teamspace.KeyJournal) {
			if _, err := fmt.Sscanf(string(teamspace.JournalTask(key))[24:], "%x", &number); err != nil {
				return nil, err
			}
		}
		values[i] = bytes.Clone(j.records[number-1])
	}
	return values, nil
}

// verified returns how much memory the check of a journal needs at most.
func (j *journalOf) verified(t testing.TB) uint64 {
	t.Helper()
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var sum Verification
	require.NoError(t, sum.Verify(context.Background(), journalStore{journalOf: j}, "team", func(problem string) { t.Error(problem) }))
	require.Equal(t, Verification{Teams: 1, Records: len(j.records)}, sum)
	runtime.KeepAlive(j)
	return j.peak - min(j.peak, before.HeapAlloc)
}

// TestJournalCheckMemory: the check of a hundred times the journal needs no more memory.
func TestJournalCheckMemory(t *testing.T) { //nolint:paralleltest // it measures the memory of the process
	small, large := newJournal(1_000).verified(t), newJournal(100_000).verified(t)
	t.Logf("1,000 entries: %d bytes; 100,000: %d bytes", small, large)
	require.Less(t, large, small+2<<20)
}

// BenchmarkVerifyJournal checks journals of two sizes.
func BenchmarkVerifyJournal(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			j := newJournal(n)
			for b.Loop() {
				b.ReportMetric(float64(j.verified(b)), "peak-bytes")
			}
		})
	}
}
