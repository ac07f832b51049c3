package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"watchpost/internal/interpret"
	"watchpost/internal/interpret/provider"
)

// interpreterFlags say who turns prompts into keywords.
type interpreterFlags struct {
	URL     string        `name:"url" help:"OpenAI-compatible endpoint that reads prompts, without /chat/completions; without it the built-in rules do."`
	Model   string        `help:"Model to ask for."`
	Key     string        `help:"Key of the endpoint. Also from the file named by WATCHPOST_INTERPRETER_KEY_FILE."`
	Timeout time.Duration `default:"30s" help:"How long a question may take."`

	Temperature *float64 `help:"Temperature to ask with; without it none is sent."`
	MaxTokens   int      `help:"Number of tokens that an answer may have; 0 sends none."`
}

// open returns the interpreter that the flags describe.
func (f *interpreterFlags) open(log *slog.Logger) (interpret.Fallback, error) {
	if f.URL == "" {
		if f.Model != "" || f.Key != "" {
			return interpret.Fallback{}, errors.New("--interpreter-model and --interpreter-key need --interpreter-url")
		}
		return interpret.Fallback{}, nil
	}
	p, err := provider.New(provider.Config{BaseURL: f.URL, Model: f.Model, APIKey: f.Key, Timeout: f.Timeout, Temperature: f.Temperature, MaxTokens: f.MaxTokens, Client: &http.Client{}})
	if err != nil {
		return interpret.Fallback{}, fmt.Errorf("--interpreter-url: %w", err)
	}
	return interpret.Fallback{Provider: p, Failed: func(err error) {
		log.Warn("the interpreter failed", "error", err)
	}}, nil
}
