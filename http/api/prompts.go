package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"

	"watchpost/http/endpoint"
	"watchpost/internal/interpret"
	"watchpost/internal/interpret/draft"
	"watchpost/watchpost"
)

// Prompts interprets prompts and asks for drafts, and counts what became of them.
type Prompts struct {
	interpreter    interpret.Fallback
	model          draft.Model // nil: no drafts
	log            *slog.Logger
	counts, drafts *prometheus.CounterVec
}

// What becomes of a draft.
const (
	draftWritten     = "written"
	draftUnfit       = "unfit"
	draftUnavailable = "unavailable"
)

// NewPrompts registers the metrics of prompts and drafts. Without a model there are no
// drafts.
func NewPrompts(interpreter interpret.Fallback, model draft.Model, log *slog.Logger, registry *prometheus.Registry) (*Prompts, error) {
	p := &Prompts{interpreter, model, log, prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "watchpost_prompts_total", Help: "Prompts by who interpreted them (rules, or the model's name) and what became of them (accepted, or the reason of the refusal).",
	}, []string{"interpreter", "outcome"}), prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "watchpost_drafts_total", Help: "Drafts that members asked the language model for: written, unfit (refused by the checks), or unavailable.",
	}, []string{"outcome"})}
	for _, outcome := range []string{draftWritten, draftUnfit, draftUnavailable} {
		p.drafts.WithLabelValues(outcome)
	}
	return p, errors.Join(registry.Register(p.counts), registry.Register(p.drafts))
}

// Drafter returns the function that writes a draft, or nil without a model.
func (p *Prompts) Drafter() func(context.Context, *draft.Request) (string, error) {
	if p.model == nil {
		return nil
	}
	return p.draft
}

// draft asks the model for a draft, and notes what became of it. Neither the post nor the
// draft is logged.
func (p *Prompts) draft(ctx context.Context, r *draft.Request) (string, error) {
	written, err := draft.Write(ctx, p.model, r)
	outcome := draftWritten
	switch {
	case draft.IsUnfit(err):
		outcome = draftUnfit
	case err != nil:
		outcome = draftUnavailable
	}
	if err != nil {
		p.log.WarnContext(ctx, "no draft", "kind", r.Kind, "error", err)
	}
	p.drafts.WithLabelValues(outcome).Inc()
	return written, err
}

// Interpret asks the interpreter what a prompt means, and notes who answered.
func (p *Prompts) Interpret(ctx context.Context, t watchpost.WatchlistType, text string, strict bool) (result interpret.Result, err error) {
	prompt := interpret.Prompt{Text: text, Forum: t == watchpost.ForumWatchlist}
	if strict {
		result, err = p.interpreter.Strict(ctx, prompt)
	} else {
		result, err = p.interpreter.Interpret(ctx, prompt)
	}
	who, outcome := result.Interpreter, "accepted"
	var refused *interpret.Refused
	switch {
	case errors.As(err, &refused):
		who, outcome = "", refused.Reason
	case err != nil:
		who, outcome = "", "unavailable"
	}
	p.counts.WithLabelValues(who, outcome).Inc()
	p.log.InfoContext(ctx, "prompt interpreted", "interpreter", who, "outcome", outcome, "entries", len(result.Keywords))
	return result, promptReply(err)
}

// Read is Interpret for a prompt of a form, which may be no prompt at all.
func (p *Prompts) Read(ctx context.Context, t watchpost.WatchlistType, text string) (interpret.Result, error) {
	if err := checkPrompt(text); err != nil {
		return interpret.Result{}, err
	}
	return p.Interpret(ctx, t, text, false)
}

// promptReply gives the errors of prompts the bodies that clients know; other errors are
// returned as they are.
func promptReply(err error) error {
	var refused *interpret.Refused
	var unavailable *interpret.Unavailable
	switch {
	case errors.As(err, &refused):
		return &endpoint.ReplyError{Status: http.StatusUnprocessableEntity, Body: refused, Cause: err}
	case errors.As(err, &unavailable):
		return &endpoint.ReplyError{Status: http.StatusServiceUnavailable, Body: unavailable, Cause: err}
	}
	return err
}
