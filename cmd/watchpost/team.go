package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"text/tabwriter"
	"time"
)

// teamCommand manages teams through the admin API of a running service.
type teamCommand struct {
	Server     string `default:"http://127.0.0.1:8080" help:"Address of the service's admin API."`
	AdminToken string `help:"Bearer token of the admin API. Also from the file named by WATCHPOST_ADMIN_TOKEN_FILE."`

	Create    teamCreate    `cmd:"" help:"Create a team and print its API key."`
	List      teamList      `cmd:"" help:"List all teams."`
	SetPlan   teamSetPlan   `cmd:"" help:"Change the plan of a team."`
	RotateKey teamRotateKey `cmd:"" help:"Replace the API key of a team and print the new one."`
	Pair      teamPair      `cmd:"" help:"Make a pairing code with which a member's session signs in."`
}

type teamCreate struct {
	Email    string `required:"" help:"Email of the first member, an admin."`
	FullName string `help:"Name of the first member."`
	Plan     string `default:"free" help:"free, growth, expert or ultimate."`
	Name     string `help:"Name of the team; default: made of the member's name."`
}

// Run creates the team.
func (c *teamCreate) Run(ctx context.Context, t *teamCommand) error {
	var team struct {
		ID, Name, Plan string
		APIKey         string `json:"api_key"`
	}
	body := map[string]string{"email": c.Email, "full_name": c.FullName, "plan": c.Plan, "name": c.Name}
	if err := t.call(ctx, http.MethodPost, "/admin/teams", body, &team); err != nil {
		return err
	}
	fmt.Printf("team     %s (%s, %s)\napi key  %s\n", team.ID, team.Name, team.Plan, team.APIKey)
	return nil
}

type teamList struct{}

// Run lists the teams.
func (teamList) Run(ctx context.Context, t *teamCommand) error {
	var reply struct {
		Teams []struct{ ID, Name, Plan string }
	}
	if err := t.call(ctx, http.MethodGet, "/admin/teams", nil, &reply); err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, team := range reply.Teams {
		if _, err := fmt.Fprintf(w, "%s\t%s\t%s\n", team.ID, team.Plan, team.Name); err != nil {
			return err
		}
	}
	return w.Flush()
}

type teamSetPlan struct {
	Team string `arg:"" help:"Id of the team."`
	Plan string `arg:"" help:"free, growth, expert or ultimate."`
}

// Run changes the plan.
func (c *teamSetPlan) Run(ctx context.Context, t *teamCommand) error {
	return t.call(ctx, http.MethodPatch, "/admin/teams/"+c.Team, map[string]string{"plan": c.Plan}, nil)
}

type teamRotateKey struct {
	Team string `arg:"" help:"Id of the team."`
}

// Run replaces the key.
func (c *teamRotateKey) Run(ctx context.Context, t *teamCommand) error {
	var reply struct {
		APIKey string `json:"api_key"`
	}
	if err := t.call(ctx, http.MethodPost, "/admin/teams/"+c.Team+"/rotate-key", map[string]string{}, &reply); err != nil {
		return err
	}
	fmt.Println(reply.APIKey)
	return nil
}

type teamPair struct {
	Team  string `arg:"" help:"Id of the team."`
	Email string `arg:"" help:"Email of the member."`
}

// Run makes the code.
func (c *teamPair) Run(ctx context.Context, t *teamCommand) error {
	var reply struct {
		Code      string
		ExpiresAt time.Time `json:"expires_at"`
	}
	if err := t.call(ctx, http.MethodPost, "/admin/teams/"+c.Team+"/pairing-codes", map[string]string{"email": c.Email}, &reply); err != nil {
		return err
	}
	fmt.Printf("%s (until %s)\n", reply.Code, reply.ExpiresAt.Format(time.RFC3339))
	return nil
}

// adminTimeout bounds one call of the admin API.
const adminTimeout = 30 * time.Second

// call makes one request to the admin API and decodes its reply; an error
// carries the service's own words.
func (t *teamCommand) call(ctx context.Context, method, path string, body, reply any) error {
	token, err := secret(t.AdminToken, "WATCHPOST_ADMIN_TOKEN")
	if err != nil {
		return err
	}
	var content io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(encoded)
	}
	ctx, cancel := context.WithTimeout(ctx, adminTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, t.Server+path, content)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close() //nolint:errcheck // read to its end
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= http.StatusBadRequest {
		var failure struct{ Error string }
		if json.Unmarshal(answer, &failure) != nil || failure.Error == "" {
			failure.Error = response.Status
		}
		return fmt.Errorf("%s %s: %s", method, path, failure.Error)
	}
	if reply == nil {
		return nil
	}
	return json.Unmarshal(answer, reply)
}
