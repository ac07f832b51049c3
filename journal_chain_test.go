package watchpost_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost"
)

// chain returns records, the newest first, that follow an anchor.
func chain(t require.TestingT, from watchpost.JournalAnchor, n int) (records [][]byte) {
	for range n {
		from.Number++
		raw, err := json.Marshal(watchpost.JournalEntry{ID: "t", State: watchpost.TaskPending, Number: from.Number, Before: from.Hash})
		require.NoError(t, err)
		from.Hash = watchpost.JournalHash(raw)
		records = append([][]byte{raw}, records...)
	}
	return records
}

// TestVerifyJournal: a chain that is as it was written is right, also one whose
// beginning was pruned; whatever is changed, removed, added or moved is found.
func TestVerifyJournal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		from := watchpost.JournalAnchor{}
		if rapid.Bool().Draw(t, "pruned") {
			from = watchpost.JournalAnchor{Number: 41, Hash: "of the record before"}
		}
		records := chain(t, from, rapid.IntRange(1, 12).Draw(t, "records"))
		last, err := watchpost.VerifyJournal(slices.Values(records), from)
		require.NoError(t, err)
		require.Equal(t, from.Number+uint64(len(records)), last.Number)
		require.Equal(t, watchpost.JournalHash(records[0]), last.Hash)

		at := rapid.IntRange(1, len(records)).Draw(t, "at") - 1
		damaged := slices.Clone(records)
		switch rapid.SampledFrom([]string{"change", "remove", "repeat", "swap", "other anchor"}).Draw(t, "damage") {
		case "change":
			if at == 0 {
				return // nothing comes after the newest: who wants to find that keeps its hash
			}
			damaged[at] = []byte(string(damaged[at][:len(damaged[at])-1]) + `,"Safe":true}`)
		case "remove":
			if at == 0 {
				return
			}
			damaged = slices.Delete(damaged, at, at+1)
		case "repeat":
			damaged = slices.Insert(damaged, at, damaged[at])
		case "swap":
			if at == 0 {
				return
			}
			damaged[at-1], damaged[at] = damaged[at], damaged[at-1]
		case "other anchor":
			from.Hash = "another"
		}
		_, err = watchpost.VerifyJournal(slices.Values(damaged), from)
		require.Error(t, err)
	})
	last, err := watchpost.VerifyJournal(slices.Values([][]byte{}), watchpost.JournalAnchor{})
	require.NoError(t, err)
	require.Zero(t, last)
	_, err = watchpost.VerifyJournal(slices.Values([][]byte{[]byte("{")}), watchpost.JournalAnchor{})
	require.Error(t, err)
}
