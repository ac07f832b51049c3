package protocol

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write testdata anew")

func at(hour int) time.Time { return time.Date(2030, 1, 9, hour, 0, 0, 0, time.UTC) }

func point[T any](v T) *T { return &v }

var post = Post{
	URN: "urn:n:post:7", URL: "https://network.example/posts/7", Content: "Grüße,\n<b>you</b> & 世界", AuthorName: "Jane Doe",
	AuthorURL: "https://network.example/in/jane", AuthorURN: "urn:n:member:3", AuthorHeadline: "Engineer",
	AuthorImageURL: "https://network.example/media/3.svg", PostedAt: at(12), Likes: 3, Comments: 2, Shares: 1, Type: "image",
	ImageURLs: []string{"https://network.example/media/7.svg"}, ImageText: "A chart", Videos: []string{"https://network.example/media/7.mp4"},
}

// golden are the frames and bodies of testdata. The extension's tests compare
// the same files with its types.
var golden = map[string]any{
	"hello": Frame{
		Type: TypeHello, V: Version, Token: "secret", Boot: "b1", Journal: "j1", Version: "1.0.0",
		Account: &Account{URN: "urn:n:member:1", Slug: "ada", Name: "Ada", SignedIn: true},
		Browser: &Browser{Name: "Chromium", Version: "131.0", OS: "linux", Label: "Ada's laptop"},
		Tasks:   []JournalTask{{Task: "t1", Lease: "l1", Attempt: 1, State: StateActing}},
	},
	"bind": Frame{Type: TypeBind, Account: &Account{URN: "urn:n:member:2", Slug: "jan", Name: "Jan", SignedIn: true}},
	"status": Frame{
		Type: TypeStatus, Account: &Account{URN: "urn:n:member:1", Slug: "ada", Name: "Ada", SignedIn: true},
		Blocked: []Blocked{
			{Reason: BlockedPageNotUnderstood, TaskTypes: []string{"agent_profile_fetch"}, Until: point(at(13))},
			{Reason: BlockedReleased},
			{Reason: BlockedNetworkLimit, TaskTypes: []string{"agent_like_post"}, Until: point(at(13)), Retry: true},
		},
		Waiting:    point(2),
		Allowances: []AllowanceState{{Action: "like", Used: 3, Limit: 50, ResetsAt: at(23)}},
	},
	"status-other-account": Frame{
		Type: TypeStatus, Account: &Account{URN: "urn:n:member:1", Slug: "ada", Name: "Ada"},
		Blocked: []Blocked{{Reason: BlockedOtherAccount}}, Waiting: point(0), Allowances: []AllowanceState{},
	},
	"status-heartbeat": Frame{
		Type: TypeStatus, Blocked: []Blocked{}, Waiting: point(0), Allowances: []AllowanceState{}, HeartbeatS: 120,
	},
	"welcome": Frame{Type: TypeWelcome, Session: "s1", Member: &SignInMember{ID: "m1", Email: "ada@example.com"}, HeartbeatS: 20, LeaseS: 60, ServerTime: point(at(12))},
	"heartbeat": Frame{
		Type: TypeHeartbeat, Account: &Account{URN: "urn:n:member:1", Slug: "ada", Name: "Ada"},
		Running: []RunningTask{{Task: "t1", Lease: "l1"}},
	},
	"heartbeat-pace": Frame{
		Type: TypeHeartbeat, Account: &Account{URN: "urn:n:member:1", Slug: "ada", Name: "Ada", SignedIn: true}, Asking: []string{"t1"},
		Running: []RunningTask{{Task: "t2", Lease: "l2"}},
		Pace: &Pace{
			Hours: &Hours{From: "09:00", Until: "17:30", Days: []string{"monday", "friday"}, Zone: "Europe/Berlin"},
			Pause: &Span{From: 60, Until: 180}, Ask: true,
		},
	},
	"heartbeat-challenge": Frame{
		Type: TypeHeartbeat, Account: &Account{URN: "urn:n:member:1", Slug: "ada", Name: "Ada", Challenge: true},
		Running: []RunningTask{{Task: "t1", Lease: "l1"}},
	},
	"task-restored": Frame{
		Type: TypeTask, Task: "t1", Lease: "l1", Attempt: 1, TaskType: "agent_send_message",
		Input: json.RawMessage(`{"recipient_urn":"urn:n:member:3","message":"hello"}`), Deadline: point(at(13)), Restored: true,
	},
	"task": Frame{
		Type: TypeTask, Task: "t1", Lease: "l1", Attempt: 1, TaskType: "keyword_scan",
		Input: json.RawMessage(`{"keyword":"hiring","since":"2030-01-09T10:00:00Z"}`), Deadline: point(at(13)),
	},
	"accepted": Frame{Type: TypeAccepted, Task: "t1", Lease: "l1"},
	"acting":   Frame{Type: TypeActing, Task: "t1", Lease: "l1"},
	"go":       Frame{Type: TypeGo, Task: "t1", Lease: "l1"},
	"part": Frame{
		Type: TypePart, Task: "t1", Lease: "l1", Attempt: 1, Seq: point(0), Output: encoded(PostsOutput{Posts: []Post{post}}),
	},
	"result": Frame{
		Type: TypeResult, Task: "t1", Lease: "l1", Attempt: 1, Output: encoded(PostsOutput{Posts: []Post{}, Exhausted: point(true)}),
	},
	"result-error": Frame{
		Type: TypeResult, Task: "t1", Lease: "l1", Attempt: 2, Error: &TaskError{Code: CodeNotFound, Message: "nobody", Acted: point(false)},
	},
	"result-unknown": Frame{
		Type: TypeResult, Task: "t1", Lease: "l1", Attempt: 1, Error: &TaskError{Code: CodeOutcomeUnknown, Message: "no answer"},
	},
	"result-slow-down": Frame{
		Type: TypeResult, Task: "t1", Lease: "l1", Attempt: 1,
		Error: &TaskError{Code: CodeNetworkLimit, Message: "rate_limited of any", Acted: point(false), SlowDown: true},
	},
	"retry":      Frame{Type: TypeRetry},
	"ack":        Frame{Type: TypeAck, Task: "t1"},
	"ack-part":   Frame{Type: TypeAck, Task: "t1", Seq: point(0)},
	"released":   Frame{Type: TypeReleased, Task: "t1", Lease: "l1", Reason: "deadline"},
	"cancel":     Frame{Type: TypeCancel, Task: "t1"},
	"revoked":    Frame{Type: TypeRevoked},
	"poll":       PollRequest{Messages: []Frame{{Type: TypeAccepted, Task: "t1", Lease: "l1"}}},
	"poll-reply": PollReply{Messages: []Frame{{Type: TypeAck, Task: "t1"}}},
	"sign-in": SignInReply{
		SessionToken: "secret", Team: SignInTeam{ID: "team1", Name: "Team"}, Member: SignInMember{ID: "m1", Email: "ada@example.com"},
		Network: "https://network.example",
	},
}

func encoded(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// TestGoldenFrames: each frame encodes to its file in testdata, and testdata
// has no other files.
func TestGoldenFrames(t *testing.T) {
	for name, value := range golden {
		file := filepath.Join("testdata", name+".json")
		if *update {
			b, err := json.MarshalIndent(value, "", "  ")
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(file, append(b, '\n'), 0o600))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		require.JSONEq(t, string(want), string(encoded(value)), name)
	}
	files, err := os.ReadDir("testdata")
	require.NoError(t, err)
	for _, f := range files {
		require.Contains(t, golden, strings.TrimSuffix(f.Name(), ".json"))
	}
}

// TestGoldenFramesAreKnown: the Go types know each field of the files in
// testdata.
func TestGoldenFramesAreKnown(t *testing.T) {
	for name, value := range golden {
		if _, frame := value.(Frame); !frame {
			continue
		}
		file, err := os.Open(filepath.Join("testdata", name+".json"))
		require.NoError(t, err)
		strict := json.NewDecoder(file)
		strict.DisallowUnknownFields()
		var f Frame
		require.NoError(t, strict.Decode(&f), name)
		require.NoError(t, file.Close())
		require.JSONEq(t, string(encoded(value)), string(encoded(f)), name)
	}
}
