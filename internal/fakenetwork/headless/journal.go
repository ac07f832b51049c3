package headless

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"time"

	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// Entry is the journal's record of one task.
type Entry struct {
	Task     string          `json:"task"`
	Lease    string          `json:"lease"`
	Attempt  int             `json:"attempt"`
	TaskType string          `json:"task_type"`
	Input    json.RawMessage `json:"input,omitempty"`
	Deadline *time.Time      `json:"deadline,omitempty"`
	Trace    string          `json:"traceparent,omitempty"` // of the lease, when it is traced
	Restored bool            `json:"restored,omitempty"`    // as in the frame
	State    string          `json:"state"`                 // protocol.StateReceived, StateActing or StateDone
	At       time.Time       `json:"at"`                    // time of receipt, by the session's Clock
	// Account is the URN of the account that a write acts as, set with acting.
	Account string `json:"account,omitempty"`

	// acting
	Witness  *Witness   `json:"witness,omitempty"`
	ActingAt *time.Time `json:"acting_at,omitempty"`
	// Begun is set after go and before the network is touched. An entry in
	// acting without it was certainly not acted on.
	Begun bool `json:"begun,omitempty"`
	// Again is set before the network is touched a second time.
	Again bool `json:"again,omitempty"`

	// done: one of these two
	Output json.RawMessage     `json:"output,omitempty"`
	Error  *protocol.TaskError `json:"error,omitempty"`
}

// Witness is what the page showed before a write.
type Witness struct {
	// Done is the page's state of a like or invitation.
	Done bool `json:"done,omitempty"`
	// Count is the number of the actor's comments or messages with the same
	// text.
	Count int `json:"count,omitempty"`
}

// Journal is a folder with one file per task and a file with the journal's
// name. A file is written to a temporary name, synced and renamed, so after a
// crash it is either complete or absent.
type Journal struct {
	dir  string
	id   string
	lock *folderLock

	mu    sync.Mutex
	tasks map[string]Entry
}

// Names of files in a journal.
const (
	idFile     = "journal.json"
	lockFile   = "lock"
	taskPrefix = "task-"
	taskSuffix = ".json"
	tempSuffix = ".tmp"
)

// OpenJournal opens the journal in dir, creating it if needed. It fails with
// ErrJournalInUse while another session has it open. It leaves unreadable files
// alone and returns their names for the log.
func OpenJournal(dir string) (j *Journal, unread []string, err error) {
	if err := makeDir(dir); err != nil {
		return nil, nil, err
	}
	lock, err := lockFolder(filepath.Join(dir, lockFile))
	if err != nil {
		return nil, nil, err
	}
	j = &Journal{dir: dir, lock: lock, tasks: make(map[string]Entry)}
	if err := j.loadID(); err != nil {
		_ = lock.release()
		return nil, nil, err
	}
	if unread, err = j.loadTasks(); err != nil {
		_ = lock.release()
		return nil, nil, err
	}
	return j, unread, nil
}

// loadID reads the journal's name, or creates one. A journal whose name is lost
// gets a new one, because nothing proves that it is the same journal.
func (j *Journal) loadID() error {
	var id struct {
		Journal string `json:"journal"`
	}
	b, err := os.ReadFile(filepath.Join(j.dir, idFile))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err == nil && json.Unmarshal(b, &id) == nil && id.Journal != "" {
		j.id = id.Journal
		return nil
	}
	id.Journal = watchpost.NewSecret(16)
	j.id = id.Journal
	return j.write(idFile, id)
}

// loadTasks reads the task files. It removes temporary files, which a crash
// left half written.
func (j *Journal) loadTasks() (unread []string, err error) {
	files, err := os.ReadDir(j.dir)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		name := f.Name()
		if strings.HasSuffix(name, tempSuffix) {
			_ = os.Remove(filepath.Join(j.dir, name))
			continue
		}
		if !strings.HasPrefix(name, taskPrefix) || !strings.HasSuffix(name, taskSuffix) {
			continue
		}
		var e Entry
		b, err := os.ReadFile(filepath.Join(j.dir, name))
		if err != nil || json.Unmarshal(b, &e) != nil || !e.whole() || taskFile(e.Task) != name {
			unread = append(unread, name)
			continue
		}
		j.tasks[e.Task] = e
	}
	return unread, nil
}

// whole reports whether an entry has the fields that its state needs.
func (e *Entry) whole() bool {
	switch e.State {
	case protocol.StateReceived:
		return e.Task != ""
	case protocol.StateActing:
		return e.Task != "" && e.Witness != nil && e.ActingAt != nil
	case protocol.StateDone:
		return e.Task != "" && (e.Output != nil) != (e.Error != nil)
	default:
		return false
	}
}

// decided reports whether the page alone shows if the write was done, so that
// repeating it cannot do it twice.
func (e *Entry) decided() bool { return watchpost.TaskType(e.TaskType).PageDecides() }

// ID is the journal's random name, created and stored with it.
func (j *Journal) ID() string { return j.id }

// Entries returns the open tasks, oldest first.
func (j *Journal) Entries() []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	list := make([]Entry, 0, len(j.tasks))
	for _, e := range j.tasks {
		list = append(list, e)
	}
	sort.Slice(list, func(a, b int) bool {
		if !list[a].At.Equal(list[b].At) {
			return list[a].At.Before(list[b].At)
		}
		return list[a].Task < list[b].Task
	})
	return list
}

// Put makes an entry durable.
func (j *Journal) Put(e Entry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.write(taskFile(e.Task), e); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	j.tasks[e.Task] = e
	return nil
}

// Remove deletes a task. If a crash undoes the removal, the result is only sent
// and acknowledged again.
func (j *Journal) Remove(task string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, known := j.tasks[task]; !known {
		return nil
	}
	delete(j.tasks, task)
	if err := os.Remove(filepath.Join(j.dir, taskFile(task))); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// Close lets another session open the journal.
func (j *Journal) Close() error { return j.lock.release() }

// write stores a file atomically and durably.
func (j *Journal) write(name string, content any) error {
	b, err := json.Marshal(content)
	if err != nil {
		return err
	}
	place := filepath.Join(j.dir, name)
	f, err := os.OpenFile(place+tempSuffix, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	if err := os.Rename(place+tempSuffix, place); err != nil {
		return err
	}
	return syncDir(j.dir)
}

// taskFile names the file of a task. Ids are UUIDs; any other id from the
// service must not lead out of the folder.
func taskFile(task string) string {
	var b strings.Builder
	for _, c := range []byte(task) {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "_%02x", c)
		}
	}
	return taskPrefix + b.String() + taskSuffix
}
