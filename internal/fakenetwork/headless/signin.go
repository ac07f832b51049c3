package headless

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"watchpost/internal/protocol"
)

// SignIn exchanges a pairing code, or an email with its one-time code, for a
// session token. An error contains the service's text.
func SignIn(ctx context.Context, server string, request protocol.SignInRequest) (protocol.SignInReply, error) {
	var reply protocol.SignInReply
	origin, err := parseOrigin(server)
	if err != nil {
		return reply, fmt.Errorf("server: %w", err)
	}
	body, err := json.Marshal(request)
	if err != nil {
		return reply, err
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, origin.String()+"/extension/sign-in", bytes.NewReader(body))
	if err != nil {
		return reply, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return reply, err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil {
		return reply, err
	}
	if resp.StatusCode != http.StatusOK {
		var refusal struct {
			Error string `json:"error"`
		}
		if json.Unmarshal(answer, &refusal) == nil && refusal.Error != "" {
			return reply, fmt.Errorf("sign-in: %s", refusal.Error)
		}
		return reply, fmt.Errorf("sign-in: %s", resp.Status)
	}
	if err := json.Unmarshal(answer, &reply); err != nil {
		return reply, fmt.Errorf("sign-in: %w", err)
	}
	if reply.SessionToken == "" {
		return reply, errors.New("sign-in: the answer has no session token")
	}
	return reply, nil
}
