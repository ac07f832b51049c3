// Package outbound connects to addresses that members and posts name, and not to the
// service's own network.
package outbound

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

// ErrPrivate is the error of a connection to an address that is not public.
var ErrPrivate = errors.New("the address leads to a private network")

// special are networks that netip does not know as special, and that lead to
// machines of the service's own network or to no public one.
var special = prefixes(
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	"168.63.129.16/32", // what Azure tells its machines, among them secrets
	"64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fec0::/10",
)

func prefixes(all ...string) (list []netip.Prefix) {
	for _, s := range all {
		list = append(list, netip.MustParsePrefix(s))
	}
	return list
}

// public reports whether an address is one of the public internet.
func public(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	return ip.IsGlobalUnicast() && !ip.IsPrivate() && !slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// guard refuses connections to private addresses, and to those of this machine, but
// those of allowed.
type guard struct {
	allowed []netip.Prefix
	own     func() ([]net.Addr, error) // the addresses of this machine
}

// isOwn reports whether an address is one of this machine's, whose services may trust it.
func (g guard) isOwn(ip netip.Addr) bool {
	all, err := g.own()
	if err != nil {
		return true // it could be
	}
	return slices.ContainsFunc(all, func(a net.Addr) bool {
		prefix, err := netip.ParsePrefix(a.String())
		return err == nil && prefix.Addr().Unmap().WithZone("") == ip
	})
}

// control looks at each address that is about to be connected to, when names are
// resolved: a name that leads elsewhere than before is of no use.
func (g guard) control(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%s: %w", address, ErrPrivate)
	}
	ip := to.Addr().Unmap().WithZone("")
	if slices.ContainsFunc(g.allowed, func(p netip.Prefix) bool { return p.Contains(ip) }) || public(ip) && !g.isOwn(ip) {
		return nil
	}
	return ErrPrivate
}

// Time limits of an attempt.
const (
	dialTimeout    = 5 * time.Second
	requestTimeout = 8 * time.Second
)

// Client returns an HTTP client that connects to public addresses and to those of
// allowed only. It uses no proxy and follows no redirect. resolver resolves names; nil:
// the system's.
func Client(allowed []netip.Prefix, resolver *net.Resolver) *http.Client {
	dialer := &net.Dialer{Timeout: dialTimeout, Control: guard{allowed, net.InterfaceAddrs}.control, Resolver: resolver}
	return &http.Client{
		Timeout:       requestTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSHandshakeTimeout: dialTimeout, DisableKeepAlives: true, ForceAttemptHTTP2: true,
			MaxResponseHeaderBytes: 64 << 10,
		},
	}
}
