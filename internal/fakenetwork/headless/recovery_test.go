package headless_test

import (
	"encoding/json"
	"net/url"
	"testing"
	"time"

	"watchpost/internal/fakenetwork"
	"watchpost/internal/fakenetwork/headless"
	"watchpost/internal/protocol"
)

// tasks returns the input of one task of each kind of write.
func (a aim) tasks() map[string]struct {
	kind  fakenetwork.WriteKind
	input map[string]string
} {
	return map[string]struct {
		kind  fakenetwork.WriteKind
		input map[string]string
	}{
		"agent_like_post":               {fakenetwork.WriteLike, map[string]string{"social_urn": a.post.URN}},
		"agent_comment_post":            {fakenetwork.WriteComment, map[string]string{"social_urn": a.post.URN, "comment_text": "so true"}},
		"agent_send_message":            {fakenetwork.WriteMessage, map[string]string{"recipient_urn": a.friend.URN, "message": "hello"}},
		"agent_send_connection_request": {fakenetwork.WriteInvitation, map[string]string{"profile_urn": a.stranger.URN}},
	}
}

// decided reports whether the page's state alone decides a kind of write.
func decided(kind string) bool {
	return kind == "agent_like_post" || kind == "agent_send_connection_request"
}

// TestAnswerLost: the write was applied but its response was lost. The page
// shows it.
func TestAnswerLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	a := w.aim()
	w.run()
	c, _ := w.welcomed()
	for id, test := range a.tasks() {
		w.site.SetFaults("jo", fakenetwork.Faults{LoseAnswers: 1})
		hand(c, task(id, id, test.input))
		if got := c.read(protocol.TypeResult); got.Error != nil || got.Output == nil {
			t.Errorf("%s: %+v", id, got.Error)
		}
		if n := w.site.WriteCount("jo", test.kind, ""); n != 1 {
			t.Errorf("%s: %d writes", id, n)
		}
		c.send(ack(id))
	}
}

// TestWriteLost: the write did not arrive. It is done once more; comments and
// messages only after a second look.
func TestWriteLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	a := w.aim()
	w.run()
	c, _ := w.welcomed()
	for id, test := range a.tasks() {
		w.site.SetFaults("jo", fakenetwork.Faults{LoseWrites: 1})
		hand(c, task(id, id, test.input))
		if !decided(id) {
			w.secondLook()
		}
		if got := c.result(); got.Error != nil {
			t.Errorf("%s: %+v", id, got.Error)
		}
		if n := w.site.WriteCount("jo", test.kind, ""); n != 1 {
			t.Errorf("%s: %d writes", id, n)
		}
		c.send(ack(id))
	}
}

// outcomeUnknown reports whether a result says that it is not known whether a write was
// done.
func outcomeUnknown(result protocol.Frame) bool {
	e := result.Error
	return e != nil && e.Code == protocol.CodeOutcomeUnknown && e.Acted == nil
}

// secondLook waits until the session waits for its second look, then advances
// the clock past it.
func (w *world) secondLook() {
	w.t.Helper()
	select {
	case <-w.clock.Armed():
		w.clock.Advance(30 * time.Second)
	case <-time.After(patience):
		w.t.Fatal("no second look")
	}
}

// TestNetworkThatShowsLate: on a network that shows writes late, a comment or
// message that is not visible is not repeated, because it may have been done.
// For other writes the page still decides.
func TestNetworkThatShowsLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	w.showsLate = true
	a := w.aim()
	w.run()
	c, _ := w.welcomed()
	for id, test := range a.tasks() {
		w.site.SetFaults("jo", fakenetwork.Faults{LoseWrites: 1})
		hand(c, task(id, id, test.input))
		if !decided(id) {
			w.secondLook()
		}
		got := c.result()
		if outcomeUnknown(got) == decided(id) {
			t.Errorf("%s: %+v", id, got.Error)
		}
		if n := w.site.WriteCount("jo", test.kind, ""); n != 0 && !decided(id) {
			t.Errorf("%s: %d writes", id, n)
		}
		w.site.SetFaults("jo", fakenetwork.Faults{})
		c.send(ack(id))

		// A visible write counts, as on any network.
		w.site.SetFaults("jo", fakenetwork.Faults{LoseAnswers: 1})
		if !decided(id) {
			hand(c, task(id+"-2", id, test.input))
			if got := c.result(); got.Error != nil {
				t.Errorf("%s: %+v", id, got.Error)
			}
			c.send(ack(id + "-2"))
		}
		w.site.SetFaults("jo", fakenetwork.Faults{})
	}
}

