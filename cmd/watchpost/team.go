package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"text/tabwriter"
	"time"
)

// teamCommand manages teams through the admin API of a running service.
type teamCommand struct {
	Admin adminFlags `embed:""`

	Create    teamCreate     `cmd:"" help:"Create a team and print its API key."`
	List      teamList       `cmd:"" help:"List all teams, or the team of a member."`
	Show      teamShow       `cmd:"" help:"Show a team with its members."`
	Rename    teamRename     `cmd:"" help:"Change the name of a team."`
	SetPlan   teamSetPlan    `cmd:"" help:"Change the plan of a team."`
	KeepPosts teamKeepPosts  `cmd:"" help:"Change how long posts of a team are kept."`
	Domains   teamDomains    `cmd:"" help:"Give a team the mail domains whose people join it at their first sign-in by --oidc-issuer."`
	Delete    teamDelete     `cmd:"" help:"Delete a team and everything of it."`
	RotateKey teamRotateKey  `cmd:"" help:"Replace the API key of a team and print the new one."`
	RevealKey teamRevealKey  `cmd:"" help:"Print the API key of a team."`
	Export    teamExport     `cmd:"" help:"Print everything that a team has stored, as JSON lines."`
	Keys      teamKeys       `cmd:"" help:"Show when the API key of a team was used last, and from where."`
	Audit     teamAudit      `cmd:"" help:"List the sign-ins of a team and the changes of its members, sessions and key."`
	Pair      teamPair       `cmd:"" help:"Create a pairing code for a member's session."`
	Members   membersCommand `cmd:"" help:"Manage the members of a team."`
	Sessions  sessionsOfTeam `cmd:"" help:"Manage the sessions of a team."`
}

// shownTeam is a team as the admin API shows it.
type shownTeam struct {
	ID, Name, Plan string
	Expires        *time.Time `json:"plan_expires_at"`
	CreatedAt      time.Time  `json:"created_at"`
	Asked          *time.Time `json:"key_rotation_asked_at"`
	APIKey         string     `json:"api_key"`
	Members        []shownMember
	Domains        []string
}

type shownMember struct {
	ID, Email, Role string
	FullName        string `json:"full_name"`
}

// teamPath is the path of a team in the admin API.
func teamPath(team string, more ...string) string {
	path := "/admin/teams/" + url.PathEscape(team)
	for _, part := range more {
		path += "/" + url.PathEscape(part)
	}
	return path
}

// table prints rows of cells below a header.
func table(header string, rows [][]string) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{strings.Fields(header)}, rows...) {
		if _, err := fmt.Fprintln(w, strings.Join(row, "\t")); err != nil {
			return err
		}
	}
	return w.Flush()
}

// ignore prints nothing of a reply.
func ignore(struct{}) error { return nil }

type teamCreate struct {
	Email    string `required:"" help:"Email of the first member, an admin."`
	FullName string `help:"Name of the first member."`
	Plan     string `default:"free" help:"Plan: free, growth, expert or ultimate."`
	Name     string `help:"Name of the team; default: derived from the member's name."`
}

// Run creates a team and prints its key.
func (c *teamCreate) Run(ctx context.Context, t *teamCommand) error {
	body := map[string]string{"email": c.Email, "full_name": c.FullName, "plan": c.Plan, "name": c.Name}
	return show(ctx, &t.Admin, "create the team", http.MethodPost, "/admin/teams", body, func(team shownTeam) error {
		_, err := fmt.Printf("team     %s (%s, %s)\napi key  %s\n", team.ID, team.Name, team.Plan, team.APIKey)
		return err
	})
}

type teamList struct {
	Email string `help:"Only the team of the member with this email."`
}

// Run lists the teams.
func (c *teamList) Run(ctx context.Context, t *teamCommand) error {
	path := "/admin/teams"
	if c.Email != "" {
		path += "?email=" + url.QueryEscape(c.Email)
	}
	type teams struct{ Teams []shownTeam }
	return show(ctx, &t.Admin, "list the teams", http.MethodGet, path, nil, func(list teams) error {
		rows := make([][]string, len(list.Teams))
		for i, team := range list.Teams {
			rows[i] = []string{team.ID, team.Plan, team.CreatedAt.Format(time.DateOnly), team.Name}
		}
		if err := table("ID PLAN CREATED NAME", rows); err != nil {
			return err
		}
		for _, team := range list.Teams {
			if err := team.sayAsked(); err != nil {
				return err
			}
		}
		return nil
	})
}

type teamShow struct {
	Team string `arg:"" help:"Id of the team."`
}

// Run shows a team.
func (c *teamShow) Run(ctx context.Context, t *teamCommand) error {
	return show(ctx, &t.Admin, "show team "+c.Team, http.MethodGet, teamPath(c.Team), nil, func(team shownTeam) error {
		plan := team.Plan
		if team.Expires != nil {
			plan += " until " + team.Expires.Format(time.RFC3339)
		}
		if _, err := fmt.Printf("team  %s (%s, %s)\n", team.ID, team.Name, plan); err != nil {
			return err
		}
		if err := team.sayAsked(); err != nil {
			return err
		}
		if len(team.Domains) > 0 {
			if _, err := fmt.Printf("domains  %s\n", strings.Join(team.Domains, ", ")); err != nil {
				return err
			}
		}
		return listMembers(team.Members)
	})
}

// sayAsked prints that a team asks for another key, if it does.
func (t shownTeam) sayAsked() error {
	if t.Asked == nil {
		return nil
	}
	_, err := fmt.Printf("an admin asks for another API key since %s: watchpost team rotate-key %s\n", t.Asked.Format(time.RFC3339), t.ID)
	return err
}

