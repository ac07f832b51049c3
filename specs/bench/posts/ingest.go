package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"watchpost/actors"
	"watchpost/actors/vault"
	"watchpost/internal/mail/outgoing"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// ingest measures the rate at which the actors match, enrich, index and durably
// store the posts of scans.
type ingest struct {
	teams, scans, parts int // scans per team, parts per scan
	seed                uint64
}

// ingestResult is the rate of all teams together.
type ingestResult struct {
	Teams, Posts int
	Took         time.Duration
	Rate         float64 // posts per second
}

// partsAhead is the number of parts that a session has in flight.
const partsAhead = 4

func (in ingest) measure(ctx context.Context) (res ingestResult, err error) {
	dir, err := os.MkdirTemp("", "posts-ingest-")
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	store, err := openStore(dir)
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	keyring, err := vault.NewKeyring(make([]byte, vault.MasterKeySize))
	if err != nil {
		return res, err
	}
	registry, err := actors.New(actors.Options{Store: store, Clock: watchpost.SystemClock{}, Keyring: keyring, Mailer: noMail{}})
	if err != nil {
		return res, err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		err = errors.Join(err, registry.Close(closing))
	}()
	words := newVocabulary(in.seed)
	teams := make([]*scannedTeam, in.teams)
	for t := range teams {
		if teams[t], err = in.createTeam(ctx, registry, t, words); err != nil {
			return res, err
		}
	}
	errs := make([]error, len(teams))
	var wg sync.WaitGroup
	began := time.Now()
	for t, team := range teams {
		wg.Go(func() { errs[t] = team.scan(ctx, registry) })
	}
	wg.Wait()
	res = ingestResult{Teams: in.teams, Posts: in.teams * in.scans * in.parts * protocol.MaxPartPosts, Took: time.Since(began)}
	res.Rate = float64(res.Posts) / res.Took.Seconds()
	if err := errors.Join(errs...); err != nil {
		return res, err
	}
	for _, team := range teams {
		page, err := registry.Posts(ctx, team.id, nil, watchpost.PostQuery{Order: watchpost.RecentFirst, Page: 1, PageSize: 1})
		if err != nil {
			return res, err
		}
		if want := res.Posts / in.teams; page.Count != want {
			return res, fmt.Errorf("ingest: %d posts are stored, not %d", page.Count, want)
		}
	}
	return res, nil
}

type noMail struct{}

// Send implements outgoing.Mailer.
func (noMail) Send(context.Context, outgoing.Mail) error { return nil }

// scannedTeam is a team whose one session has prepared all parts of its scans.
type scannedTeam struct {
	id    watchpost.TeamID
	token string
	scans [][]json.RawMessage
}

// createTeam creates a team with a watchlist per scan, whose keyword is in
// every post, and prepares the posts that the scans report.
func (in ingest) createTeam(ctx context.Context, registry *actors.Registry, number int, words *vocabulary) (*scannedTeam, error) {
	email := fmt.Sprintf("founder-%d@example.com", number)
	made, err := registry.CreateTeam(ctx, actors.CreateTeam{Plan: watchpost.PlanUltimate, Email: email, FullName: "Founder"})
	if err != nil {
		return nil, err
	}
	opened, err := actors.Ask(ctx, registry, made.Team.ID, actors.OpenSession{Email: email})
	if err != nil {
		return nil, err
	}
	team := &scannedTeam{id: made.Team.ID, token: opened.Token}
	posts := in.scans * in.parts * protocol.MaxPartPosts
	f := &feed{seed: in.seed + uint64(number), size: posts, words: words}
	next := 0
	for scan := range in.scans {
		list := watchpost.Watchlist{
			Type: watchpost.KeywordWatchlist, Keywords: []watchpost.KeywordEntry{{Keyword: keywordOf(scan)}},
			Labels: []watchpost.Label{{Name: words.words[50], Description: "posts about " + words.words[51]}, {Name: words.words[52], Description: words.words[53]}},
		}
		if _, err := actors.Ask(ctx, registry, made.Team.ID, actors.CreateWatchlist{Watchlist: list}); err != nil {
			return nil, err
		}
		var parts []json.RawMessage
		for range in.parts {
			part, err := reported(f.entries(next, next+protocol.MaxPartPosts), keywordOf(scan))
			if err != nil {
				return nil, err
			}
			parts = append(parts, part)
			next += protocol.MaxPartPosts
		}
		team.scans = append(team.scans, parts)
	}
	return team, nil
}

func keywordOf(scan int) string { return fmt.Sprintf("keyword%d", scan) }

