package specs_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// process is a program that a script has started. It is ended by its own
// handle, never by name.
type process struct {
	name string
	cmd  *exec.Cmd
	log  *logLines
	done chan struct{} // closed when it has ended
	err  error         // how it ended; read after done
}

// patience bounds every wait of a script: long enough for a busy machine.
const patience = 40 * time.Second

// launch starts the binary in a folder.
func launch(name, dir string, args ...string) (*process, error) {
	program, err := binary()
	if err != nil {
		return nil, err
	}
	p := &process{name: name, cmd: exec.Command(program, args...), log: newLogLines(), done: make(chan struct{})}
	p.cmd.Dir = dir
	p.cmd.Env = append(environment(), "HOME="+dir, "GORACE=atexit_sleep_ms=50")
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

// environment is that of the test without what would configure the binary.
func environment() (kept []string) {
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "WATCHPOST_") {
			kept = append(kept, v)
		}
	}
	return kept
}

// await returns the first log line that holds the text.
func (p *process) await(text string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
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
			return "", fmt.Errorf("%s ended (%v) before it logged %q\n%s", p.name, p.err, text, p.log.tail())
		case <-ctx.Done():
			return "", fmt.Errorf("%s did not log %q\n%s", p.name, text, p.log.tail())
		}
	}
}

// stop asks the process to end, which must succeed.
func (p *process) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("%s has ended by itself: %w\n%s", p.name, p.err, p.log.tail())
	}
	select {
	case <-p.done:
	case <-time.After(patience):
		p.kill()
		return fmt.Errorf("%s did not end when it was told to\n%s", p.name, p.log.tail())
	}
	if p.err != nil {
		return fmt.Errorf("%s ended with %w\n%s", p.name, p.err, p.log.tail())
	}
	return p.fault()
}

// kill ends the process as a crash would.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// fault reports what no script may cause.
func (p *process) fault() error {
	for _, sign := range []string{"WARNING: DATA RACE", `"msg":"panic"`, "goroutine 1 ["} {
		if line, found, _ := p.log.find(sign); found {
			return fmt.Errorf("%s logged: %s\n%s", p.name, line, p.log.tail())
		}
	}
	return nil
}

// logLines keeps what a process writes, line by line.
type logLines struct {
	mu    sync.Mutex
	lines []string
	part  []byte
	more  chan struct{} // closed when there is more
}

func newLogLines() *logLines { return &logLines{more: make(chan struct{})} }

// Write implements io.Writer.
func (l *logLines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.part = append(l.part, b...)
	for {
		line, rest, ended := bytes.Cut(l.part, []byte{'\n'})
		if !ended {
			break
		}
		l.lines = append(l.lines, string(line))
		l.part = rest
	}
	close(l.more)
	l.more = make(chan struct{})
	return len(b), nil
}

// find returns the first line with the text, and what is closed when there are
// more lines.
func (l *logLines) find(text string) (line string, found bool, more <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.lines {
		if strings.Contains(line, text) {
			return line, true, l.more
		}
	}
	return "", false, l.more
}

// tail is the end of the log, for reports.
func (l *logLines) tail() string {
	const shown = 30
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := l.lines
	if len(lines) > shown {
		lines = lines[len(lines)-shown:]
	}
	return strings.Join(lines, "\n")
}
