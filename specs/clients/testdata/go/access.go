package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"scenario/api"
)

// keys makes a key that reads, uses it, renames it and deletes it.
func keys(ctx context.Context, client *api.ClientWithResponses) error {
	name, other := "Go reader", "Go reader, renamed"
	made, err := client.CreateAPIKeyWithResponse(ctx, nil, api.CreateKeyRequest{Name: &name, Scopes: &[]string{"read"}, DailyLimits: &map[string]int{"like": 1}})
	if err != nil || made.JSON201 == nil || made.JSON201.Key == nil {
		return unexpected("key", made, err)
	}
	id, reader := made.JSON201.Id, withHeader("x-api-key", *made.JSON201.Key)
	seen, err := client.GetTeamWithResponse(ctx, reader)
	if err != nil || seen.JSON200 == nil {
		return unexpected("a key that reads", seen, err)
	}
	refused, err := client.CreateAPIKeyWithResponse(ctx, nil, api.CreateKeyRequest{Name: &name, Scopes: &[]string{"read"}}, reader)
	if err != nil || refused.JSON403 == nil || refused.JSON403.Error == "" {
		return unexpected("a key beyond its scope", refused, err)
	}
	changed, err := client.UpdateAPIKeyWithResponse(ctx, api.UpdateKeyRequest{Id: id, Name: &other})
	if err != nil || changed.JSON200 == nil || changed.JSON200.Name != other || changed.JSON200.DailyLimits["like"] != 1 {
		return unexpected("changed key", changed, err)
	}
	gone, err := client.DeleteAPIKeyWithResponse(ctx, &api.DeleteAPIKeyParams{Id: &id})
	if err != nil || gone.JSON200 == nil || !gone.JSON200.Deleted {
		return unexpected("deleted key", gone, err)
	}
	ended, err := client.GetTeamWithResponse(ctx, reader)
	if err != nil || ended.JSON401 == nil {
		return unexpected("a deleted key", ended, err)
	}
	return nil
}

// join invites two people: one signs in and reads of the invitation, the other accepts it.
// It returns the address of the new member, who has no browser.
func join(ctx context.Context, client *api.ClientWithResponses, key string) (string, error) {
	team, err := client.GetTeamWithResponse(ctx)
	if err != nil || team.JSON200 == nil {
		return "", unexpected("team", team, err)
	}
	for _, email := range []string{"go-guest@example.com", "go-member@example.com"} {
		invite := true
		asked, err := client.AddMemberWithResponse(ctx, team.JSON200.Id, api.AddMemberRequest{Email: email, Role: "member", Invite: &invite}, withHeader("Authorization", "Bearer "+os.Getenv("ADMIN")))
		if err != nil || asked.JSON201 == nil || asked.JSON201.Pending == nil {
			return "", unexpected("invitation of a member", asked, err)
		}
		sent, err := client.SendOTPWithResponse(ctx, api.SendOTPRequest{Email: email})
		if err != nil || sent.JSON200 == nil || sent.JSON200.Nonce == "" {
			return "", unexpected("code", sent, err)
		}
		code, err := mailed(ctx, email)
		if err != nil {
			return "", err
		}
		proof := api.VerifyOTPRequest{Email: email, Otp: code, Nonce: &sent.JSON200.Nonce}
		guest := email == "go-guest@example.com"
		if !guest {
			proof.Accept = &asked.JSON201.Id
		}
		in, err := client.VerifyOTPWithResponse(ctx, proof)
		switch {
		case err != nil || in.JSON200 == nil:
			return "", unexpected("sign-in", in, err)
		case guest && (in.JSON200.Invitations == nil || len(*in.JSON200.Invitations) != 1 || (*in.JSON200.Invitations)[0].Id != asked.JSON201.Id || in.JSON200.ApiKey == key):
			return "", unexpected("pending invitation", in, nil)
		case !guest && (in.JSON200.Invitations != nil || in.JSON200.Team.Id != team.JSON200.Id || in.JSON200.ApiKey != key):
			return "", unexpected("accepted invitation", in, nil)
		}
	}
	return "go-member@example.com", nil
}

var oneTimeCode = regexp.MustCompile(`code is (\d{6})`)

// mailed waits for the mail with a code.
func mailed(ctx context.Context, email string) (string, error) {
	for {
		mails, err := filepath.Glob(filepath.Join(os.Getenv("MAIL"), "*-"+email+".eml"))
		if err != nil {
			return "", err
		}
		for _, name := range mails {
			mail, err := os.ReadFile(name)
			if err != nil {
				return "", err
			}
			if found := oneTimeCode.FindSubmatch(mail); found != nil {
				return string(found[1]), nil
			}
		}
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("no code for %s: %w", email, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// withHeader makes a request with a header in place of the client's.
func withHeader(name, value string) api.RequestEditorFn {
	return func(_ context.Context, r *http.Request) error {
		r.Header.Set(name, value)
		return nil
	}
}
