package mcp

import (
	"fmt"
	"strconv"

	"watchpost/watchpost"
)

var teamTools = []tool{
	{
		name: "get_team", title: "Show members and allowances", does: reads, routes: []string{"GET /api-team"},
		about: "Show the members with their addresses, whether their browsers are connected, what pauses them, what is left of today's allowances, and the plan's limits.",
		run:   getTeam,
	},
	{
		name: "get_journal", title: "Read the journal", does: reads, routes: []string{"GET /api-journal"},
		about: "List what was done on the network, newest first: who asked, whose account, how it ended.",
		params: []param{
			{name: "user_email", kind: text},
			{name: "status", kind: text, allowed: []string{"pending", "completed", "failed"}},
			{name: "asked_by", kind: text, allowed: []string{"key", "member", "rule"}},
			{name: "start_date", kind: text, about: "YYYY-MM-DD"}, {name: "end_date", kind: text},
			pageSizeParam, {name: "after", kind: text, about: "next of the page before"},
		},
		run: getJournal,
	},
}

// quota of the API; no limit: null.
type quota struct {
	Used  int  `json:"used"`
	Limit *int `json:"limit"`
}

type allowance struct {
	Used     int    `json:"used"`
	Limit    int    `json:"limit"`
	ResetsAt string `json:"resets_at"`
}

// teamMember is what the tools show of a member.
type teamMember struct {
	Email    string            `json:"user_email"`
	Name     string            `json:"full_name"`
	Acting   bool              `json:"acts_by_default,omitempty"`
	Browser  string            `json:"browser"`
	Left     map[string]string `json:"left_today,omitempty"`
	Pauses   []map[string]any  `json:"pauses,omitempty"`
	SignedIn bool              `json:"signed_in_to_network"`
}

func getTeam(c *call) (result, error) {
	var reply struct {
		Name, Plan string
		Members    []struct {
			Email     string
			FullName  string `json:"full_name"`
			Acting    bool
			Extension struct{ Active, Connected bool }
			Account   *struct {
				SignedIn bool `json:"signed_in"`
			}
			Allowances map[string]allowance
			Pauses     []map[string]any
		}
		Quotas map[string]quota
		Scans  map[string]any `json:"waiting_scans"`
	}
	if err := c.get("/api-team", nil, &reply); err != nil {
		return result{}, err
	}
	members, quotes := []teamMember{}, false
	for _, m := range reply.Members {
		for _, pause := range m.Pauses {
			quotes = markPause(pause) || quotes
		}
		shown := teamMember{Email: m.Email, Name: m.FullName, Acting: m.Acting, Browser: "not seen for 48 hours", Pauses: m.Pauses, Left: map[string]string{}}
		switch {
		case m.Extension.Connected:
			shown.Browser = "connected"
		case m.Extension.Active:
			shown.Browser = "seen within 48 hours, not connected now"
		}
		shown.SignedIn = m.Account != nil && m.Account.SignedIn
		for action, a := range m.Allowances {
			shown.Left[action] = fmt.Sprintf("%d of %d", max(0, a.Limit-a.Used), a.Limit)
		}
		members = append(members, shown)
	}
	return result{data: map[string]any{"name": reply.Name, "plan": reply.Plan, "members": members, "quotas": reply.Quotas, "waiting_scans": reply.Scans}, foreign: quotes}, nil
}

// markPause puts the last failure before a pause, which may quote a page, where texts of
// others stand. It reports whether there was one.
func markPause(pause map[string]any) bool {
	text, ok := pause["error_text"].(string)
	if ok {
		pause["content_of_others"] = map[string]any{"error_text": foreign(text)}
		delete(pause, "error_text")
	}
	return ok
}

// journalEntry is what the tools show of an action.
type journalEntry struct {
	ID      string `json:"task_id"`
	Type    string `json:"task_type"`
	Status  string `json:"status"`
	Way     string `json:"asked_by"`
	Email   string `json:"user_email"`
	At      string `json:"created_at"`
	EndedAt string `json:"completed_at,omitempty"`
	Text    string `json:"text,omitempty"`
	Post    string `json:"post_id,omitempty"`
	Code    string `json:"error_code,omitempty"`
	Acted   *bool  `json:"acted,omitempty"`

	Foreign journalForeign `json:"content_of_others,omitzero"`
}

// journalForeign is what names or quotes others: whom the action was for, a failure, which
// may quote a page, and the comment of a rule, whose template takes the author's name.
type journalForeign struct {
	Subject string `json:"subject,omitempty"`
	Message string `json:"error_text,omitempty"`
	Comment string `json:"text,omitempty"`
}

func getJournal(c *call) (result, error) {
	q := query(c.args)
	q.Set("page_size", strconv.Itoa(c.number("page_size", 1, pageSize, maxPageSize)))
	var reply struct {
		Entries []struct {
			journalEntry
			Subject string `json:"subject"`
			Message string `json:"error_text"`
			Task    string `json:"id"`
		} `json:"entries"`
		Next *string `json:"next"`
	}
	if err := c.get("/api-journal", q, &reply); err != nil {
		return result{}, err
	}
	entries := make([]journalEntry, len(reply.Entries))
	for i := range reply.Entries {
		e := &reply.Entries[i]
		shown := &entries[i]
		*shown = e.journalEntry
		shown.ID, shown.Foreign = e.Task, journalForeign{Subject: foreign(e.Subject), Message: foreign(e.Message)}
		if shown.Way == string(watchpost.AskedByRule) {
			shown.Foreign.Comment, shown.Text = foreign(shown.Text), ""
		}
	}
	note := fmt.Sprintf("%d entries.", len(entries))
	if reply.Next != nil {
		note += " Next page: after " + *reply.Next + "."
	}
	return result{note: note, data: entries, foreign: true}, nil
}
