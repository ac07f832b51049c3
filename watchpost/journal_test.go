package watchpost_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/watchpost"
)

// TestJournalAbout: actions on a person or company are found by each name that the
// request may have used, and actions on a post by the post.
func TestJournalAbout(t *testing.T) {
	t.Parallel()
	about := &watchpost.Subjects{Authors: []string{"profile/ada", "profile:77", "company/acme"}, Posts: []watchpost.PostID{"p1"}}
	for name, c := range map[string]struct {
		entry watchpost.JournalEntry
		want  bool
	}{
		"like of a post":             {watchpost.JournalEntry{Type: watchpost.TaskLikePost, Post: "p1", Subject: "urn:li:activity:1"}, true},
		"like of another post":       {watchpost.JournalEntry{Type: watchpost.TaskLikePost, Post: "p2", Subject: "urn:li:activity:2"}, false},
		"like without a stored post": {watchpost.JournalEntry{Type: watchpost.TaskLikePost, Subject: "urn:li:activity:1"}, false},
		"message by address":         {watchpost.JournalEntry{Type: watchpost.TaskSendMessage, Subject: "https://network.example/in/ada"}, true},
		"message by URN":             {watchpost.JournalEntry{Type: watchpost.TaskSendMessage, Subject: "urn:network:member:77"}, true},
		"message to another":         {watchpost.JournalEntry{Type: watchpost.TaskSendMessage, Subject: "adam"}, false},
		"invitation by slug":         {watchpost.JournalEntry{Type: watchpost.TaskConnectionRequest, Subject: "ada"}, true},
		"withdrawal":                 {watchpost.JournalEntry{Type: watchpost.TaskWithdrawal, Subject: "ada"}, true},
		"profile":                    {watchpost.JournalEntry{Type: watchpost.TaskProfileFetch, Subject: "ada"}, true},
		"company":                    {watchpost.JournalEntry{Type: watchpost.TaskCompanyFetch, Subject: "acme"}, true},
		"company of that name":       {watchpost.JournalEntry{Type: watchpost.TaskCompanyFetch, Subject: "ada"}, false},
		"search":                     {watchpost.JournalEntry{Type: watchpost.TaskProfilesSearch, Subject: "ada"}, false},
	} {
		require.Equal(t, c.want, (&watchpost.JournalQuery{About: about}).Matches(&c.entry), name)
	}
	require.True(t, (&watchpost.JournalQuery{}).Matches(&watchpost.JournalEntry{Type: watchpost.TaskProfilesSearch}))
}

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
