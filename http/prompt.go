package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"unicode/utf8"

	"github.com/go-fuego/fuego"

	"watchpost"
	"watchpost/actors"
	"watchpost/internal/interpret"
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
	Strict    bool     `json:"strict,omitempty" description:"refuse a prompt that leaves something to be inferred"`
}

// checkField implements fieldChecker.
func (r *createByPrompt) checkField(name string) error {
	if name == "prompt" {
		return cleanPrompt(r.Prompt)
	}
	fields := newWatchlist{Name: r.Name, Frequency: r.Frequency}
	return fields.checkField(name)
}

// updateByPrompt are the fields of a PUT in prompt mode.
type updateByPrompt struct {
	ID     string `json:"id" required:"Missing required parameter: id"`
	Prompt string `json:"prompt" invalid:"prompt is required and must be a non-empty string" description:"what to look for instead" maxLength:"4000,own"`
}

// withPrompt documents what a prompt is refused with.
func withPrompt() fuego.RouteOption {
	return fuego.GroupOptions(
		withError(http.StatusBadRequest, textNoPrompt, textLongPrompt),
		fuego.OptionAddResponse(http.StatusUnprocessableEntity, "The prompt does not say enough; nothing is written",
			fuego.Response{Type: promptRefused{}, ContentTypes: []string{"application/json"}}))
}

