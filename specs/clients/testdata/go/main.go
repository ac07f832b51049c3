// The scenario of the Go client, which oapi-codegen has made of the API
// document: it lists and makes watchlists, fetches a profile and reads posts
// (main.go); follows and exports them (posts.go); waits for tasks and takes them
// back (tasks.go); makes keys and members (access.go).
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"scenario/api"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := run(ctx, os.Getenv("WATCHPOST_URL"), os.Getenv("WATCHPOST_KEY"), os.Getenv("PROFILE")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, url, key, slug string) error {
	client, err := api.NewClientWithResponses(url, api.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("x-api-key", key)
		return nil
	}))
	if err != nil {
		return err
	}
	before, err := list(ctx, client)
	if err != nil {
		return err
	}
	id, err := create(ctx, client)
	if err != nil {
		return err
	}
	after, err := list(ctx, client)
	if err != nil {
		return err
	}
	if after != before+1 {
		return fmt.Errorf("%d watchlists, then %d", before, after)
	}
	name, err := fetch(ctx, client, slug)
	if err != nil {
		return err
	}
	posts, err := read(ctx, client, id)
	if err != nil {
		return err
	}
	if err := insights(ctx, client, id); err != nil {
		return err
	}
	if err := preview(ctx, client); err != nil {
		return err
	}
	if err := follow(ctx, client, id); err != nil {
		return err
	}
	if err := export(ctx, client, id); err != nil {
		return err
	}
	if err := keys(ctx, client); err != nil {
		return err
	}
	member, err := join(ctx, client, key)
	if err != nil {
		return err
	}
	if err := tasks(ctx, client, slug, member); err != nil {
		return err
	}
	fmt.Printf("watchlists %d, profile %s, posts %d\n", after, name, posts)
	return nil
}

func list(ctx context.Context, client *api.ClientWithResponses) (int, error) {
	r, err := client.GetKeywordWatchlistWithResponse(ctx, nil)
	if err != nil || r.JSON200 == nil {
		return 0, unexpected("list", r, err)
	}
	all, err := r.JSON200.AsKeywordWatchlistList()
	if err != nil {
		return 0, err
	}
	if all.Count != len(all.Watchlists) {
		return 0, fmt.Errorf("count %d of %d watchlists", all.Count, len(all.Watchlists))
	}
	return all.Count, nil
}

// create makes a watchlist whose keywords are a text and an object; one without
// keywords is refused.
func create(ctx context.Context, client *api.ClientWithResponses) (string, error) {
	var nothing, body api.NewKeywordWatchlist
	if err := nothing.FromCreateKeywordWatchlistRequest(api.CreateKeywordWatchlistRequest{Keywords: []api.KeywordEntry{}}); err != nil {
		return "", err
	}
	refused, err := client.CreateKeywordWatchlistWithResponse(ctx, nil, nothing)
	if err != nil || refused.JSON400 == nil || refused.JSON400.Error == "" {
		return "", unexpected("create without keywords", refused, err)
	}
	var plain, strict api.KeywordEntry
	if err := errors.Join(
		plain.FromKeywordEntry0("launch"),
		strict.FromKeywordEntry1(api.KeywordEntry1{Keyword: "product", ExcludeKeywords: &[]string{"crypto"}}),
	); err != nil {
		return "", err
	}
	if err := body.FromCreateKeywordWatchlistRequest(api.CreateKeywordWatchlistRequest{Keywords: []api.KeywordEntry{plain, strict}}); err != nil {
		return "", err
	}
	r, err := client.CreateKeywordWatchlistWithResponse(ctx, nil, body)
	if err != nil || r.JSON200 == nil {
		return "", unexpected("create", r, err)
	}
	if len(r.JSON200.Keywords) != 2 || !r.JSON200.Created {
		return "", unexpected("create", r, nil)
	}
	return r.JSON200.Id, nil
}

