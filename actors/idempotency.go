package actors

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// IdempotentRequest is a creating request. A repetition is answered
// with the first reply. It is answered as Request is, or by ReplayedReply; a
// Conflict when another body was given under that name. Without a Request it
// only tells whether there was one: Done when there was none.
type IdempotentRequest struct {
	Name    string // of the request within the team: what makes two the same
	Hash    string // of its body
	Request any
}

// ReplayedReply answers a request that was made before.
type ReplayedReply struct{ Reply any }

// idempotencyKept is how long the reply to a creating request is kept.
const idempotencyKept = 24 * time.Hour

const textOtherRequest = "Idempotency-Key was used with a different request"

// replyDurable tells the team that the store shows a kept reply.
type replyDurable struct{ name string }

// keptReplies names the types of the replies to requests that create
// something. Other replies are not kept.
var keptReplies = map[string]reflect.Type{
	"task":      reflect.TypeFor[TaskCreated](),
	"watchlist": reflect.TypeFor[WatchlistView](),
	"followed":  reflect.TypeFor[Followed](),
	"member":    reflect.TypeFor[watchpost.Member](),
	"rule":      reflect.TypeFor[RuleView](),
	"target":    reflect.TypeFor[TargetCreated](),
	"key":       reflect.TypeFor[KeyCreated](),
}

func kindOfReply(reply any) string {
	for kind, t := range keptReplies {
		if reflect.TypeOf(reply) == t {
			return kind
		}
	}
	return ""
}

// keptReply decodes the reply of a record.
func keptReply(r *teamspace.IdempotencyRecord) (any, error) {
	t, known := keptReplies[r.Kind]
	if !known {
		return nil, fmt.Errorf("kept reply of the unknown kind %q", r.Kind)
	}
	v := reflect.New(t)
	if err := json.Unmarshal(r.Reply, v.Interface()); err != nil {
		return nil, err
	}
	return v.Elem().Interface(), nil
}

// idempotency is the component of a team that keeps replies for requests that
// are repeated. It owns those that the store may not show yet, and the request
// that is being carried out.
//
// The others commit a decision with its reply (commitOnce), promise one that comes later
// (promise), and say what a created task replies (keep).
type idempotency struct {
	*rootActor
	team *team

	fresh   map[string]*freshReply
	present *IdempotentRequest
}

// freshReply is a reply that is not durable yet, and who waits for it.
type freshReply struct {
	record  teamspace.IdempotencyRecord
	waiting []*actor.PID
}

func newIdempotency(t *team) *idempotency {
	return &idempotency{rootActor: &t.rootActor, team: t, fresh: map[string]*freshReply{}}
}

// onIdempotentRequest answers a repetition, or carries the request out.
func (i *idempotency) onIdempotentRequest(m IdempotentRequest) {
	record, err := i.kept(m.Name)
	if err != nil {
		i.Fail(err)
		i.Answer(nil, i.Broken)
		return
	}
	switch {
	case record == nil && m.Request == nil:
		i.Answer(root.Done{}, nil)
	case record == nil:
		i.present = &m
		i.team.receive(m.Request)
		i.present = nil
	case record.Hash != m.Hash:
		i.Answer(nil, watchpost.Errorf(watchpost.Conflict, textOtherRequest))
	case i.fresh[m.Name] != nil && i.Context.Sender() != nil:
		i.fresh[m.Name].waiting = append(i.fresh[m.Name].waiting, i.Context.Sender())
	default:
		reply, err := i.replyOf(record)
		if err != nil {
			err = watchpost.WrapError(watchpost.Internal, watchpost.TextInternal, err)
		}
		i.Answer(ReplayedReply{reply}, err)
	}
}

// onReplyDurable answers the repetitions of a request that came before its reply
// was durable.
func (i *idempotency) onReplyDurable(m replyDurable) {
	fresh := i.fresh[m.name]
	if fresh == nil {
		return
	}
	delete(i.fresh, m.name)
	reply, err := i.replyOf(&fresh.record)
	for _, sender := range fresh.waiting {
		if err != nil {
			i.Context.Send(sender, watchpost.WrapError(watchpost.Internal, watchpost.TextInternal, err))
		} else {
			i.Context.Send(sender, ReplayedReply{reply})
		}
	}
}

// replyOf returns the reply of a record. The secret of a target is kept sealed.
func (i *idempotency) replyOf(r *teamspace.IdempotencyRecord) (any, error) {
	reply, err := keptReply(r)
	if made, ok := reply.(TargetCreated); ok && len(made.Sealed) > 0 {
		made.Secret, err = i.env.Keyring.Open(made.Sealed, string(made.Target.ID))
		return made, err
	}
	return reply, err
}

