package headless

import (
	"context"
	"encoding/json"
	"net/url"

	"watchpost/internal/fakenetwork/page"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// invitation implements agent_send_connection_request.
type invitation struct {
	note string
	path string // of the member's page
}

func newInvitation(input json.RawMessage) (writer, error) {
	var in watchpost.InvitationInput
	if err := decode(input, &in); err != nil {
		return nil, err
	}
	path, err := memberPath(in.Profile)
	return &invitation{note: in.Note, path: path}, err
}

// look implements writer: it checks for a pending invitation. It refuses to
// invite a connection or oneself. An invitation accepted in the meantime was
// sent too, but the page does not show the difference.
func (i *invitation) look(ctx context.Context, net *client) (Witness, error) {
	data, err := net.get(ctx, i.path, nil, page.KindProfile)
	if err != nil {
		return Witness{}, err
	}
	switch data.Profile.Relation {
	case page.RelationPending:
		return Witness{Done: true}, nil
	case page.RelationNone:
		return Witness{}, nil
	case page.RelationConnected:
		return Witness{}, refusal(page.ReasonConnected)
	case page.RelationSelf:
		return Witness{}, faultf(protocol.CodeInvalidInput, "the account cannot invite itself")
	default:
		return Witness{}, faultf(protocol.CodePageNotUnderstood, "relation %q", data.Profile.Relation)
	}
}

// act implements writer. A pending invitation counts as sent.
func (i *invitation) act(ctx context.Context, net *client, as string) error {
	_, err := net.apply(ctx, as, i.path+"/invite", url.Values{"note": {i.note}})
	if hasReason(err, page.ReasonPending) {
		return nil
	}
	return err
}

// output implements writer.
func (i *invitation) output() any { return map[string]bool{"sent": true} }