// TestWriteLostTwice: after the second attempt the session stops.
func TestWriteLostTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	a := w.aim()
	w.run()
	c, _ := w.welcomed()
	for id, test := range a.tasks() {
		w.site.SetFaults("jo", fakenetwork.Faults{LoseWrites: -1})
		hand(c, task(id, id, test.input))
		if !decided(id) {
			w.secondLook()
		}
		got := c.result()
		if !outcomeUnknown(got) {
			t.Errorf("%s: %+v", id, got.Error)
		}
		c.send(ack(id))
	}
	if n := len(w.site.Writes()); n != 0 {
		t.Errorf("%d writes", n)
	}
}

// TestPageUnreadableAfterWrite: without a readable page nothing is done.
func TestPageUnreadableAfterWrite(t *testing.T) {
	t.Parallel()
	var w *world
	w = newWorld(t, fakenetwork.Options{OnWrite: func(fakenetwork.Write) {
		w.site.SetFaults("jo", fakenetwork.Faults{LayoutChanged: true})
	}})
	a := w.aim()
	w.run()
	c, _ := w.welcomed()
	w.site.SetFaults("jo", fakenetwork.Faults{LoseAnswers: 1})
	hand(c, task("t1", "agent_comment_post", map[string]string{"social_urn": a.post.URN, "comment_text": "x"}))
	w.secondLook()
	if got := c.read(protocol.TypeResult); got.Error == nil || got.Error.Code != protocol.CodeOutcomeUnknown || got.Error.Acted != nil {
		t.Errorf("result %+v", got.Error)
	}
	if n := len(w.site.Writes()); n != 1 {
		t.Errorf("%d writes", n)
	}
}

// TestKilledAfterWrite: the process dies before the write's response arrives.
// The next process finds the write on the page and does not repeat it.
func TestKilledAfterWrite(t *testing.T) {
	t.Parallel()
	for id := range (aim{}).tasks() {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			applied, release := make(chan struct{}), make(chan struct{})
			w := newWorld(t, fakenetwork.Options{OnWrite: func(fakenetwork.Write) {
				close(applied)
				<-release
			}})
			t.Cleanup(func() { close(release) })
			test := w.aim().tasks()[id]
			s := w.run()
			c, hello := w.welcomed()
			hand(c, task("t1", id, test.input))
			<-applied
			s.kill()

			w.run()
			c, again := w.welcomed()
			if len(again.Tasks) != 1 || again.Tasks[0].State != protocol.StateActing || again.Tasks[0].Lease != "t1-1" {
				t.Errorf("hello lists %+v", again.Tasks)
			}
			if again.Journal != hello.Journal || again.Boot == hello.Boot {
				t.Errorf("journal %q, %q; boot %q, %q", hello.Journal, again.Journal, hello.Boot, again.Boot)
			}
			if got := c.read(protocol.TypeResult); got.Error != nil || got.Task != "t1" {
				t.Errorf("result %+v", got.Error)
			}
			if n := w.site.WriteCount("jo", test.kind, ""); n != 1 {
				t.Errorf("%d writes", n)
			}
		})
	}
}

// TestKilledBeforeGo: without go nothing was done, so the task restarts.
func TestKilledBeforeGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	a := w.aim()
	s := w.run()
	c, _ := w.welcomed()
	f := task("t1", "agent_comment_post", map[string]string{"social_urn": a.post.URN, "comment_text": "x"})
	c.send(f)
	c.read(protocol.TypeAccepted)
	c.read(protocol.TypeActing)
	s.kill()

	w.run()
	c, _ = w.welcomed()
	c.read(protocol.TypeActing)
	c.send(goFor(f))
	c.read(protocol.TypeResult)
	if n := len(w.site.Writes()); n != 1 {
		t.Errorf("%d writes", n)
	}
}

