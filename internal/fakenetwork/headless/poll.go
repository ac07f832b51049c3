package headless

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"watchpost/internal/protocol"
)

// pollTimeout bounds one poll, which the service holds for protocol.PollTime.
const pollTimeout = protocol.PollTime + 20*time.Second

// maxPollBody bounds the body of a poll in each direction.
const maxPollBody = protocol.MaxFrame

// pollTransport exchanges frames by long poll.
type pollTransport struct {
	server string
	client *http.Client
	token  string
	retry  func(time.Duration) (<-chan time.Time, func())
}

func (c *pollTransport) name() string { return "poll" }

// exchange implements transport. If there are frames to send while a poll is
// held, a second poll sends them; the service then ends the first. Two polls
// may overtake each other on their way, so while a poll with frames that the
// service answers at once is out, the next one waits for its reply. This keeps
// parts and results in order. Received frames are handled before the next poll
// leaves, which tells the service that they have arrived.
func (c *pollTransport) exchange(ctx context.Context, out *outbox, in func(protocol.Frame)) error {
	due, stop := c.retry(socketRetry)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()

	answers := make(chan pollAnswer, 2)
	held, urgent := 0, 0
	start := func() {
		frames := out.take(maxPollBody - 1024)
		answered := slices.ContainsFunc(frames, answeredAtOnce)
		held++
		if answered {
			urgent++
		}
		running.Go(func() {
			messages, err := c.poll(ctx, frames)
			answers <- pollAnswer{messages, err, answered}
		})
	}
	start()
	for {
		more := out.filled
		if held == 2 || urgent > 0 {
			more = nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-due:
			return errSocketDue
		case <-more:
			start()
		case a := <-answers:
			if a.err != nil {
				return a.err
			}
			for _, f := range a.messages {
				in(f)
			}
			if a.urgent {
				urgent--
			}
			if held--; held == 0 {
				start()
			}
		}
	}
}

type pollAnswer struct {
	messages []protocol.Frame
	err      error
	urgent   bool // the poll has frames that are answered at once
}

// answeredAtOnce reports whether the service replies to a frame.
func answeredAtOnce(f protocol.Frame) bool {
	switch f.Type {
	case protocol.TypeHello, protocol.TypeActing, protocol.TypePart, protocol.TypeResult:
		return true
	default:
		return false
	}
}

// poll does one poll.
func (c *pollTransport) poll(ctx context.Context, frames []protocol.Frame) ([]protocol.Frame, error) {
	ctx, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	if frames == nil {
		frames = []protocol.Frame{}
	}
	body, err := json.Marshal(protocol.PollRequest{Messages: frames})
	if err != nil {
		return nil, err
	}
	origin, err := parseOrigin(c.server)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, origin.String()+"/extension/poll", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode == http.StatusUnauthorized {
		return nil, ErrRevoked
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("poll: %s", resp.Status)
	}
	var reply protocol.PollReply
	if err := json.NewDecoder(io.LimitReader(resp.Body, 4*maxPollBody)).Decode(&reply); err != nil {
		return nil, fmt.Errorf("poll: %w", err)
	}
	return reply.Messages, nil
}
