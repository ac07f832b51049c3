package attacks

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
	"watchpost/specs/process"
)

// table has a figure of each build for each attack.
type table struct {
	attacks []string
	figures map[string]map[string]string
	builds  []string
}

func (t *table) set(attack, build, format string, values ...any) {
	if t.figures[attack] == nil {
		t.attacks = append(t.attacks, attack)
		t.figures[attack] = map[string]string{}
	}
	t.figures[attack][build] = fmt.Sprintf(format, values...)
}

func (t *table) String() string {
	out := "| attack | " + strings.Join(t.builds, " | ") + " |\n|---|" + strings.Repeat("---|", len(t.builds)) + "\n"
	for _, attack := range t.attacks {
		out += "| " + attack + " |"
		for _, build := range t.builds {
			out += " " + t.figures[attack][build] + " |"
		}
		out += "\n"
	}
	return out
}

// lasts is how long attacks by holding connections last.
const lasts = time.Minute

// TestAttacks prints the table, and checks for the built binary that the victims are
// served. WATCHPOST_ATTACKS has builds to compare with, as name=path,name=path.
func TestAttacks(t *testing.T) {
	others, compare := os.LookupEnv("WATCHPOST_ATTACKS")
	if !compare && os.Getenv("WATCHPOST_LONG") == "" {
		t.Skip("WATCHPOST_LONG and WATCHPOST_ATTACKS are not set")
	}
	own, err := process.Build(t.TempDir(), "-trimpath", "-ldflags", "-s -w")
	require.NoError(t, err)
	figures := &table{figures: map[string]map[string]string{}}
	run := func(name, binary string, judge bool) {
		figures.builds = append(figures.builds, name)
		set := func(attack, format string, values ...any) { figures.set(attack, name, format, values...) }
		check := func(ok bool, what string, values ...any) {
			if judge && !ok {
				t.Errorf(what, values...)
			}
		}
		for _, attack := range []struct {
			name string
			run  func(*testing.T, string, setter, checker)
		}{
			{"slow", slowBodies}, {"claimed", claimedBodies}, {"streams", claimedStreams}, {"unread", unread}, {"stalled", unreadOverHTTP2},
			{"keys", idempotencyKeys}, {"values", manyValues}, {"mails", mailsToAStranger}, {"lockout", lockOut}, {"claims", claims},
		} {
			t.Run(name+"/"+attack.name, func(t *testing.T) { attack.run(t, binary, set, check) })
		}
	}
	for one := range strings.SplitSeq(others, ",") {
		if name, path, found := strings.Cut(one, "="); found {
			path, err := filepath.Abs(path)
			require.NoError(t, err)
			run(name, path, false)
		}
	}
	run("this build", own, true)
	t.Log("\n" + figures.String())
}

type (
	setter  func(attack, format string, values ...any)
	checker func(ok bool, what string, values ...any)
)

// slowBodies: four free teams hold 256 connections each, and open them again when they
// end.
func slowBodies(t *testing.T, binary string, set setter, check checker) {
	s := start(t, binary, false)
	_, victim := s.team("victim@example.com", "growth")
	stop := make(chan struct{})
	var attackers sync.WaitGroup
	for team := range 4 {
		_, key := s.team(fmt.Sprintf("slow%d@example.com", team), "free")
		request := "POST /api-keyword-watchlist HTTP/1.1\r\nHost: x\r\nX-Api-Key: " + key + "\r\nContent-Length: 20\r\n\r\n{"
		for range 256 {
			conn := s.hold(request, false)
			attackers.Go(func() {
				for {
					ended := make(chan struct{})
					go func() {
						defer close(ended)
						_, _ = conn.Read(make([]byte, 4096)) // a reply: its connection ends
					}()
					select {
					case <-ended:
						_ = conn.Close()
						conn = s.hold(request, false)
					case <-stop:
						_ = conn.Close()
						<-ended
						return
					}
				}
			})
		}
	}
	served, refused := 0, 0
	var longest time.Duration
	last := time.Now()
	for end := last.Add(lasts); time.Now().Before(end); {
		if status, _ := s.send("GET", "/api-posts", "", "X-Api-Key", victim); status == http.StatusOK {
			served, last = served+1, time.Now()
		} else {
			refused++
		}
		longest = max(longest, time.Since(last))
	}
	close(stop)
	attackers.Wait()
	set("four free teams hold 256 bodies each for 60 s: requests of another team served / refused", "%d / %d", served, refused)
	set("— the longest time without service", "%.1f s", longest.Seconds())
	check(refused == 0 && served > 0, "slow bodies: %d served, %d refused", served, refused)
}