// TestJournalOfDeadProcess covers a write found in acting, for each state of
// the journal and the page.
func TestJournalOfDeadProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	const like, comment = "agent_like_post", "agent_comment_post"
	for name, test := range map[string]struct {
		kind    string
		witness headless.Witness
		again   bool
		at      time.Time
		applied bool // the page shows it
		code    string
		writes  int // by the session
	}{
		"comment on the page":              {kind: comment, at: start, applied: true},
		"comment on the page, begun twice": {kind: comment, at: start, applied: true, again: true},
		"comment not there, begun twice":   {kind: comment, at: start, again: true, code: protocol.CodeOutcomeUnknown},
		"comment not there":                {kind: comment, at: start.Add(-time.Minute), writes: 1},
		"fewer comments than there were":   {kind: comment, at: start.Add(-time.Minute), witness: headless.Witness{Count: 2}, code: protocol.CodeOutcomeUnknown},
		"liked":                            {kind: like, at: start, applied: true},
		"not liked, begun twice":           {kind: like, at: start, again: true, writes: 1},
	} {
		t.Run(name, func(t *testing.T) {
			b := w.browser("jo")
			post := freshPost(w)
			if test.applied && test.kind == like {
				b.Post(post+"/like", nil)
			} else if test.applied {
				b.Post(post+"/comment", url.Values{"text": {"so true"}})
			}
			before := len(w.site.Writes())
			dir := t.TempDir()
			j := openJournal(t, dir)
			input, _ := json.Marshal(map[string]string{"social_urn": b.Get(post).Post.URN, "comment_text": "so true"})
			err := j.Put(headless.Entry{
				Task: "t1", Lease: "l", Attempt: 1, TaskType: test.kind, Input: input, State: protocol.StateActing, At: test.at,
				Witness: &test.witness, ActingAt: &test.at, Begun: true, Again: test.again,
			})
			if err != nil {
				t.Fatal(err)
			}
			_ = j.Close()
			s := w.runWith(dir)
			c, _ := w.welcomed()
			result := c.result()
			if test.code == "" && result.Error != nil || test.code != "" && (result.Error == nil || result.Error.Code != test.code || result.Error.Acted != nil) {
				t.Errorf("result %+v %s", result.Error, result.Output)
			}
			if n := len(w.site.Writes()) - before; n != test.writes {
				t.Errorf("%d writes, want %d", n, test.writes)
			}
			s.kill()
		})
	}
}

// TestGivenUpWhileLost: a write that the service has given up is not done again.
func TestGivenUpWhileLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	a := w.aim()
	w.run()
	c, _ := w.welcomed()
	for id, test := range a.tasks() {
		w.site.SetFaults("jo", fakenetwork.Faults{LoseWrites: 1})
		hand(c, task(id, id, test.input))
		if !decided(id) {
			w.secondLook()
		}
		c.read(protocol.TypeActing)
		c.send(protocol.Frame{Type: protocol.TypeCancel, Task: id})
		got := c.read(protocol.TypeResult)
		if !outcomeUnknown(got) {
			t.Errorf("%s: %+v", id, got.Error)
		}
		c.send(ack(id))
	}
	if n := len(w.site.Writes()); n != 0 {
		t.Errorf("%d writes", n)
	}
}

// freshPost returns the path of a post that no account has touched.
func freshPost(w *world) string {
	w.t.Helper()
	touched := make(map[string]bool)
	for _, one := range w.site.Writes() {
		touched[one.Target] = true
	}
	for _, p := range w.browser("ann").Get("/feed").Posts {
		if !touched[p.URN] {
			return p.Path
		}
	}
	w.t.Fatal("no post left")
	return ""
}

// TestCancelledWhileActing: a write that may have touched the network is
// reported.
func TestCancelledWhileActing(t *testing.T) {
	t.Parallel()
	applied, release := make(chan struct{}), make(chan struct{})
	w := newWorld(t, fakenetwork.Options{OnWrite: func(fakenetwork.Write) {
		close(applied)
		<-release
	}})
	w.run()
	c, _ := w.welcomed()
	hand(c, task("t1", "agent_like_post", map[string]string{"social_urn": w.aim().post.URN}))
	<-applied
	c.send(protocol.Frame{Type: protocol.TypeCancel, Task: "t1"})
	c.send(task("t2", "agent_profile_fetch", map[string]string{"profile_slug": "jo"}))
	c.read(protocol.TypeAccepted) // frames are handled in order, so the cancel was seen
	close(release)
	for _, want := range []string{"t1", "t2"} {
		if got := c.read(protocol.TypeResult); got.Task != want || got.Error != nil {
			t.Errorf("result %+v, want one of %s", got, want)
		}
	}
}

// heartbeat reads heartbeats until one reports whether the account is signed
// in.
func (c *conn) heartbeat(signedIn bool) protocol.Frame {
	c.t.Helper()
	for {
		select {
		case f, open := <-c.frames:
			if !open || f.Type != protocol.TypeHeartbeat {
				c.t.Fatalf("got %+v, want a heartbeat", f)
			}
			if f.Account != nil && f.Account.SignedIn == signedIn {
				return f
			}
		case <-time.After(patience):
			c.t.Fatalf("no heartbeat with signed_in %v", signedIn)
		}
	}
}
