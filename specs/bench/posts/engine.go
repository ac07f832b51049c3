package main

import "context"

// engine is a database of posts under measurement: the service's or a peer's.
type engine interface {
	name() string
	// version names the engine in the report.
	version() string
	// load adds posts in bulk, before finish.
	load(ctx context.Context, entries []*entry) error
	// finish builds the indexes that are faster to build after the load, and
	// waits until the engine is idle.
	finish(ctx context.Context) error
	// add stores posts as a running service does: durable when it returns,
	// visible to every later query.
	add(ctx context.Context, entries []*entry) error
	// ask answers a query.
	ask(ctx context.Context, q *query) (answer, error)
	// size returns the disk space in bytes.
	size() (int64, error)
	// close ends it and removes its files.
	close() error
}

// answer is a page and the count of all pages.
type answer struct {
	ids   []string
	count int
	bytes int // of the documents of the page
}
