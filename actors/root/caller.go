package root

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"
)

var (
	// errNotDelivered means that the actor was gone before the request reached
	// it: it was surely not processed and may be sent again.
	errNotDelivered = errors.New("actors: not delivered")
	// errRefused means that the actor was about to end and did not process the
	// request: it may be sent to the next one.
	errRefused = errors.New("actors: refused")
	// errGone means that the actor ended with the request in its hands: it is
	// not known whether it was processed.
	errGone = errors.New("actors: gone")
)

// callerShards spreads the waiting requests over that many locks.
const callerShards = 32

// caller is the one process that receives the replies to all requests from
// outside the actors. PID.RequestId tells them apart. protoactor's own futures
// know no context and cost a registry entry each.
type caller struct {
	system *actor.ActorSystem
	run    Scheduling
	pid    *actor.PID
	last   atomic.Uint32
	shards [callerShards]callerShard
}

type callerShard struct {
	mu      sync.Mutex
	waiting map[uint32]*waiting
}

// waiting is one request without a reply yet.
type waiting struct {
	reply  chan any
	target string
}

func newCaller(system *actor.ActorSystem, run Scheduling) *caller {
	c := &caller{system: system, run: run}
	for i := range c.shards {
		c.shards[i].waiting = map[uint32]*waiting{}
	}
	c.pid, _ = system.ProcessRegistry.Add(c, "caller")
	return c
}

// ask sends a request and waits for the reply or the end of ctx.
func (c *caller) ask(ctx context.Context, target *actor.PID, request any) (any, error) {
	id := c.last.Add(1)
	w := &waiting{reply: make(chan any, 1), target: target.Id}
	shard := &c.shards[id%callerShards]
	shard.mu.Lock()
	shard.waiting[id] = w
	shard.mu.Unlock()
	sender := &actor.PID{Address: c.pid.Address, Id: c.pid.Id, RequestId: id}
	c.system.Root.RequestWithCustomSender(target, request, sender)
	var reply any
	select {
	case reply = <-w.reply:
	case <-ctx.Done():
	}
	c.run.Turn("reply")
	if reply == nil {
		select {
		case reply = <-w.reply:
		default:
			c.take(id)
			return nil, ctx.Err()
		}
	}
	if err, failed := reply.(error); failed {
		return nil, err
	}
	return reply, nil
}

// fail answers all requests that wait for the actor of that name, or for one
// below it, with errGone.
func (c *caller) fail(target string) {
	for i := range c.shards {
		shard := &c.shards[i]
		shard.mu.Lock()
		for id, w := range shard.waiting {
			if w.target == target || strings.HasPrefix(w.target, target+"/") {
				delete(shard.waiting, id)
				w.reply <- errGone
			}
		}
		shard.mu.Unlock()
	}
}

func (c *caller) take(id uint32) *waiting {
	shard := &c.shards[id%callerShards]
	shard.mu.Lock()
	defer shard.mu.Unlock()
	w := shard.waiting[id]
	delete(shard.waiting, id)
	return w
}

// SendUserMessage implements actor.Process: a reply has come.
func (c *caller) SendUserMessage(pid *actor.PID, message any) {
	w := c.take(pid.GetRequestId())
	if w == nil {
		return // the caller no longer waits
	}
	_, reply, _ := actor.UnwrapEnvelope(message)
	if _, dead := reply.(*actor.DeadLetterResponse); dead {
		reply = errNotDelivered
	}
	w.reply <- reply
}

// SendSystemMessage implements actor.Process.
func (c *caller) SendSystemMessage(*actor.PID, any) {}

// Stop implements actor.Process.
func (c *caller) Stop(*actor.PID) {}
