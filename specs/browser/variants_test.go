package browser_test

import (
	"errors"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// variant is a form of the network's site, with its adapter in the extension.
type variant string

const (
	serverPages variant = "server"      // the server renders the pages
	singlePage  variant = "single_page" // the browser renders them
)

// sharedWorld is a world that the first test in need of it creates.
type sharedWorld struct {
	once sync.Once
	*world
	err error
}

var worlds = map[variant]*sharedWorld{serverPages: {}, singlePage: {}}

// theWorld returns the world with the pages of a server.
func theWorld(t testing.TB) *world {
	t.Helper()
	return worldOf(t, serverPages)
}

// worldOf returns the world of a variant.
func worldOf(t testing.TB, v variant) *world {
	t.Helper()
	shared := worlds[v]
	shared.once.Do(func() { shared.world, shared.err = newWorld(v) })
	require.NoError(t, shared.err)
	return shared.world
}

// closeWorlds ends the worlds that tests have created.
func closeWorlds() error {
	var failures []error
	for _, shared := range worlds {
		if shared.world != nil && shared.close != nil {
			failures = append(failures, shared.close())
		}
	}
	return errors.Join(failures...)
}

// onBothSites runs a test on both variants of the network's site. Without
// WATCHPOST_LONG it leaves out the single-page one, unless it is short.
func onBothSites(t *testing.T, short bool, test func(t *testing.T, w *world)) {
	t.Parallel()
	for _, v := range []variant{serverPages, singlePage} {
		t.Run(string(v), func(t *testing.T) {
			if v == singlePage && !short && os.Getenv("WATCHPOST_LONG") == "" {
				t.Skip("WATCHPOST_LONG is not set")
			}
			t.Parallel()
			test(t, worldOf(t, v))
		})
	}
}
