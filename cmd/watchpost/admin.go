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
	"strings"
	"time"

	"watchpost/internal/mail"
)

// adminFlags say where a running service is and authenticate at its admin API.
type adminFlags struct {
	Server     string `default:"http://127.0.0.1:8080" help:"Address of the service's admin API."`
	AdminToken string `help:"Bearer token of the admin API. Also from the file named by WATCHPOST_ADMIN_TOKEN_FILE."`
	Insecure   bool   `env:"-" help:"Send the admin token to another machine without TLS."`
	JSON       bool   `name:"json" help:"Print the reply of the admin API as it is."`
}

// show sends one request to the admin API and prints the reply: as it is with
// --json, otherwise by write. Errors are those of call.
func show[R any](ctx context.Context, t *adminFlags, purpose, method, path string, body any, write func(R) error) error {
	var raw json.RawMessage
	if err := t.call(ctx, purpose, method, path, body, &raw); err != nil {
		return err
	}
	if t.JSON {
		fmt.Println(string(raw))
		return nil
	}
	var reply R
	if err := json.Unmarshal(raw, &reply); err != nil {
		return err
	}
	return write(reply)
}

// adminTimeout bounds one call of the admin API. Deletions, backups and
// checks take as long as they take.
const adminTimeout = 30 * time.Second

// call sends one request to the admin API and decodes its reply. An error names
// the purpose and contains the service's error text.
func (t *adminFlags) call(ctx context.Context, purpose, method, path string, body, reply any) error {
	lasting := method == http.MethodDelete || path == backupPath || path == doctorPath || strings.HasSuffix(path, "/verify") || strings.HasSuffix(path, "/reprocess")
	if !lasting {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, adminTimeout)
		defer cancel()
	}
	response, err := t.open(ctx, method, path, body)
	if err != nil {
		return fmt.Errorf("%s: %w", purpose, err)
	}
	defer response.Close() //nolint:errcheck // read to its end
	answer, err := io.ReadAll(response)
	if err == nil && reply != nil {
		err = json.Unmarshal(answer, reply)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", purpose, err)
	}
	return nil
}

// open sends a request to the admin API and returns the body of its reply. A
// refusal is an error.
func (t *adminFlags) open(ctx context.Context, method, path string, body any) (io.ReadCloser, error) {
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
	if response.StatusCode >= http.StatusBadRequest {
		answer, err := io.ReadAll(response.Body)
		return nil, errors.Join(t.refusal(response.StatusCode, answer), err, response.Body.Close())
	}
	return response.Body, nil
}

// checkServer refuses an address to which the token would be sent unencrypted.
func (t *adminFlags) checkServer() error {
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
func (t *adminFlags) refusal(status int, answer []byte) error {
	var said struct{ Error, Reason string }
	if json.Unmarshal(answer, &said) != nil || said.Error == "" {
		said.Error = "the reply is not that of a Watchpost service: " + http.StatusText(status)
	}
	switch {
	case status == http.StatusUnauthorized:
		return fmt.Errorf("%s: --admin-token is not that of the service", said.Error)
	case status == http.StatusNotFound && said.Error == "Not found":
		return fmt.Errorf("the service at %s has no admin API there: start it with --admin-token, and name its --ops-listen by --server when it has one", t.Server)
	}
	if said.Reason != "" {
		said.Error += ": " + said.Reason
	}
	return errors.New(said.Error)
}
