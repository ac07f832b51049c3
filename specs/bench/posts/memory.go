package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"

	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// manyTeams is many teams with some posts each, queried at random. The teams
// are byte-for-byte copies of a few, each in a separate space, so a cache
// cannot share them.
type manyTeams struct {
	teams, posts, templates int
	queries                 int
	seed                    uint64
}

// teamsResult holds the querying process's measurements of itself.
type teamsResult struct {
	P50, P99, Max time.Duration
	Busy          time.Duration // mean CPU time of all its threads per query
	Anonymous     int64         // maximum in bytes after the warm-up
	Cached        int           // bytes in the index cache at the end
	Teams, Posts  int
	Queries       int
	Disk          int64
	Load          time.Duration
}

func teamSpace(n int) persistence.Space {
	return persistence.Space(fmt.Sprintf("018d0000-0000-7000-8001-%012d", n))
}

func (c manyTeams) feed(template int, words *vocabulary) *feed {
	return &feed{seed: c.seed + uint64(template), size: c.posts, words: words}
}

// measure fills a store and starts a separate process for the queries, so that
// its memory excludes the filling.
func (c manyTeams) measure(ctx context.Context) (res teamsResult, err error) {
	dir, err := os.MkdirTemp("", "posts-teams-")
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	began := time.Now()
	if err := c.fill(ctx, dir); err != nil {
		return res, fmt.Errorf("many teams: fill: %w", err)
	}
	load := time.Since(began)
	program, err := os.Executable()
	if err != nil {
		return res, err
	}
	child := exec.CommandContext(ctx, program)
	described, err := json.Marshal(teamsOrder{Dir: dir, Teams: c.teams, Posts: c.posts, Templates: c.templates, Queries: c.queries, Seed: c.seed})
	if err != nil {
		return res, err
	}
	child.Env = append(os.Environ(), teamsVariable+"="+string(described))
	child.Stderr = os.Stderr
	out, err := child.Output()
	if err != nil {
		return res, fmt.Errorf("many teams: %w", err)
	}
	if err := json.Unmarshal(out, &res); err != nil {
		return res, fmt.Errorf("many teams: %w: %s", err, out)
	}
	res.Load = load
	res.Disk, err = folderSize(dir)
	return res, err
}

// teamsVariable makes this program the querying process.
const teamsVariable = "POSTS_TEAMS"

// teamsOrder is the value of teamsVariable.
type teamsOrder struct {
	Dir                              string
	Teams, Posts, Templates, Queries int
	Seed                             uint64
}

// answerTeams is the querying process: it runs queries of random teams, after a
// warm-up, and prints the measurements.
func answerTeams(ctx context.Context, described string, out io.Writer) (err error) {
	var order teamsOrder
	if err := json.Unmarshal([]byte(described), &order); err != nil {
		return err
	}
	c := manyTeams{teams: order.Teams, posts: order.Posts, templates: order.Templates, queries: order.Queries, seed: order.Seed}
	store, err := openStore(order.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	index := postindex.New(postindex.Options{})
	questions, err := c.questions()
	if err != nil {
		return err
	}
	if _, err := c.ask(ctx, store, index, questions, c.queries/4); err != nil {
		return err
	}
	before, err := processorTime()
	if err != nil {
		return err
	}
	t, err := c.ask(ctx, store, index, questions, c.queries)
	if err != nil {
		return err
	}
	after, err := processorTime()
	if err != nil {
		return err
	}
	memory, err := anonymous()
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(teamsResult{
		P50: t.at(0.5), P99: t.at(0.99), Max: t.at(1), Busy: (after - before) / time.Duration(len(t.took)),
		Anonymous: max(memory, t.memory), Cached: index.CacheBytes(),
		Teams: c.teams, Posts: c.posts, Queries: c.queries,
	})
}

// questions are the queries of the mix, some of each row.
func (c manyTeams) questions() ([]watchpost.PostQuery, error) {
	const each = 20
	f := c.feed(0, newVocabulary(c.seed))
	o := &ours{live: allWatchlists()}
	var all []watchpost.PostQuery
	for _, r := range mix {
		for _, q := range r.pool(f, each) {
			asked, err := o.translate(&q)
			if err != nil {
				return nil, err
			}
			all = append(all, asked)
		}
	}
	return all, nil
}

// teamsTimes are the latencies of all clients and the most memory that they
// saw.
type teamsTimes struct {
	times
	memory int64
}

// teamsClients is the number of concurrent clients.
const teamsClients = 2

func (c manyTeams) ask(ctx context.Context, store persistence.Store, index *postindex.Index, questions []watchpost.PostQuery, n int) (all teamsTimes, err error) {
	const look = 500 // queries between two memory samples
	live := allWatchlists()
	var wg sync.WaitGroup
	var mu sync.Mutex
	for client := range teamsClients {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(c.seed, uint64(client)<<32|uint64(n)))
			var mine teamsTimes
			var failure error
			for i := 0; i < n/teamsClients && failure == nil; i++ {
				q := questions[r.IntN(len(questions))]
				space := teamSpace(r.IntN(c.teams))
				began := time.Now()
				_, failure = askPosts(ctx, store, index, space, &q, live)
				mine.add(time.Since(began))
				if i%look == look-1 {
					var memory int64
					memory, failure = anonymous()
					mine.memory = max(mine.memory, memory)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			all.took, all.memory, err = append(all.took, mine.took...), max(all.memory, mine.memory), errors.Join(err, failure)
		})
	}
	wg.Wait()
	slices.Sort(all.took)
	return all, err
}
