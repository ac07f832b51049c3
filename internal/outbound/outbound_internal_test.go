package outbound

import (
	"errors"
	"net"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNoOwnAddress: the public addresses of this machine are refused like private ones.
func TestNoOwnAddress(t *testing.T) {
	t.Parallel()
	own := func() ([]net.Addr, error) {
		return []net.Addr{
			&net.IPNet{IP: net.ParseIP("93.184.215.14"), Mask: net.CIDRMask(24, 32)},
			&net.IPNet{IP: net.ParseIP("2606:2800::1"), Mask: net.CIDRMask(64, 128)},
		}, nil
	}
	g := guard{own: own}
	for address, want := range map[string]error{
		"93.184.215.14:443": ErrPrivate, "[::ffff:93.184.215.14]:443": ErrPrivate, "[2606:2800::1]:443": ErrPrivate,
		"93.184.215.15:443": nil, "[2606:2800::2]:443": nil,
	} {
		require.Equal(t, want, g.control("tcp", address, nil), address)
	}
	g.allowed = []netip.Prefix{netip.MustParsePrefix("93.184.215.0/24")}
	require.NoError(t, g.control("tcp", "93.184.215.14:443", nil))
	g = guard{own: func() ([]net.Addr, error) { return nil, errors.New("no interfaces") }}
	require.Equal(t, ErrPrivate, g.control("tcp", "93.184.215.14:443", nil))
}
