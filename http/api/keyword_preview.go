package api

import (
	"net/http"
	"strings"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/internal/interpret"
	"watchpost/watchpost"
	"watchpost/watchpost/scanplan"
)

const (
	// previewSamples is how many kept and dropped posts a preview shows of each entry.
	previewSamples = 3
	// previewText bounds the text of such a post, in characters.
	previewText = 300
)

func (s watchlists) previewRoutes() {
	endpoint.HandleBody(s.API, http.MethodPost, "/api-keyword-watchlist/preview", s.previewKeywordWatchlist,
		s.Operation(endpoint.Teams(watchpost.ScopeRead), "previewKeywordWatchlist", "Show what keywords would do, and what their scans need", endpoint.TagWatchlists),
		withKeywordsBody(), withNewPrompt())
}

// previewReply is what a keyword watchlist would do. Nothing of it is stored.
type previewReply struct {
	Keywords  []triedEntry     `json:"keywords" validate:"required" description:"what each entry would do with the posts"`
	Looked    int              `json:"posts_tried" example:"687" description:"stored posts of all watchlists that the entries were tried on: the newest, at most 1,000"`
	Kept      int              `json:"kept" description:"of those, posts that an entry keeps"`
	Dropped   int              `json:"dropped" description:"of the others, posts that have the words of an entry's keyword"`
	Unmet     []unmetCondition `json:"dropped_by_conditions" validate:"required" description:"posts that have all the words of an entry and do not meet the conditions, the most first"`
	Frequency int              `json:"fetchFreqInHours" example:"12"`
	shownWatchlistConditions
	Results []watchpost.KeywordResult `json:"results,omitempty" description:"of the keywords given; not in prompt mode"`

	Prompt      string `json:"prompt,omitempty" description:"in prompt mode"`
	Interpreter string `json:"interpreter,omitempty" example:"rules" description:"in prompt mode: rules, or the name of the model that interpreted"`
	Objective   string `json:"objective,omitempty" description:"in prompt mode: what the posts are for"`
	scanOutlook
}

// triedEntry is an entry of a preview.
type triedEntry struct {
	Keyword     string        `json:"keyword"`
	Required    []string      `json:"required_keywords" validate:"required"`
	Excluded    []string      `json:"exclude_keywords" validate:"required"`
	All         bool          `json:"include_all_required" description:"false: one of required_keywords is enough"`
	Matched     int           `json:"matched" description:"posts that have the words of the keyword"`
	Kept        int           `json:"kept" description:"of the matched ones, those that a scan would store"`
	Dropped     int           `json:"dropped" description:"of the matched ones, those that a scan would not store"`
	Because     []droppedFor  `json:"dropped_because" validate:"required" description:"a post with several reasons counts for the first"`
	KeptSamples []triedPost   `json:"kept_samples" validate:"required" description:"the newest, at most 3"`
	DropSamples []droppedPost `json:"dropped_samples" validate:"required" description:"the newest, at most 3"`
	PerDay      int           `json:"scans_per_day" example:"2" description:"scans that the entry needs in a day; 0: it shares those of an earlier entry with the same keyword"`
}

// dropReason is why an entry drops a post.
type dropReason struct {
	Reason watchpost.DropReason `json:"reason" validate:"oneof=words_apart missing_required excluded language seniority_level post_type several_conditions" description:"words_apart: the words of the keyword are no phrase; missing_required: a required word, or all of them when one is enough; excluded: a word that must not occur; language, seniority_level, post_type: only this condition is not met; several_conditions: more than one"`
	Word   *string              `json:"word" example:"hiring" description:"the word that is missing or excluded; null: there is no such word"`
}

// unmetCondition counts the posts that a condition drops.
type unmetCondition struct {
	Reason watchpost.DropReason `json:"reason" validate:"oneof=language seniority_level post_type several_conditions" description:"the only condition that the posts do not meet, or several_conditions"`
	Posts  int                  `json:"posts"`
}

type droppedFor struct {
	dropReason
	Posts int `json:"posts"`
}

