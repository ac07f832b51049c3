package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"watchpost/internal/interpret"
	"watchpost/internal/interpret/draft"
	"watchpost/internal/interpret/provider"
)

// interpreterFlags configure the language model that reads prompts and writes drafts.
type interpreterFlags struct {
	URL     string        `name:"url" help:"OpenAI-compatible endpoint that reads prompts and writes drafts, without /chat/completions; default: the built-in rules, and no drafts."`
	Model   string        `help:"Name of the model."`
	Key     string        `help:"Key of the endpoint. Also from the file named by WATCHPOST_INTERPRETER_KEY_FILE."`
	Timeout time.Duration `default:"30s" help:"Time limit of one request."`

	Temperature *float64 `help:"Temperature of the model; default: not sent."`
	MaxTokens   int      `help:"Maximum number of tokens of a reply; 0: not sent."`
}

// open returns the configured interpreter, and its model for drafts: nil without one.
func (f *interpreterFlags) open(log *slog.Logger) (interpret.Fallback, draft.Model, error) {
	if f.URL == "" {
		if f.Model != "" || f.Key != "" {
			return interpret.Fallback{}, nil, errors.New("--interpreter-model and --interpreter-key need --interpreter-url")
		}
		return interpret.Fallback{}, nil, nil
	}
	p, err := provider.New(provider.Config{BaseURL: f.URL, Model: f.Model, APIKey: f.Key, Timeout: f.Timeout, Temperature: f.Temperature, MaxTokens: f.MaxTokens, Client: &http.Client{}})
	if err != nil {
		return interpret.Fallback{}, nil, fmt.Errorf("--interpreter-url: %w", err)
	}
	return interpret.Fallback{Provider: p, Failed: func(err error) {
		log.Warn("the interpreter failed", "error", err)
	}}, p, nil
}