// reported returns a part of a scan as a session sends it, with posts of the
// last month.
func reported(entries []*entry, keyword string) (json.RawMessage, error) {
	now := time.Now().UTC()
	output := protocol.PostsOutput{}
	for i, e := range entries {
		p := &e.post
		output.Posts = append(output.Posts, protocol.Post{
			URN: p.URN, URL: p.URL, Content: spoken(p.Content, p.Language) + " " + keyword, AuthorName: p.AuthorName, AuthorURL: p.AuthorURL,
			AuthorHeadline: p.AuthorHeadline, AuthorImageURL: p.AuthorImageURL,
			PostedAt: now.Add(-time.Duration(e.number%40_000+i) * time.Minute / 2).Truncate(time.Millisecond),
			Likes:    p.Likes, Comments: p.Comments, Shares: p.Shares, Type: p.Type, ImageURLs: p.ImageURLs,
		})
	}
	return json.Marshal(output)
}

// functionWords give a text its language: without them the language of
// generated words is undetermined.
var functionWords = map[string][]string{
	"en": {"the", "of", "and", "to", "in", "is", "that", "for"},
	"es": {"el", "de", "que", "y", "la", "los", "con", "para"},
	"de": {"der", "und", "die", "das", "ist", "nicht", "mit", "auf"},
	"fr": {"le", "et", "les", "des", "est", "que", "dans", "pour"},
	"pt": {"o", "que", "não", "uma", "os", "para", "com", "em"},
	"nl": {"het", "een", "van", "en", "niet", "dat", "voor", "zijn"},
}

// spoken inserts a function word of the language after every second word.
func spoken(content, language string) string {
	words := functionWords[language]
	if words == nil {
		return content
	}
	var b strings.Builder
	for i, word := range strings.Fields(content) {
		b.WriteString(word)
		b.WriteByte(' ')
		if i%2 == 1 {
			b.WriteString(words[i/2%len(words)])
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// scan plays the session through all scans.
func (t *scannedTeam) scan(ctx context.Context, registry *actors.Registry) error {
	frames := make(chan protocol.Frame, 1024)
	closed := make(chan string, 1)
	account := &protocol.Account{URN: "urn:network:member:" + string(t.id), Slug: string(t.id), Name: "Founder", SignedIn: true}
	link, err := registry.Connect(ctx, protocol.Frame{
		Type: protocol.TypeHello, V: protocol.Version, Token: t.token, Boot: "boot", Journal: "journal-" + string(t.id), Version: "1.0.0", Account: account,
	}, func(f protocol.Frame) { frames <- f }, func(_ int, reason string) { closed <- reason })
	if err != nil {
		return err
	}
	defer link.Close()
	heartbeat := time.NewTicker(protocol.HeartbeatEvery)
	defer heartbeat.Stop()
	var task protocol.Frame
	next := func(kind string) (f protocol.Frame, err error) {
		for {
			select {
			case f = <-frames:
				if f.Type == kind {
					return f, nil
				}
			case <-heartbeat.C:
				beat := protocol.Frame{Type: protocol.TypeHeartbeat, Account: account}
				if task.Task != "" {
					beat.Running = []protocol.RunningTask{{Task: task.Task, Lease: task.Lease}}
				}
				link.Receive(beat)
			case reason := <-closed:
				return f, errors.New("ingest: the session was closed: " + reason)
			case <-ctx.Done():
				return f, ctx.Err()
			}
		}
	}
	for range t.scans {
		if task, err = next(protocol.TypeTask); err != nil {
			return err
		}
		var input watchpost.ScanInput
		if err := json.Unmarshal(task.Input, &input); err != nil {
			return err
		}
		var scan int
		if _, err := fmt.Sscanf(strings.ToLower(input.Keyword), "keyword%d", &scan); err != nil {
			return fmt.Errorf("ingest: scan of %q: %w", input.Keyword, err)
		}
		if err := t.report(link, task, t.scans[scan], next); err != nil {
			return err
		}
		task = protocol.Frame{}
	}
	return nil
}

// report sends the parts of a scan and its end.
func (t *scannedTeam) report(link *actors.Link, task protocol.Frame, parts []json.RawMessage, next func(string) (protocol.Frame, error)) error {
	link.Receive(protocol.Frame{Type: protocol.TypeAccepted, Task: task.Task, Lease: task.Lease})
	for seq, part := range parts {
		link.Receive(protocol.Frame{Type: protocol.TypePart, Task: task.Task, Lease: task.Lease, Attempt: task.Attempt, Seq: &seq, Output: part})
		if seq < partsAhead {
			continue
		}
		if _, err := next(protocol.TypeAck); err != nil {
			return err
		}
	}
	for range min(partsAhead, len(parts)) {
		if _, err := next(protocol.TypeAck); err != nil {
			return err
		}
	}
	link.Receive(protocol.Frame{Type: protocol.TypeResult, Task: task.Task, Lease: task.Lease, Attempt: task.Attempt,
		Output: json.RawMessage(`{"posts":[],"exhausted":true}`)})
	_, err := next(protocol.TypeAck)
	return err
}
