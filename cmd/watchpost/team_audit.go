package main

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

type teamKeys struct {
	Team string `arg:"" help:"Id of the team."`
}

// Run shows the last use of the key of a team.
func (c *teamKeys) Run(ctx context.Context, t *teamCommand) error {
	type key struct {
		CreatedAt *time.Time `json:"created_at"`
		UsedAt    *time.Time `json:"last_used_at"`
		UsedBy    string     `json:"last_used_by"`
	}
	type keys struct{ Keys []key }
	return show(ctx, &t.Admin, "show the keys of team "+c.Team, http.MethodGet, teamPath(c.Team, "keys"), nil, func(list keys) error {
		rows := make([][]string, len(list.Keys))
		for i, k := range list.Keys {
			rows[i] = []string{timeOrDash(k.CreatedAt), timeOrDash(k.UsedAt), k.UsedBy}
		}
		return table("CREATED USED FROM", rows)
	})
}

func timeOrDash(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.Format(time.RFC3339)
}

type teamAudit struct {
	Team  string `arg:"" help:"Id of the team."`
	Limit int    `env:"-" default:"100" help:"Entries at most, 1 to 1000."`
}

// Run lists the audit of a team, newest first.
func (c *teamAudit) Run(ctx context.Context, t *teamCommand) error {
	type entry struct {
		At                                          time.Time
		Event, By, Operator, Email, Client, Subject string
	}
	type audit struct{ Entries []entry }
	path := teamPath(c.Team, "audit") + "?" + url.Values{"limit": {strconv.Itoa(c.Limit)}}.Encode()
	return show(ctx, &t.Admin, "list the audit of team "+c.Team, http.MethodGet, path, nil, func(list audit) error {
		rows := make([][]string, len(list.Entries))
		for i, e := range list.Entries {
			rows[i] = []string{e.At.Format(time.RFC3339), e.Event, cmp.Or(e.Operator, e.Email, e.By), e.Client, e.Subject}
		}
		return table("TIME EVENT BY FROM SUBJECT", rows)
	})
}
