package main

import "context"

// engine is a database of posts under measurement: ours or a peer's.
type engine interface {
	name() string
	// version says what is measured, for the report.
	version() string
	// load adds posts in bulk, before finish.
	load(ctx context.Context, entries []*entry) error
	// finish builds what is best built after the load, and comes to rest.
	finish(ctx context.Context) error
	// add stores posts as a running service does: durable when it returns,
	// found by every query from then on.
	add(ctx context.Context, entries []*entry) error
	// ask answers a query.
	ask(ctx context.Context, q *query) (answer, error)
	// size is what it takes on the disk in bytes.
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
