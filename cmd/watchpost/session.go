package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"watchpost/internal/fakenetwork/headless"
	"watchpost/internal/protocol"
	"watchpost/internal/tracing"
	"watchpost/watchpost"
)

// sessionCommand runs a headless session.
type sessionCommand struct {
	Server       string     `default:"http://127.0.0.1:8080" help:"Address of the service."`
	Token        string     `help:"Session token; alternative to --code. Also from the file named by WATCHPOST_TOKEN_FILE."`
	Code         string     `help:"Pairing code to sign in with."`
	NetworkURL   string     `name:"network-url" default:"http://127.0.0.1:8090" help:"Origin of the stand-in network."`
	Account      string     `help:"Slug of the account on the network; default: the member's account, otherwise derived from the member's email. A given account becomes the member's account."`
	Journal      string     `type:"path" help:"Folder of the journal; default: a folder in the user's state folder, named by the token's hash."`
	Insecure     bool       `help:"Connect to a service on another machine without TLS."`
	OTLPEndpoint string     `name:"otlp-endpoint" help:"OpenTelemetry collector to send traces to, by OTLP over HTTP: http://127.0.0.1:4318; default: no traces."`
	LogLevel     slog.Level `default:"info" help:"Lowest level to log: debug, info, warn or error."`
}

// Run works as a session until the process receives a signal to stop or the
// service ends the session.
func (c *sessionCommand) Run(ctx context.Context) error {
	log := newLog(c.LogLevel)
	if err := c.signIn(ctx); err != nil {
		return err
	}
	hash := sha256.Sum256([]byte(c.Token))
	name := hex.EncodeToString(hash[:8])
	if c.Journal == "" {
		state, err := stateDir()
		if err != nil {
			return err
		}
		c.Journal = filepath.Join(state, "watchpost", "sessions", name)
	}
	traces, err := tracing.Open(ctx, c.OTLPEndpoint, "watchpost-session", version, log)
	if err != nil {
		return err
	}
	err = headless.Run(ctx, headless.Options{
		Server: c.Server, Insecure: c.Insecure, Token: c.Token, NetworkURL: c.NetworkURL, Account: c.Account, Bind: c.Account != "",
		JournalDir: c.Journal, Version: version, Logger: log, Clock: watchpost.SystemClock{},
		Tracer: traces,
	})
	return errors.Join(err, within(spansTimeout, traces.Close)())
}

func (c *sessionCommand) signIn(ctx context.Context) (err error) {
	if c.Token, err = secret(c.Token, "WATCHPOST_TOKEN"); err != nil {
		return err
	}
	if c.Token != "" {
		return nil
	}
	if c.Code == "" {
		return errors.New("--token or --code is required")
	}
	reply, err := headless.SignIn(ctx, c.Server, protocol.SignInRequest{Code: c.Code})
	if err != nil {
		return err
	}
	c.Token = reply.SessionToken
	return nil
}

// stateDir returns the folder for the user's program state.
func stateDir() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); dir != "" {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("cannot find a folder for the journal, set --journal: %w", err)
	}
	return filepath.Join(home, ".local", "state"), nil
}
