package actors

import (
	"errors"
	"slices"
	"sync"
	"time"

	"watchpost/actors/reads"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// finishedTasks remembers final tasks that are durable. They never change, but
// for the truth that may be added to an unknown outcome, so that a poll of one
// needs neither its team nor the store. It is bounded by the bytes of inputs
// and outputs; the oldest are forgotten first. (golang-lru bounds the number of
// entries, and the sizes of tasks differ by a factor of a thousand.)
type finishedTasks struct {
	mu    sync.Mutex
	tasks map[watchpost.TaskID]finishedTask
	order []watchpost.TaskID // in the order of remembering
	bytes int
	// awaited are tasks whose end requests wait for.
	awaited map[watchpost.TaskID]*awaitedEnd
}

// awaitedEnd is closed when a task ends, for n requests that wait.
type awaitedEnd struct {
	ended chan struct{}
	n     int
}

type finishedTask struct {
	team watchpost.TeamID
	view TaskView
}

// maxFinishedBytes bounds the memory for final tasks of a node.
const maxFinishedBytes = 8 << 20

func newFinishedTasks() *finishedTasks {
	return &finishedTasks{tasks: map[watchpost.TaskID]finishedTask{}, awaited: map[watchpost.TaskID]*awaitedEnd{}}
}

// remember takes a final task that is durable.
func (f *finishedTasks) remember(team watchpost.TeamID, view TaskView) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wake(view.ID)
	if old, known := f.tasks[view.ID]; known {
		f.bytes -= old.size()
	} else {
		f.order = append(f.order, view.ID)
	}
	task := finishedTask{team, view}
	f.tasks[view.ID] = task
	f.bytes += task.size()
	for f.bytes > maxFinishedBytes {
		oldest := f.order[0]
		f.order = f.order[1:]
		f.bytes -= f.tasks[oldest].size()
		delete(f.tasks, oldest)
	}
}

// forget drops tasks that are deleted.
func (f *finishedTasks) forget(ids []watchpost.TaskID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, id := range ids {
		if task, known := f.tasks[id]; known {
			f.bytes -= task.size()
			delete(f.tasks, id)
		}
	}
	f.order = slices.DeleteFunc(f.order, func(id watchpost.TaskID) bool { _, known := f.tasks[id]; return !known })
}

// await returns a channel that is closed when a task ends, or may be another node's. The
// caller calls done when it stops waiting.
func (f *finishedTasks) await(id watchpost.TaskID) (ended <-chan struct{}, done func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	a := f.awaited[id]
	if a == nil {
		a = &awaitedEnd{ended: make(chan struct{})}
		f.awaited[id] = a
	}
	a.n++
	return a.ended, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if a.n--; a.n == 0 && f.awaited[id] == a {
			delete(f.awaited, id)
		}
	}
}

// wake lets those go on who wait for the end of a task; the caller holds the lock.
func (f *finishedTasks) wake(id watchpost.TaskID) {
	if a := f.awaited[id]; a != nil {
		close(a.ended)
		delete(f.awaited, id)
	}
}

// clear forgets all tasks, and wakes all who wait: they ask again, where the team is.
func (f *finishedTasks) clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for id := range f.awaited {
		f.wake(id)
	}
	clear(f.tasks)
	f.order, f.bytes = nil, 0
}

// find returns a task of the team.
func (f *finishedTasks) find(team watchpost.TeamID, id watchpost.TaskID) (TaskView, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	task, known := f.tasks[id]
	return task.view, known && task.team == team
}

// size counts the bytes of a task, and some for what holds it.
func (t finishedTask) size() int {
	const overhead = 400
	return len(t.view.Input) + len(t.view.Output) + overhead
}

// noteFetched remembers a fetch that has ended with a result, for requests that take one
// that is not too old. The batch ends the task.
func noteFetched(batch *persistence.Batch, task *watchpost.Task) {
	if task.State != watchpost.TaskCompleted {
		return
	}
	for _, of := range watchpost.FetchedKeys(task) {
		batch.Put(teamspace.FetchedKey(of), teamspace.Encode(teamspace.FetchedRecord{Task: task.ID, At: task.EndedAt}))
	}
}

// forgetFetched forgets a fetch that is deleted, unless there is a newer one.
func forgetFetched(view persistence.View, space persistence.Space, batch *persistence.Batch, task *watchpost.Task) error {
	for _, of := range watchpost.FetchedKeys(task) {
		key := teamspace.FetchedKey(of)
		record, err := teamspace.Load[teamspace.FetchedRecord](view, space, key)
		switch {
		case err == nil && record.Task == task.ID:
			batch.Delete(key)
		case err != nil && !errors.Is(err, persistence.ErrNotFound):
			return err
		}
	}
	return nil
}

// fetchedSince returns the newest result of what a request asks for, if there is one that
// is not older than it allows.
func fetchedSince(t *tasks, m *CreateTask) (fetched TaskCreated, known bool, err error) {
	view, err := t.env.View()
	if err != nil {
		return fetched, false, err
	}
	defer view.Close()
	request := watchpost.Task{Type: m.Type, Input: watchpost.ParseTaskInput(m.Input)}
	task, err := newestFetch(view, t.Space, watchpost.FetchedKeys(&request))
	if err != nil || task == nil || t.env.Clock.Now().Sub(task.EndedAt) > *m.MaxAge {
		return fetched, false, err
	}
	return TaskCreated{ID: task.ID, FetchedAt: task.EndedAt}, true, nil
}

// newestFetch returns the newest completed fetch of what one of the keys of references
// names; nil without any.
func newestFetch(view persistence.View, space persistence.Space, keys []string) (*watchpost.Task, error) {
	var newest teamspace.FetchedRecord
	for _, of := range keys {
		record, err := teamspace.Load[teamspace.FetchedRecord](view, space, teamspace.FetchedKey(of))
		if err != nil && !errors.Is(err, persistence.ErrNotFound) {
			return nil, err
		}
		if err == nil && record.At.After(newest.At) {
			newest = record
		}
	}
	if newest.Task == "" {
		return nil, nil
	}
	task, err := teamspace.Load[watchpost.Task](view, space, teamspace.Key(teamspace.KeyTask, newest.Task))
	if errors.Is(err, persistence.ErrNotFound) {
		return nil, nil
	}
	return &task, err
}

// failures counts the tasks of callers that were asked for today (UTC) and have failed, as
// reads.JournalTotals does, without a scan of the journal for each page that shows it.
type failures struct {
	day   time.Time
	count int
}

// load counts the tasks that have failed before this activation.
func (f *failures) load(view persistence.View, space persistence.Space, now time.Time) error {
	f.day = watchpost.Daily.Start(now)
	totals, err := reads.TotalsOf(view, space, f.day)
	f.count = totals.Failed
	return err
}

// ended counts a task that ends.
func (f *failures) ended(task *watchpost.Task, now time.Time) {
	f.today(now)
	failed := task.State == watchpost.TaskFailed && task.Failure.Code != watchpost.FailCancelled
	if failed && !task.Type.Scan() && string(task.ID) >= watchpost.FirstID(f.day) {
		f.count++
	}
}

// today returns the count of the present day.
func (f *failures) today(now time.Time) int {
	if day := watchpost.Daily.Start(now); !day.Equal(f.day) {
		f.day, f.count = day, 0
	}
	return f.count
}
