package actors

import (
	"encoding/json"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/actors/intake"
	"watchpost/internal/protocol"
	"watchpost/internal/text"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// onFrame handles what a session says of the task. A frame counts only under a
// lease that was given to that session; every part and result is acknowledged
// all the same.
func (t *task) onFrame(m fromSession) {
	lease, given := t.state.FindLease(m.id, m.journal, m.frame.Lease)
	if !given {
		t.ignore(m)
		return
	}
	switch m.frame.Type {
	case protocol.TypeActing:
		t.onActing(m)
	case protocol.TypePart:
		t.onPosts(m, nil)
	case protocol.TypeResult:
		t.onResult(m, lease)
	case protocol.TypeReleased:
		t.onReleased(m, lease)
	}
}

// ignore acknowledges a frame that does not count. A session that wants to act
// without a lease gets a cancel.
func (t *task) ignore(m fromSession) {
	switch m.frame.Type {
	case protocol.TypePart, protocol.TypeResult:
		t.answer(t.ack(m))
	case protocol.TypeActing:
		t.ctx.Send(m.link, deliver{frame: protocol.Frame{Type: protocol.TypeCancel, Task: m.frame.Task}})
	}
}

// ack returns what acknowledges a part or result once it is durable.
func (t *task) ack(m fromSession) func(error) {
	root := t.env.System.Root
	frame := ackOf(&m.frame)
	return func(err error) {
		if err == nil {
			root.Send(m.link, deliver{frame: frame})
		}
	}
}

func ackOf(f *protocol.Frame) protocol.Frame {
	ack := protocol.Frame{Type: protocol.TypeAck, Task: f.Task}
	if f.Type == protocol.TypePart {
		ack.Seq = f.Seq
	}
	return ack
}

// onActing records that the session is about to touch the network, and lets it
// go when that is durable. It asks before each time that it does.
func (t *task) onActing(m fromSession) {
	root, frame := t.env.System.Root, protocol.Frame{Type: protocol.TypeGo, Task: m.frame.Task, Lease: m.frame.Lease}
	letGo := func(err error) {
		if err == nil {
			root.Send(m.link, deliver{frame: frame})
		}
	}
	if t.state.State == watchpost.TaskActing && t.state.Holds(m.frame.Lease) && t.state.Lease.MayActAgain(t.env.Clock.Now()) {
		t.answer(letGo)
		return
	}
	next, ok := t.state.Act(m.frame.Lease, t.env.Clock.Now())
	if !ok {
		t.ignore(m)
		return
	}
	t.decide(next, taskChange{event: taskStays}, letGo)
}

// onReleased takes back a task that the session did not begin.
func (t *task) onReleased(m fromSession, lease watchpost.Lease) {
	if t.onMembersWord(m, lease) {
		return
	}
	if !t.state.Holds(m.frame.Lease) {
		if !t.state.State.Final() { // taken back already, and nothing was used
			t.decide(t.state, taskChange{event: taskStays, refund: lease.Attempt}, nil)
		}
		return
	}
	if next, ok := t.state.Release(t.env.Clock.Now()); ok {
		t.decide(next, taskChange{
			event: returnedOrEnded(&next), by: m.id, refund: lease.Attempt, account: lease.Account, signs: m.signs, released: true,
		}, nil)
	}
}

// onMembersWord handles a release by which the session says what the member wants of a
// write; ok is false if it says nothing of that. The member may decline it after it was
// released, too, while no session has it.
func (t *task) onMembersWord(m fromSession, lease watchpost.Lease) (ok bool) {
	held, declined := t.state.Holds(m.frame.Lease), m.frame.Reason == protocol.ReleasedDeclined
	if !t.state.Type.Writes() || !held && (!declined || t.state.State != watchpost.TaskPending) {
		return false
	}
	next, change := t.state, taskChange{event: taskReturned, by: m.id, refund: lease.Attempt, account: lease.Account, signs: m.signs}
	switch {
	case declined:
		change.event = taskEnded
		next, ok = t.state.Decline(t.env.Clock.Now())
	case m.frame.Reason == protocol.ReleasedAsked:
		next, ok = t.state.PutOff()
	}
	if ok {
		t.decide(next, change, nil)
	}
	return ok
}

func (t *task) onResult(m fromSession, lease watchpost.Lease) {
	switch {
	case t.state.State.Final():
		t.ctx.Send(t.team, lateResult{session: m.id, frame: m.frame})
	case m.frame.Error != nil:
		t.onError(m, lease, m.frame.Error)
	case t.state.Type.Scan():
		t.onPosts(m, &lease)
	default:
		t.onOutput(m, lease)
	}
}

// complete ends the task with an output. When the answer is that of an earlier
// attempt, the newer one is called off.
func (t *task) complete(m fromSession, output json.RawMessage, scans map[watchpost.TaskID]teamspace.ScanRecord) {
	t.completeWith(m, output, scans, 0)
}

// completeWith is complete, and gives the debits of an attempt back.
func (t *task) completeWith(m fromSession, output json.RawMessage, scans map[watchpost.TaskID]teamspace.ScanRecord, refund int) {
	next, ok := t.state.Complete(output, t.env.Clock.Now())
	if !ok {
		t.answer(t.ack(m))
		return
	}
	by, then := m.id, t.ack(m)
	if t.state.Lease != nil && !t.state.Holds(m.frame.Lease) {
		by = t.state.Lease.Session
		then = t.alsoCancel(then)
	}
	t.decide(next, taskChange{event: taskEnded, by: by, scans: scans, refund: refund}, then)
}

// alsoCancel returns what does then and calls off the present attempt.
func (t *task) alsoCancel(then func(error)) func(error) {
	if t.state.Lease == nil {
		return then
	}
	root, session := t.env.System.Root, t.session
	cancel := deliver{t.state.Lease.Session, protocol.Frame{Type: protocol.TypeCancel, Task: string(t.state.ID)}}
	return func(err error) {
		if then != nil {
			then(err)
		}
		if err == nil {
			root.Send(session, cancel)
		}
	}
}

// onError applies the table of error codes. The error of an attempt that was
// already taken back changes nothing but its debit.
func (t *task) onError(m fromSession, lease watchpost.Lease, e *protocol.TaskError) {
	now := t.env.Clock.Now()
	v := watchpost.ClassifyError(t.state.Type, text.ClipBytes(e.Code, intake.MaxText), text.ClipBytes(e.Message, intake.MaxText), e.Acted)
	if e.SlowDown {
		v = v.AskedToSlowDown()
	}
	change := taskChange{event: taskReturned, by: m.id, account: lease.Account, signs: m.signs, verdict: v}
	if v.Refund {
		change.refund = lease.Attempt
	}
	if !t.state.Holds(m.frame.Lease) {
		change.event, change.by, change.verdict = taskStays, "", watchpost.Outcome{}
		t.decide(t.state, change, t.ack(m))
		return
	}
	if e.Code == protocol.CodeNotFound && t.onNothingFound(m, lease, v) {
		return
	}
	if v.Event == watchpost.EventFail {
		next, _ := t.state.Fail(v.Failure, now)
		change.event = taskEnded
		t.decide(next, change, t.ack(m))
		return
	}
	next, _ := t.state.Retry(v, now)
	change.event = returnedOrEnded(&next)
	t.decide(next, change, t.ack(m))
}

// returnedOrEnded is the event of a task that was taken back from its session.
func returnedOrEnded(next *watchpost.Task) taskEvent {
	if next.State.Final() {
		return taskEnded
	}
	return taskReturned
}

// onPosts sends the posts of a part or of a scan's result on their way through
// the watchlist to the post store; they come back as ingested. Only a result names the lease
// that ends with it.
func (t *task) onPosts(m fromSession, ends *watchpost.Lease) {
	last := ends != nil
	if !t.state.Type.Scan() {
		t.ignore(m)
		return
	}
	var output protocol.PostsOutput
	if err := json.Unmarshal(m.frame.Output, &output); err != nil || len(output.Posts) > protocol.MaxPartPosts && !last {
		t.env.Log.Warn("posts of a session not understood", "type", t.state.Type, "error", err)
		output = protocol.PostsOutput{}
	}
	posts := intake.CleanPosts(output.Posts, t.state.Type, t.env.network, t.env.Clock.Now(), t.guardPost)
	for i := range posts {
		if posts[i].PostedAt.After(t.newest) {
			t.newest = posts[i].PostedAt
		}
	}
	c := collected{answer: ingested{from: m}, reply: t.ctx.Self(), task: t.state.ID, posts: posts, last: last}
	if last && output.Exhausted != nil && *output.Exhausted {
		c.newest = t.newest
		_, since := t.state.Input.Scan()
		c.covered = teamspace.CoveredRecord{Since: since, Until: ends.NotBegunBefore()}
	}
	t.ctx.Send(t.team, c)
}

// guardPost guards the cleaning of a post.
func (t *task) guardPost(urn, content string, do func()) bool {
	return t.env.guard(t.team, "clean", urn, content, do)
}

// onIngested acknowledges posts that are durable for each entry, and with the
// last of them ends the scan.
func (t *task) onIngested(m ingested) {
	var scans map[watchpost.TaskID]teamspace.ScanRecord
	if m.all != nil && m.err == nil {
		m.all.left--
		if m.scan != nil {
			m.all.scans[m.target] = *m.scan
		}
		if m.all.left > 0 {
			return
		}
		scans = m.all.scans
	}
	switch {
	case m.err != nil:
		// The tree is about to reload; the session sends its journal again.
	case m.from.frame.Type == protocol.TypePart:
		t.ctx.Send(m.from.link, deliver{frame: ackOf(&m.from.frame)})
	default:
		t.complete(m.from, nil, scans)
	}
}

// collected carries posts of a scan from its task through the team to the owner
// of each entry that it is for.
type collected struct {
	answer ingested // for reply, when they are durable
	reply  *actor.PID
	task   watchpost.TaskID // to an owner: ScanTarget.Scan
	entry  watchpost.EntryID
	posts  []watchpost.Post
	last   bool      // these are a result's
	newest time.Time // of all posts of an exhausted scan, with the last ones
	// covered is the time whose posts an exhausted scan has brought completely, with the
	// last ones.
	covered teamspace.CoveredRecord
}

// ingested tells a scan's task that its posts are durable for a target, or were
// lost. With the last ones it says how far the entry's scans have come.
type ingested struct {
	from   fromSession
	target watchpost.TaskID
	all    *answers // nil when no entry wanted the posts
	scan   *teamspace.ScanRecord
	err    error
}

// sentTo returns what tells a task how its posts were stored.
func (m ingested) sentTo(env *environment, task *actor.PID) func(error) {
	if task == nil {
		return nil
	}
	return func(err error) {
		m.err = err
		env.System.Root.Send(task, m)
	}
}

// answers are those to posts that went to several targets. Once the posts are
// on their way only the task touches it.
type answers struct {
	left  int
	scans map[watchpost.TaskID]teamspace.ScanRecord // by target
}
