package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"text/tabwriter"
	"time"

	"watchpost/internal/mail"
)

// teamCommand manages teams through the admin API of a running service.
type teamCommand struct {
	Server     string `default:"http://127.0.0.1:8080" help:"Address of the service's admin API."`
	AdminToken string `help:"Bearer token of the admin API. Also from the file named by WATCHPOST_ADMIN_TOKEN_FILE."`
	Insecure   bool   `env:"-" help:"Send the admin token to another machine without TLS."`

	Create    teamCreate    `cmd:"" help:"Create a team and print its API key."`
	List      teamList      `cmd:"" help:"List all teams."`
	SetPlan   teamSetPlan   `cmd:"" help:"Change the plan of a team."`
	RotateKey teamRotateKey `cmd:"" help:"Replace the API key of a team and print the new one."`
	Pair      teamPair      `cmd:"" help:"Create a pairing code for a member's session."`
}

type teamCreate struct {
	Email    string `required:"" help:"Email of the first member, an admin."`
	FullName string `help:"Name of the first member."`
	Plan     string `default:"free" help:"Plan: free, growth, expert or ultimate."`
	Name     string `help:"Name of the team; default: derived from the member's name."`
}

// Run creates a team and prints its key.
func (c *teamCreate) Run(ctx context.Context, t *teamCommand) error {
	var team struct {
		ID, Name, Plan string
		APIKey         string `json:"api_key"`
	}
	body := map[string]string{"email": c.Email, "full_name": c.FullName, "plan": c.Plan, "name": c.Name}
	if err := t.call(ctx, "create the team", http.MethodPost, "/admin/teams", body, &team); err != nil {
		return err
	}
	fmt.Printf("team     %s (%s, %s)\napi key  %s\n", team.ID, team.Name, team.Plan, team.APIKey)
	return nil
}

type teamList struct {
	JSON bool `name:"json" help:"Print the reply of the admin API as it is."`
}

// Run lists the teams.
func (c *teamList) Run(ctx context.Context, t *teamCommand) error {
	var raw json.RawMessage
	if err := t.call(ctx, "list the teams", http.MethodGet, "/admin/teams", nil, &raw); err != nil {
		return err
	}
	if c.JSON {
		fmt.Println(string(raw))
		return nil
	}
	var reply struct {
		Teams []struct {
			ID, Name, Plan string
			CreatedAt      time.Time `json:"created_at"`
		}
	}
	if err := json.Unmarshal(raw, &reply); err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	if _, err := fmt.Fprintln(w, "ID\tPLAN\tCREATED\tNAME"); err != nil {
		return err
	}
	for _, team := range reply.Teams {
		if _, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", team.ID, team.Plan, team.CreatedAt.Format(time.DateOnly), team.Name); err != nil {
			return err
		}
	}
	return w.Flush()
}

type teamSetPlan struct {
	Team string `arg:"" help:"Id of the team."`
	Plan string `arg:"" help:"Plan: free, growth, expert or ultimate."`
}

// Run changes the plan of a team.
func (c *teamSetPlan) Run(ctx context.Context, t *teamCommand) error {
	return t.call(ctx, "change the plan of team "+c.Team, http.MethodPatch, "/admin/teams/"+c.Team, map[string]string{"plan": c.Plan}, nil)
}

type teamRotateKey struct {
	Team string `arg:"" help:"Id of the team."`
}

// Run replaces the key of a team and prints the new one.
func (c *teamRotateKey) Run(ctx context.Context, t *teamCommand) error {
	var reply struct {
		APIKey string `json:"api_key"`
	}
	if err := t.call(ctx, "rotate the key of team "+c.Team, http.MethodPost, "/admin/teams/"+c.Team+"/rotate-key", map[string]string{}, &reply); err != nil {
		return err
	}
	fmt.Println(reply.APIKey)
	return nil
}

type teamPair struct {
	Team  string `arg:"" help:"Id of the team."`
	Email string `arg:"" help:"Email of the member."`
}

// Run creates a pairing code and prints it.
func (c *teamPair) Run(ctx context.Context, t *teamCommand) error {
	var reply struct {
		Code      string
		ExpiresAt time.Time `json:"expires_at"`
	}
	if err := t.call(ctx, "create a pairing code for "+c.Email, http.MethodPost, "/admin/teams/"+c.Team+"/pairing-codes", map[string]string{"email": c.Email}, &reply); err != nil {
		return err
	}
	fmt.Printf("%s (until %s)\n", reply.Code, reply.ExpiresAt.Format(time.RFC3339))
	return nil
}

// adminTimeout bounds one call of the admin API.
const adminTimeout = 30 * time.Second

// call sends one request to the admin API and decodes its reply. An error names
// the purpose and contains the service's error text.
func (t *teamCommand) call(ctx context.Context, purpose, method, path string, body, reply any) error {
	answer, err := t.send(ctx, method, path, body)
	if err == nil && reply != nil {
		err = json.Unmarshal(answer, reply)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", purpose, err)
	}
	return nil
}

func (t *teamCommand) send(ctx context.Context, method, path string, body any) ([]byte, error) {
	token, err := secret(t.AdminToken, "WATCHPOST_ADMIN_TOKEN")
	if err != nil {
		return nil, err
	}
	if token == "" {
		return nil, errors.New("give the service's --admin-token, or the variable WATCHPOST_ADMIN_TOKEN")
	}
	if err := t.checkServer(); err != nil {
		return nil, err
	}
	var content io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(encoded)
	}
	ctx, cancel := context.WithTimeout(ctx, adminTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, t.Server+path, content)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err // drop the path from the message
		}
		return nil, fmt.Errorf("no service answers at %s (--server): %w", t.Server, err)
	}
	defer response.Body.Close() //nolint:errcheck // read to its end
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= http.StatusBadRequest {
		return nil, t.refusal(response.StatusCode, answer)
	}
	return answer, nil
}

// checkServer refuses an address to which the token would be sent unencrypted.
func (t *teamCommand) checkServer() error {
	server, err := url.Parse(t.Server)
	switch {
	case err != nil || server.Host == "":
		return fmt.Errorf("--server %s: want an address as https://watchpost.example.com", t.Server)
	case server.Scheme == "https", t.Insecure, mail.Loopback(server.Hostname()):
		return nil
	}
	return fmt.Errorf("--server %s: the admin token would travel in clear: use https, or give --insecure", t.Server)
}

// refusal returns the service's error with a hint where the cause is known.
func (t *teamCommand) refusal(status int, answer []byte) error {
	var said struct{ Error string }
	if json.Unmarshal(answer, &said) != nil || said.Error == "" {
		said.Error = "the reply is not that of a Watchpost service: " + http.StatusText(status)
	}
	switch {
	case status == http.StatusUnauthorized:
		return fmt.Errorf("%s: --admin-token is not that of the service", said.Error)
	case status == http.StatusNotFound && said.Error == "Not found":
		return fmt.Errorf("the service at %s has no admin API there: start it with --admin-token, and name its --ops-listen by --server when it has one", t.Server)
	}
	return errors.New(said.Error)
}
