package main

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
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// postgresBin returns the folder of the server's programs, the newest version.
func postgresBin() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		path, err := exec.LookPath("postgres")
		if err != nil {
			return "", errNoPostgres
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

// openPostgres creates a cluster and starts its server. Root runs it as the
// user postgres, because the server refuses to run as root.
func openPostgres(ctx context.Context) (p *postgres, err error) {
	bin, err := postgresBin()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "posts-pg-")
	if err != nil {
		return nil, err
	}
	p = &postgres{dir: dir, ended: make(chan struct{})}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.close())
		}
	}()
	as, err := ordinaryUser(dir)
	if err != nil {
		return p, err
	}
	data := filepath.Join(dir, "data")
	initdb := exec.CommandContext(ctx, filepath.Join(bin, "initdb"), "-D", data, "-U", "posts", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N")
	initdb.SysProcAttr, initdb.Dir = as, dir
	if out, err := initdb.CombinedOutput(); err != nil {
		return p, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	arguments := []string{"-D", data}
	for _, s := range p.settings() {
		arguments = append(arguments, "-c", s)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return p, err
	}
	defer func() { _ = log.Close() }() // the server has its own handle
	server := exec.Command(filepath.Join(bin, "postgres"), arguments...)
	server.SysProcAttr, server.Dir, server.Stdout, server.Stderr = as, dir, log, log
	if err := server.Start(); err != nil {
		return p, err
	}
	p.server = server
	go func() {
		_ = server.Wait() // its log has the exit reason
		close(p.ended)
	}()
	return p, p.connect(ctx)
}

// settings suit a server that has the machine nearly to itself. Commits are
// fully durable.
func (p *postgres) settings() []string {
	shared := min(memTotal()/4, 4<<30) >> 20
	return []string{
		"listen_addresses=", "unix_socket_directories=" + p.dir, "max_connections=20",
		fmt.Sprintf("shared_buffers=%dMB", shared), fmt.Sprintf("effective_cache_size=%dMB", 2*shared),
		"work_mem=64MB", "maintenance_work_mem=1GB", "max_wal_size=8GB", "checkpoint_timeout=30min",
		"random_page_cost=1.1", "effective_io_concurrency=200", "jit=off", "synchronous_commit=on", "fsync=on",
	}
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

// connect waits until the server answers.
func (p *postgres) connect(ctx context.Context) error {
	const patience = time.Minute
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	dsn := fmt.Sprintf("host=%s user=posts dbname=postgres pool_max_conns=4", p.dir)
	retry := time.NewTicker(20 * time.Millisecond)
	defer retry.Stop()
	for {
		pool, err := pgxpool.New(ctx, dsn)
		if err != nil {
			return err
		}
		if err = pool.QueryRow(ctx, "SHOW server_version").Scan(&p.about); err == nil {
			p.pool = pool
			return p.exec(ctx, postgresSchema)
		}
		pool.Close()
		select {
		case <-retry.C:
		case <-p.ended:
			log, _ := os.ReadFile(filepath.Join(p.dir, "log"))
			return fmt.Errorf("PostgreSQL ended: %s", log)
		case <-ctx.Done():
			return fmt.Errorf("PostgreSQL does not answer: %w", err)
		}
	}
}

// close stops the server by its id and removes the cluster.
func (p *postgres) close() error {
	if p.pool != nil {
		p.pool.Close()
	}
	if p.server != nil {
		if err := p.server.Process.Signal(syscall.SIGINT); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return err
		}
		<-p.ended
	}
	return os.RemoveAll(p.dir)
}