const claimed = 1 << 20

// claimedBodies: strangers claim bodies that they do not send.
func claimedBodies(t *testing.T, binary string, set setter, check checker) {
	s := start(t, binary, false)
	before := s.heap()
	for range 1000 {
		s.hold(fmt.Sprintf("POST /network-agent/auth-send-otp HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n{", claimed), false)
	}
	grown := s.peak(s.heap) - before
	set("1,000 sign-ins that claim 1 MiB: heap", "+%d MiB", grown)
	check(grown < 200, "1,000 claimed bodies took %d MiB", grown)
}

// claimedStreams: the same over one connection.
func claimedStreams(t *testing.T, binary string, set setter, check checker) {
	s := start(t, binary, true)
	before := s.heap()
	s.streams(240, 1<<20, "POST", "/network-agent/auth-send-otp", "{", "content-length", fmt.Sprint(claimed))
	grown := s.peak(s.heap) - before
	set("one HTTP/2 connection with 240 such streams: heap", "+%d MiB", grown)
	check(grown < 50, "240 claimed streams took %d MiB", grown)
}

// unread: clients that do not read the replies to their requests.
func unread(t *testing.T, binary string, set setter, check checker) {
	s := start(t, binary, false)
	before := s.goroutines()
	for range 200 {
		// Replies in a row fill the buffers of the kernel.
		s.hold(strings.Repeat("GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n", 100), true)
	}
	during := s.peak(s.goroutines) - before
	after := s.falls(s.goroutines, before+99, lasts+5*time.Second) - before
	set("200 clients never read /openapi.json: goroutines at once / when fewer than 100 are left, or after 65 s", "+%d / +%d", during, after)
	check(after < 100, "unread replies hold %d goroutines", after)
}

// unreadOverHTTP2: the same with 10 connections of 240 streams; half of them grant no
// window; the others grant one and do not read.
func unreadOverHTTP2(t *testing.T, binary string, set setter, check checker) {
	s := start(t, binary, true)
	before, memory := s.goroutines(), s.memory("VmRSS")
	for range 5 {
		s.streams(240, 0, "GET", "/openapi.json", "", "accept-encoding", "gzip")
		s.streams(240, 1<<30, "GET", "/openapi.json", "")
	}
	s.peak(s.goroutines)
	grown := s.memory("VmHWM") - memory
	after := s.falls(s.goroutines, before+99, lasts+35*time.Second) - before
	set("10 HTTP/2 connections with 2,400 streams of /openapi.json that are never read: memory", "+%d MiB", grown)
	set("— goroutines when fewer than 100 are left, or after 95 s", "+%d", after)
	check(grown < 200 && after < 100, "unread streams hold %d MiB and %d goroutines", grown, after)
}

// together sends requests at a time, and returns how many of them had each status.
func (s *service) together(n int, send func(i int) (int, []byte)) map[int]int {
	var mu sync.Mutex
	statuses := map[int]int{}
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			status, _ := send(i)
			mu.Lock()
			statuses[status]++
			mu.Unlock()
		})
	}
	all.Wait()
	return statuses
}

