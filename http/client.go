package httpapi

import (
	"net/http"
	"net/netip"
	"strings"
)

// client is who is at the other end of a request: the machine that opened the
// connection or, behind trusted proxies, the one that they speak for.
type client struct {
	addr netip.Addr
	tls  bool
}

// secret reports whether nobody on the way can read what the client says.
func (c client) secret() bool { return c.tls || c.addr.IsLoopback() }

func (s *Server) clientOf(r *http.Request) client {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return client{tls: r.TLS != nil}
	}
	c := client{addr: peer.Addr().Unmap(), tls: r.TLS != nil}
	if !s.trusts(c.addr) {
		return c
	}
	if proto := lastListed(r.Header.Values("X-Forwarded-Proto")); proto != "" {
		c.tls = strings.EqualFold(proto, "https")
	}
	c.addr = s.forwardedFor(r, c.addr)
	return c
}

// forwardedFor reads X-Forwarded-For from its end, where the proxies that are
// trusted wrote, to the first address that is none of them.
func (s *Server) forwardedFor(r *http.Request, addr netip.Addr) netip.Addr {
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && s.trusts(addr); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		addr = hop.Unmap().WithZone("")
	}
	return addr
}

func (s *Server) trusts(addr netip.Addr) bool {
	for _, p := range s.proxies {
		if p.Contains(addr) {
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
