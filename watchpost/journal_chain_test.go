package watchpost_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/watchpost"
)

// chain returns the records of a chain, the newest first.
func chain(t require.TestingT, n int) (records [][]byte) {
	before := ""
	for i := range n {
		raw, err := json.Marshal(watchpost.JournalEntry{ID: "t", State: watchpost.TaskPending, Number: uint64(i + 1), Before: before})
		require.NoError(t, err)
		before = watchpost.JournalHash(raw)
		records = append([][]byte{raw}, records...)
	}
	return records
}

// verify checks a whole chain, the newest record first.
func verify(records [][]byte) error {
	var v watchpost.JournalVerifier
	for _, record := range records {
		if _, err := v.Check(record); err != nil {
			return err
		}
	}
	return v.End()
}

// TestJournalVerifier: a chain that is as it was written is right; whatever is changed,
// removed, added or moved is found, also at its beginning.
func TestJournalVerifier(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		records := chain(t, rapid.IntRange(1, 12).Draw(t, "records"))
		require.NoError(t, verify(records))

		at := rapid.IntRange(1, len(records)).Draw(t, "at") - 1
		damaged := slices.Clone(records)
		switch rapid.SampledFrom([]string{"change", "remove", "repeat", "swap", "beginning"}).Draw(t, "damage") {
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
		case "beginning":
			if len(records) == 1 {
				return // nothing is left
			}
			damaged = damaged[:len(damaged)-1]
		}
		require.Error(t, verify(damaged))
	})
	require.NoError(t, verify(nil))
	require.Error(t, verify([][]byte{[]byte("{")}))
}
