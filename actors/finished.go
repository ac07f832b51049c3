package actors

import (
	"slices"
	"sync"

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
}

type finishedTask struct {
	team watchpost.TeamID
	view TaskView
}

// maxFinishedBytes bounds the memory for final tasks of a node.
const maxFinishedBytes = 8 << 20

func newFinishedTasks() *finishedTasks {
	return &finishedTasks{tasks: map[watchpost.TaskID]finishedTask{}}
}

// remember takes a final task that is durable.
func (f *finishedTasks) remember(team watchpost.TeamID, view TaskView) {
	f.mu.Lock()
	defer f.mu.Unlock()
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

// clear forgets all tasks.
func (f *finishedTasks) clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
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
