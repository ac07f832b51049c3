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

	"watchpost/actors/stored"
	"watchpost/http/admin"
	"watchpost/internal/enrich"
	"watchpost/internal/enrich/imagetext"
	"watchpost/watchpost"
)

// enrichCommand prints the computed fields of posts.
type enrichCommand struct {
	File    string `arg:"" optional:"" type:"existingfile" help:"JSON lines of {\"text\", \"headline\"?, \"image\"?, …}; default: standard input. image names a file, which is read if tesseract is installed."`
	Keyword string `help:"Keyword of the watchlist that found the posts. It becomes their tag and counts for their relevance."`
}

// maxLine bounds a line of posts in bytes.
const maxLine = 4 << 20

// Run copies each line and adds the computed fields. Unknown fields stay.
func (c *enrichCommand) Run(ctx context.Context) error {
	in := io.Reader(os.Stdin)
	if c.File != "" {
		file, err := os.Open(c.File)
		if err != nil {
			return err
		}
		defer file.Close() //nolint:errcheck // read only
		in = file
	}
	out := bufio.NewWriter(os.Stdout)
	return errors.Join(c.lines(ctx, in, out), out.Flush())
}

func (c *enrichCommand) lines(ctx context.Context, in io.Reader, out *bufio.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	n, reader := 0, imagetext.Find()
	for lines.Scan() {
		n++
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		line, err := c.line(ctx, reader, lines.Bytes())
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return lines.Err()
}

// line returns one line with the computed fields added.
func (c *enrichCommand) line(ctx context.Context, reader imagetext.Reader, raw []byte) ([]byte, error) {
	var fields map[string]json.RawMessage
	err := json.Unmarshal(raw, &fields)
	if err != nil || fields == nil {
		return nil, errors.New("not a JSON object")
	}
	p, image := watchpost.Post{}, ""
	for _, f := range []struct {
		name     string
		value    any
		required bool
		kind     string
	}{
		{"text", &p.Content, true, "a string"},
		{"headline", &p.AuthorHeadline, false, "a string"},
		{"image", &image, false, "the name of a file"},
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
	if image != "" && p.ImageText == "" {
		if p.ImageText, err = readImage(ctx, reader, image); err != nil {
			return nil, fmt.Errorf("\"image\": %w", err)
		}
	}
	enrich.Post(&p, enrich.Context{Keyword: c.Keyword})
	return merged(fields, &p)
}

// merged adds the computed fields of a post to the given fields.
func merged(fields map[string]json.RawMessage, p *watchpost.Post) ([]byte, error) {
	tags := []string{}
	for _, t := range p.Tags {
		tags = append(tags, t.Name)
	}
	computed := map[string]any{
		"language": p.Language, "sentiment": p.Sentiment, "seniority_level": p.Seniority, "tags": tags,
		"relevance_score": p.Relevance, "influence_score": p.Influence, "trending": p.Trending(), "enrichment_version": p.Enrichment,
	}
	if p.ImageText != "" {
		computed["image_text"] = p.ImageText
	}
	for name, value := range computed {
		encoded, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		fields[name] = encoded
	}
	return json.Marshal(fields)
}

// readImage returns the text of an image file, or "" when tesseract is not
// installed.
func readImage(ctx context.Context, reader imagetext.Reader, file string) (string, error) {
	if !reader.Found() {
		return "", nil
	}
	image, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	return reader.Read(ctx, image)
}

// reprocessCommand re-runs enrichment on stored posts.
type reprocessCommand struct {
	upkeepFlags `embed:""`

	All bool `help:"Include posts that this version has enriched already, for example after watchlists changed."`
}

// Run enriches the posts of all teams.
func (c *reprocessCommand) Run(ctx context.Context) error {
	total := 0
	report := func(team watchpost.TeamID, posts int) {
		total += posts
		fmt.Printf("team %s: %d posts\n", team, posts)
	}
	var err error
	if c.Online {
		err = eachTeam(ctx, &c.upkeepFlags, "reprocess", map[string]bool{"all": c.All}, func(team watchpost.TeamID, done admin.ReprocessedTeam) { report(team, done.Posts) })
	} else {
		var store *store
		if store, err = c.openStore(ctx, true, false); err != nil {
			return err
		}
		err = errors.Join(stored.Reprocess(ctx, store, c.All, report), store.Close())
	}
	if err == nil {
		fmt.Printf("%d posts enriched by version %d of the rules\n", total, enrich.Version)
	}
	return err
}
