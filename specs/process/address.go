package process

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync/atomic"
)

// The ports of FreeAddress lie below those that the system gives to outgoing
// connections, which could take one before it is used.
const (
	firstPort = 12_000
	ports     = 20_000
)

var nextPort atomic.Uint32

func init() { nextPort.Store(rand.Uint32N(ports)) } // several test processes run at once

// FreeAddress returns an address on this machine where nothing listens. It is for
// servers that keep their address when they are started again.
func FreeAddress() (string, error) {
	for range ports {
		address := fmt.Sprintf("127.0.0.1:%d", firstPort+nextPort.Add(1)%ports)
		if l, err := net.Listen("tcp", address); err == nil {
			return address, l.Close()
		}
	}
	return "", errors.New("no free port")
}
