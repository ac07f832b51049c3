package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"
)

// Tail follows posts by the change feed.
type Tail struct {
	Service   Flags    `embed:""`
	Watchlist []string `help:"Ids of watchlists; default: all."`
	Since     string   `help:"Begin behind this cursor, or at \"earliest\", the oldest change that is kept; default: now."`
	JSON      bool     `name:"json" help:"Print each post as a line of JSON."`
}

// Bounds of following.
const (
	tailWait    = 25 * time.Second // for the next change
	tailReply   = time.Minute      // for a reply: then the connection is taken for lost
	tailPauses  = 5                // each twice as long as the one before, from a second on
	tailPrinted = 10_000           // posts that are not printed again when another watchlist gets them
)

// Run prints posts until it is interrupted.
func (c *Tail) Run(ctx context.Context) error { return c.print(ctx, os.Stdout, os.Stderr) }

func (c *Tail) print(ctx context.Context, out, notes io.Writer) error {
	if err := c.Service.complete(); err != nil {
		return err
	}
	t := &tail{Tail: c, out: out, cursor: c.Since, printed: map[string]bool{}, pause: realPause}
	for failures := 0; ctx.Err() == nil; {
		err := t.next(ctx)
		var refused *refusal
		switch {
		case ctx.Err() != nil:
			continue // to the end
		case err == nil:
			failures = 0
			continue
		case errors.As(err, &refused) && refused.status == http.StatusGone:
			_, _ = fmt.Fprintf(notes, "%s: some posts may be missing; going on from the earliest that is kept\n", refused.text)
			t.cursor = "earliest"
			continue
		case errors.As(err, &refused) && refused.status < http.StatusInternalServerError && refused.status != http.StatusTooManyRequests, errors.Is(err, errOutput):
			return err
		}
		if failures == 0 {
			_, _ = fmt.Fprintf(notes, "%v: trying again\n", err)
		}
		t.pause(ctx, time.Second<<min(failures, tailPauses))
		failures++
	}
	return nil
}

// realPause waits in real time: a service that does not answer has no clock.
func realPause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// tail is where a follower stands.
type tail struct {
	*Tail
	out     io.Writer
	cursor  string
	printed map[string]bool
	order   []string // of printed
	pause   func(context.Context, time.Duration)
}

// errOutput means that the printed lines do not arrive.
var errOutput = errors.New("cannot print")

// next prints the next posts. The cursor moves behind them once they are printed.
func (t *tail) next(ctx context.Context) error {
	ctx, done := context.WithTimeout(ctx, tailReply)
	defer done()
	q := url.Values{"types": {"post"}, "watchlist_id": t.Watchlist}
	if t.cursor != "" {
		q.Set("cursor", t.cursor)
		q.Set("wait", strconv.Itoa(int(tailWait.Seconds())))
	}
	raw, err := t.Service.get(ctx, "/api-changes", q)
	if err != nil {
		return err
	}
	var page struct {
		Changes []struct {
			Cursor, Action, ID string
			Data               json.RawMessage
		}
		Cursor string
	}
	if err := json.Unmarshal(raw, &page); err != nil || page.Cursor == "" {
		return errors.Join(fmt.Errorf("the reply of %s is not that of a Watchpost service", t.Service.URL), err)
	}
	for _, change := range page.Changes {
		if change.Action == "matched" && !t.printed[change.ID] && string(change.Data) != "null" {
			if err := t.post(change.Data); err != nil {
				return err
			}
			t.remember(change.ID)
		}
		t.cursor = change.Cursor
	}
	t.cursor = page.Cursor
	return nil
}

func (t *tail) post(raw json.RawMessage) error {
	text := string(raw)
	if !t.JSON {
		var p struct {
			ID       string `json:"id"`
			PostedAt string `json:"posted_at"`
			Author   string `json:"author_name"`
			Content  string `json:"content"`
		}
		if err := json.Unmarshal(raw, &p); err != nil {
			return err
		}
		text = fmt.Sprintf("%s  %.16s  %s  %s", p.ID, p.PostedAt, line(p.Author, 24), line(p.Content, 80)) //nolint:mnd // widths
	}
	if err := write(t.out, text); err != nil {
		return errors.Join(errOutput, err)
	}
	return nil
}

// remember notes that a post was printed, and forgets the oldest.
func (t *tail) remember(id string) {
	if len(t.order) == tailPrinted {
		delete(t.printed, t.order[0])
		t.order = t.order[1:]
	}
	t.printed[id], t.order = true, append(t.order, id)
}