func listMembers(members []shownMember) error {
	rows := make([][]string, len(members))
	for i, m := range members {
		rows[i] = []string{m.ID, m.Role, m.Email, m.FullName}
	}
	return table("MEMBER ROLE EMAIL NAME", rows)
}

type teamRename struct {
	Team string `arg:"" help:"Id of the team."`
	Name string `arg:"" help:"New name."`
}

// Run changes the name of a team.
func (c *teamRename) Run(ctx context.Context, t *teamCommand) error {
	return show(ctx, &t.Admin, "rename team "+c.Team, http.MethodPatch, teamPath(c.Team), map[string]string{"name": c.Name}, ignore)
}

type teamSetPlan struct {
	Team    string `arg:"" help:"Id of the team."`
	Plan    string `arg:"" help:"Plan: free, growth, expert or ultimate."`
	Expires string `env:"-" help:"When the plan becomes free: RFC 3339, for example 2030-01-01T00:00:00Z; default: never."`
}

// Run changes the plan of a team.
func (c *teamSetPlan) Run(ctx context.Context, t *teamCommand) error {
	body := map[string]any{"plan": c.Plan}
	if c.Expires != "" {
		body["plan_expires_at"] = c.Expires
	}
	return show(ctx, &t.Admin, "change the plan of team "+c.Team, http.MethodPatch, teamPath(c.Team), body, ignore)
}

type teamKeepPosts struct {
	Team string `arg:"" help:"Id of the team."`
	Keep string `arg:"" help:"Days from when a post was stored, as 365d; forever; or default: as the service's --keep-posts says. Posts stay that the team saved, liked or commented on. The others go within a day."`
}

// Run changes the setting of a team.
func (c *teamKeepPosts) Run(ctx context.Context, t *teamCommand) error {
	body := map[string]any{"keep_posts": c.Keep}
	if c.Keep == "default" {
		body["keep_posts"] = nil
	}
	return show(ctx, &t.Admin, "change how long posts of team "+c.Team+" are kept", http.MethodPatch, teamPath(c.Team), body, ignore)
}

type teamDomains struct {
	Team    string   `arg:"" help:"Id of the team."`
	Domains []string `arg:"" optional:"" help:"All domains of the team, for example example.com; none: nobody joins any more, and members stay."`
}

// Run replaces the domains of a team.
func (c *teamDomains) Run(ctx context.Context, t *teamCommand) error {
	body := map[string][]string{"domains": append([]string{}, c.Domains...)}
	return show(ctx, &t.Admin, "change the domains of team "+c.Team, http.MethodPatch, teamPath(c.Team), body, ignore)
}

type teamDelete struct {
	Team string `arg:"" help:"Id of the team."`
	Yes  bool   `env:"-" help:"Confirm that everything of the team goes."`
}

// Run deletes a team. It returns when nothing of it is left.
func (c *teamDelete) Run(ctx context.Context, t *teamCommand) error {
	if !c.Yes {
		return errors.New("nothing is deleted: give --yes to confirm that the team's members, watchlists, posts and tasks go for good")
	}
	return show(ctx, &t.Admin, "delete team "+c.Team, http.MethodDelete, teamPath(c.Team), nil, ignore)
}

type apiKey struct {
	Key string `json:"api_key"`
}

func printKey(reply apiKey) error {
	_, err := fmt.Println(reply.Key)
	return err
}

type teamRotateKey struct {
	Team string `arg:"" help:"Id of the team."`
}

// Run replaces the key of a team and prints the new one.
func (c *teamRotateKey) Run(ctx context.Context, t *teamCommand) error {
	return show(ctx, &t.Admin, "rotate the key of team "+c.Team, http.MethodPost, teamPath(c.Team, "rotate-key"), struct{}{}, printKey)
}

type teamRevealKey struct {
	Team string `arg:"" help:"Id of the team."`
}

// Run prints the key of a team.
func (c *teamRevealKey) Run(ctx context.Context, t *teamCommand) error {
	return show(ctx, &t.Admin, "reveal the key of team "+c.Team, http.MethodPost, teamPath(c.Team, "reveal-key"), struct{}{}, printKey)
}

type teamExport struct {
	Team string `arg:"" help:"Id of the team."`
}

// Run prints the export of a team as it arrives. An export that is cut off is an
// error; it lacks the last line.
func (c *teamExport) Run(ctx context.Context, t *teamCommand) error {
	lines, err := t.Admin.open(ctx, http.MethodGet, teamPath(c.Team, "export"), nil)
	if err == nil {
		_, err = io.Copy(os.Stdout, lines)
		err = errors.Join(err, lines.Close())
	}
	if err != nil {
		return fmt.Errorf("export team %s: %w", c.Team, err)
	}
	return nil
}

type teamPair struct {
	Team  string `arg:"" help:"Id of the team."`
	Email string `arg:"" help:"Email of the member."`
}

// Run creates a pairing code and prints it.
func (c *teamPair) Run(ctx context.Context, t *teamCommand) error {
	type code struct {
		Code      string
		ExpiresAt time.Time `json:"expires_at"`
	}
	return show(ctx, &t.Admin, "create a pairing code for "+c.Email, http.MethodPost, teamPath(c.Team, "pairing-codes"), map[string]string{"email": c.Email}, func(reply code) error {
		_, err := fmt.Printf("%s (until %s)\n", reply.Code, reply.ExpiresAt.Format(time.RFC3339))
		return err
	})
}
