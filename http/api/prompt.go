package api

import (
	"cmp"
	"context"
	"net/http"
	"unicode/utf8"

	"github.com/go-fuego/fuego"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/internal/interpret"
	"watchpost/watchpost"
)

const (
	textNoPrompt      = "prompt is required and must be a non-empty string"
	textLongPrompt    = "Invalid 'prompt'"
	textPromptCreated = "Watchlist created."
	textPromptUpdated = "Prompt updated."
)

// createByPrompt are the fields of a POST in prompt mode.
type createByPrompt struct {
	Prompt    string   `json:"prompt" invalid:"prompt is required and must be a non-empty string" description:"what to look for" maxLength:"4000,own"`
	Name      string   `json:"name,omitempty" maxLength:"120,own"`
	Frequency *float64 `json:"fetchFreqInHours,omitempty" invalid:"Invalid fetchFreqInHours" validate:"oneof=1 3 6 12 24 48 72" example:"12"`
	// What the team says itself counts before what the prompt is understood to say.
	Description string `json:"description,omitempty"`
	Objective   string `json:"objective,omitempty" example:"find teams that replace their monitoring" description:"what the posts are for, in words, in place of what the prompt says; counts for their relevance"`
	Strict      bool   `json:"strict,omitempty" description:"refuse a prompt that leaves something to be inferred"`
	// A prompt sets no condition: only these fields do.
	conditionNames

	frequency watchpost.FetchFrequency // 0: not given
}

// DecodeObject implements endpoint.ObjectDecoder.
func (r *createByPrompt) DecodeObject(o endpoint.Object) error {
	if o.Has("keywords") {
		return watchpost.Errorf(watchpost.Invalid, textPromptOrWords)
	}
	return endpoint.Bind(o, r)
}

// CleanField implements endpoint.FieldCleaner.
func (r *createByPrompt) CleanField(name string) (err error) {
	switch name {
	case "prompt":
		err = checkPrompt(r.Prompt)
	case "name":
		r.Name, err = endpoint.ReadName(r.Name)
	case "description":
		trim(&r.Description)
	case "objective":
		trim(&r.Objective)
	case "fetchFreqInHours":
		if r.Frequency != nil {
			r.frequency, err = watchpost.ParseFetchFrequency(*r.Frequency)
		}
	default:
		_, err = r.cleanField(name)
	}
	return err
}

// updateByPrompt are the fields of a PUT in prompt mode.
type updateByPrompt struct {
	ID     string `json:"id" required:"Missing required parameter: id"`
	Prompt string `json:"prompt" invalid:"prompt is required and must be a non-empty string" description:"what to look for instead" maxLength:"4000,own"`

	// unusable is why the prompt is refused; a watchlist that takes no prompt
	// is refused before it.
	unusable error
}

// DecodeObject implements endpoint.ObjectDecoder.
func (r *updateByPrompt) DecodeObject(o endpoint.Object) error {
	var which watchlistID
	if err := endpoint.Bind(o, &which); err != nil {
		return err
	}
	r.ID = which.ID
	_, unsets := o["slack_webhook_url"] // null removes it, so null counts
	if unsets || o.HasFieldOf(updateKeywordWatchlistRequest{}, "id") {
		r.unusable = watchpost.Errorf(watchpost.Invalid, textPromptOrFields)
		return nil
	}
	r.unusable = endpoint.Bind(o, r)
	return nil
}

// CleanField implements endpoint.FieldCleaner.
func (r *updateByPrompt) CleanField(name string) error {
	if name == "prompt" {
		return checkPrompt(r.Prompt)
	}
	return nil
}

// withPrompt documents the errors of a prompt.
func withPrompt() fuego.RouteOption {
	return fuego.GroupOptions(
		endpoint.WithError(http.StatusBadRequest, textNoPrompt, textLongPrompt),
		fuego.OptionAddResponse(http.StatusUnprocessableEntity, "The prompt does not say enough; nothing is written",
			fuego.Response{Type: promptRefused{}, ContentTypes: []string{"application/json"}}))
}

// withNewPrompt documents the errors of a prompt that creates.
func withNewPrompt() fuego.RouteOption {
	return fuego.GroupOptions(
		withPrompt(), endpoint.WithError(http.StatusBadRequest, textPromptOrWords), endpoint.WithError(http.StatusBadRequest, conditionErrors...),
		fuego.OptionAddResponse(http.StatusServiceUnavailable, "A strict prompt could not be interpreted; nothing is created",
			fuego.Response{Type: promptUnavailable{}, ContentTypes: []string{"application/json"}}))
}

// promptRefused is the body of a 422.
type promptRefused struct {
	Error    string         `json:"error" validate:"required" example:"prompt_not_specific_enough"`
	Reason   string         `json:"reason" validate:"required,oneof=bare_profile_link bare_url placeholder too_short gibberish own_engagement no_subject inferred_slots"`
	Missing  []string       `json:"missing" validate:"required"`
	Detected map[string]any `json:"detected" validate:"required"`
	Example  string         `json:"example" validate:"required"`
	Question string         `json:"question,omitempty"`
}

// promptUnavailable is the body of a 503.
type promptUnavailable struct {
	Error   string `json:"error" validate:"required" example:"interpretation_unavailable"`
	Message string `json:"message" validate:"required"`
}

// checkPrompt checks a prompt as far as that needs no interpretation.
func checkPrompt(prompt string) error {
	switch {
	case endpoint.IsBlank(prompt):
		return watchpost.Errorf(watchpost.Invalid, textNoPrompt)
	case utf8.RuneCountInString(prompt) > interpret.MaxPrompt:
		return watchpost.Errorf(watchpost.Invalid, textLongPrompt)
	}
	return nil
}

