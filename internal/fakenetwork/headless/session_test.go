package headless_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"watchpost/internal/fakenetwork"
	"watchpost/internal/fakenetwork/headless"
	"watchpost/internal/protocol"
)

var profileTask = task("t1", "agent_profile_fetch", map[string]string{"profile_slug": "jo"})

func TestLostResultIsSentAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	s := w.run()
	c, _ := w.welcomed()
	c.send(profileTask)
	c.read(protocol.TypeAccepted)
	first := c.read(protocol.TypeResult)
	c.drop() // the ack is lost

	c, hello := w.welcomed()
	if len(hello.Tasks) != 1 || hello.Tasks[0] != (protocol.JournalTask{Task: "t1", Lease: "t1-1", Attempt: 1, State: protocol.StateDone}) {
		t.Errorf("hello lists %+v", hello.Tasks)
	}
	second := c.read(protocol.TypeResult)
	s.kill()

	w.run() // another process sends it again
	c, _ = w.welcomed()
	third := c.read(protocol.TypeResult)
	if string(first.Output) != string(second.Output) || string(first.Output) != string(third.Output) {
		t.Error("the result changed")
	}
	// Handed out again, it is answered from the journal under the new lease.
	f := profileTask
	f.Lease, f.Attempt = "t1-2", 2
	c.send(f)
	c.read(protocol.TypeAccepted)
	if got := c.read(protocol.TypeResult); got.Lease != "t1-2" || got.Attempt != 2 {
		t.Errorf("result %+v", got)
	}
	c.send(ack("t1"))
	c.send(ack("t1"))
	c.send(ack("never heard of"))
	c.drop()
	if _, hello := w.welcomed(); len(hello.Tasks) != 0 {
		t.Errorf("after the ack hello lists %+v", hello.Tasks)
	}
}

// TestReadRestartsAfterCrash: a read during which the process died is
// repeated without a new hand-out.
func TestReadRestartsAfterCrash(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	s := w.run()
	c, _ := w.welcomed()
	w.site.SetFaults("", fakenetwork.Faults{Slow: time.Hour})
	c.send(profileTask)
	c.read(protocol.TypeAccepted)
	s.kill()
	w.site.ClearFaults()
	w.run()
	c, hello := w.welcomed()
	if len(hello.Tasks) != 1 || hello.Tasks[0].State != protocol.StateReceived {
		t.Errorf("hello lists %+v", hello.Tasks)
	}
	if got := c.read(protocol.TypeResult); got.Task != "t1" || got.Error != nil {
		t.Errorf("result %+v", got)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	w.run()
	c, _ := w.welcomed()
	w.site.SetFaults("", fakenetwork.Faults{Slow: time.Hour})
	c.send(profileTask)
	c.read(protocol.TypeAccepted)
	w.await("/in/")
	c.send(task("t0", "agent_profile_fetch", map[string]string{"profile_slug": "jo"}))
	c.read(protocol.TypeAccepted)
	c.send(protocol.Frame{Type: protocol.TypeCancel, Task: "t0"})
	if got := c.read(protocol.TypeReleased); got.Task != "t0" {
		t.Errorf("released %+v", got)
	}
	// A task that has begun is not released: the network was touched.
	c.send(protocol.Frame{Type: protocol.TypeCancel, Task: "t1"})
	// The session is free for the next task.
	w.site.ClearFaults()
	next := task("t2", "agent_profile_fetch", map[string]string{"profile_slug": "jo"})
	c.send(next)
	c.read(protocol.TypeAccepted)
	if got := c.read(protocol.TypeResult); got.Task != "t2" {
		t.Errorf("result %+v", got)
	}
	c.send(protocol.Frame{Type: protocol.TypeCancel, Task: "t2"}) // too late: the result counts
	c.drop()
	if _, hello := w.welcomed(); len(hello.Tasks) != 1 || hello.Tasks[0].State != protocol.StateDone {
		t.Errorf("hello lists %+v", hello.Tasks)
	}
}

func TestEndedByTheService(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		end  func(*conn)
		want error
	}{
		"4401 after hello": {func(c *conn) { _ = c.ws.Close(protocol.CloseUnauthorised, "") }, headless.ErrRevoked},
		"revoked": {func(c *conn) {
			c.send(welcome())
			c.send(protocol.Frame{Type: protocol.TypeRevoked})
		}, headless.ErrRevoked},
		"4408": {func(c *conn) {
			c.send(welcome())
			_ = c.ws.Close(protocol.CloseReplaced, "")
		}, headless.ErrReplaced},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, fakenetwork.Options{})
			s := w.run()
			c := w.accept()
			c.read(protocol.TypeHello)
			test.end(c)
			s.ended(test.want)
		})
	}
}

func TestReconnects(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	w.run()
	for range 3 {
		c, _ := w.welcomed()
		_ = c.ws.Close(websocket.StatusGoingAway, "")
		if wait := <-w.waits; wait < 500*time.Millisecond || wait > time.Second {
			t.Errorf("waits %v after a connection that worked", wait)
		}
	}
	// Without a welcome the pauses grow.
	c, _ := w.welcomed()
	w.setRefuse(true)
	c.drop()
	var last time.Duration
	for range 2 {
		last = <-w.waits
	}
	if last < time.Second/2 {
		t.Errorf("waits %v", last)
	}
	w.setRefuse(false)
}

