// Package postgrestest starts a private PostgreSQL server for tests and
// benchmarks, from the programs that the system has installed.
package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// ErrNotInstalled means that PostgreSQL is not installed.
var ErrNotInstalled = errors.New("PostgreSQL is not installed: make postgres installs it")

// Server is a PostgreSQL server on a socket in its own folder. Its files are
// not synced when they are created, but its commits are, unless a setting says
// otherwise.
type Server struct {
	bin, dir  string
	settings  []string
	as        *syscall.SysProcAttr
	process   *exec.Cmd
	ended     chan struct{} // closed when the process has ended
	databases atomic.Int64
	// clockLibrary lets StepClock step the server's clock; "" when it cannot.
	clockLibrary string
}

const owner = "watchpost"

// Start creates a server with settings, as NAME=value, and waits until it
// answers. Root runs it as the user postgres, because the server refuses to run
// as root.
func Start(settings ...string) (*Server, error) { return start("", settings...) }

func start(clockLibrary string, settings ...string) (*Server, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "watchpost-pg-")
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin, dir: dir, clockLibrary: clockLibrary, settings: append([]string{"listen_addresses=", "unix_socket_directories=" + dir}, settings...)}
	if err := s.create(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Server) create() (err error) {
	if s.as, err = ordinaryUser(s.dir); err != nil {
		return err
	}
	initdb := exec.Command(filepath.Join(s.bin, "initdb"), "-D", s.data(), "-U", owner, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N", "--data-checksums")
	initdb.SysProcAttr, initdb.Dir = s.as, s.dir
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	if s.clockLibrary != "" {
		if err := s.setClock(0); err != nil {
			return err
		}
	}
	return s.Run()
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// Run starts a server that was stopped and waits until it answers.
func (s *Server) Run() error {
	arguments := []string{"-D", s.data()}
	for _, setting := range s.settings {
		arguments = append(arguments, "-c", setting)
	}
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // the server has its own handle
	process, ended := exec.Command(filepath.Join(s.bin, "postgres"), arguments...), make(chan struct{})
	process.SysProcAttr, process.Dir, process.Env, process.Stdout, process.Stderr = s.as, s.dir, s.environment(), log, log
	if err := process.Start(); err != nil {
		return err
	}
	s.process, s.ended = process, ended
	go func() {
		_ = process.Wait() // its log has the reason
		close(ended)
	}()
	return s.await()
}

// await waits until the server answers.
func (s *Server) await() error {
	const patience = 5 * time.Minute // of a machine that does much else
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	retry := time.NewTicker(20 * time.Millisecond)
	defer retry.Stop()
	for {
		conn, err := pgx.Connect(ctx, s.URL("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-retry.C:
		case <-s.ended:
			log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
			return fmt.Errorf("PostgreSQL ended: %s", log)
		case <-ctx.Done():
			return fmt.Errorf("PostgreSQL does not answer: %w", err)
		}
	}
}

// URL returns the connection string of a database.
func (s *Server) URL(database string) string {
	return fmt.Sprintf("postgres://%s@/%s?host=%s", owner, database, s.dir)
}

// NewDatabase creates an empty database and returns its connection string.
func (s *Server) NewDatabase(ctx context.Context) (url string, err error) {
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing is under way
	name := fmt.Sprintf("watchpost_%d", s.databases.Add(1))
	_, err = conn.Exec(ctx, "CREATE DATABASE "+name)
	return s.URL(name), err
}

// Stop ends the server's sessions, then shuts the server down.
func (s *Server) Stop() error { return s.end(syscall.SIGINT) }

// Crash ends the server at once; the next Run recovers from its log.
func (s *Server) Crash() error { return s.end(syscall.SIGQUIT) }

// end signals the server by its id and waits until it has ended. One that does not end is
// killed, and the error has its log.
func (s *Server) end(signal os.Signal) error {
	if err := s.process.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	const patience = 3 * time.Minute // of a machine that does much else
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-s.ended:
		return nil
	case <-late.C:
		err := s.process.Process.Kill()
		<-s.ended
		log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
		return errors.Join(err, fmt.Errorf("PostgreSQL did not end within %s of %q: %s", patience, signal, log))
	}
}

// Close ends the server and removes its files.
func (s *Server) Close() error {
	var err error
	if s.process != nil {
		err = s.Crash() // the files go anyway
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}

// programs returns the folder of the server's programs, of the newest version.
func programs() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		path, err := exec.LookPath("postgres")
		if err != nil {
			return "", ErrNotInstalled
		}
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return "", err
		}
		return filepath.Dir(path), nil
	}
	slices.SortFunc(found, func(a, b string) int { return majorOf(a) - majorOf(b) })
	return filepath.Dir(found[len(found)-1]), nil
}

func majorOf(path string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path)))) // a folder without a number sorts as oldest
	return n
}

// ordinaryUser returns attributes for a process that must not run as root, and
// gives that user the folder.
func ordinaryUser(dir string) (*syscall.SysProcAttr, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		if u, err = user.Lookup("nobody"); err != nil {
			return nil, err
		}
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, os.Chown(dir, int(uid), int(gid))
}

// Path returns the path of a file in the server's data folder.
func (s *Server) Path(name string) string { return filepath.Join(s.data(), name) }

// PID is the id of the server's first process.
func (s *Server) PID() int { return s.process.Process.Pid }

// Program returns the path of a program of the server's version, as pg_dump.
func (s *Server) Program(name string) string { return filepath.Join(s.bin, name) }
