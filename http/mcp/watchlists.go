package mcp

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
)

var watchlistTypes = []string{"keyword", "forum", "people", "company"}

var frequencies = []string{"1", "3", "6", "12", "24", "48", "72"}

// keywordItems is an entry of a keyword or forum watchlist. The names say how the words
// count.
var keywordItems = map[string]any{
	"type": "object",
	"properties": map[string]any{
		"keyword": map[string]any{"type": "string", "description": "the phrase must occur"},
		"all_of":  map[string]any{"type": "array", "items": map[string]any{"type": "string"}, "description": "every one must occur too"},
		"any_of":  map[string]any{"type": "array", "items": map[string]any{"type": "string"}, "description": "at least one must occur too"},
		"none_of": map[string]any{"type": "array", "items": map[string]any{"type": "string"}, "description": "none may occur"},
	},
	"required": []string{"keyword"},
}

// Arguments that tools of watchlists share.
var (
	watchlistType = param{name: "type", kind: text, about: "keyword: posts with words; forum: threads with words; people, company: what they post", allowed: watchlistTypes, required: true}
	promptParam   = param{name: "prompt", kind: text, about: "in place of keywords: what to look for, in a sentence with subject and purpose"}
	keywordsParam = param{name: "keywords", kind: list, about: "a post matches if one entry does; each entry takes a scan of its own", items: keywordItems}
	conditions    = []param{
		{name: "languages", kind: list, about: "of keyword and forum: posts in one of these only, codes as en; empty: any"},
		{name: "seniority_levels", kind: list, about: "of keyword and forum: posts by authors of one of these only; empty: any", allowed: levels},
		{name: "post_types", kind: list, about: "of keyword and forum: these kinds of post only; empty: any", allowed: postTypes},
	}
	objective = param{name: "objective", kind: text, about: "what the team wants of the posts; counts for relevance"}
	settings  = []param{
		{name: "name", kind: text},
		{name: "description", kind: text},
		{name: "fetchFreqInHours", kind: number, about: "hours between scans", allowed: frequencies},
	}
)

var watchlistTools = []tool{
	{
		name: "list_watchlists", title: "List watchlists", does: reads,
		routes: []string{"GET /api-keyword-watchlist"},
		about:  "List the watchlists. With id and type: one with its entries, labels and scan times.",
		params: []param{{name: "type", kind: text, allowed: watchlistTypes}, {name: "id", kind: text, about: "needs type"}},
		run:    listWatchlists,
	},
	{
		name: "preview_watchlist", title: "Preview a watchlist", does: reads,
		routes: []string{"POST /api-keyword-watchlist/preview"},
		about:  "Try keywords or a prompt of a keyword watchlist on stored posts: what each entry keeps, drops and why, and whether the accounts can do its scans. Creates nothing.",
		params: slices.Concat([]param{promptParam, keywordsParam, settings[2]}, conditions),
		run:    previewWatchlist,
	},
	{
		name: "create_watchlist", title: "Create a watchlist", does: adds,
		routes: []string{"POST /api-keyword-watchlist"},
		about:  "Follow a subject, people or companies. Posts come with the first scan, soon if a browser is connected: wait_for_posts.",
		params: slices.Concat([]param{watchlistType, promptParam, keywordsParam,
			{name: "profiles", kind: list, about: "for people: URLs, slugs or URNs"},
			{name: "companies", kind: list, about: "for company: URLs, slugs or ids"}, objective},
			conditions, settings),
		run: createWatchlist,
	},
	{
		name: "change_watchlist", title: "Change a watchlist", does: replaces,
		routes: []string{"PUT /api-keyword-watchlist"},
		about:  "Change what is given of a watchlist; keywords or a prompt replace all entries. disable pauses its scans.",
		params: slices.Concat([]param{{name: "id", kind: text, required: true}, watchlistType, promptParam, keywordsParam,
			{name: "append", kind: flag, about: "add the keywords instead"},
			{name: "disable", kind: flag}, objective,
			{name: "scan_now", kind: flag, about: "scan all entries now, within the allowances"}},
			conditions, settings),
		run: changeWatchlist,
	},
	{
		name: "delete_watchlist", title: "Delete a watchlist", does: removes,
		routes: []string{"DELETE /api-keyword-watchlist"},
		about:  "Delete a watchlist and the posts that only it collected. It cannot be undone; change_watchlist with disable keeps the posts.",
		params: []param{{name: "id", kind: text, required: true}, {name: "type", kind: text, allowed: watchlistTypes, required: true}},
		run: func(c *call) (result, error) {
			var reply map[string]any
			err := c.send("DELETE", c.watchlistPath()+"?id="+url.QueryEscape(c.text("id")), nil, &reply)
			return result{data: reply}, err
		},
	},
}

func (c *call) watchlistPath() string { return "/api-" + c.text("type") + "-watchlist" }