// createFromPrompt makes a watchlist from a prompt. Before it interprets the
// prompt, which is slow and may cost money, it asks whether the request was made
// before.
func (s watchlists) createFromPrompt(t watchpost.WatchlistType) func(context.Context, *actors.IdempotencyKey, createByPrompt) (actors.WatchlistView, error) {
	return func(ctx context.Context, key *actors.IdempotencyKey, request createByPrompt) (actors.WatchlistView, error) {
		made, kept, err := endpoint.KeptReply[actors.WatchlistView](ctx, s.Registry, key)
		if err != nil || kept {
			return made, err
		}
		interpretation, err := s.interpretNew(ctx, t, &request)
		if err != nil {
			return afterTwin[actors.WatchlistView](ctx, s.Registry, key, err)
		}
		warnings, err := s.phraseWarnings(ctx, interpretation.Keywords)
		if err != nil {
			return actors.WatchlistView{}, err
		}
		return endpoint.SendOnce(ctx, s.Registry, key, actors.CreateWatchlist{Watchlist: request.watchlist(t, &interpretation), Warnings: warnings})
	}
}

// watchlist returns the watchlist that an interpretation of the prompt makes.
func (r *createByPrompt) watchlist(t watchpost.WatchlistType, i *interpret.Result) watchpost.Watchlist {
	return watchpost.Watchlist{
		Type: t, Name: cmp.Or(r.Name, watchpost.AutoName(t, []string{r.Prompt})),
		Frequency: cmp.Or(r.frequency, statedFrequency(*i), watchpost.DefaultFrequency(t)),
		Prompt:    r.Prompt, Interpreter: i.Interpreter, Description: r.Description,
		Keywords: i.Keywords, Labels: i.Labels, Objective: cmp.Or(r.Objective, i.Objective), Conditions: r.conditions(),
	}
}

// showPromptedWatchlist is the reply to a POST in prompt mode.
func showPromptedWatchlist(_ createByPrompt, view actors.WatchlistView) createKeywordWatchlistReply {
	reply := createdKeywordWatchlist(&view, nil)
	reply.Prompt, reply.Message, reply.Interpreter = view.Watchlist.Prompt, textPromptCreated, view.Watchlist.Interpreter
	return reply
}

// interpretNew interprets the prompt of a new watchlist, if there is room for one.
func (s watchlists) interpretNew(ctx context.Context, t watchpost.WatchlistType, request *createByPrompt) (interpret.Result, error) {
	if err := s.roomForWatchlist(ctx); err != nil {
		return interpret.Result{}, err
	}
	return s.prompts.Interpret(ctx, t, request.Prompt, request.Strict)
}

// afterTwin returns the reply to a twin of the request that was quicker, or else
// the error that this one met.
func afterTwin[M any](ctx context.Context, registry *actors.Registry, key *actors.IdempotencyKey, met error) (M, error) {
	reply, kept, err := endpoint.KeptReply[M](ctx, registry, key)
	if err != nil || !kept {
		return reply, met
	}
	return reply, nil
}

// roomForWatchlist tells of the plan's limit before a prompt is looked at; the
// team decides when the watchlist is made.
func (s watchlists) roomForWatchlist(ctx context.Context) error {
	view, err := actors.Ask(ctx, s.Registry, endpoint.TeamOf(ctx), actors.GetTeam{})
	if err != nil {
		return err
	}
	return view.Team.Plan.CheckWatchlists(view.Watchlists)
}

// statedFrequency returns the frequency that a prompt states; 0 if none.
func statedFrequency(r interpret.Result) watchpost.FetchFrequency {
	f, err := watchpost.ParseFetchFrequency(float64(r.Hours))
	if err != nil {
		return 0
	}
	return f
}

// updateFromPrompt replaces a watchlist's keywords and labels by what a prompt
// asks for. A disabled watchlist takes no prompt, whatever comes with it.
func (s watchlists) updateFromPrompt(t watchpost.WatchlistType) func(*http.Request, updateByPrompt) (updateWatchlistReply, error) {
	return func(r *http.Request, request updateByPrompt) (updateWatchlistReply, error) {
		ctx := r.Context()
		var none updateWatchlistReply
		view, err := askWatchlist(ctx, s.Registry, request.ID, actors.GetWatchlist{Type: t, ID: watchpost.WatchlistID(request.ID)})
		if err == nil {
			err = view.Watchlist.CheckEnabled()
		}
		if request.unusable != nil && watchpost.KindOf(err) != watchpost.Conflict {
			err = request.unusable
		}
		if err != nil {
			return none, err
		}
		interpretation, err := s.prompts.Interpret(ctx, t, request.Prompt, false)
		if err != nil {
			return none, err
		}
		patched, _, err := s.patchWatchlist(ctx, t, request.ID, promptPatch(request.Prompt, interpretation))
		if err != nil {
			return none, err
		}
		reply := updateWatchlistReply{
			ID: view.Watchlist.ID, Updated: true, Message: textPromptUpdated,
			Prompt: request.Prompt, Keywords: watchpost.KeywordTexts(interpretation.Keywords), Interpreter: interpretation.Interpreter,
			scanOutlook: patched.scanOutlook,
		}
		return reply, s.addPhraseWarnings(ctx, &reply, interpretation.Keywords)
	}
}

// promptPatch is the change that an interpreted prompt makes.
func promptPatch(prompt string, i interpret.Result) watchpost.WatchlistPatch {
	labels := i.Labels
	if labels == nil {
		labels = []watchpost.Label{}
	}
	patch := watchpost.WatchlistPatch{
		Prompt: &prompt, Interpreter: &i.Interpreter, Keywords: i.Keywords, Labels: &labels, Objective: &i.Objective,
	}
	if f := statedFrequency(i); f != 0 {
		patch.Frequency = &f
	}
	return patch
}
