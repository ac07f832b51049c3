package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/jackc/pgx/v5"
)

// Standby starts a server that follows s. From then on s acknowledges a commit when
// the standby has it too.
func (s *Server) Standby() (standby *Server, err error) {
	dir, err := os.MkdirTemp("", "watchpost-pg-")
	if err != nil {
		return nil, err
	}
	standby = &Server{bin: s.bin, dir: dir, settings: append([]string{"listen_addresses=", "unix_socket_directories=" + dir}, s.settings[2:]...)}
	// After a restart of the primary the standby is back soon; the default is 5 s, and
	// commits wait for it.
	standby.settings = append(standby.settings, "wal_retrieve_retry_interval=200ms")
	if err := standby.follow(s); err != nil {
		return nil, errors.Join(err, standby.Close())
	}
	return standby, nil
}

func (s *Server) follow(primary *Server) (err error) {
	if s.as, err = ordinaryUser(s.dir); err != nil {
		return err
	}
	if err := s.program("pg_basebackup", "-D", s.data(), "-h", primary.dir, "-U", owner, "-R", "-X", "stream", "-c", "fast", "-N"); err != nil {
		return err
	}
	if err := s.Run(); err != nil {
		return err
	}
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, primary.URL("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing is under way
	if _, err := conn.Exec(ctx, "ALTER SYSTEM SET synchronous_standby_names = '*'"); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "SELECT pg_reload_conf()")
	return err
}

// Promote makes a standby take writes. Its primary must have ended.
func (s *Server) Promote() error { return s.program("pg_ctl", "promote", "-D", s.data(), "-w") }

// Socket returns the path of the server's socket.
func (s *Server) Socket() string { return filepath.Join(s.dir, ".s.PGSQL.5432") }

// program runs one of the server's programs as the server's user.
func (s *Server) program(name string, args ...string) error {
	command := exec.Command(filepath.Join(s.bin, name), args...)
	command.SysProcAttr, command.Dir = s.as, s.dir
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}
