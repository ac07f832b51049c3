// Package client has the commands of those who use a service with a team's key.
package client

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"watchpost/internal/mail"
)

// Flags say where a running service is, and whose team asks it.
type Flags struct {
	URL      string `name:"url" default:"http://127.0.0.1:8080" help:"Address of the service."`
	Key      string `help:"API key of the team, from the dashboard. Also from the file named by WATCHPOST_KEY_FILE."`
	Insecure bool   `env:"-" help:"Send the key to another machine without TLS."`
}

// complete reads the key from its file and checks both.
func (c *Flags) complete() error {
	if file := os.Getenv("WATCHPOST_KEY_FILE"); c.Key == "" && file != "" {
		content, err := os.ReadFile(file) //nolint:gosec // the caller names the file
		if err != nil {
			return fmt.Errorf("WATCHPOST_KEY_FILE: %w", err)
		}
		c.Key = strings.TrimSpace(string(content))
	}
	if c.Key == "" {
		return errors.New("give the team's key by WATCHPOST_KEY or --key: the dashboard shows it under Team")
	}
	c.URL = strings.TrimRight(c.URL, "/")
	at, err := url.Parse(c.URL)
	switch {
	case err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https":
		return fmt.Errorf("--url %s: want an address as https://watchpost.example.com", c.URL)
	case at.Scheme == "https", c.Insecure, mail.Loopback(at.Hostname()):
		return nil
	}
	return fmt.Errorf("--url %s: refused to send the key without TLS; use https, or --insecure in a network that you trust", c.URL)
}
