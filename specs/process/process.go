// Package process starts the built binary for the black-box tests: scripts,
// crash tests and benchmarks. It ends a process by its handle, never by name.
package process

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Patience bounds every wait for a process: long enough for a busy machine.
const Patience = 2 * time.Minute

// Build builds the binary into dir with the given flags of go build, and
// returns its path. When WATCHPOST_BINARY names a program, Build returns that.
//
// It is a copy of one below bin, which go build links again only after a change:
// linking takes seconds, and each package with such tests would repeat it.
func Build(dir string, flags ...string) (string, error) {
	if given := os.Getenv("WATCHPOST_BINARY"); given != "" {
		return filepath.Abs(given)
	}
	root, err := run("go", "list", "-m", "-f", "{{.Dir}}", "watchpost")
	if err != nil {
		return "", err
	}
	kept := filepath.Join(root, "bin", "test", strings.NewReplacer("/", "_", " ", "_").Replace(strings.Join(append([]string{"watchpost"}, flags...), "")))
	if err = os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
		return "", err
	}
	lock, err := os.OpenFile(kept+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	defer lock.Close() //nolint:errcheck // it ends the lock
	if err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	if _, err = run("go", append(append([]string{"build", "-o", kept}, flags...), "watchpost/cmd/watchpost")...); err != nil {
		return "", err
	}
	// Another process copies: this one may fork while it writes the file, and who
	// inherits it keeps the program from being started.
	built := filepath.Join(dir, "watchpost")
	_, err = run("cp", kept, built)
	return built, err
}

// run returns what a command prints.
func run(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, args[0], err, bytes.TrimSpace(out))
	}
	return string(bytes.TrimSpace(out)), nil
}

// Process is a program that a test has started.
type Process struct {
	name string
	cmd  *exec.Cmd
	log  *lines
	done chan struct{} // closed when it has exited
	err  error         // the exit error; read after done
}

// Launch starts a program in a folder, without the caller's environment
// variables that would configure it. name is for reports.
func Launch(name, dir, program string, args ...string) (*Process, error) {
	return LaunchWith(nil, name, dir, program, args...)
}

// LaunchWith starts a program with more variables, as NAME=value.
func LaunchWith(variables []string, name, dir, program string, args ...string) (*Process, error) {
	return LaunchFiles(nil, variables, name, dir, program, args...)
}

// LaunchFiles starts a program with more variables and with open files, which it
// finds as descriptors 3, 4 and so on.
func LaunchFiles(files []*os.File, variables []string, name, dir, program string, args ...string) (*Process, error) {
	p := &Process{name: name, cmd: exec.Command(program, args...), log: &lines{more: make(chan struct{})}, done: make(chan struct{})}
	p.cmd.Dir, p.cmd.ExtraFiles = dir, files
	p.cmd.Env = append(append(environment(), "HOME="+dir, "GORACE=atexit_sleep_ms=50"), variables...)
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

func environment() (kept []string) {
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "WATCHPOST_") {
			kept = append(kept, v)
		}
	}
	return kept
}

// PID is the process's id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Await returns the first log line that contains the text.
func (p *Process) Await(text string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	for {
		line, found, more := p.log.find(text)
		if found {
			return line, nil
		}
		select {
		case <-more:
		case <-p.done:
			if line, found, _ := p.log.find(text); found {
				return line, nil
			}
			return "", fmt.Errorf("%s ended (%w) before it logged %q\n%s", p.name, p.err, text, p.log.tail())
		case <-ctx.Done():
			return "", fmt.Errorf("%s did not log %q\n%s", p.name, text, p.log.tail())
		}
	}
}

// Logged returns the first log line so far that contains the text.
func (p *Process) Logged(text string) (line string, found bool) {
	line, found, _ = p.log.find(text)
	return line, found
}

// Name is that of the process in reports.
func (p *Process) Name() string { return p.name }

// Output returns the whole output so far.
func (p *Process) Output() string {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	return strings.Join(p.log.all, "\n") + "\n" + string(p.log.part)
}

// Suspend stops the process for a while, as a machine that sleeps does.
func (p *Process) Suspend(d time.Duration) error {
	if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	<-time.After(d)
	return p.cmd.Process.Signal(syscall.SIGCONT)
}

// Tail returns the end of the process's output.
func (p *Process) Tail() string { return p.log.tail() }

// ExitCode returns the exit code of a process that has ended.
func (p *Process) ExitCode() int { return p.cmd.ProcessState.ExitCode() }

// URL waits until a server logs that it serves, and returns its address.
func (p *Process) URL() (string, error) {
	line, err := p.Await(`"msg":"serving`)
	if err != nil {
		return "", err
	}
	var entry struct {
		URL string `json:"url"`
	}
	if err := json.Unmarshal([]byte(line), &entry); err != nil {
		return "", fmt.Errorf("%s logged %s: %w", p.name, line, err)
	}
	return entry.URL, nil
}

// Stop asks the process to exit. The process must succeed and leave no Fault.
func (p *Process) Stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("%s had ended by itself: %w\n%s", p.name, err, p.log.tail())
	}
	select {
	case <-p.done:
	case <-time.After(Patience):
		p.Kill()
		return fmt.Errorf("%s did not end when it was told to\n%s", p.name, p.log.tail())
	}
	if p.err != nil {
		return fmt.Errorf("%s ended with %w\n%s", p.name, p.err, p.log.tail())
	}
	return p.Fault()
}

// Kill ends the process as a crash would.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill() // it may have ended already
	<-p.done
}

// Fault reports a data race or a panic in the log. No test may cause one.
func (p *Process) Fault() error {
	for _, sign := range []string{"WARNING: DATA RACE", `"msg":"panic"`, `"msg":"actor failed"`, "goroutine 1 ["} {
		if line, found, _ := p.log.find(sign); found {
			return fmt.Errorf("%s logged: %s\n%s", p.name, line, p.log.tail())
		}
	}
	return nil
}

// lines stores the output of a process, line by line.
type lines struct {
	mu   sync.Mutex
	all  []string
	part []byte
	more chan struct{} // closed when there is more
}

// Write implements io.Writer.
func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.part = append(l.part, b...)
	for {
		line, rest, ended := bytes.Cut(l.part, []byte{'\n'})
		if !ended {
			break
		}
		l.all = append(l.all, string(line))
		l.part = rest
	}
	close(l.more)
	l.more = make(chan struct{})
	return len(b), nil
}

// find returns the first line with the text, and a channel that is closed when
// there are more lines.
func (l *lines) find(text string) (line string, found bool, more <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.all {
		if strings.Contains(line, text) {
			return line, true, l.more
		}
	}
	return "", false, l.more
}

// tail returns the end of the log, for reports.
func (l *lines) tail() string {
	const shown = 60 // more than the longest help
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.all
	if len(all) > shown {
		all = all[len(all)-shown:]
	}
	return strings.Join(all, "\n")
}
