package api

import (
	"math"
	"net/http"

	"github.com/getkin/kin-openapi/openapi3"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

func (s journal) routes() {
	text := openapi3.NewStringSchema
	var types []any
	for _, name := range journalTypes() {
		types = append(types, name)
	}
	endpoint.Handle(s.API, http.MethodGet, "/api-journal", s.getJournal,
		s.Operation(endpoint.Teams(watchpost.ScopeRead), "getJournal", "List every action on the network: who asked, which account acted, how it ended; newest first", endpoint.TagJournal),
		endpoint.Query("asked_by", "actions that were asked for in this way only", text().WithEnum("key", "member", "rule")),
		endpoint.Query("rule_id", "actions of this rule only", text()),
		endpoint.Query("key_id", "actions that this key with scopes asked for only", text()),
		endpoint.Query("user_email", "actions in this member's name only", text()),
		endpoint.Query("task_type", "actions of this type only", text().WithEnum(types...)),
		endpoint.Query("status", "actions with this outcome only", text().WithEnum("pending", "completed", "failed")),
		endpoint.Query("start_date", "first day (UTC) on which they were asked for: a date, or a moment whose day counts", text()),
		endpoint.Query("end_date", "last day (UTC): a date, or a moment whose day counts", text()),
		endpoint.Query("page_size", "entries per page; above 100 it is 100", openapi3.NewIntegerSchema().WithMin(1).WithDefault(journalPageSize)),
		endpoint.Query("after", "`next` of the page before", text()),
		endpoint.WithError(http.StatusBadRequest, "Invalid 'asked_by'", "Invalid 'task_type'", "Invalid 'status'", "Invalid 'start_date'", "Invalid 'page_size'", "Invalid 'after'"),
		endpoint.WithError(http.StatusNotFound, endpoint.TextUserNotFound))
}

const journalPageSize = 20

type journalReply struct {
	Entries []journalEntry `json:"entries" validate:"required"`
	Count   int            `json:"count"`
	Next    *string        `json:"next"`
}

// journalEntry is an entry of the journal.
type journalEntry struct {
	ID       watchpost.TaskID     `json:"id"`
	Type     watchpost.TaskType   `json:"task_type"`
	State    watchpost.TaskState  `json:"status" validate:"oneof=pending completed failed"`
	Way      watchpost.AskerKind  `json:"asked_by" validate:"oneof=key member rule"`
	Asked    string               `json:"asked_by_id"`
	Key      string               `json:"asked_by_name" description:"name of the key with scopes that asked, at the time"`
	Email    string               `json:"user_email"`
	Account  watchpost.AccountURN `json:"account"`
	At       endpoint.Timestamp   `json:"created_at"`
	EndedAt  *endpoint.Timestamp  `json:"completed_at"`
	Subject  string               `json:"subject"`
	Text     string               `json:"text"`
	Post     watchpost.PostID     `json:"post_id"`
	Code     string               `json:"error_code"`
	Message  string               `json:"error_text"`
	Safe     bool                 `json:"retry_safe"`
	Acted    *bool                `json:"acted"`
	Number   uint64               `json:"number"`
	Hash     string               `json:"hash"`
	Previous string               `json:"previous_hash"`
}

func (s journal) getJournal(r *http.Request) (journalReply, error) {
	ctx, p := r.Context(), endpoint.ReadParams(r)
	q := watchpost.JournalQuery{
		Way:  watchpost.AskerKind(single(p, "asked_by", watchpost.OneOf("key", "member", "rule"))),
		Rule: p.One("rule_id"), Key: watchpost.KeyID(p.One("key_id")), Type: watchpost.TaskType(single(p, "task_type", watchpost.OneOf(journalTypes()...))),
		State: watchpost.TaskState(single(p, "status", watchpost.OneOf("pending", "completed", "failed"))),
	}
	q.From, q.To = readDays(p)
	size := min(p.Number("page_size", journalPageSize, math.MaxInt), watchpost.MaxPageSize)
	email, after := p.One("user_email"), p.One("after")
	if p.Err != nil {
		return journalReply{}, p.Err
	}
	team, err := actors.Ask(ctx, s.Registry, endpoint.TeamOf(ctx), actors.GetTeam{})
	if err != nil {
		return journalReply{}, err
	}
	emails := map[watchpost.MemberID]string{}
	for _, m := range team.Team.Members {
		emails[m.ID] = m.Email
		if known, ok := watchpost.NormalizeEmail(email); ok && known == m.Email {
			q.Member = m.ID
		}
	}
	if email != "" && q.Member == "" {
		return journalReply{}, watchpost.Errorf(watchpost.NotFound, endpoint.TextUserNotFound)
	}
	page, err := s.Registry.Journal(ctx, endpoint.TeamOf(ctx), q, after, size)
	reply := journalReply{Entries: make([]journalEntry, len(page.Entries)), Count: len(page.Entries)}
	for i := range page.Entries {
		reply.Entries[i] = showEntry(&page.Entries[i], emails)
	}
	if page.Next != "" {
		reply.Next = &page.Next
	}
	return reply, err
}

// journalTypes are the names of the types that the journal has.
func journalTypes() (names []string) {
	for _, t := range watchpost.JournalTypes() {
		names = append(names, string(t))
	}
	return names
}

func showEntry(e *watchpost.JournalEntry, emails map[watchpost.MemberID]string) journalEntry {
	return journalEntry{
		ID: e.ID, Type: e.Type, State: e.State, Way: e.Way, Asked: e.Asked, Key: e.Key, Email: emails[e.Member], Account: e.Account, At: endpoint.TimestampOf(e.At),
		EndedAt: endpoint.TimestampOrNil(e.EndedAt), Subject: e.Subject, Text: e.Text, Post: e.Post, Code: e.Code, Message: e.Message, Safe: e.Safe,
		Acted: e.Acted, Number: e.Number, Hash: e.Hash, Previous: e.Before,
	}
}
