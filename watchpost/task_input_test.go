package watchpost

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTaskRecord: the record of a task that stores of earlier versions hold is
// read, and written again byte for byte.
func TestTaskRecord(t *testing.T) {
	t.Parallel()
	const record = `{"ID":"t","Type":"agent_profiles_posts_fetch","Input":{"profile_urns":["1","\u003cb\u003e\u0026\u2028"],"x":1e3},"State":"leased",` +
		`"CreatedAt":"2030-01-09T12:00:00Z","EndedAt":"0001-01-01T00:00:00Z","Output":null,"Failure":null,"Watchlist":"","List":"","Entry":"",` +
		`"Due":"0001-01-01T00:00:00Z","Member":"","Account":"","Attempts":0,"Lost":0,"Begun":false,"Lease":{"ID":"l","Session":"","Account":"","Attempt":0,` +
		`"Journal":"","Deadline":"0001-01-01T00:00:00Z","ActingAt":"0001-01-01T00:00:00Z","First":0,"Units":0},"Past":null,` +
		`"Progress":{"Done":0,"Found":false,"Posts":null},"Resolved":null,"PausedSince":"0001-01-01T00:00:00Z"}`
	empty := strings.NewReplacer(`{"profile_urns":["1","\u003cb\u003e\u0026\u2028"],"x":1e3}`, `null`, `agent_profiles_posts_fetch`, ``).Replace(record)
	for _, stored := range []string{record, empty} {
		var task Task
		require.NoError(t, json.Unmarshal([]byte(stored), &task))
		written, err := json.Marshal(task)
		require.NoError(t, err)
		require.Equal(t, stored, string(written))
	}
	var task Task
	require.NoError(t, json.Unmarshal([]byte(record), &task))
	require.Equal(t, 2, task.Units())
	made := Task{
		ID: "t", Type: TaskProfilesPosts, State: TaskLeased, CreatedAt: time.Date(2030, 1, 9, 12, 0, 0, 0, time.UTC), Lease: &Lease{ID: "l"},
		Input: ParseTaskInput([]byte(`{ "profile_urns" : ["1", "<b>&` + "\u2028" + `"],"x":1e3 }`)),
	}
	written, err := json.Marshal(made)
	require.NoError(t, err)
	require.Equal(t, record, string(written))
	without, err := json.Marshal(Task{Input: TaskInput{}})
	require.NoError(t, err)
	require.Contains(t, string(without), `"Input":null`)
}

// TestEngagementOfTask checks what each type of task does with the fields of its
// input.
func TestEngagementOfTask(t *testing.T) {
	t.Parallel()
	const post, key = "https://network.example/feed/update/urn:network:activity:7000000000000000001/", "post:7000000000000000001"
	for _, c := range []struct {
		kind  TaskType
		input string
		want  Engagement
	}{
		{TaskLikePost, `{"social_urn":"` + post + `"}`, Engagement{Action: ActionLike, Type: ActorUser, URN: post, Target: key}},
		{
			TaskCommentPost, `{"social_urn":"` + post + `","comment_text":"Yes","actor_type":"company","company_title":" Acme "}`,
			Engagement{Action: ActionComment, Type: ActorCompany, Company: "Acme", URN: post, Target: key, Text: "Yes"},
		},
		{TaskConnectionRequest, `{"profile_urn":"urn:network:member:7","comment_text":"no"}`, Engagement{Action: ActionInvitation, Type: ActorUser, URN: "urn:network:member:7", Target: "profile:7"}},
		{TaskConnectionRequest, `{"profile_urn":"a/b c"}`, Engagement{Action: ActionInvitation, Type: ActorUser, URN: "a/b c", Target: "a/b c"}},
		{TaskLikePost, `{"profile_urn":"1"}`, Engagement{}},
		{TaskConnectionRequest, `{"social_urn":"` + post + `"}`, Engagement{}},
		{TaskLikePost, `{"social_urn":7}`, Engagement{}},
		{TaskProfileFetch, `{"social_urn":"` + post + `","profile_urn":"1"}`, Engagement{}},
		{TaskLikePost, `nonsense`, Engagement{}},
	} {
		task := Task{Type: c.kind, Input: ParseTaskInput([]byte(c.input))}
		got, ok := task.Engagement()
		require.Equal(t, c.want.URN != "", ok, c.input)
		if ok {
			require.Equal(t, c.want, got, c.input)
		}
	}
}

func TestScanOfTask(t *testing.T) {
	t.Parallel()
	at := time.Date(2030, 1, 9, 12, 0, 0, 5, time.UTC)
	keyword, since := ParseTaskInput([]byte(`{"keyword":"go","since":"2030-01-09T12:00:00.000000005Z"}`)).Scan()
	require.Equal(t, "go", keyword)
	require.True(t, at.Equal(since))
	keyword, since = TaskInput{}.Scan()
	require.Empty(t, keyword)
	require.Zero(t, since)
}
