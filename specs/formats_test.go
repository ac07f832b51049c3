package specs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/internal/backupstore"
	"watchpost/persistence"
	"watchpost/persistence/backup"
	"watchpost/persistence/badger"
)

// currentFormat is the folder of the format that this build writes. `go test ./specs
// -run TestFormats -update` makes it again; folders of earlier formats never change.
const currentFormat = "1"

// formatDay is when the stores of the fixtures were made, by their clocks.
const formatDay = "2131-02-28T12:00:00Z"

// formatKey is the master key of the fixtures.
const formatKey = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

// TestFormats opens a store of every format with this build. Each reply must have all
// that a reply of the build that wrote the store had; it may have more.
func TestFormats(t *testing.T) {
	t.Parallel()
	if *update {
		makeFormat(t, filepath.Join("formats", currentFormat))
	}
	folders, err := filepath.Glob("formats/*/answers.txt")
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	for _, answers := range folders {
		t.Run(answers, func(t *testing.T) {
			w := isolatedWorld(t)
			openFormat(t, w, filepath.Dir(answers))
			content, err := os.ReadFile(answers)
			require.NoError(t, err)
			for part := range strings.SplitSeq(strings.TrimPrefix(string(content), "> "), "\n> ") {
				request, body, _ := strings.Cut(part, "\n")
				want, err := parseJSON(body)
				require.NoError(t, err)
				got, err := parseJSON(formatAnswer(t, w, request))
				require.NoError(t, err)
				require.NoError(t, within("", want, got), "%s\n%s", request, textOf(got))
			}
		})
	}
}

