package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"

	db "github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/ristretto/v2/z"
	"golang.org/x/sync/errgroup"

	"watchpost/persistence/postindex"
)

// fill creates the first teams as the service does, in a separate folder, and
// writes copies of them into dir as sorted tables. That bypasses the log and
// compaction, which would take hours for ten million posts.
func (c manyTeams) fill(ctx context.Context, dir string) (err error) {
	own, err := os.MkdirTemp("", "posts-templates-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(own)) }()
	if err := c.fillTemplates(ctx, own); err != nil {
		return err
	}
	templates := make([]template, min(c.templates, c.teams))
	if err := readTemplates(own, templates); err != nil {
		return err
	}
	return c.copyTemplates(ctx, templates, dir)
}

// fillTemplates writes the teams that are copied.
func (c manyTeams) fillTemplates(ctx context.Context, dir string) (err error) {
	store, err := openStore(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	words := newVocabulary(c.seed)
	index := postindex.New(postindex.Options{})
	var teams errgroup.Group
	teams.SetLimit(runtime.NumCPU())
	for t := range min(c.templates, c.teams) {
		teams.Go(func() error {
			team, err := activate(ctx, store, index, teamSpace(t))
			if err != nil {
				return err
			}
			return team.put(ctx, c.feed(t, words).entries(0, c.posts))
		})
	}
	return teams.Wait()
}

// openDatabase opens the database of a store, so that tables are written as the
// store writes them.
func openDatabase(dir string) (*db.DB, error) {
	return db.OpenManaged(storeOptions(dir).Database())
}

// template is the contents of a space in the database, by key prefix before
// the space's name, in key order.
type template map[string][]record

// record is the rest of a key after the name of its space, with its value.
type record struct {
	behind, value []byte
	version       uint64
}

// readTemplates reads the spaces of the first teams.
func readTemplates(dir string, templates []template) (err error) {
	d, err := openDatabase(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	byName := map[string]template{}
	for t := range templates {
		templates[t] = template{}
		byName[string(teamSpace(t))] = templates[t]
	}
	name := []byte(teamSpace(0))[:len(teamSpace(0))-len("0000")] // the common prefix of the names
	txn := d.NewTransactionAt(d.MaxVersion(), false)
	defer txn.Discard()
	it := txn.NewIterator(db.IteratorOptions{})
	defer it.Close()
	for it.Rewind(); it.Valid(); it.Next() {
		key := it.Item().KeyCopy(nil)
		at := bytes.Index(key, name)
		if at < 0 && len(key) == 1 {
			continue // the engine's marker, which belongs to all spaces
		}
		if at < 0 || len(key) < at+len(teamSpace(0)) {
			return fmt.Errorf("key %q is of no team", key)
		}
		end := at + len(teamSpace(0))
		t, known := byName[string(key[at:end])]
		if !known {
			return fmt.Errorf("key %q is of another team", key)
		}
		value, err := it.Item().ValueCopy(nil)
		if err != nil {
			return err
		}
		before := string(key[:at])
		t[before] = append(t[before], record{key[end:], value, it.Item().Version()})
	}
	return nil
}

// copyTemplates writes all teams.
func (c manyTeams) copyTemplates(ctx context.Context, templates []template, dir string) (err error) {
	d, err := openDatabase(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	w := d.NewStreamWriter()
	defer w.Cancel()
	if err := w.Prepare(); err != nil {
		return err
	}
	out := &sorted{writer: w}
	for _, before := range slices.Sorted(maps.Keys(templates[0])) {
		for n := range c.teams {
			if err := ctx.Err(); err != nil {
				return err
			}
			prefix := append([]byte(before), teamSpace(n)...)
			for _, r := range templates[n%len(templates)][before] {
				if err := out.write(append(prefix[:len(prefix):len(prefix)], r.behind...), &r); err != nil {
					return err
				}
			}
		}
	}
	if err := out.flush(); err != nil {
		return err
	}
	return w.Flush()
}

// sorted collects records for a table writer.
type sorted struct {
	writer *db.StreamWriter
	buffer *z.Buffer
}

func (s *sorted) write(key []byte, r *record) error {
	const most = 8 << 20
	if s.buffer == nil {
		s.buffer = z.NewBuffer(most+most/4, "teams")
	}
	db.KVToBuffer(&pb.KV{Key: key, Value: r.value, Version: r.version, StreamId: 1}, s.buffer)
	if s.buffer.LenNoPadding() < most {
		return nil
	}
	return s.flush()
}

func (s *sorted) flush() error {
	if s.buffer == nil {
		return nil
	}
	err := errors.Join(s.writer.Write(s.buffer), s.buffer.Release())
	s.buffer = nil
	return err
}
