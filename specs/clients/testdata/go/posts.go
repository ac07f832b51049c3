package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"scenario/api"
)

// preview tries a keyword on the stored posts.
func preview(ctx context.Context, client *api.ClientWithResponses) error {
	var body api.NewKeywordWatchlist
	var plain api.KeywordEntry
	if err := plain.FromKeywordEntry0("hiring"); err != nil {
		return err
	}
	if err := body.FromCreateKeywordWatchlistRequest(api.CreateKeywordWatchlistRequest{Keywords: []api.KeywordEntry{plain}}); err != nil {
		return err
	}
	r, err := client.PreviewKeywordWatchlistWithResponse(ctx, body)
	if err != nil || r.JSON200 == nil {
		return unexpected("preview", r, err)
	}
	tried := r.JSON200
	if tried.PostsTried == 0 || tried.ScansPerDay == 0 || len(tried.Keywords) != 1 || len(tried.Keywords[0].KeptSamples) == 0 {
		return unexpected("preview", r, nil)
	}
	return nil
}

// follow has a watchlist scanned now, and waits for the change of it.
func follow(ctx context.Context, client *api.ClientWithResponses, id string) error {
	first, err := scanned(ctx, client, id, time.Time{})
	if err != nil {
		return err
	}
	now, err := client.GetChangesWithResponse(ctx, nil)
	if err != nil || now.JSON200 == nil || len(now.JSON200.Changes) != 0 {
		return unexpected("the cursor of now", now, err)
	}
	wait, heard := 20, make(chan error, 1)
	go func() {
		r, err := client.GetChangesWithResponse(ctx, &api.GetChangesParams{Cursor: &now.JSON200.Cursor, Wait: &wait, Types: &[]api.GetChangesParamsTypes{"watchlist"}, WatchlistId: &[]string{id}})
		if err != nil || r.JSON200 == nil || len(r.JSON200.Changes) == 0 || r.JSON200.Changes[0].Action != "changed" || r.JSON200.Changes[0].Id != id {
			err = unexpected("the change that was waited for", r, err)
		}
		heard <- err
	}()
	time.Sleep(500 * time.Millisecond) // the request waits by then; no reply says so
	var body api.ChangedKeywordWatchlist
	objective, scan := "people to hire", true
	if err := body.FromUpdateKeywordWatchlistRequest(api.UpdateKeywordWatchlistRequest{Id: id, Objective: &objective, ScanNow: &scan}); err != nil {
		return err
	}
	r, err := client.UpdateKeywordWatchlistWithResponse(ctx, body)
	if err != nil || r.JSON200 == nil || !r.JSON200.Updated {
		return unexpected("scan now", r, err)
	}
	if err := <-heard; err != nil {
		return err
	}
	_, err = scanned(ctx, client, id, first)
	return err
}

// scanned waits for a scan of a watchlist after a moment, and returns when it was.
func scanned(ctx context.Context, client *api.ClientWithResponses, id string, after time.Time) (time.Time, error) {
	for {
		r, err := client.GetKeywordWatchlistWithResponse(ctx, &api.GetKeywordWatchlistParams{Id: &id})
		if err != nil || r.JSON200 == nil {
			return after, unexpected("watchlist", r, err)
		}
		shown, err := r.JSON200.AsKeywordWatchlistDetail()
		if err != nil {
			return after, err
		}
		// Until both keywords were scanned, the next scan is due.
		if shown.LastScanAt != nil && shown.LastScanAt.After(after) && shown.NextScanAt != nil && time.Until(*shown.NextScanAt) > time.Hour {
			return *shown.LastScanAt, nil
		}
		select {
		case <-ctx.Done():
			return after, fmt.Errorf("no scan after %s: %w", after, ctx.Err())
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// export selects one post by its id, with a part of its fields, and exports it, its
// author, and what the team did to posts.
func export(ctx context.Context, client *api.ClientWithResponses, watchlist string) error {
	size := 1
	newest, err := client.GetPostsWithResponse(ctx, &api.GetPostsParams{PageSize: &size})
	if err != nil || newest.JSON200 == nil || len(newest.JSON200.Data) != 1 {
		return unexpected("the newest post", newest, err)
	}
	post := newest.JSON200.Data[0]
	id, stored, later := &[]string{post.Id}, post.CreatedAt.Format(time.RFC3339Nano), post.CreatedAt.AddDate(1, 0, 0).Format(time.RFC3339Nano)
	short, err := client.GetPostsWithResponse(ctx, &api.GetPostsParams{Id: id, StoredSince: &stored, Fields: &[]api.GetPostsParamsFields{"id", "content"}})
	if err != nil || short.JSON200 == nil || len(short.JSON200.Data) != 1 {
		return unexpected("a post by its id", short, err)
	}
	if one := short.JSON200.Data[0]; one.Id != post.Id || one.Content != post.Content || one.AuthorName != "" {
		return unexpected("fields of a post", short, nil)
	}
	none, err := client.GetPostsWithResponse(ctx, &api.GetPostsParams{Id: id, StoredSince: &later})
	if err != nil || none.JSON200 == nil || none.JSON200.Count != 0 {
		return unexpected("posts of next year", none, err)
	}
	lines := api.ExportPostsParamsFormat("jsonl")
	posts, err := client.ExportPostsWithResponse(ctx, &api.ExportPostsParams{Format: &lines, Id: id})
	if err != nil || posts.StatusCode() != 200 {
		return unexpected("export of posts", posts, err)
	}
	var row api.Post
	if err := json.Unmarshal(posts.Body, &row); err != nil || row.Id != post.Id || row.Content != post.Content {
		return unexpected("exported post", string(posts.Body), err)
	}
	leads, err := client.ExportLeadsWithResponse(ctx, &api.ExportLeadsParams{Id: id})
	if err != nil || leads.StatusCode() != 200 || !strings.HasPrefix(string(leads.Body), "author_url,") || !strings.Contains(string(leads.Body), post.AuthorUrl) {
		return unexpected("export of leads", leads, err)
	}
	acts, err := client.ExportInteractionsWithResponse(ctx, &api.ExportInteractionsParams{WatchlistId: watchlist})
	if err != nil || acts.StatusCode() != 200 || !slices.Contains(strings.Split(strings.SplitN(string(acts.Body), "\n", 2)[0], ","), "interaction_type") {
		return unexpected("export of interactions", acts, err)
	}
	return nil
}
