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
	"strings"
	"text/tabwriter"
)

// Filters select posts. They are parameters of GET /api-posts.
type Filters struct {
	Search    string   `help:"Words that must occur, quoted phrases, -excluded words, OR."`
	Watchlist []string `help:"Ids of watchlists; default: all."`
	Since     string   `help:"Stored at or after this moment or date."`
	Label     []string `help:"Any of these labels."`
	Language  []string `help:"Any of these languages."`
	Sentiment []string `help:"Any of positive, neutral, negative."`
}

func (f *Filters) query() url.Values {
	q := url.Values{"watchlist_id": f.Watchlist, "labels": f.Label, "lang": f.Language, "sentiment": f.Sentiment}
	for name, value := range map[string]string{"search_term": f.Search, "stored_since": f.Since} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q
}

// Posts lists posts.
type Posts struct {
	Service Flags   `embed:""`
	Filters Filters `embed:""`
	Sort    string  `default:"recent_first" help:"Order: recent_first, oldest_first, engagement, relevance_first, influence_score, stored_first or stored_last."`
	Page    int     `default:"1" help:"Page, from 1."`
	Count   int     `default:"20" help:"Posts on a page, 1 to 100."`
	JSON    bool    `name:"json" help:"Print the reply of the API as it is."`
}

// Run prints one page.
func (c *Posts) Run(ctx context.Context) error { return c.print(ctx, os.Stdout) }

func (c *Posts) print(ctx context.Context, out io.Writer) error {
	if err := c.Service.complete(); err != nil {
		return err
	}
	q := c.Filters.query()
	q.Set("sort_by", c.Sort)
	q.Set("page", strconv.Itoa(c.Page))
	q.Set("page_size", strconv.Itoa(c.Count))
	raw, err := c.Service.get(ctx, "/api-posts", q)
	if err != nil || c.JSON {
		if err != nil {
			return err
		}
		return write(out, string(raw))
	}
	var reply struct {
		Data []struct {
			ID       string `json:"id"`
			PostedAt string `json:"posted_at"`
			Author   string `json:"author_name"`
			Content  string `json:"content"`
		} `json:"data"`
		Count int `json:"count"`
	}
	if err := json.Unmarshal(raw, &reply); err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0) //nolint:mnd // spaces between columns
	for _, p := range reply.Data {
		_, _ = fmt.Fprintf(table, "%s\t%.16s\t%s\t%s\n", p.ID, p.PostedAt, line(p.Author, 24), line(p.Content, 80)) //nolint:mnd // widths
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%d of %d posts\n", len(reply.Data), reply.Count)
	return err
}

// write prints a text and ends the line.
func write(out io.Writer, text string) error {
	_, err := fmt.Fprintln(out, text)
	return err
}

// line makes one line of a text, without characters that control a terminal.
func line(s string, most int) string {
	s = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return ' '
		}
		return r
	}, s)), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// get reads a resource of the API. An error is the service's text with what to do.
func (c *Flags) get(ctx context.Context, path string, q url.Values) ([]byte, error) {
	body, err := c.open(ctx, path, q)
	if err != nil {
		return nil, err
	}
	defer body.Close() //nolint:errcheck // read to its end
	return io.ReadAll(body)
}

// open begins to read a resource of the API.
func (c *Flags) open(ctx context.Context, path string, q url.Values) (io.ReadCloser, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL+path+"?"+q.Encode(), nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("X-Api-Key", c.Key)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err // without the query
		}
		return nil, fmt.Errorf("no service answers at %s (WATCHPOST_URL or --url): %w", c.URL, err)
	}
	if response.StatusCode == http.StatusOK {
		return response.Body, nil
	}
	defer response.Body.Close() //nolint:errcheck // read to its end
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	var said struct{ Error string }
	if json.Unmarshal(raw, &said) != nil || said.Error == "" {
		return nil, fmt.Errorf("the reply of %s is not that of a Watchpost service: %s", c.URL, response.Status)
	}
	switch response.StatusCode {
	case http.StatusUnauthorized:
		said.Error += ": put a key of the dashboard into WATCHPOST_KEY"
	case http.StatusInternalServerError:
		said.Error += ": try again in some seconds"
	}
	return nil, &refusal{response.StatusCode, said.Error}
}

// refusal is an error of the service.
type refusal struct {
	status int
	text   string
}

// Error implements error.
func (r *refusal) Error() string { return r.text }
