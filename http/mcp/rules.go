package mcp

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
)

// ruleFields are the arguments of a rule.
var ruleFields = []param{
	{name: "name", kind: text},
	{name: "action", kind: text, allowed: []string{"like", "comment"}},
	{name: "comment_templates", kind: list, about: "comments to choose from; {first_name} is the author's"},
	{name: "approval", kind: flag, about: "true: drafts wait for decide_draft; false: the rule acts by itself"},
	{name: "user_emails", kind: list, about: "members who act in turn"},
	{name: "max_per_day", kind: number},
	{name: "min_relevance", kind: amount, about: "0 to 10"},
	{name: "max_age_hours", kind: amount, about: "age of posts"},
	{name: "labels", kind: list},
	{name: "sentiments", kind: list, allowed: sentiments},
	{name: "seniority_levels", kind: list, allowed: levels},
	{name: "languages", kind: list},
	{name: "authors", kind: list, about: "profiles or companies"},
	{name: "keyword", kind: text},
	{name: "disable", kind: flag},
}

var ruleTools = []tool{
	{
		name: "list_rules", title: "List rules and drafts", does: reads, routes: []string{"GET /api-engagement-rules"},
		about:  "List the rules that like or comment on new posts of a watchlist. With drafts: what they propose, have queued and have done.",
		params: []param{{name: "drafts", kind: flag}, {name: "after", kind: text, about: "next of the page before"}},
		run:    listRules,
	},
	{
		name: "set_rule", title: "Create or change a rule", does: manages, routes: []string{"POST /api-engagement-rules"},
		about: "Without id: create a rule of a watchlist. With id: change what is given, or delete it. With approval it drafts; without, it acts publicly by itself.",
		params: slices.Concat([]param{{name: "id", kind: text}, {name: "watchlist_id", kind: text, about: "needed to create"}}, ruleFields,
			[]param{{name: "delete", kind: flag}}),
		run: setRule,
	},
	{
		name: "decide_draft", title: "Approve or reject a draft", does: acts, routes: []string{"PUT /api-engagement-actions"},
		about: "Approve a drafted like or comment of list_rules, which is then done publicly, or reject it.",
		params: []param{{name: "id", kind: text, required: true}, {name: "approve", kind: flag, required: true, about: "true: do it; false: reject"},
			{name: "comment_text", kind: text, about: "another text"}},
		run: func(c *call) (result, error) {
			var reply map[string]any
			err := c.send("PUT", "/api-engagement-actions", c.args, &reply)
			return result{data: markAction(reply), foreign: true}, err
		},
	},
}

// markAction puts what a rule's action takes from a post where texts of others stand: the
// name of the author, and the comment, whose template may have had that name filled in.
func markAction(action map[string]any) map[string]any {
	theirs := map[string]any{}
	for name, shown := range map[string]string{"author_name": "author", "comment_text": "comment_text"} {
		if value, ok := action[name].(string); ok && value != "" {
			theirs[shown] = foreign(value)
		}
		delete(action, name)
	}
	if len(theirs) > 0 {
		action["content_of_others"] = theirs
	}
	return action
}

func listRules(c *call) (result, error) {
	q := url.Values{"page_size": {strconv.Itoa(maxPageSize)}}
	if c.given("after") {
		q.Set("after", c.text("after"))
	}
	if !c.flag("drafts") {
		var reply map[string]any
		err := c.get("/api-engagement-rules", q, &reply)
		return result{data: reply}, err
	}
	var reply struct {
		Actions []map[string]any `json:"actions"`
		Next    *string          `json:"next"`
	}
	if err := c.get("/api-engagement-actions", q, &reply); err != nil {
		return result{}, err
	}
	note := fmt.Sprintf("%d drafts and actions.", len(reply.Actions))
	if reply.Next != nil {
		note += " Next page: after " + *reply.Next + "."
	}
	for _, action := range reply.Actions {
		markAction(action)
	}
	return result{note: note, data: reply.Actions, foreign: true}, nil
}

func setRule(c *call) (result, error) {
	var reply map[string]any
	const path = "/api-engagement-rules"
	var err error
	switch {
	case c.flag("delete"):
		err = c.send("DELETE", path+"?id="+url.QueryEscape(c.text("id")), nil, &reply)
	case c.given("id"):
		err = c.send("PUT", path, c.args, &reply)
	default:
		err = c.send("POST", path, c.args, &reply)
	}
	return result{data: reply}, err
}
