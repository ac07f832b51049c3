package httpapi

import (
	"context"
	"errors"
	"net/http"
)

// peer describes a forwarded request, as its sender does.
type peer struct {
	Place  string
	View   int64
	Client client
	// Accepted is the name of a person whose code was accepted; nil otherwise.
	Accepted *string
}

type peerKey struct{}

// withPeer notes who has forwarded a request.
func withPeer(ctx context.Context, p *peer) context.Context {
	return context.WithValue(ctx, peerKey{}, p)
}

// peerOf returns who has forwarded a request; nil for a client's own request.
func peerOf(ctx context.Context) *peer {
	p, _ := ctx.Value(peerKey{}).(*peer)
	return p
}

// accepted reports whether a request comes from a node that has taken the proof of its
// sender's address.
func accepted(r *http.Request) bool {
	p := peerOf(r.Context())
	return p != nil && p.Accepted != nil
}

// errForwarded means that the owner's reply has been sent.
var errForwarded = errors.New("forwarded")

// routed is what a node that forwards a request keeps of it for another try.
type routed struct {
	Body []byte
	// TooLarge means that the body is not kept, as the owner refuses it.
	TooLarge bool
	// Moved means that the name moved away before the request was processed.
	Moved bool
}
