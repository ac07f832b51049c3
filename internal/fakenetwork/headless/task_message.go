package headless

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"watchpost/internal/fakenetwork/page"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// message implements agent_send_message.
type message struct {
	text string
	path string // of the thread
}

func newMessage(input json.RawMessage) (writer, error) {
	var in watchpost.MessageInput
	if err := decode(input, &in); err != nil {
		return nil, err
	}
	if in.Text == "" {
		return nil, faultf(protocol.CodeInvalidInput, "no message")
	}
	path, err := memberPath(in.Recipient)
	return &message{text: in.Text, path: "/messages/" + strings.TrimPrefix(path, "/in/")}, err
}

// look implements writer: it counts the viewer's messages in the thread with
// the text.
func (m *message) look(ctx context.Context, net *client) (Witness, error) {
	data, err := net.get(ctx, m.path, nil, page.KindThread)
	if err != nil {
		return Witness{}, err
	}
	if !data.Thread.CanMessage {
		return Witness{}, refusal(page.ReasonNotConnected)
	}
	w := Witness{}
	for _, shown := range data.Thread.Messages {
		if shown.Mine && shown.Text == m.text {
			w.Count++
		}
	}
	return w, nil
}

// act implements writer.
func (m *message) act(ctx context.Context, net *client, as string) error {
	_, err := net.apply(ctx, as, m.path, url.Values{"text": {m.text}})
	return err
}

// output implements writer.
func (m *message) output() any { return map[string]bool{"sent": true} }