func listWatchlists(c *call) (result, error) {
	if c.given("id") && !c.given("type") {
		return result{}, &advice{Text: "id needs the type of the watchlist.", Allowed: watchlistTypes, Next: "list_watchlists without arguments shows the type of each."}
	}
	if c.given("id") {
		var reply map[string]any
		err := c.get(c.watchlistPath(), url.Values{"id": {c.text("id")}}, &reply)
		return result{data: reply}, err
	}
	types := watchlistTypes
	if c.given("type") {
		types = []string{c.text("type")}
	}
	all := []map[string]any{}
	for _, t := range types {
		var reply struct{ Watchlists []map[string]any }
		if err := c.get("/api-"+t+"-watchlist", nil, &reply); err != nil {
			return result{}, err
		}
		all = append(all, reply.Watchlists...)
	}
	for _, w := range all {
		for _, left := range []string{"slug", "createdAt", "description"} {
			delete(w, left)
		}
	}
	return result{note: fmt.Sprintf("%d watchlists.", len(all)), data: all}, nil
}

// previewShown is how many posts of an entry a preview shows, when there are few entries.
const (
	previewShown = 2
	fewEntries   = 5
)

// sampleText is what people outside of the team wrote of a post of a preview.
type sampleText struct {
	Author string `json:"author"`
	URL    string `json:"post_url"`
	Text   string `json:"text"`
}

// triedPost is a post of a preview.
type triedPost struct {
	ID          string     `json:"id"`
	Reason      string     `json:"reason,omitempty"`
	Word        string     `json:"word,omitempty"`
	ForeignText sampleText `json:"content_of_others"`
}

// apiTriedPost is a post of a preview of the API.
type apiTriedPost struct {
	ID      string `json:"id"`
	URL     string `json:"network_post_url"`
	Author  string `json:"author_name"`
	Content string `json:"content"`
	Reason  string `json:"reason"`
	Word    string `json:"word"`
}

func previewWatchlist(c *call) (result, error) {
	body, err := c.watchlistBody("prompt", "fetchFreqInHours", "languages", "seniority_levels", "post_types")
	if err != nil {
		return result{}, err
	}
	var reply map[string]any
	if err := c.send("POST", "/api-keyword-watchlist/preview", body, &reply); err != nil {
		return result{}, err
	}
	entries, _ := reply["keywords"].([]any)
	most := previewShown
	if len(entries) > fewEntries {
		most = 1
	}
	for _, e := range entries {
		if entry, ok := e.(map[string]any); ok {
			for _, kind := range []string{"kept_samples", "dropped_samples"} {
				shortSamples(entry, kind, most)
			}
		}
	}
	note := fmt.Sprintf("Tried on %v stored posts. Nothing was created.", reply["posts_tried"])
	return result{note: note, data: reply, foreign: true}, nil
}

// shortSamples replaces the posts of an entry by what the tools show of them.
func shortSamples(entry map[string]any, kind string, most int) {
	raw, err := json.Marshal(entry[kind])
	var posts []apiTriedPost
	if err == nil {
		err = json.Unmarshal(raw, &posts)
	}
	if delete(entry, kind); err != nil || len(posts) == 0 {
		return
	}
	shown := make([]triedPost, min(most, len(posts)))
	for i := range shown {
		p := &posts[i]
		shown[i] = triedPost{p.ID, p.Reason, p.Word, sampleText{foreign(p.Author), foreign(p.URL), cut(foreign(p.Content), maxShort)}}
	}
	entry[kind] = shown
}

func createWatchlist(c *call) (result, error) {
	body, err := c.watchlistBody("name", "description", "fetchFreqInHours", "objective", "prompt", "profiles", "companies", "languages", "seniority_levels", "post_types")
	if err != nil {
		return result{}, err
	}
	var reply map[string]any
	err = c.send("POST", c.watchlistPath(), body, &reply)
	return result{data: reply}, err
}

func changeWatchlist(c *call) (result, error) {
	body, err := c.watchlistBody("id", "name", "description", "fetchFreqInHours", "disable", "objective", "scan_now", "prompt", "append", "languages", "seniority_levels", "post_types")
	if err != nil {
		return result{}, err
	}
	var reply map[string]any
	err = c.send("PUT", c.watchlistPath(), body, &reply)
	return result{data: reply}, err
}

// watchlistBody makes the body of a request for a watchlist.
func (c *call) watchlistBody(names ...string) (map[string]any, error) {
	body := c.only(names...)
	if !c.given("keywords") {
		return body, nil
	}
	entries, _ := c.args["keywords"].([]any)
	keywords := make([]any, len(entries))
	for i, given := range entries {
		entry, err := keywordEntry(given)
		if err != nil {
			return nil, err
		}
		keywords[i] = entry
	}
	body["keywords"] = keywords
	return body, nil
}

// keywordEntry returns an entry as the API takes it.
func keywordEntry(given any) (any, error) {
	fields, isObject := given.(map[string]any)
	if !isObject {
		return given, nil // a phrase alone, or what the API refuses
	}
	entry := map[string]any{}
	for name, value := range fields {
		switch name {
		case "keyword":
			entry[name] = value
		case "all_of":
			entry["required_keywords"], entry["include_all_required"] = value, true
		case "any_of":
			entry["required_keywords"], entry["include_all_required"] = value, false
		case "none_of":
			entry["exclude_keywords"] = value
		default:
			return nil, &advice{Text: fmt.Sprintf("A keyword has no '%s'.", name), Allowed: []string{"keyword", "all_of", "any_of", "none_of"}, Next: "Correct keywords and call again."}
		}
	}
	if fields["all_of"] != nil && fields["any_of"] != nil {
		return nil, &advice{Text: "A keyword takes all_of or any_of, not both.", Next: "Make an entry for each word of any_of, each with all_of."}
	}
	return entry, nil
}
