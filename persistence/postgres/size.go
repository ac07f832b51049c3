package postgres

import (
	"context"
	"sync"
	"time"
)

// databaseSize is the size of the database on the server's disk. How much room is left
// there a client cannot see.
type databaseSize struct {
	s *Store

	mu    sync.Mutex
	bytes int64 // as read last
	next  time.Time
}

// A reading of the size looks at all files of the database on the server.
const (
	sizeEvery   = time.Minute
	sizeTimeout = time.Second
)

// read returns the size, at most sizeEvery old; the one before while the database does not
// answer in time.
func (d *databaseSize) read() float64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now := time.Now(); !now.Before(d.next) && d.s.Fault() == nil {
		d.next = now.Add(sizeEvery)
		ctx, cancel := context.WithTimeout(context.Background(), sizeTimeout)
		defer cancel()
		var bytes int64
		if err := d.s.views.QueryRow(ctx, "SELECT pg_database_size(current_database())").Scan(&bytes); err == nil {
			d.bytes = bytes
		}
	}
	return float64(d.bytes)
}