// within returns how a value lacks what another has.
func within(path string, want, got any) error {
	switch want := want.(type) {
	case map[string]any:
		object, _ := got.(map[string]any)
		for name, member := range want {
			found, has := object[name]
			if !has {
				return fmt.Errorf("%s.%s is missing", path, name)
			}
			if err := within(path+"."+name, member, found); err != nil {
				return err
			}
		}
		return nil
	case []any:
		list, _ := got.([]any)
		if len(list) != len(want) {
			return fmt.Errorf("%s has %d elements, want %d", path, len(list), len(want))
		}
		for i := range want {
			if err := within(fmt.Sprintf("%s[%d]", path, i), want[i], list[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if want != got {
		return fmt.Errorf("%s is %v, want %v", path, got, want)
	}
	return nil
}

// openFormat starts the service with the store of a fixture, as it was when the
// fixture was made, eleven hours later by its clock.
func openFormat(t *testing.T, w *world, folder string) {
	t.Helper()
	data := filepath.Join(w.dir, "data")
	store, err := badger.Open(badger.Options{Dir: filepath.Join(data, "store"), Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	files, err := backupstore.Open(folder)
	require.NoError(t, err)
	name, m, err := backup.Open(t.Context(), files, "", backup.Keys{})
	require.NoError(t, err)
	made, err := time.Parse(time.RFC3339, formatDay)
	require.NoError(t, err)
	require.NoError(t, backup.Restore(t.Context(), files, name, m, nil, store, func() (time.Time, error) { return made, nil }))
	// The same store, not a restored one. Its clock is kept as the offset from that of
	// the machine.
	commitTo(t, store, "restore", func(b *persistence.Batch) { b.Delete([]byte("restored")) })
	commitTo(t, store, "clock", func(b *persistence.Batch) {
		b.Put([]byte("offset"), strconv.AppendInt(nil, int64(time.Until(made.Add(11*time.Hour))), 10))
	})
	require.NoError(t, store.Close())
	require.NoError(t, os.WriteFile(filepath.Join(data, "master.key"), []byte(formatKey), 0o600))
	w.play(t, "service\nclock set 2131-03-01T00:00:00Z\nas operator GET /admin/teams?email=ada@acme.example\nsave ACME teams[0].id\nas operator POST /admin/teams/$ACME/reveal-key\nsave KEY api_key")
	w.keys["ACME"] = w.ts.Getenv("KEY")
}

func commitTo(t *testing.T, store persistence.Store, space persistence.Space, write func(*persistence.Batch)) {
	t.Helper()
	epoch, err := store.Activate(context.Background(), space)
	require.NoError(t, err)
	batch := &persistence.Batch{}
	write(batch)
	require.NoError(t, persistence.Commit(context.Background(), store, space, epoch, batch))
}

// formatAnswer sends "WHO METHOD PATH [BODY]" and returns the reply's body.
func formatAnswer(t *testing.T, w *world, request string) string {
	t.Helper()
	words := strings.SplitN(request, " ", 4)
	body, headers := "", []string(nil)
	if len(words) == 4 {
		body, headers = words[3], []string{"Idempotency-Key: format"}
	}
	r, err := w.request(words[0], words[1], words[2], []byte(body), headers...)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, r.status, "%s\n%s", request, r)
	return string(r.body)
}

// makeFormat makes a store with something of everything, and writes its backup and
// the replies of this build.
func makeFormat(t *testing.T, folder string) {
	t.Helper()
	require.NoError(t, os.RemoveAll(folder))
	require.NoError(t, os.MkdirAll(folder, 0o750))
	place, err := filepath.Abs(folder)
	require.NoError(t, err)
	w := isolatedWorld(t)
	w.play(t, "service --master-key "+formatKey+" --backup-to "+place+"\nclock set "+formatDay)
	w.play(t, formatStory)
	// More posts than the index keeps in its buffer.
	posts := make([]string, 540)
	for i := range posts {
		posts[i] = fmt.Sprintf(`{"urn":"urn:network:activity:%d","url":"https://network.example/feed/update/urn:network:activity:%d","content":"tea %d, %s","author_name":"Wim %d","author_url":"https://network.example/in/wim%d","posted_at":"2131-02-%02dT%02d:00:00Z","post_type":"text","likes":%d}`,
			7000+i, 7000+i, i, []string{"a good cup", "eine gute Tasse", "une bonne tasse"}[i%3], i%7, i%7, 1+i%27, i%24, i)
	}
	w.ts.Setenv("POSTS", strings.Join(posts, ","))
	w.play(t, formatPosts)
	var requests []string
	for request := range strings.SplitSeq(strings.TrimSpace(formatRequests), "\n") {
		requests = append(requests, w.expand(request))
	}
	w.play(t, "as operator POST /admin/backup '{}'\nstatus 201\nservice stop")
	again := isolatedWorld(t)
	openFormat(t, again, folder)
	var answers strings.Builder
	for _, request := range requests {
		var value any
		require.NoError(t, json.Unmarshal([]byte(formatAnswer(t, again, request)), &value))
		pretty, err := json.MarshalIndent(value, "", " ")
		require.NoError(t, err)
		fmt.Fprintf(&answers, "> %s\n%s\n", request, pretty)
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "answers.txt"), []byte(answers.String()), 0o600))
}

// formatStory makes records of most kinds; formatPosts needs the variable POSTS.
const formatStory = `
team ACME growth ada@acme.example
as operator PATCH /admin/teams/$ACME '{"plan":"expert","plan_expires_at":"2131-12-31T00:00:00Z"}'
status 200
member ACME bob@acme.example admin
hello ADA ada@acme.example ada
as ACME POST /api-keyword-watchlist '{"name":"Tea","keywords":[{"keyword":"tea","exclude_keywords":["coffee"]}],"labels":["drinks","cups"],"fetchFreqInHours":72}'
status 200
save TEA id
expect ADA '{"type":"task","task_type":"keyword_scan"}'
save TASK task
save LEASE lease
`

const formatPosts = `
frame ADA '{"type":"result","task":"$TASK","lease":"$LEASE","attempt":1,"output":{"exhausted":true,"posts":[$POSTS]}}'
expect ADA '{"type":"ack","task":"$TASK"}'
as ACME GET /api-posts?sort_by=oldest_first
json count == 540
save POST data[0].id
save SECOND data[1].id
save THIRD data[2].id
as ACME POST /api-like '{"post_id":"$POST","user_email":"ada@acme.example"}'
save LIKE task_id
expect ADA '{"type":"task","task":"$LIKE"}'
save LEASE lease
frame ADA '{"type":"acting","task":"$LIKE","lease":"$LEASE"}'
expect ADA '{"type":"go","task":"$LIKE"}'
frame ADA '{"type":"result","task":"$LIKE","lease":"$LEASE","attempt":1,"output":{"liked":true}}'
expect ADA '{"type":"ack","task":"$LIKE"}'
as ACME POST /network-agent/fetch-profile '{"profile_slug":"wim"}'
save PROFILE api_agent_task_id
expect ADA '{"type":"task","task":"$PROFILE"}'
save LEASE lease
frame ADA '{"type":"result","task":"$PROFILE","lease":"$LEASE","attempt":1,"output":{"full_name":"Wim","profile":{"full_name":"Wim","positions":[{"title":"CTO","is_current":true}]}}}'
expect ADA '{"type":"ack","task":"$PROFILE"}'
as ACME POST /api-comment '{"post_id":"$SECOND","user_email":"ada@acme.example","comment_text":"Well done!"}'
save COMMENT task_id
expect ADA '{"type":"task","task":"$COMMENT"}'
save LEASE lease
frame ADA '{"type":"acting","task":"$COMMENT","lease":"$LEASE"}'
expect ADA '{"type":"go","task":"$COMMENT"}'
hangup ADA
as ACME POST /network-agent/send-message '{"recipient_urn":"urn:network:member:wim","message":"Hello"}'
save MESSAGE api_agent_task_id
as ACME PUT /api-posts '{"id":"$THIRD","bookmark":true}'
status 200
as ACME POST /api-people-watchlist '{"profiles":["marta-rossi","https://network.example/in/kenji-torres"],"name":"People"}'
status 200
save PEOPLE id
as ACME POST /api-company-watchlist '{"companies":["meridian-energy"],"disable":true}'
status 200
save COMPANY id
as ACME POST /api-forum-watchlist '{"keywords":["hiring"],"labels":[{"name":"jobs","description":"open positions","default":true}]}'
status 200
save FORUM id
as ACME POST /api-engagement-rules '{"watchlist_id":"$TEA","action":"comment","comment_templates":["Well done, {first_name}!"],"working_hours":{"from":"09:00","until":"17:00"}}'
status 200
as ACME POST /api-notifications '{"type":"webhook","name":"Ours","url":"https://127.0.0.1:9/hook","watchlist_id":"$TEA","sentiments":["negative"],"disable":true}'
status 200
as ACME POST /network-agent/search-profiles '{"title":"CTO","count":3}' -H 'Idempotency-Key: format'
status 200
as operator POST /admin/teams/$ACME/pairing-codes '{"email":"bob@acme.example"}'
status 201
as nobody POST /network-agent/auth-send-otp '{"email":"eve@eve.example","full_name":"Eve"}'
status 200
`

// formatRequests are the requests to each store; each may have a body.
const formatRequests = `
operator GET /admin/teams/$ACME
operator GET /admin/teams/$ACME/members
operator GET /admin/teams/$ACME/sessions
ACME GET /api-team
ACME GET /api-keyword-watchlist
ACME GET /api-keyword-watchlist?id=$TEA
ACME GET /api-people-watchlist?id=$PEOPLE
ACME GET /api-company-watchlist?id=$COMPANY
ACME GET /api-forum-watchlist?id=$FORUM
ACME GET /api-posts?page_size=3
ACME GET /api-posts?page_size=3&sort_by=popular_first&lang=de&search_term=Tasse
ACME GET /api-posts?interacted=true
ACME GET /api-posts?is_saved=true
ACME GET /api-posts?people_slug=wim3&page_size=2&page=4
ACME GET /api-posts?watchlist_id=$TEA&labels=drinks&page_size=2
ACME GET /api-interactions?watchlist_id=$TEA&interaction_type=like
ACME GET /network-agent/get-task-status?api_agent_task_id=$LIKE
ACME GET /network-agent/get-task-status?api_agent_task_id=$PROFILE
ACME GET /network-agent/get-task-status?api_agent_task_id=$COMMENT
ACME GET /network-agent/get-task-status?api_agent_task_id=$MESSAGE
ACME GET /api-engagement-rules
ACME GET /api-engagement-actions
ACME GET /api-notifications
ACME POST /network-agent/search-profiles {"title":"CTO","count":3}
ACME POST /api-like {"post_id":"$POST","user_email":"ada@acme.example"}
`
