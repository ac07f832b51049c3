package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"watchpost"
	"watchpost/actors"
	"watchpost/actors/enrich"
	"watchpost/persistence/badger"
)

// enrichCommand shows what is understood of posts, without a service.
type enrichCommand struct {
	File    string `arg:"" optional:"" type:"existingfile" help:"JSON lines of {\"text\", \"headline\"?}; default: standard input."`
	Keyword string `help:"What a watchlist would have found the posts by: their tag, and part of their relevance."`
}

// maxLine bounds a line of posts in bytes.
const maxLine = 4 << 20

// Run writes each line again, with what is understood of it. Fields that it
// does not know stay.
func (c *enrichCommand) Run(ctx context.Context) error {
	in := io.Reader(os.Stdin)
	if c.File != "" {
		file, err := os.Open(c.File)
		if err != nil {
			return err
		}
		defer file.Close() //nolint:errcheck // was only read
		in = file
	}
	out := bufio.NewWriter(os.Stdout)
	return errors.Join(c.lines(ctx, in, out), out.Flush())
}

func (c *enrichCommand) lines(ctx context.Context, in io.Reader, out *bufio.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	n := 0
	for lines.Scan() {
		n++
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		line, err := c.line(lines.Bytes())
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return lines.Err()
}

// line returns one line with what is understood of it.
func (c *enrichCommand) line(raw []byte) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil || fields == nil {
		return nil, errors.New("not a JSON object")
	}
	p := watchpost.Post{}
	for _, f := range []struct {
		name     string
		value    any
		required bool
		kind     string
	}{
		{"text", &p.Content, true, "a string"},
		{"headline", &p.AuthorHeadline, false, "a string"},
		{"image_text", &p.ImageText, false, "a string"},
		{"likes_count", &p.Likes, false, "a whole number"},
		{"comments_count", &p.Comments, false, "a whole number"},
		{"shares_count", &p.Shares, false, "a whole number"},
	} {
		value, given := fields[f.name]
		switch {
		case !given && f.required:
			return nil, fmt.Errorf("%q is missing", f.name)
		case given && json.Unmarshal(value, f.value) != nil:
			return nil, fmt.Errorf("%q must be %s", f.name, f.kind)
		}
	}
	enrich.Post(&p, enrich.Context{Keyword: c.Keyword})
	tags := []string{}
	for _, t := range p.Tags {
		tags = append(tags, t.Name)
	}
	for name, value := range map[string]any{
		"language": p.Language, "sentiment": p.Sentiment, "seniority_level": p.Seniority, "tags": tags,
		"relevance_score": p.Relevance, "influence_score": p.Influence, "trending": p.Trending(), "enrichment_version": p.Enrichment,
	} {
		encoded, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		fields[name] = encoded
	}
	return json.Marshal(fields)
}

// reprocessCommand understands stored posts anew.
type reprocessCommand struct {
	Data string `default:"./data" type:"existingdir" help:"Folder of a service that does not run."`
	All  bool   `help:"Also the posts that today's rules have understood already: their watchlists may ask for something else by now."`
}

// Run goes through all posts of all teams.
func (c *reprocessCommand) Run(ctx context.Context) error {
	dir := filepath.Join(c.Data, "store")
	if _, err := os.Stat(dir); err != nil {
		return fmt.Errorf("--data %s is no folder of a service: %w", c.Data, err)
	}
	store, err := badger.Open(badger.Options{Dir: dir})
	if err != nil {
		return err
	}
	total := 0
	err = actors.Reprocess(ctx, store, c.All, func(team watchpost.TeamID, posts int) {
		total += posts
		fmt.Printf("team %s: %d posts\n", team, posts)
	})
	if err == nil {
		fmt.Printf("%d posts understood by version %d of the rules\n", total, enrich.Version)
	}
	return errors.Join(err, store.Close())
}
