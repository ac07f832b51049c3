package sim

import (
	"encoding/json"
	"slices"
	"time"

	"watchpost/internal/protocol"
)

// secondLook is when a page that did not show a write is looked at again.
const secondLook = 30 * time.Second

// canWork reports whether the worker has something to do that needs no answer of the
// service and no time.
func (b *browser) canWork() bool {
	t := b.task
	switch {
	case t == nil:
		return b.welcomed && slices.ContainsFunc(b.journal, func(e *entry) bool { return e.state != protocol.StateDone })
	case t.asked && !t.allowed, b.life.now().Before(t.slowUntil):
		return false
	case t.recovering && t.looked == 1 && !t.kind.PageDecides():
		return !b.life.now().Before(t.actingAt.Add(secondLook))
	}
	return true
}

// wakes returns when the worker goes on by itself; zero: it does not.
func (b *browser) wakes() time.Time {
	if t := b.task; t != nil && b.life.now().Before(t.slowUntil) {
		return t.slowUntil
	}
	if t := b.task; t != nil && t.recovering && t.looked == 1 && !t.kind.PageDecides() {
		return t.actingAt.Add(secondLook)
	}
	return time.Time{}
}

// work takes the next step of the task in work. Each step ends with a journal that
// is whole, so that the worker may end between any two.
func (b *browser) work() {
	b.life.note("work", b.name)
	t := b.task
	switch {
	case t == nil:
		i := slices.IndexFunc(b.journal, func(e *entry) bool { return e.state != protocol.StateDone })
		b.task = &running{entry: b.journal[i], recovering: b.journal[i].begun}
	case !t.begun && b.late(t.entry):
		b.giveBack("deadline")
	case !t.kind.Writes():
		b.read()
	case t.recovering:
		b.recover()
	case !t.begun && !t.asked:
		b.prepare()
	case !t.begun:
		t.begun = true
	default:
		b.act()
	}
}

func (b *browser) giveBack(reason string) {
	e := b.task.entry
	b.forget(e.task)
	b.send(protocol.Frame{Type: protocol.TypeReleased, Task: e.task, Lease: e.lease, Reason: reason})
}

// finish journals the end and reports it.
func (b *browser) finish(output json.RawMessage, failure *protocol.TaskError) {
	e := b.task.entry
	e.state, b.task = protocol.StateDone, nil
	e.report = &protocol.Frame{Type: protocol.TypeResult, Task: e.task, Lease: e.lease, Attempt: e.attempt, Output: output, Error: failure}
	said := output
	if failure != nil { // as words: its address would be another one in each process
		said, _ = json.Marshal(failure)
	}
	b.life.tell("%s ends %s %s: %s", b.name, e.kind, e.task, said)
	b.send(*e.report)
}

// fail reports an error; acted nil: it is not known.
func (b *browser) fail(code string, acted *bool) {
	b.finish(nil, &protocol.TaskError{Code: code, Message: "planned", Acted: acted})
}

// no says that the network was not touched.
var no = new(false)

func (b *browser) read() {
	t := b.task
	switch how := b.life.network.meet(b.urn()); how {
	case well, silentDone, slow:
		b.finish(b.life.network.read(b.urn(), t.task, t.attempt, t.kind), nil)
	case silentNot: // the page was asked for, and did not come
		b.life.network.read(b.urn(), t.task, t.attempt, t.kind)
		b.fail(protocol.CodeTimeout, nil)
	case strange:
		b.life.network.read(b.urn(), t.task, t.attempt, t.kind)
		b.finish(json.RawMessage(`[]`), nil)
	default:
		b.fail(string(how), no)
	}
}

// prepare looks at the page, journals acting and asks for go.
func (b *browser) prepare() {
	t := b.task
	switch how := b.life.network.meet(b.urn()); how {
	case well:
	case silentDone, silentNot, strange, slow:
		b.life.network.answers[b.urn()] = append([]answer{how}, b.life.network.answers[b.urn()]...) // for the act
	default:
		b.fail(string(how), no)
		return
	}
	t.state, t.actingAt, t.asked = protocol.StateActing, b.life.now(), true
	b.send(protocol.Frame{Type: protocol.TypeActing, Task: t.task, Lease: t.lease})
}

// act touches the network.
func (b *browser) act() {
	t, n := b.task, b.life.network
	t.tries++
	t.again = t.repeats
	how := n.meet(b.urn())
	switch {
	case how == silentNot:
		t.recovering = true
		return
	case how == slow:
		t.slowUntil = b.life.now().Add(time.Duration(1+b.life.random.IntN(240)) * time.Second)
		return
	case how != well && how != silentDone && how != strange:
		b.fail(string(how), no)
		return
	}
	n.write(b.urn(), t.task, t.kind)
	switch how {
	case silentDone:
		t.recovering = true
	case strange:
		b.finish(json.RawMessage(`[]`), nil)
	default:
		b.finish(writeOutput(t.task), nil)
	}
}

func writeOutput(task string) json.RawMessage {
	output, _ := json.Marshal(map[string]string{"comment_urn": markOf(task)})
	return output
}

// recover finds out whether a write that has begun was done.
func (b *browser) recover() {
	t, n := b.task, b.life.network
	_, done := n.done[t.task]
	switch {
	case done:
		b.finish(writeOutput(t.task), nil)
	case t.kind.PageDecides():
		if t.tries >= 3 {
			b.fail(protocol.CodeOutcomeUnknown, nil)
			return
		}
		b.askAgain()
	case t.again:
		b.fail(protocol.CodeOutcomeUnknown, nil)
	case t.looked == 0:
		t.looked = 1
	default:
		b.askAgain()
	}
}

// askAgain asks for go before the network is touched once more.
func (b *browser) askAgain() {
	t := b.task
	t.recovering, t.repeats, t.asked, t.allowed = false, true, true, false
	b.send(protocol.Frame{Type: protocol.TypeActing, Task: t.task, Lease: t.lease})
}
