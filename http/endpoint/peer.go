package endpoint

import (
	"context"
	"errors"
	"net/http"
)

// Peer describes a forwarded request, as its sender does.
type Peer struct {
	Place  string
	View   int64
	Client Client
	// Accepted is the name of a person whose code was accepted; nil otherwise.
	Accepted *string
}

type peerKey struct{}

// WithPeer notes the node that forwarded a request.
func WithPeer(ctx context.Context, p *Peer) context.Context {
	return context.WithValue(ctx, peerKey{}, p)
}

// PeerOf returns the node that forwarded a request; nil for a client's own request.
func PeerOf(ctx context.Context) *Peer {
	p, _ := ctx.Value(peerKey{}).(*Peer)
	return p
}

// Accepted reports whether a request comes from a node that has taken the proof of its
// sender's address.
func Accepted(r *http.Request) bool {
	p := PeerOf(r.Context())
	return p != nil && p.Accepted != nil
}

// ErrForwarded means that the owner's reply has been sent.
var ErrForwarded = errors.New("forwarded")

// Routed is what a node that forwards a request keeps of it for another try.
type Routed struct {
	Body []byte
	// TooLarge means that the body is not kept, as the owner refuses it.
	TooLarge bool
	// Moved means that the name moved away before the request was processed.
	Moved bool
}
