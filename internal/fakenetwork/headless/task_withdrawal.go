package headless

import (
	"context"
	"encoding/json"
	"net/url"

	"watchpost/internal/fakenetwork/page"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// withdrawal implements agent_withdraw_invitation.
type withdrawal struct {
	path     string // of the member's page
	urn, url string // of the member, by that page
}

func newWithdrawal(input json.RawMessage) (writer, error) {
	var in watchpost.WithdrawalInput
	if err := decode(input, &in); err != nil {
		return nil, err
	}
	path, err := memberPath(in.Profile)
	return &withdrawal{path: path}, err
}

// look implements writer: it checks that no invitation is pending. A connection has
// none either, and shows that it was not withdrawn.
func (w *withdrawal) look(ctx context.Context, net *client) (Witness, error) {
	data, err := net.get(ctx, w.path, nil, page.KindProfile)
	if err != nil {
		return Witness{}, err
	}
	w.urn, w.url = data.Profile.URN, net.absolute("/in/"+data.Profile.Slug)
	switch data.Profile.Relation {
	case page.RelationPending:
		return Witness{}, nil
	case page.RelationNone:
		return Witness{Done: true}, nil
	case page.RelationConnected:
		return Witness{}, refusal(page.ReasonNoInvitation)
	case page.RelationSelf:
		return Witness{}, faultf(protocol.CodeInvalidInput, "the account cannot invite itself")
	default:
		return Witness{}, faultf(protocol.CodePageNotUnderstood, "relation %q", data.Profile.Relation)
	}
}

// act implements writer.
func (w *withdrawal) act(ctx context.Context, net *client, as string) error {
	_, err := net.apply(ctx, as, w.path+"/withdraw", url.Values{})
	return err
}

// output implements writer.
func (w *withdrawal) output() any {
	return map[string]any{"withdrawn": true, "profile_urn": w.urn, "profile_url": w.url}
}
