package headless_test

import (
	"testing"

	"watchpost/internal/fakenetwork"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// TestNetworkAway: a write that never left the machine is reported as not done.
func TestNetworkAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	// A kept connection could break during the write, which is not sure.
	w.networkServer.Config.SetKeepAlivesEnabled(false)
	a := w.aim()
	w.run()
	c, _ := w.welcomed()
	f := task("t1", "agent_comment_post", map[string]string{"social_urn": a.post.URN, "comment_text": "x"})
	c.send(f)
	c.read(protocol.TypeAccepted)
	c.read(protocol.TypeActing)
	w.networkServer.Close()
	c.send(goFor(f))
	wantError(t, c.read(protocol.TypeResult), protocol.CodeTimeout)
	c.send(ack("t1"))
	c.send(task("t2", "agent_profile_fetch", map[string]string{"profile_slug": "jo"}))
	c.read(protocol.TypeAccepted)
	wantError(t, c.read(protocol.TypeResult), protocol.CodeTimeout)
}

// TestNetworkFaults: a fault that keeps the account from working is reported by
// its code, for reads, scans and writes, and never as an empty result.
func TestNetworkFaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	a := w.aim()
	w.run()
	c, _ := w.welcomed()
	like := map[string]string{"social_urn": a.post.URN}
	for code, fault := range map[string]fakenetwork.Faults{
		protocol.CodeSignedOut:         {SignedOut: true},
		protocol.CodeChallenge:         {Challenge: true},
		protocol.CodePageNotUnderstood: {LayoutChanged: true},
		protocol.CodeNetworkLimit:      {RateLimited: true},
	} {
		w.site.SetFaults("jo", fault)
		w.site.SetFaults("", fault)
		for _, f := range []protocol.Frame{
			task(code+"-read", "agent_profile_fetch", map[string]string{"profile_slug": "jo"}),
			task(code+"-scan", "keyword_scan", watchpost.ScanInput{Keyword: "hiring", Since: start.AddDate(0, 0, -1)}),
			task(code+"-posts", "agent_company_posts_fetch", map[string]string{"company_slug": a.company.Slug}),
			task(code+"-people", "agent_profiles_search", map[string]string{"title": "nobody"}),
			task(code+"-write", "agent_like_post", like),
		} {
			c.send(f)
			c.read(protocol.TypeAccepted)
			result := c.read(protocol.TypeResult)
			wantError(t, result, code)
			if result.Error.SlowDown != fault.RateLimited {
				t.Errorf("%s: slow_down %v", f.Task, result.Error.SlowDown)
			}
			c.send(ack(f.Task))
		}
		w.site.ClearFaults()
		w.beats <- start // signs the account in again where it was signed out
		c.heartbeat(true)
	}
	if n := len(w.site.Writes()); n != 0 {
		t.Errorf("%d writes", n)
	}
}
