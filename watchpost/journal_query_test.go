package watchpost_test

import (
	"testing"

	"github.com/stretchr/testify/require"

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
