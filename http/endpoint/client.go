package endpoint

import (
	"net/http"
	"net/netip"
	"strings"

	"github.com/realclientip/realclientip-go"
)

// Client is who is at the other end of a request: the machine that opened the
// connection or, behind trusted proxies, the one that they speak for.
type Client struct {
	Addr netip.Addr
	// Named is what a trusted proxy called the client if that is no address;
	// Addr is the zero Addr then.
	Named string
	TLS   bool
}

// networkBits is how much of an IPv6 address names a client: one has a whole
// /64 to choose addresses from.
const networkBits = 64

// Key identifies the client in limits.
func (c Client) Key() string {
	switch {
	case !c.Addr.IsValid():
		return "named " + c.Named
	case c.Addr.Is6():
		network, err := c.Addr.WithZone("").Prefix(networkBits)
		if err != nil {
			panic(err) // 64 bits are within every IPv6 address
		}
		return network.String()
	}
	return c.Addr.String()
}

// secret reports whether the client's messages are encrypted or stay on this machine.
func (c Client) secret() bool { return c.TLS || c.Addr.IsLoopback() }

// ClientOf returns who is at the other end of a request.
func (s *Server) ClientOf(r *http.Request) Client {
	if s.Owners != nil {
		if p := PeerOf(r.Context()); p != nil {
			return p.Client
		}
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return Client{TLS: r.TLS != nil}
	}
	c := Client{Addr: peer.Addr().Unmap(), TLS: r.TLS != nil}
	if !s.proxies.trust(c.Addr) {
		return c
	}
	if proto := lastListed(r.Header.Values("X-Forwarded-Proto")); proto != "" {
		c.TLS = strings.EqualFold(proto, "https")
	}
	s.proxies.forwardedFor(r, &c)
	return c
}

// proxies are the addresses whose X-Forwarded-For and X-Forwarded-Proto are believed.
type proxies []netip.Prefix

// maxNamed bounds the stored part of a client's name.
const maxNamed = 64

// forwardedFor reads X-Forwarded-For from its end, where the trusted proxies
// wrote, to the first address that is none of them. Proxies write addresses with
// ports, in brackets, and names for those that they hide.
func (p proxies) forwardedFor(r *http.Request, c *Client) {
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && p.trust(c.Addr); i-- {
		hop := strings.TrimSpace(hops[i])
		if hop == "" {
			continue
		}
		parsed, err := realclientip.ParseIPAddr(hop)
		if err != nil {
			c.Addr, c.Named = netip.Addr{}, hop[:min(len(hop), maxNamed)]
			return
		}
		addr, _ := netip.AddrFromSlice(parsed.IP) // ParseIPAddr has no others
		c.Addr = addr.Unmap()
	}
}

func (p proxies) trust(addr netip.Addr) bool {
	for _, network := range p {
		if network.Contains(addr) {
			return true
		}
	}
	return false
}

// lastListed returns the last element of a header that is a list.
func lastListed(values []string) string {
	if len(values) == 0 {
		return ""
	}
	last := values[len(values)-1]
	return strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:])
}
