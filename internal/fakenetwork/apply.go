package fakenetwork

import (
	"strconv"
	"time"

	"watchpost/internal/fakenetwork/page"
)

// overCap is the refusal of a write because a cap is reached.
type overCap struct {
	kind   WriteKind
	reason string
	resets time.Time
}

// count debits a write to its cap, or returns the refusal. The caller holds
// the lock.
func (r *records) count(m *member, kind WriteKind, now time.Time) *overCap {
	limit, period := r.caps.of(kind)
	key := usage{m.id, kind, period.Key(now)}
	if r.used[key] >= limit {
		reason := page.LimitDaily
		if kind == WriteInvitation {
			reason = page.LimitWeekly
		}
		return &overCap{kind, reason, period.Reset(now)}
	}
	r.used[key]++
	return nil
}

// record stores a write. The caller holds the lock.
func (r *records) record(w Write) Write {
	r.writes = append(r.writes, w)
	return w
}

// newURN returns the URN of a new comment or message. The caller holds the
// lock.
func (r *records) newURN(prefix string, now time.Time) string {
	r.lastURN++
	return prefix + strconv.FormatInt(now.Unix(), 10) + strconv.FormatUint(r.lastURN, 10)
}

// like adds an actor's like to a post.
func (r *records) like(m *member, actor page.Actor, p *post, now time.Time) (Write, *overCap) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if refusal := r.count(m, WriteLike, now); refusal != nil {
		return Write{}, refusal
	}
	if r.likes[p.id] == nil {
		r.likes[p.id] = make(map[string]bool)
	}
	repeated := r.likes[p.id][actor.URN]
	r.likes[p.id][actor.URN] = true
	return r.record(Write{Account: m.slug, Actor: actor.URN, Kind: WriteLike, Target: p.urn(), At: now, Repeated: repeated}), nil
}

// unlike removes an actor's like.
func (r *records) unlike(m *member, actor page.Actor, p *post, now time.Time) Write {
	r.mu.Lock()
	defer r.mu.Unlock()
	repeated := !r.likes[p.id][actor.URN]
	delete(r.likes[p.id], actor.URN)
	return r.record(Write{Account: m.slug, Actor: actor.URN, Kind: WriteUnlike, Target: p.urn(), At: now, Repeated: repeated})
}

// comment adds an actor's comment.
func (r *records) comment(m *member, actor page.Actor, p *post, text string, now time.Time) (Write, *overCap) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if refusal := r.count(m, WriteComment, now); refusal != nil {
		return Write{}, refusal
	}
	c := remark{urn: r.newURN(urnComment, now), actor: actor, text: text, at: now}
	r.comments[p.id] = append(r.comments[p.id], c)
	return r.record(Write{Account: m.slug, Actor: actor.URN, Kind: WriteComment, Target: p.urn(), Text: text, URN: c.urn, At: now}), nil
}

// message sends a message.
func (r *records) message(m, to *member, text string, now time.Time) (Write, *overCap) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if refusal := r.count(m, WriteMessage, now); refusal != nil {
		return Write{}, refusal
	}
	msg := message{urn: r.newURN(urnMessage, now), from: m, text: text, at: now}
	key := thread(m, to)
	r.threads[key] = append(r.threads[key], msg)
	return r.record(Write{Account: m.slug, Actor: m.urn(), Kind: WriteMessage, Target: to.urn(), Text: text, URN: msg.urn, At: now}), nil
}

// likers returns the number of accounts that liked a post, and which of the
// given actors did.
func (r *records) likers(p *post, actors []string) (n int, by []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, urn := range actors {
		if r.likes[p.id][urn] {
			by = append(by, urn)
		}
	}
	return len(r.likes[p.id]), by
}

// remarks returns the comments that accounts left on a post.
func (r *records) remarks(p *post) []remark {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]remark(nil), r.comments[p.id]...)
}

// messages returns the messages between two members, oldest first.
func (r *records) messages(a, b *member) []message {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]message(nil), r.threads[thread(a, b)]...)
}
