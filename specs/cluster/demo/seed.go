package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"time"

	"watchpost/internal/fakenetwork/headless"
	"watchpost/specs/cluster/local"
	"watchpost/watchpost"
)

const (
	demoEmail = "ada@example.com"
	// patience bounds a request that is repeated, and the wait for the first
	// posts.
	patience = 2 * time.Minute
	retry    = 200 * time.Millisecond
)

var demoWatchlists = []string{
	`{"name":"Hiring","description":"Who is looking for people","keywords":["hiring","new job"]}`,
	`{"name":"Artificial intelligence","keywords":[{"keyword":"AI","exclude_keywords":["crypto"]},"machine learning"]}`,
}

type team struct {
	ID  string `json:"id"`
	Key string `json:"api_key"`
}

// seed creates the team and starts a session for each of its two members.
func (d *demo) seed(ctx context.Context) error {
	admin := "Bearer " + local.AdminToken
	err := d.call(ctx, http.MethodPost, "/admin/teams", `{"name":"Demo team","plan":"ultimate","email":"`+demoEmail+`","full_name":"Ada Demo"}`, &d.team, "Authorization", admin)
	if err != nil {
		return err
	}
	const second = "member2@example.com"
	if err := d.call(ctx, http.MethodPost, "/admin/teams/"+d.team.ID+"/members", `{"email":"`+second+`","role":"member"}`, nil, "Authorization", admin); err != nil {
		return err
	}
	for _, w := range demoWatchlists {
		if err := d.call(ctx, http.MethodPost, "/api-keyword-watchlist", w, nil, "X-Api-Key", d.team.Key); err != nil {
			return err
		}
	}
	for _, email := range []string{demoEmail, second} {
		var opened struct {
			Token string `json:"session_token"`
		}
		if err := d.call(ctx, http.MethodPost, "/admin/teams/"+d.team.ID+"/sessions", `{"email":"`+email+`"}`, &opened, "Authorization", admin); err != nil {
			return err
		}
		account := headless.AccountOf(email)
		o := headless.Options{
			Server: d.front.URL, Token: opened.Token, NetworkURL: d.network, Account: account,
			JournalDir: filepath.Join(d.dir, "sessions", account), Version: "demo", Logger: d.log, Clock: watchpost.SystemClock{},
		}
		d.running.Go(func() {
			if err := headless.Run(ctx, o); err != nil && !errors.Is(err, context.Canceled) {
				d.log.Error("a session ended", "account", account, "error", err)
			}
		})
	}
	return nil
}

// awaitPosts waits until the watchlists have posts, so that the printed commands
// return some.
func (d *demo) awaitPosts(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		var posts struct{ Data []json.RawMessage }
		if err := d.call(ctx, http.MethodGet, "/api-posts?page_size=2", "", &posts, "X-Api-Key", d.team.Key); err != nil {
			return err
		}
		if len(posts.Data) == 2 {
			return nil
		}
		if err := wait(ctx); err != nil {
			return fmt.Errorf("the sessions have found no posts: %w", err)
		}
	}
}

// call sends a request to the front until it gets a reply of success. A refusal
// of the request itself ends it.
func (d *demo) call(ctx context.Context, method, path, body string, reply any, header, value string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		status, raw, err := send(ctx, method, d.front.URL+path, body, header, value)
		switch {
		case err == nil && status < http.StatusMultipleChoices && reply == nil:
			return nil
		case err == nil && status < http.StatusMultipleChoices:
			return json.Unmarshal(raw, reply)
		case err == nil && status < http.StatusInternalServerError:
			return fmt.Errorf("%s %s: %d %s", method, path, status, raw)
		}
		if wait(ctx) != nil {
			return fmt.Errorf("%s %s: %d %s: %w", method, path, status, raw, err)
		}
	}
}

func send(ctx context.Context, method, url, body, header, value string) (status int, reply []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader([]byte(body)))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set(header, value)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	reply, err = io.ReadAll(response.Body)
	return response.StatusCode, reply, err
}

func wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(retry):
		return nil
	}
}