// kept returns the reply that is kept under a name; nil when there is none.
func (i *idempotency) kept(name string) (*teamspace.IdempotencyRecord, error) {
	var record teamspace.IdempotencyRecord
	if fresh := i.fresh[name]; fresh != nil {
		record = fresh.record
	} else {
		view, err := i.env.View()
		if err != nil {
			return nil, err
		}
		defer view.Close()
		record, err = teamspace.Load[teamspace.IdempotencyRecord](view, i.Space, teamspace.Key(teamspace.KeyIdempotency, name))
		if errors.Is(err, persistence.ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
	}
	if i.env.Clock.Now().Sub(record.At) >= idempotencyKept {
		return nil, nil
	}
	return &record, nil
}

// commitOnce submits a decision and answers the sender when it is durable; the
// reply of a request that may come again is kept in the same batch.
func (i *idempotency) commitOnce(batch *persistence.Batch, reply any) {
	i.Commits.Submit(i.once(batch, reply))
}

// once adds the reply of a request that may come again to the batch that decides
// it, and returns what answers the sender when that is durable.
func (i *idempotency) once(batch *persistence.Batch, reply any) (*persistence.Batch, func(error)) {
	name, done := i.promise(reply)
	return i.keep(batch, name), done
}

// promise notes the reply of a request that may come again: repetitions wait for it
// from now on. It is to be kept under the name, "" for a reply that is not, in the
// batch that makes it, when that is submitted. done answers the sender when the batch
// is durable. Errors are not kept.
func (i *idempotency) promise(reply any) (name string, done func(error)) {
	done = i.env.ReplyTo(i.Context.Sender(), reply)
	m := i.present
	if m == nil {
		return "", done
	}
	i.present = nil
	if _, failed := reply.(error); failed {
		return "", done
	}
	kind := kindOfReply(reply)
	raw, err := json.Marshal(reply)
	if kind == "" || err != nil {
		i.env.Log.Error("reply cannot be kept", "reply", root.TypeName(reply), "error", err)
		return "", done
	}
	i.fresh[m.Name] = &freshReply{record: teamspace.IdempotencyRecord{At: i.env.Clock.Now(), Hash: m.Hash, Kind: kind, Reply: raw}}
	system, self := i.env.System.Root, i.Context.Self()
	return m.Name, root.Both(done, func(err error) {
		if err == nil {
			system.Send(self, replyDurable{m.Name})
		}
	})
}

// keep adds a promised reply to the batch that makes it. The batch is to be submitted
// at once: it deletes replies that are kept no longer, and another request may give
// one of their names to a new one.
func (i *idempotency) keep(batch *persistence.Batch, name string) *persistence.Batch {
	if name == "" {
		return batch
	}
	if batch == nil {
		batch = &persistence.Batch{}
	}
	record := i.fresh[name].record
	if err := i.purgeKept(batch, name, i.env.Clock.Now()); err != nil {
		i.Fail(err)
	}
	batch.Put(teamspace.Key(teamspace.KeyIdempotency, name), teamspace.Encode(record))
	batch.Put(teamspace.IdempotencyTimeKey(record.At, name), nil)
	return batch
}

// purgeAtATime bounds the expired replies that a new one removes.
const purgeAtATime = 20

// purgeKept removes some of the replies that are kept no longer, and what an
// expired one of the same name left behind.
func (i *idempotency) purgeKept(batch *persistence.Batch, name string, now time.Time) error {
	view, err := i.env.View()
	if err != nil {
		return err
	}
	defer view.Close()
	switch old, err := teamspace.Load[teamspace.IdempotencyRecord](view, i.Space, teamspace.Key(teamspace.KeyIdempotency, name)); {
	case err == nil:
		batch.Delete(teamspace.IdempotencyTimeKey(old.At, name))
	case !errors.Is(err, persistence.ErrNotFound):
		return err
	}
	left := purgeAtATime
	end := teamspace.IdempotencyTimeKey(now.Add(-idempotencyKept), "")
	return view.Scan(i.Space, []byte(teamspace.KeyIdempotencyTime), end, func(k, _ []byte) bool {
		expired := string(k[len(teamspace.KeyIdempotencyTime)+teamspace.IdempotencyTimeLen:])
		if i.fresh[expired] != nil { // the view does not show yet that it is given again
			return true
		}
		batch.Delete(append([]byte(nil), k...))
		if expired != name {
			batch.Delete(teamspace.Key(teamspace.KeyIdempotency, expired))
		}
		left--
		return left > 0
	})
}