// idempotencyKeys: large bodies that are hashed.
func idempotencyKeys(t *testing.T, binary string, set setter, check checker) {
	s := start(t, binary, false)
	_, key := s.team("keys@example.com", "growth")
	body := `{"keywords":["a"],"x":[` + strings.Repeat(`{"a":1},`, 110_000) + `1]}`
	before := s.memory("VmRSS")
	s.together(24, func(i int) (int, []byte) {
		return s.send("POST", "/api-keyword-watchlist", body, "X-Api-Key", key, "Idempotency-Key", fmt.Sprint(i))
	})
	grown := s.memory("VmHWM") - before
	set("24 requests of 1 MB with an Idempotency-Key: memory", "+%d MiB", grown)
	check(grown < 200, "24 bodies took %d MiB", grown)
}

// manyValues: bodies of a megabyte with as many values as go into it.
func manyValues(t *testing.T, binary string, set setter, check checker) {
	s := start(t, binary, false)
	team, key := s.team("values@example.com", "free")
	session := s.operator("POST", "/admin/teams/"+team+"/sessions", `{"email":"values@example.com"}`)["session_token"].(string)
	polls := `{"messages":[` + strings.Repeat(`{},`, 340_000) + `{}]}`
	labels := `{"keywords":["a"],"labels":[` + strings.Repeat(`{},`, 340_000) + `{}]}`
	before := s.memory("VmRSS")
	s.together(4, func(int) (int, []byte) {
		return s.send("POST", "/extension/poll", polls, "Authorization", "Bearer "+session)
	})
	s.together(4, func(int) (int, []byte) {
		return s.send("POST", "/api-keyword-watchlist", labels, "X-Api-Key", key)
	})
	grown := s.memory("VmHWM") - before
	set("4 polls and 4 watchlists of a free team, 1 MB with 340,000 values: memory", "+%d MiB", grown)
	check(grown < 200, "8 bodies of many values took %d MiB", grown)
}

// mailsToAStranger: a team that registered itself sends mails with its chosen words.
func mailsToAStranger(t *testing.T, binary string, set setter, check checker) {
	const attacker, victim = "eve@evil.example", "victim@corp.example"
	s := start(t, binary, false)
	b := s.browser()
	require.True(t, b.signIn(attacker))
	_, key := s.keyOf(attacker)
	b.form("/app/team", url.Values{"do": {"invite"}, "email": {victim}, "role": {"member"}, "token": {b.token()}})
	_, raw := s.send("POST", "/api-notifications", `{"type":"email","name":"Pay at https://evil.example","user_emails":["`+victim+`"],"max_per_hour":600}`, "X-Api-Key", key)
	var target struct{ ID string }
	_ = json.Unmarshal(raw, &target) // without one, nothing is sent
	burst := func() {
		for range 60 {
			s.send("POST", "/api-notifications/send", `{"id":"`+target.ID+`"}`, "X-Api-Key", key)
		}
	}
	count := func() (mails, bait int) {
		for _, text := range s.mails(victim) {
			mails++
			head, _, _ := strings.Cut(strings.ReplaceAll(text, "\r", ""), "\n\n")
			if strings.Contains(head, "evil.example") && strings.Contains(head, "Pay at") {
				bait++
			}
		}
		return mails, bait
	}
	began := time.Now()
	burst()
	took := time.Since(began)
	first, _ := count()
	for range 23 {
		s.operator("POST", "/admin/clock", `{"advance":"1h"}`)
		burst()
	}
	day, bait := count()
	set("a self-registered team invites a stranger and sends 60 tests an hour: mails after the first 60", "%d (%.1f s)", first, took.Seconds())
	set("— in a day / with its words in the subject", "%d / %d", day, bait)
	check(day <= 3 && bait == 0, "%d mails to a stranger, %d with words of the sender", day, bait)
}