// triedPost is a stored post of a preview.
type triedPost struct {
	ID       watchpost.PostID   `json:"id"`
	URL      string             `json:"network_post_url"`
	Author   string             `json:"author_name"`
	PostedAt endpoint.Timestamp `json:"posted_at"`
	Content  string             `json:"content" description:"the beginning"`
}

type droppedPost struct {
	triedPost
	dropReason
}

// previewKeywordWatchlist reads a body as a creation does, and creates nothing.
func (s watchlists) previewKeywordWatchlist(r *http.Request, body newKeywordWatchlist) (reply previewReply, err error) {
	ctx, team := r.Context(), endpoint.TeamOf(r.Context())
	var w watchpost.Watchlist
	if p := body.prompt; p != nil {
		var understood interpret.Result
		if understood, err = s.prompts.Interpret(ctx, watchpost.KeywordWatchlist, p.Prompt, p.Strict); err != nil {
			return reply, err
		}
		w = p.watchlist(watchpost.KeywordWatchlist, &understood)
		reply.Prompt, reply.Interpreter, reply.Objective = w.Prompt, w.Interpreter, w.Objective
	} else {
		w, reply.Results = body.fields.made(watchpost.KeywordWatchlist), body.fields.results
	}
	view, err := actors.Ask(ctx, s.Registry, team, actors.PreviewWatchlist{Watchlist: w})
	if err != nil {
		return reply, err
	}
	warnings, err := s.phraseWarnings(ctx, w.Keywords)
	if err != nil {
		return reply, err
	}
	view.Warnings = append(view.Warnings, warnings...)
	test, err := s.Registry.TryKeywords(ctx, team, w.Keywords, w.Conditions, previewSamples)
	if err != nil {
		return reply, err
	}
	reply.scanOutlook, reply.Frequency = outlookOf(&view), w.Frequency.Hours()
	reply.Looked, reply.Kept, reply.Dropped = test.Looked, test.Kept, test.Dropped
	reply.Unmet, reply.shownWatchlistConditions = make([]unmetCondition, len(test.Unmet)), showWatchlistConditions(&w.Conditions)
	for i, d := range test.Unmet {
		reply.Unmet[i] = unmetCondition{d.Reason, d.Posts}
	}
	reply.Keywords = triedEntries(&w, test)
	return reply, nil
}

func triedEntries(w *watchpost.Watchlist, test *watchpost.BackTest) []triedEntry {
	shown, needs := make([]triedEntry, len(w.Keywords)), scanplan.EntryNeeds(w)
	for i, e := range w.Keywords {
		t := &test.Entries[i]
		shown[i] = triedEntry{
			Keyword: e.Keyword, Required: endpoint.Whole(e.Required), Excluded: endpoint.Whole(e.Excluded), All: !e.AnyRequired,
			Matched: t.Kept + t.Dropped, Kept: t.Kept, Dropped: t.Dropped, PerDay: needs[i].PerDay(),
			Because: make([]droppedFor, len(t.Drops)), KeptSamples: make([]triedPost, len(t.KeptSamples)), DropSamples: make([]droppedPost, len(t.DropSamples)),
		}
		for j, d := range t.Drops {
			shown[i].Because[j] = droppedFor{dropReason{d.Reason, textOrNil(d.Word)}, d.Posts}
		}
		for j, p := range t.KeptSamples {
			shown[i].KeptSamples[j] = showTried(p)
		}
		for j, p := range t.DropSamples {
			shown[i].DropSamples[j] = droppedPost{showTried(p.Post), dropReason{p.Reason, textOrNil(p.Word)}}
		}
	}
	return shown
}

func showTried(p *watchpost.Post) triedPost {
	return triedPost{ID: p.ID, URL: p.URL, Author: p.AuthorName, PostedAt: endpoint.TimestampOf(p.PostedAt), Content: beginning(p.Content)}
}

// beginning cuts a text to previewText characters.
func beginning(s string) string {
	s = strings.TrimSpace(s)
	n := 0
	for i := range s {
		if n++; n > previewText {
			return s[:i] + "…"
		}
	}
	return s
}
