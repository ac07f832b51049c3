package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
)

// opsSocket is the name (FileDescriptorName=) of the passed socket that replaces
// --ops-listen. A socket of any other name replaces --listen.
const opsSocket = "ops"

// takeSockets uses the sockets that the supervisor has opened (LISTEN_FDS) in place
// of the addresses of the configuration. Their addresses are checked like those.
func (c *serveCommand) takeSockets() error {
	named, err := activation.ListenersWithNames()
	if err != nil {
		return fmt.Errorf("passed sockets: %w", err)
	}
	c.passed = map[string]net.Listener{}
	for name, listeners := range named {
		for _, l := range listeners {
			if _, tcp := l.(*net.TCPListener); !tcp {
				return fmt.Errorf("passed socket %q: want a TCP socket (ListenStream=ADDRESS:PORT)", name)
			}
			address := &c.Listen
			if name == opsSocket {
				address = &c.OpsListen
			}
			*address = l.Addr().String()
			if c.passed[*address] != nil {
				return fmt.Errorf("passed socket %q: %s was passed twice", name, *address)
			}
			c.passed[*address] = l
		}
	}
	if len(c.passed) > 2 || len(c.passed) == 2 && c.passed[c.OpsListen] == nil {
		return fmt.Errorf("passed sockets: want one, and one with FileDescriptorName=%s", opsSocket)
	}
	return nil
}

// listener returns the passed socket of an address, or opens one.
func (c *serveCommand) listener(address string) (net.Listener, error) {
	if l := c.passed[address]; l != nil {
		return l, nil
	}
	return net.Listen("tcp", address)
}

// tellSupervisor sends a state to the supervisor (NOTIFY_SOCKET), if there is one.
func tellSupervisor(log *slog.Logger, state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		log.Warn("cannot tell the supervisor", "state", state, "error", err)
	}
}

// feedWatchdog tells the supervisor until ctx ends that the process runs, twice in
// each WatchdogSec=. It asks no part of the service: a service that is slow under
// load or waits for its database must not be killed for that.
func feedWatchdog(ctx context.Context, log *slog.Logger) {
	limit, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		log.Warn("the watchdog is off", "error", err)
	}
	if limit <= 0 {
		return
	}
	ticker := time.NewTicker(limit / 2)
	defer ticker.Stop()
	for {
		tellSupervisor(log, daemon.SdNotifyWatchdog)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
