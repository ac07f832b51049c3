package headless_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"watchpost/internal/fakenetwork/headless"
	"watchpost/internal/protocol"
)

func openJournal(t *testing.T, dir string) *headless.Journal {
	t.Helper()
	j, _, err := headless.OpenJournal(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

// reopen opens the journal as the next process does after a crash.
func reopen(t *testing.T, j *headless.Journal, dir string) *headless.Journal {
	t.Helper()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return openJournal(t, dir)
}

func TestJournalSurvivesEachStep(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "made", "journal")
	j := openJournal(t, dir)
	id := j.ID()
	due := start.Add(time.Minute)
	e := headless.Entry{
		Task: "t1", Lease: "l1", Attempt: 1, TaskType: "agent_comment_post", Input: json.RawMessage(`{"a":"b"}`),
		Deadline: &due, State: protocol.StateReceived, At: start,
	}
	steps := []func(){
		func() {},
		func() { e.State, e.Witness, e.ActingAt = protocol.StateActing, &headless.Witness{Count: 2}, &start },
		func() { e.Begun = true },
		func() { e.Again = true },
		func() { e.State, e.Output = protocol.StateDone, json.RawMessage(`{"commented":true}`) },
	}
	for i, step := range steps {
		step()
		if err := j.Put(e); err != nil {
			t.Fatal(err)
		}
		j = reopen(t, j, dir)
		if got := j.Entries(); len(got) != 1 || !reflect.DeepEqual(got[0], e) {
			t.Fatalf("after step %d: %+v, want %+v", i, got, e)
		}
		if j.ID() != id {
			t.Fatalf("after step %d the journal has another name", i)
		}
	}
	if err := j.Remove("t1"); err != nil {
		t.Fatal(err)
	}
	if err := j.Remove("t1"); err != nil {
		t.Fatalf("removing twice: %v", err)
	}
	if got := reopen(t, j, dir).Entries(); len(got) != 0 {
		t.Errorf("after the removal: %+v", got)
	}
}

func TestJournalIsOneSessions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := openJournal(t, dir)
	if _, _, err := headless.OpenJournal(dir); !errors.Is(err, headless.ErrJournalInUse) {
		t.Errorf("second session: %v, want ErrJournalInUse", err)
	}
	reopen(t, j, dir)
}

// TestJournalTolerance: files left by a crash or by another program do not hide
// the other tasks and are not deleted.
func TestJournalTolerance(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := openJournal(t, dir)
	good := headless.Entry{Task: "good", State: protocol.StateReceived, At: start}
	if err := j.Put(good); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"task-torn.json":    `{"task":"torn","sta`,
		"task-empty.json":   ``,
		"task-state.json":   `{"task":"state","state":"dreaming"}`,
		"task-acting.json":  `{"task":"acting","state":"acting"}`,
		"task-other.json":   `{"task":"good","state":"received"}`,
		"task-new.json.tmp": `{"task":"new"`,
		"notes.txt":         `a stranger's`,
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j, unread, err := headless.OpenJournal(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	if got := j.Entries(); len(got) != 1 || got[0].Task != "good" {
		t.Errorf("entries %+v", got)
	}
	slices.Sort(unread)
	want := []string{"task-acting.json", "task-empty.json", "task-other.json", "task-state.json", "task-torn.json"}
	if !slices.Equal(unread, want) {
		t.Errorf("not understood %v, want %v", unread, want)
	}
	for _, name := range append(want, "notes.txt") {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "task-new.json.tmp")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("half-written file: %v", err)
	}
}

// TestJournalNames: a task id cannot lead out of the folder or collide with
// another task's file.
func TestJournalNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := openJournal(t, dir)
	ids := []string{"../../x", "a/b", "A", "a", "_41", "", "ü", "journal"}
	for i, id := range ids {
		err := j.Put(headless.Entry{Task: id, State: protocol.StateReceived, At: start.Add(time.Duration(i))})
		if err != nil {
			t.Fatalf("%q: %v", id, err)
		}
	}
	got := reopen(t, j, dir).Entries()
	if len(got) != len(ids)-1 { // an entry without a task is invalid
		t.Errorf("%d entries of %d", len(got), len(ids))
	}
	files, err := os.ReadDir(filepath.Dir(dir))
	if err != nil || len(files) != 1 {
		t.Errorf("files next to the journal: %v, %v", files, err)
	}
}

func TestJournalWithLostName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := openJournal(t, dir)
	id := j.ID()
	if err := os.WriteFile(filepath.Join(dir, "journal.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	j = reopen(t, j, dir)
	if j.ID() == id || j.ID() == "" {
		t.Errorf("a journal whose name was lost is called %q again", j.ID())
	}
}