// keyOf returns the team of an address and its key.
func (s *service) keyOf(email string) (id, key string) {
	s.t.Helper()
	list := s.operator("GET", "/admin/teams", "")
	for _, one := range list["teams"].([]any) {
		id := one.(map[string]any)["id"].(string)
		raw, err := json.Marshal(s.operator("GET", "/admin/teams/"+id, ""))
		require.NoError(s.t, err)
		if strings.Contains(string(raw), email) {
			return id, s.operator("POST", "/admin/teams/"+id+"/rotate-key", "{}")["api_key"].(string)
		}
	}
	s.t.Fatal("no team of " + email)
	return "", ""
}

// lockOut: a stranger asks for codes of an address and tries wrong ones.
func lockOut(t *testing.T, binary string, set setter, check checker) {
	const victim = "victim@corp.example"
	s := start(t, binary, false)
	b := s.browser()
	require.True(t, b.signIn(victim))
	b.form("/app/sign-out", url.Values{"token": {b.token()}})
	s.operator("POST", "/admin/clock", `{"advance":"1h"}`)
	for range 3 {
		before := len(s.mails(victim))
		s.send("POST", "/network-agent/auth-send-otp", `{"email":"`+victim+`"}`)
		right := s.code(victim, before+1)
		for n := range 5 {
			wrong := fmt.Sprintf("%06d", n)
			if wrong == right {
				wrong = "999999"
			}
			s.send("POST", "/network-agent/auth-verify-otp", `{"email":"`+victim+`","otp":"`+wrong+`"}`)
		}
	}
	enters := b.signIn(victim)
	set("3 requests and 15 wrong codes for an address: its owner signs in", "%v", map[bool]string{true: "yes", false: "no"}[enters])
	check(enters, "the owner of the address is locked out")
}

// claims: a session that is signed in nowhere names the accounts of others.
func claims(t *testing.T, binary string, set setter, check checker) {
	const accounts = 10
	s := start(t, binary, false)
	evil, _ := s.team("evil@example.com", "free")
	report := func(team, email string, account int, frames ...protocol.Frame) {
		token := s.operator("POST", "/admin/teams/"+team+"/sessions", `{"email":"`+email+`"}`)["session_token"].(string)
		ctx, cancel := context.WithTimeout(t.Context(), process.Patience)
		defer cancel()
		ws, _, err := websocket.Dial(ctx, strings.Replace(s.url, "http", "ws", 1)+"/extension/socket", nil)
		require.NoError(t, err)
		t.Cleanup(func() { _ = ws.CloseNow() })
		write := func(f protocol.Frame) {
			raw, err := json.Marshal(f)
			require.NoError(t, err)
			require.NoError(t, ws.Write(ctx, websocket.MessageText, raw))
		}
		write(protocol.Frame{Type: protocol.TypeHello, V: 1, Token: token, Boot: "b", Journal: "j", Account: accountOf(account, len(frames) == 0)})
		for _, f := range append(frames, protocol.Frame{Type: protocol.TypeResult, Task: "none", Lease: "none"}) {
			write(f)
		}
		for acked := false; !acked; { // everything before it is done
			_, raw, err := ws.Read(ctx)
			require.NoError(t, err)
			acked = strings.Contains(string(raw), `"none"`)
		}
	}
	var beats []protocol.Frame
	for account := range accounts {
		beats = append(beats, protocol.Frame{Type: protocol.TypeHeartbeat, Account: accountOf(account, false)})
	}
	report(evil, "evil@example.com", 0, beats...)
	taken := 0
	for account := range accounts {
		email := fmt.Sprintf("owner%d@example.com", account)
		team, key := s.team(email, "growth")
		report(team, email, account)
		if _, raw := s.send("GET", "/api-team", "", "X-Api-Key", key); strings.Contains(string(raw), `"reason":"account_in_use"`) {
			taken++
		}
	}
	set("a session signed in nowhere names 10 accounts: owners who get account_in_use", "%d", taken)
	check(taken == 0, "%d accounts are taken", taken)
}

func accountOf(n int, signedIn bool) *protocol.Account {
	name := fmt.Sprintf("victim-%d", n)
	return &protocol.Account{URN: "urn:network:member:" + name, Slug: name, Name: name, SignedIn: signedIn}
}
