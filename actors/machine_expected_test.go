package actors_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// expectedState sums up everything that became durable: what the ledger says,
// what each task was debited, and the last record of each task.
type expectedState struct {
	mu     sync.Mutex
	space  persistence.Space
	used   map[string]int               // by the ledger's key
	debits map[string][]watchpost.Debit // by task
	tasks  map[string]watchpost.Task
	ended  map[string]string // final records
	under  map[string]string // the lease of each task that was out when it ended
	now    func() time.Time
	latest time.Time                                   // that now has been
	also   func(persistence.Space, *persistence.Batch) // takes the batches in too
	wrong  string
}

func newExpectedState() *expectedState {
	return &expectedState{used: map[string]int{}, debits: map[string][]watchpost.Debit{}, tasks: map[string]watchpost.Task{}, ended: map[string]string{}, under: map[string]string{}}
}

func (b *expectedState) follow(space persistence.Space) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.space = space
}

// enter takes in a durable batch.
func (b *expectedState) enter(space persistence.Space, batch *persistence.Batch) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if space != b.space {
		return
	}
	if b.also != nil {
		b.also(space, batch)
	}
	for _, w := range batch.Writes {
		key := string(w.Key)
		if w.Delete || len(w.Value) == 0 {
			continue
		}
		value := w.Value[1:]
		switch key[0] {
		case 'a':
			var record struct{ Used int }
			b.read(value, &record)
			b.used[key[1:]] = record.Used
		case 'o':
			var debits []watchpost.Debit
			b.read(value, &debits)
			b.debits[key[1:]] = debits
		case 'k':
			var task watchpost.Task
			b.read(value, &task)
			if before, ended := b.ended[key[1:]]; ended && before != string(value) && !b.resolved(&task) {
				b.wrong = fmt.Sprintf("task %s is written after its end: %s, then %s", key[1:], before, value)
			}
			if last := b.tasks[key[1:]].Lease; task.State.Final() && last != nil {
				b.under[key[1:]] = last.ID
			}
			if task.State.Final() {
				b.ended[key[1:]] = string(value)
			}
			b.tasks[key[1:]] = task
		}
	}
	b.balance()
}

// resolved reports whether the change to a final task is the late result of an
// unknown outcome, once. If the session did not act, the debit is given back.
func (b *expectedState) resolved(task *watchpost.Task) bool {
	before := b.tasks[string(task.ID)]
	if before.Resolved != nil || task.Resolved == nil || before.Failure == nil || before.Failure.Code != watchpost.FailOutcomeUnknown {
		return false
	}
	if !task.Resolved.Acted {
		last := task.Past[len(task.Past)-1].Attempt
		b.debits[string(task.ID)] = slices.DeleteFunc(slices.Clone(b.debits[string(task.ID)]), func(d watchpost.Debit) bool { return d.Attempt == last })
	}
	return true
}

func (b *expectedState) read(value []byte, record any) {
	if err := json.Unmarshal(value, record); err != nil {
		b.wrong = err.Error()
	}
}

// balance holds the ledger against the debits of the tasks and the limits.
func (b *expectedState) balance() {
	sum := map[string]int{}
	if now := b.now(); now.After(b.latest) {
		b.latest = now
	}
	// Older debits than those of the week before are not given back.
	known := watchpost.Weekly.Start(b.latest).AddDate(0, 0, -7).Format(time.DateOnly)
	for _, debits := range b.debits {
		for _, d := range debits {
			sum[d.Period+"\x00"+string(d.Account)+"\x00"+string(d.Action)] += d.Count()
		}
	}
	for key, used := range b.used {
		action := watchpost.Action(key[strings.LastIndexByte(key, 0)+1:])
		limit, _ := watchpost.AllowanceOf(action)
		if used != sum[key] && key[:len(known)] >= known || used < sum[key] || used > limit.Limit {
			b.wrong = fmt.Sprintf("ledger %q says %d of %d, the tasks' debits say %d", key, used, limit.Limit, sum[key])
		}
	}
}

// counted reports whether an acknowledged error that says that its attempt did not act
// has counted for certain. When the task had ended before, it has not, unless it is
// the truth about the last attempt of an unknown outcome.
func (b *expectedState) counted(under protocol.Frame, code string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	task := b.tasks[under.Task]
	switch {
	case !task.State.Final():
		return true
	case task.Resolved != nil:
		return !task.Resolved.Acted && under.Attempt == task.Attempts
	}
	endedIt := task.Failure != nil && task.Failure.Code == code && b.under[under.Task] == under.Lease
	return endedIt && code != watchpost.FailOutcomeUnknown
}

// check compares each task's debits with its attempts and the debits given back.
func (b *expectedState) check(m *machine) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.wrong != "" {
		m.fail("%s", b.wrong)
	}
	for _, c := range m.tasks {
		id := string(c.id)
		task, written := b.tasks[id]
		if !written {
			m.fail("task %s was acknowledged or handed out, and not written", id)
		}
		debited := map[int]int{}
		for _, d := range b.debits[id] {
			debited[d.Attempt]++
		}
		for attempt := 1; attempt <= task.Attempts; attempt++ {
			switch {
			case c.surely[attempt] && debited[attempt] > 0:
				m.fail("task %s: attempt %d was acknowledged as not acted, and is debited", id, attempt)
			case !c.back[attempt] && debited[attempt] == 0:
				m.fail("task %s: attempt %d was handed out and is not debited", id, attempt)
			}
			delete(debited, attempt)
		}
		if len(debited) > 0 {
			m.fail("task %s: debits %v of attempts that were not made", id, debited)
		}
	}
}