// fetch fetches a profile and waits for it.
func fetch(ctx context.Context, client *api.ClientWithResponses, slug string) (string, error) {
	task, err := client.FetchProfileWithResponse(ctx, nil, api.FetchProfile{ProfileSlug: slug})
	if err != nil || task.JSON200 == nil {
		return "", unexpected("fetch", task, err)
	}
	for {
		r, err := client.GetTaskStatusWithResponse(ctx, &api.GetTaskStatusParams{ApiAgentTaskId: task.JSON200.ApiAgentTaskId})
		if err != nil || r.JSON200 == nil {
			return "", unexpected("poll", r, err)
		}
		switch data := r.JSON200.Data; string(data.Status) {
		case "completed":
			return fetched(data)
		case "failed":
			return "", unexpected("poll", r, nil)
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// fetched reads the typed input and output of a task that fetched a profile.
func fetched(task api.TaskStatus) (string, error) {
	input, err := task.TaskInput.ValueByDiscriminator()
	if err != nil {
		return "", err
	}
	asked, ok := input.(api.AgentProfileFetchInput)
	if !ok || asked.ProfileSlug == "" {
		return "", fmt.Errorf("input of a profile fetch: %T", input)
	}
	profile, err := task.TaskOutput.AsProfileOutput()
	if err != nil {
		return "", err
	}
	if profile.ProfileUrn == "" || profile.Profile.FullName != profile.Name {
		return "", fmt.Errorf("output of a profile fetch: %+v", profile)
	}
	return profile.Name, nil
}

// read reads posts of all watchlists, and sees that the new one takes part.
func read(ctx context.Context, client *api.ClientWithResponses, id string) (int, error) {
	size := 5
	r, err := client.GetPostsWithResponse(ctx, &api.GetPostsParams{PageSize: &size})
	if err != nil || r.JSON200 == nil {
		return 0, unexpected("posts", r, err)
	}
	for _, post := range r.JSON200.Data {
		if post.Id == "" || post.Content == "" || post.PostedAt.IsZero() {
			return 0, unexpected("posts", r, nil)
		}
	}
	own, err := client.GetPostsWithResponse(ctx, &api.GetPostsParams{WatchlistId: &[]string{id}})
	if err != nil || own.JSON200 == nil {
		return 0, unexpected("posts of the new watchlist", own, err)
	}
	return r.JSON200.Count, nil
}

// insights reads what posts tell, what a watchlist would find, and what changed.
func insights(ctx context.Context, client *api.ClientWithResponses, id string) error {
	leads, err := client.GetLeadsWithResponse(ctx, nil)
	if err != nil || leads.JSON200 == nil {
		return unexpected("leads", leads, err)
	}
	trends, err := client.GetTrendsWithResponse(ctx, nil)
	if err != nil || trends.JSON200 == nil || len(trends.JSON200.Intervals) != 30 {
		return unexpected("trends", trends, err)
	}
	coverage, err := client.GetCoverageWithResponse(ctx, &api.GetCoverageParams{WatchlistId: &[]string{id}})
	if err != nil || coverage.JSON200 == nil || len(coverage.JSON200.Data) != 1 || coverage.JSON200.Data[0].Scans.Planned == 0 {
		return unexpected("coverage", coverage, err)
	}
	forecast, err := client.GetForecastWithResponse(ctx, &api.GetForecastParams{Add: &[]string{"agent_profile_fetch:3"}})
	if err != nil || forecast.JSON200 == nil || len(forecast.JSON200.Actions) == 0 {
		return unexpected("forecast", forecast, err)
	}
	earliest := "earliest"
	changes, err := client.GetChangesWithResponse(ctx, &api.GetChangesParams{Cursor: &earliest})
	if err != nil || changes.JSON200 == nil || len(changes.JSON200.Changes) == 0 {
		return unexpected("changes", changes, err)
	}
	tasks, err := client.GetTasksWithResponse(ctx, nil)
	if err != nil || tasks.JSON200 == nil || len(tasks.JSON200.Data) == 0 {
		return unexpected("tasks", tasks, err)
	}
	return nil
}

// unexpected shows a reply that was not hoped for.
func unexpected(what string, reply any, err error) error {
	return fmt.Errorf("%s: %w: %+v", what, errors.Join(err, errors.New("not as hoped")), reply)
}