// withNewPrompt documents besides what only a creating prompt meets.
func withNewPrompt() fuego.RouteOption {
	return fuego.GroupOptions(
		withPrompt(), withError(http.StatusBadRequest, textPromptOrWords),
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

// cleanPrompt checks a prompt as far as that needs no interpretation.
func cleanPrompt(prompt string) error {
	switch {
	case isBlank(prompt):
		return watchpost.Errorf(watchpost.Invalid, textNoPrompt)
	case utf8.RuneCountInString(prompt) > interpret.MaxPrompt:
		return watchpost.Errorf(watchpost.Invalid, textLongPrompt)
	}
	return nil
}

// createFromPrompt makes a watchlist of what a prompt asks for.
func (s *Server) createFromPrompt(ctx context.Context, t watchpost.WatchlistType, body object) (createKeywordWatchlistReply, error) {
	var none createKeywordWatchlistReply
	if body.has("keywords") {
		return none, watchpost.Errorf(watchpost.Invalid, textPromptOrWords)
	}
	var request createByPrompt
	if err := bind(body, &request); err != nil {
		return none, err
	}
	w := watchpost.Watchlist{Type: t}
	fields := newWatchlist{Name: request.Name, Frequency: request.Frequency}
	if err := fields.fill(&w); err != nil {
		return none, err
	}
	interpretation, err := s.interpretNew(ctx, t, &request)
	if err != nil {
		return none, err
	}
	if f := statedFrequency(interpretation); request.Frequency == nil && f != 0 {
		w.Frequency = f
	}
	w.Prompt, w.Interpreter = request.Prompt, interpretation.Interpreter
	w.Keywords, w.Labels, w.Objective = interpretation.Keywords, interpretation.Labels, interpretation.Objective
	if w.Name == "" {
		w.Name = watchpost.AutoName(t, []string{request.Prompt})
	}
	view, err := create(ctx, s, actors.CreateWatchlist{Watchlist: w})
	if err != nil {
		return none, err
	}
	reply := createdKeywordWatchlist(view.Watchlist, nil)
	reply.Prompt, reply.Message, reply.Interpreter = view.Watchlist.Prompt, textPromptCreated, view.Watchlist.Interpreter
	return reply, nil
}

// interpretNew interprets the prompt of a new watchlist, if there is room for
// one. A repetition is not interpreted again: it is answered like the first.
func (s *Server) interpretNew(ctx context.Context, t watchpost.WatchlistType, request *createByPrompt) (result interpret.Result, err error) {
	once := stateOf(ctx).once
	if once.known() {
		return result, nil
	}
	if err = s.roomForWatchlist(ctx); err == nil {
		result, err = s.interpret(ctx, t, request.Prompt, request.Strict)
	}
	if err != nil && once.ask(ctx) == nil && once.known() { // a twin was quicker
		err = nil
	}
	return result, err
}

// roomForWatchlist tells of the plan's limit before a prompt is looked at; the
// team decides when the watchlist is made.
func (s *Server) roomForWatchlist(ctx context.Context) error {
	view, err := actors.Ask(ctx, s.registry, teamOf(ctx), actors.GetTeam{})
	if err != nil {
		return err
	}
	return view.Team.Plan.CheckWatchlists(view.Watchlists)
}

// interpret asks the interpreter what a prompt means, and notes who answered.
func (s *Server) interpret(ctx context.Context, t watchpost.WatchlistType, text string, strict bool) (result interpret.Result, err error) {
	prompt := interpret.Prompt{Text: text, Forum: t == watchpost.ForumWatchlist}
	if strict {
		result, err = s.interpreter.Strict(ctx, prompt)
	} else {
		result, err = s.interpreter.Interpret(ctx, prompt)
	}
	who, outcome := result.Interpreter, "accepted"
	var refused *interpret.Refused
	switch {
	case errors.As(err, &refused):
		who, outcome = "", refused.Reason
	case err != nil:
		who, outcome = "", "unavailable"
	}
	s.metrics.prompts.WithLabelValues(who, outcome).Inc()
	s.log.InfoContext(ctx, "prompt interpreted", "interpreter", who, "outcome", outcome, "entries", len(result.Keywords))
	return result, err
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
func (s *Server) updateFromPrompt(ctx context.Context, t watchpost.WatchlistType, body object) (updateWatchlistReply, error) {
	var none updateWatchlistReply
	var which watchlistID
	if err := bind(body, &which); err != nil {
		return none, err
	}
	view, err := askWatchlist(ctx, s, which.ID, actors.GetWatchlist{Type: t, ID: watchpost.WatchlistID(which.ID)})
	if err == nil {
		err = view.Watchlist.CheckEnabled()
	}
	if watchpost.KindOf(err) == watchpost.Conflict {
		return none, err
	}
	prompt, unusable := updatePrompt(body)
	if unusable != nil {
		return none, unusable
	}
	if err != nil {
		return none, err
	}
	interpretation, err := s.interpret(ctx, t, prompt, false)
	if err != nil {
		return none, err
	}
	labels := interpretation.Labels
	if labels == nil {
		labels = []watchpost.Label{}
	}
	patch := watchpost.WatchlistPatch{
		Prompt: &prompt, Interpreter: &interpretation.Interpreter,
		Keywords: interpretation.Keywords, Labels: &labels, Objective: &interpretation.Objective,
	}
	if f := statedFrequency(interpretation); f != 0 {
		patch.Frequency = &f
	}
	if _, _, err := s.patchWatchlist(ctx, t, which.ID, patch); err != nil {
		return none, err
	}
	return updateWatchlistReply{
		ID: view.Watchlist.ID, Updated: true, Message: textPromptUpdated,
		Prompt: prompt, Keywords: watchpost.KeywordTexts(interpretation.Keywords), Interpreter: interpretation.Interpreter,
	}, nil
}

// updatePrompt reads the prompt of an update, which comes alone.
func updatePrompt(body object) (string, error) {
	_, unsets := body["slack_webhook_url"] // null removes it, so null counts
	if unsets || body.hasFieldOf(updateKeywordWatchlistRequest{}, "id") {
		return "", watchpost.Errorf(watchpost.Invalid, textPromptOrFields)
	}
	var request struct {
		Prompt string `json:"prompt" invalid:"prompt is required and must be a non-empty string" maxLength:"4000,own"`
	}
	if err := bind(body, &request); err != nil {
		return "", err
	}
	return request.Prompt, cleanPrompt(request.Prompt)
}

// writePromptError answers with one of the two bodies that are not like the
// others; false when the error is none of theirs.
func (x *requestState) writePromptError(err error) bool {
	var refused *interpret.Refused
	var unavailable *interpret.Unavailable
	var body any
	status := http.StatusUnprocessableEntity
	switch {
	case errors.As(err, &refused):
		body = refused
	case errors.As(err, &unavailable):
		body, status = unavailable, http.StatusServiceUnavailable
	default:
		return false
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		panic(err) // of strings and lists
	}
	x.writeJSON(status, encoded)
	return true
}