func TestLongPoll(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	w.setRefuse(true)
	w.run()
	first := w.acceptPoll()
	if first.token != "Bearer secret" || len(first.messages) != 1 || first.messages[0].Type != protocol.TypeHello {
		t.Fatalf("first poll: %q, %+v", first.token, first.messages)
	}
	for range 3 {
		<-w.waits // three failed attempts of the socket
	}
	first.answer <- []protocol.Frame{welcome()}
	held := w.acceptPoll()
	if len(held.messages) != 0 {
		t.Errorf("second poll says %+v", held.messages)
	}
	if got := <-w.linked; got != "poll" {
		t.Errorf("linked by %s", got)
	}
	// The poll after a task sends accepted. If there is a frame to send while a
	// poll is held, a second poll sends it.
	held.answer <- []protocol.Frame{profileTask}
	var said []protocol.Frame
	for len(said) < 2 {
		p := w.acceptPoll()
		said = append(said, p.messages...)
		if len(said) < 2 {
			go func() { p.answer <- nil }()
		} else {
			late := task("late", "agent_profile_fetch", nil)
			late.Deadline = &start
			p.answer <- []protocol.Frame{ack("t1"), ack("t1"), late}
		}
	}
	if said[0].Type != protocol.TypeAccepted { // two polls are under way, and the later one may be faster
		said[0], said[1] = said[1], said[0]
	}
	if said[0].Type != protocol.TypeAccepted || said[1].Type != protocol.TypeResult || said[1].Error != nil {
		t.Errorf("said %+v", said)
	}
	// Its reply to the last frame proves that the earlier ones were handled.
	for done := false; !done; {
		p := w.acceptPoll()
		done = slices.ContainsFunc(p.messages, func(f protocol.Frame) bool { return f.Type == protocol.TypeReleased })
		if !done {
			go func() { p.answer <- nil }()
		}
	}
	// Later the session tries the socket again.
	w.setRefuse(false)
	w.retries <- start
	c, hello := w.welcomed()
	if len(hello.Tasks) != 0 {
		t.Errorf("hello lists %+v", hello.Tasks)
	}
	c.send(task("t2", "agent_profile_fetch", map[string]string{"profile_slug": "jo"}))
	c.read(protocol.TypeAccepted)
	c.read(protocol.TypeResult)
}

func TestLongPollRevoked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	w.setRefuse(true)
	s := w.run()
	w.acceptPoll().status <- http.StatusUnauthorized
	s.ended(headless.ErrRevoked)
}

// TestLongPollWrite: the same rules apply over the other transport.
func TestLongPollWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	w.setRefuse(true)
	w.run()
	w.acceptPoll().answer <- []protocol.Frame{welcome()}
	f := task("t1", "agent_like_post", map[string]string{"social_urn": w.aim().post.URN})
	script := map[string][]protocol.Frame{"": {f}, protocol.TypeActing: {goFor(f)}, protocol.TypeResult: {ack("t1")}}
	for done := false; !done; {
		p := w.acceptPoll()
		var reply []protocol.Frame
		if r, ok := script[""]; ok {
			reply = r
			delete(script, "")
		}
		for _, m := range p.messages {
			reply = append(reply, script[m.Type]...)
			done = done || m.Type == protocol.TypeResult
		}
		if reply != nil {
			p.answer <- reply
			continue
		}
		go func() { // held until the next poll, as in a service
			select {
			case <-p.gone:
			case <-time.After(5 * time.Millisecond):
				p.answer <- nil
			}
		}()
	}
	if n := len(w.site.Writes()); n != 1 {
		t.Errorf("%d writes", n)
	}
}

func TestJournalInUse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	w.run()
	w.welcomed()
	w.run().ended(headless.ErrJournalInUse)
}

func TestOptions(t *testing.T) {
	t.Parallel()
	good := headless.Options{Server: "https://s.example", Token: "t", NetworkURL: "http://n.example", Account: "a", JournalDir: t.TempDir()}
	for name, change := range map[string]func(*headless.Options){
		"no token":      func(o *headless.Options) { o.Token = "" },
		"no journal":    func(o *headless.Options) { o.JournalDir = "" },
		"no server":     func(o *headless.Options) { o.Server = "" },
		"no scheme":     func(o *headless.Options) { o.Server = "s.example" },
		"in clear":      func(o *headless.Options) { o.Server = "http://s.example" },
		"no network":    func(o *headless.Options) { o.NetworkURL = "ftp://n.example" },
		"server broken": func(o *headless.Options) { o.Server = "http://[::1" },
	} {
		opts := good
		change(&opts)
		if err := headless.Run(t.Context(), opts); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in protocol.SignInRequest
		_ = json.NewDecoder(r.Body).Decode(&in)
		if r.URL.Path != "/extension/sign-in" || in.Code != "ABCD1234" {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"error":"Invalid or expired code"}`))
			return
		}
		_ = json.NewEncoder(w).Encode(protocol.SignInReply{SessionToken: "token", Team: protocol.SignInTeam{ID: "team"}})
	}))
	t.Cleanup(server.Close)
	got, err := headless.SignIn(t.Context(), server.URL, protocol.SignInRequest{Code: "ABCD1234"})
	if err != nil || got.SessionToken != "token" || got.Team.ID != "team" {
		t.Errorf("%+v, %v", got, err)
	}
	_, err = headless.SignIn(t.Context(), server.URL, protocol.SignInRequest{Email: "a@b.c", OTP: "000000"})
	if err == nil || !strings.Contains(err.Error(), "Invalid or expired code") {
		t.Errorf("refusal: %v", err)
	}
	http.DefaultClient.CloseIdleConnections()
}
