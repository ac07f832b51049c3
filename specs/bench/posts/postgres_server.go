package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"watchpost/persistence/postgres/postgrestest"
)

// openPostgres starts a server and creates the tables.
func openPostgres(ctx context.Context) (p *postgres, err error) {
	p = &postgres{}
	if p.server, err = postgrestest.Start(postgresSettings()...); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.close())
		}
	}()
	if p.pool, err = pgxpool.New(ctx, p.server.URL("postgres")+"&pool_max_conns=4"); err != nil {
		return p, err
	}
	if err := p.pool.QueryRow(ctx, "SHOW server_version").Scan(&p.about); err != nil {
		return p, err
	}
	return p, p.exec(ctx, postgresSchema)
}

// postgresSettings suit a server that has the machine nearly to itself. Commits
// are fully durable.
func postgresSettings() []string {
	shared := min(memTotal()/4, 4<<30) >> 20
	return []string{
		"max_connections=20",
		fmt.Sprintf("shared_buffers=%dMB", shared), fmt.Sprintf("effective_cache_size=%dMB", 2*shared),
		"work_mem=64MB", "maintenance_work_mem=1GB", "max_wal_size=8GB", "checkpoint_timeout=30min",
		"random_page_cost=1.1", "effective_io_concurrency=200", "jit=off", "synchronous_commit=on", "fsync=on",
	}
}

// close stops the server and removes its files.
func (p *postgres) close() error {
	if p.pool != nil {
		p.pool.Close()
	}
	return p.server.Close()
}
