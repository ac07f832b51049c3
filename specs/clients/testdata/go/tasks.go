package main

import (
	"context"
	"fmt"
	"time"

	"scenario/api"
)

// tasks takes a stored result, invites a person and withdraws that, and cancels a task of
// a member without a browser.
func tasks(ctx context.Context, client *api.ClientWithResponses, slug, member string) error {
	hour := 3600.0
	again, err := client.FetchProfileWithResponse(ctx, nil, api.FetchProfile{ProfileSlug: slug, MaxAge: &hour})
	if err != nil || again.JSON200 == nil || again.JSON200.FromStored == nil || !*again.JSON200.FromStored || again.JSON200.FetchedAt == nil {
		return unexpected("a stored result", again, err)
	}
	title := "Supply Chain Planner" // whom no other client invites
	search, err := client.SearchProfilesWithResponse(ctx, nil, api.SearchProfiles{Title: &title})
	if err != nil || search.JSON200 == nil {
		return unexpected("search", search, err)
	}
	found, err := finished(ctx, client, search.JSON200.ApiAgentTaskId)
	if err != nil {
		return err
	}
	people, err := found.TaskOutput.AsProfilesOutput()
	if err != nil {
		return err
	}
	for _, one := range people.Profiles {
		if one.Degree > 1 {
			if err := invite(ctx, client, one.ProfileUrn); err != nil {
				return err
			}
			return cancelled(ctx, client, one.ProfileUrn, member)
		}
	}
	return fmt.Errorf("no stranger in %+v", people)
}

// invite asks a person to connect, and takes that back.
func invite(ctx context.Context, client *api.ClientWithResponses, urn string) error {
	asked, err := client.SendConnectionRequestWithResponse(ctx, nil, api.SendConnectionRequest{ProfileUrn: urn})
	if err != nil || asked.JSON200 == nil {
		return unexpected("invitation", asked, err)
	}
	if _, err := finished(ctx, client, asked.JSON200.ApiAgentTaskId); err != nil {
		return err
	}
	back, err := client.WithdrawConnectionRequestWithResponse(ctx, nil, api.WithdrawInvitation{ProfileUrn: &urn})
	if err != nil || back.JSON200 == nil {
		return unexpected("withdrawal", back, err)
	}
	done, err := finished(ctx, client, back.JSON200.ApiAgentTaskId)
	if err != nil {
		return err
	}
	if output, err := done.TaskOutput.AsWithdrawnOutput(); err != nil || !output.Withdrawn || output.ProfileUrn != urn {
		return unexpected("withdrawal", output, err)
	}
	return nil
}

// cancelled cancels a task that waits for a browser.
func cancelled(ctx context.Context, client *api.ClientWithResponses, urn, member string) error {
	made, err := client.SendMessageWithResponse(ctx, nil, api.SendMessage{RecipientUrn: urn, Message: "Hello", UserEmail: &member})
	if err != nil || made.JSON200 == nil || made.JSON200.Expected.When != "waiting" || made.JSON200.Expected.Reason == nil {
		return unexpected("a task that waits", made, err)
	}
	id, wait, began := made.JSON200.ApiAgentTaskId, 1, time.Now()
	waits, err := client.GetTaskStatusWithResponse(ctx, &api.GetTaskStatusParams{ApiAgentTaskId: id, Wait: &wait})
	if err != nil || waits.JSON200 == nil || waits.JSON200.Data.Status != "pending" || time.Since(began) < 900*time.Millisecond {
		return unexpected("a second's wait", waits, err)
	}
	r, err := client.CancelTaskWithResponse(ctx, &api.CancelTaskParams{Id: id})
	if err != nil || r.JSON200 == nil || r.JSON200.Data.Status != "failed" {
		return unexpected("cancel", r, err)
	}
	if failure, err := r.JSON200.Data.TaskOutput.AsTaskFailure(); err != nil || failure.Error.Code != "cancelled" || !failure.RetrySafe {
		return unexpected("cancelled task", failure, err)
	}
	return nil
}

// finished waits for a task without asking often.
func finished(ctx context.Context, client *api.ClientWithResponses, id string) (api.TaskStatus, error) {
	wait := 25
	for {
		r, err := client.GetTaskStatusWithResponse(ctx, &api.GetTaskStatusParams{ApiAgentTaskId: id, Wait: &wait})
		if err != nil || r.JSON200 == nil || r.JSON200.Data.Status == "failed" {
			return api.TaskStatus{}, unexpected("task", r, err)
		}
		if r.JSON200.Data.Status == "completed" {
			return r.JSON200.Data, nil
		}
	}
}
