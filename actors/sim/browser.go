package sim

import (
	"context"
	"slices"
	"strconv"
	"time"

	"watchpost/actors"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// entry is the journal's record of a task, as the extension keeps it.
type entry struct {
	task, lease string
	attempt     int
	kind        watchpost.TaskType
	deadline    time.Time
	state       string
	// actingAt is when acting was journalled, begun is set before the network is
	// touched, again before it is touched a second time.
	actingAt     time.Time
	begun, again bool
	report       *protocol.Frame // of one that is done
}

// running is a task in the worker's hands. A worker that ends forgets it.
type running struct {
	*entry
	asked, allowed bool // acting was sent, go has come
	// recovering: the write has begun, and it is not known whether it was done.
	// looked counts the looks at the page since, tries the acts.
	recovering    bool
	repeats       bool // it has asked to touch the network a second time
	looked, tries int
	slowUntil     time.Time // the page does not answer before
}

// browser is a member's browser with the extension. It does one task at a time.
type browser struct {
	life    *life
	name    string
	team    *team
	email   string
	token   string
	account protocol.Account
	// journal survives the worker; the worker's queue is the part of it that is not
	// done, with the task in work first.
	id      string
	journal []*entry
	task    *running

	line     *line
	dialling *node // that it dials; one that has ended does not answer
	hangUp   context.CancelFunc
	welcomed bool

	// skew is the error of its clock, offset the correction that it has learned from the
	// service.
	skew, offset time.Duration

	member watchpost.MemberID
	guest  bool // its member has joined later
	// shared: its account is that of a member of the other team, too. leaving: the removal
	// of its member was asked for, over: it was confirmed, or the session is not in a
	// restored store.
	shared, leaving, over bool

	hears, says, closes, works choice
}

// line is one connection.
type line struct {
	node      *node
	link      *actors.Link
	in, out   []*protocol.Frame
	welcomed  bool
	up        bool
	closed    bool // by the service
	over      bool // Close has returned
	receiving bool
}

// String implements fmt.Stringer.
func (b *browser) String() string { return b.name }

func (b *browser) urn() watchpost.AccountURN { return watchpost.AccountURN(b.account.URN) }

// connect dials the service.
func (b *browser) connect() {
	l := b.life
	if b.dialling == l.node {
		return
	}
	b.dialling = l.node
	n := l.node
	ctx, cancel := context.WithTimeout(n.ctx, patience)
	b.hangUp = cancel
	l.spawn(n, "connect-"+b.name, func() {
		defer cancel()
		defer func() {
			if b.dialling == n {
				b.dialling = nil
			}
		}()
		b.drop()
		hello := b.hello() // after the connection before it has ended: nothing more comes into the journal
		over := b.over && l.restoredAt.IsZero()
		line := &line{node: n, up: true}
		b.line = line
		link, err := n.registry.Connect(ctx, hello, func(f protocol.Frame) { b.deliver(line, f) }, func(code int, reason string) {
			line.closed = true
			l.tell("the service closes the connection of %s: %d %s", b.name, code, reason)
		})
		if err != nil {
			line.up = false
			if !b.leaving && !b.over || watchpost.KindOf(err) != watchpost.Unauthenticated {
				l.bear(b.team, "connect", err)
			}
			return
		}
		if over {
			l.fail("%s is welcomed after the end of its session", b)
		}
		line.link = link
		if b.line != line { // it has dialled again, or its worker has ended
			link.Close()
		}
	})
}

// hello introduces the browser, with the tasks of its journal.
func (b *browser) hello() protocol.Frame {
	account := b.account
	hello := protocol.Frame{
		Type: protocol.TypeHello, V: protocol.Version, Token: b.token, Boot: watchpost.NewSecret(4), Journal: b.id, Version: "1.0.0", Account: &account,
	}
	for _, e := range b.journal {
		hello.Tasks = append(hello.Tasks, protocol.JournalTask{Task: e.task, Lease: e.lease, Attempt: e.attempt, State: e.state})
	}
	return hello
}

// deliver takes a frame of the service, in whatever goroutine that is.
func (b *browser) deliver(line *line, f protocol.Frame) {
	l := b.life
	l.note("deliver", b.name, " ", f.Type, " ", f.Task, " ", f.Lease, " ", strconv.Itoa(f.Attempt))
	switch {
	case line.over:
		l.fail("%s is told %s after the end of the connection", b.name, f.Type)
	case !line.welcomed && f.Type != protocol.TypeWelcome:
		l.fail("%s is told %s before the welcome", b.name, f.Type)
	case f.Type == protocol.TypeTask:
		l.checks.handedOut(b, &f)
	}
	line.welcomed = true
	line.in = append(line.in, &f)
}

// drop breaks the connection.
func (b *browser) drop() {
	line := b.line
	if line == nil {
		return
	}
	b.line, b.welcomed = nil, false
	line.up = false
	if line.link != nil && !line.node.dead {
		line.link.Close()
		line.over = true
	}
}

// crash ends the worker: its memory is lost, and the journal is not.
func (b *browser) crash() {
	b.drop()
	b.task = nil
	if b.hangUp != nil {
		b.hangUp()
	}
}

// wipe is a new installation: the journal is gone, too.
func (b *browser) wipe() {
	b.crash()
	b.life.checks.stored.wiped[b.urn()] = true
	b.journal, b.id = nil, "journal-"+watchpost.NewSecret(4)
}

func (b *browser) send(f protocol.Frame) {
	if b.line != nil && b.line.up {
		b.line.out = append(b.line.out, &f)
	}
}

func (b *browser) heartbeat() {
	if !b.welcomed {
		return
	}
	account := b.account
	f := protocol.Frame{Type: protocol.TypeHeartbeat, Account: &account}
	for _, e := range b.journal {
		if e.state != protocol.StateDone {
			f.Running = append(f.Running, protocol.RunningTask{Task: e.task, Lease: e.lease})
		}
	}
	b.send(f)
}

// choices adds what the browser and its connection could do next.
func (b *browser) choices(all []choice) []choice {
	if line := b.line; line != nil && line.up && !line.node.dead {
		if len(line.in) > 0 {
			all = append(all, b.hears)
		}
		if len(line.out) > 0 && line.link != nil && !line.closed && !line.receiving {
			all = append(all, b.says)
		}
		if line.closed {
			all = append(all, b.closes)
		}
	}
	if b.canWork() {
		all = append(all, b.works)
	}
	return all
}

// take takes the next frame off the line.
func (b *browser) take() {
	line := b.line
	f := line.in[0]
	line.in = line.in[1:]
	b.life.note("hear", b.name, " ", f.Type, " ", f.Task, " ", f.Lease)
	b.hear(f)
}

// say gives the service the next frame.
func (b *browser) say() {
	line := b.line
	f := line.out[0]
	line.out = line.out[1:]
	b.life.note("say", b.name, " ", f.Type, " ", f.Task, " ", f.Lease)
	line.receiving = true
	b.life.run(func(*worker) {
		line.link.Receive(*f)
		line.receiving = false
	})
}

func (b *browser) find(task string) *entry {
	i := slices.IndexFunc(b.journal, func(e *entry) bool { return e.task == task })
	if i < 0 {
		return nil
	}
	return b.journal[i]
}

func (b *browser) forget(task string) {
	b.journal = slices.DeleteFunc(b.journal, func(e *entry) bool { return e.task == task })
	if b.task != nil && b.task.task == task {
		b.task = nil
	}
}

// hear handles a frame as the extension does.
func (b *browser) hear(f *protocol.Frame) {
	e := b.find(f.Task)
	switch f.Type {
	case protocol.TypeWelcome:
		b.welcomed = true
		if f.ServerTime != nil {
			b.offset = f.ServerTime.Sub(b.life.now().Add(b.skew))
		}
		for _, e := range b.journal {
			b.repeat(e)
		}
	case protocol.TypeTask:
		b.receive(e, f)
	case protocol.TypeGo:
		if b.task != nil && b.task.entry == e && e.lease == f.Lease && b.task.asked {
			b.task.allowed = true
		}
	case protocol.TypeCancel:
		if e != nil && b.task != nil && b.task.entry == e && b.task.repeats && !b.task.allowed {
			b.fail(protocol.CodeOutcomeUnknown, nil)
			return
		}
		if e == nil || e.begun || e.state == protocol.StateDone {
			return
		}
		untouched := b.task == nil || b.task.entry != e || e.kind.Writes()
		b.forget(e.task)
		if untouched {
			b.send(protocol.Frame{Type: protocol.TypeReleased, Task: e.task, Lease: e.lease, Reason: "cancelled"})
		}
	case protocol.TypeAck:
		if e != nil && f.Seq == nil {
			b.life.checks.acknowledged(b, e)
			b.forget(e.task)
		}
	case protocol.TypeRevoked:
		if !b.leaving && !b.over && !b.team.dead {
			b.life.fail("%s is revoked, and no one did", b.name)
		}
	}
}

// receive journals a task, or its new lease.
func (b *browser) receive(known *entry, f *protocol.Frame) {
	if known != nil {
		again := f.Attempt != known.attempt && !known.kind.Writes()
		known.lease, known.attempt, known.deadline = f.Lease, f.Attempt, deadlineOf(f)
		b.send(protocol.Frame{Type: protocol.TypeAccepted, Task: known.task, Lease: known.lease})
		if again && b.task != nil && b.task.entry == known && known.state == protocol.StateReceived {
			b.task = nil // it begins again
			return
		}
		b.repeat(known)
		return
	}
	e := &entry{task: f.Task, lease: f.Lease, attempt: f.Attempt, kind: watchpost.TaskType(f.TaskType), deadline: deadlineOf(f), state: protocol.StateReceived}
	if b.late(e) {
		b.send(protocol.Frame{Type: protocol.TypeReleased, Task: e.task, Lease: e.lease, Reason: "deadline"})
		return
	}
	b.journal = append(b.journal, e)
	b.send(protocol.Frame{Type: protocol.TypeAccepted, Task: e.task, Lease: e.lease})
}

func deadlineOf(f *protocol.Frame) time.Time {
	if f.Deadline == nil {
		return time.Time{}
	}
	return *f.Deadline
}

func (b *browser) late(e *entry) bool {
	return !e.deadline.IsZero() && !b.life.now().Add(b.skew+b.offset).Before(e.deadline)
}

// repeat sends again what the service has not acknowledged.
func (b *browser) repeat(e *entry) {
	switch {
	case e.state == protocol.StateDone:
		f := *e.report
		f.Lease, f.Attempt = e.lease, e.attempt
		b.send(f)
	case b.task != nil && b.task.entry == e && b.task.asked && !b.task.allowed:
		b.send(protocol.Frame{Type: protocol.TypeActing, Task: e.task, Lease: e.lease})
	}
}
