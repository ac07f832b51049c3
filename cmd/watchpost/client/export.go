package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// Export prints all posts that filters select, by GET /api-posts/export.
type Export struct {
	Service Flags   `embed:""`
	Filters Filters `embed:""`
	Format  string  `enum:"csv,jsonl" default:"csv" help:"Format: csv or jsonl."`
	After   string  `help:"Go on behind the post with this id, the last that was printed."`
}

// Run prints the posts, the oldest first, as they are when it begins.
func (c *Export) Run(ctx context.Context) error { return c.print(ctx, os.Stdout) }

func (c *Export) print(ctx context.Context, out io.Writer) error {
	if err := c.Service.complete(); err != nil {
		return err
	}
	e := &export{Export: c, out: out, last: c.After}
	for {
		printed := e.rows
		err := e.stream(ctx)
		switch {
		case err == nil || errors.Is(err, errOutput) || ctx.Err() != nil:
			return err
		case e.rows == printed && e.rows > 0:
			return fmt.Errorf("%w; go on with --after %s", err, e.last)
		case e.rows == printed:
			return err
		}
	}
}

// export is how far an export has come.
type export struct {
	*Export
	out  io.Writer
	rows int    // that were printed
	last string // the id of the last of them
}

// stream prints the rows behind the last one until the reply ends. A cut connection is an
// error, and all that was printed are whole rows.
func (e *export) stream(ctx context.Context) error {
	q := e.Filters.query()
	q.Set("format", e.Format)
	if e.last != "" {
		q.Set("after", e.last)
	}
	body, err := e.Service.open(ctx, "/api-posts/export", q)
	if err != nil {
		return err
	}
	defer body.Close() //nolint:errcheck // the rest of the body is not wanted
	in := bufio.NewReader(body)
	for first := true; ; first = false {
		row, err := e.row(in)
		if errors.Is(err, io.EOF) && len(row) == 0 {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the export was cut: %w", err)
		}
		header := first && e.Format == "csv"
		if header && e.last != "" {
			continue
		}
		if _, err := e.out.Write(row); err != nil {
			return errors.Join(errOutput, err)
		}
		if !header {
			e.rows, e.last = e.rows+1, e.idOf(row)
		}
	}
}

// row reads a whole row. A text in CSV may have line breaks between its quotes.
func (e *export) row(in *bufio.Reader) (row []byte, err error) {
	for {
		line, err := in.ReadBytes('\n')
		row = append(row, line...)
		if err != nil || e.Format != "csv" || bytes.Count(row, []byte{'"'})%2 == 0 {
			return row, err
		}
	}
}

// idOf returns the id of a row's post, which is its first column.
func (e *export) idOf(row []byte) string {
	if e.Format == "csv" {
		id, _, _ := bytes.Cut(row, []byte{','})
		return string(id)
	}
	var post struct{ ID string }
	_ = json.Unmarshal(row, &post)
	return post.ID
}
