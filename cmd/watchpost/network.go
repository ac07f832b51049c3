package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/sourcegraph/conc"

	"watchpost/internal/fakenetwork"
	"watchpost/internal/testclock"
	"watchpost/watchpost"
)

// networkCommand runs the stand-in network without a service.
type networkCommand struct {
	Listen    string     `default:"127.0.0.1:8090" help:"Address to serve at. Do not use an address that other machines can reach."`
	Corpus    string     `type:"path" help:"File with posts to serve: JSON lines of {id, language, sentiment, text}."`
	Pages     string     `enum:"server,browser" default:"server" help:"Where pages are rendered: by the server, or by a single-page site in the browser."`
	Seed      int64      `default:"1" help:"Seed of the generated network."`
	TestClock bool       `help:"Serve /_control/clock, which sets the network's clock forward."`
	Control   bool       `help:"Serve /_control/: a page and endpoints to inject faults and count writes. For tests."`
	LogLevel  slog.Level `default:"info" help:"Lowest level to log: debug, info, warn or error."`
}

// Run serves the network until the process receives a signal to stop.
func (c *networkCommand) Run(ctx context.Context) error {
	log := newLog(c.LogLevel)
	var clock watchpost.Clock = watchpost.SystemClock{}
	o := fakenetwork.Options{Seed: c.Seed, CorpusFile: c.Corpus, Control: c.Control, Logger: log}
	if c.TestClock {
		settable := testclock.New(0, nil, nil)
		defer settable.Close()
		clock = settable
	}
	o.Clock = clock
	site, err := fakenetwork.New(o)
	if err != nil {
		return err
	}
	host, err := startNetwork(c.Listen, pagesOf(site, c.Pages), log)
	if err != nil {
		return err
	}
	log.Info("serving the stand-in network", "url", host.url, "posts", site.PostCount())
	<-ctx.Done()
	return host.stop()
}

// pagesOf returns the form of the network that --pages names.
func pagesOf(site *fakenetwork.Site, pages string) http.Handler {
	if pages == "browser" {
		return site.SinglePage()
	}
	return site
}

// networkHost is a listening stand-in network.
type networkHost struct {
	url     string
	server  *http.Server
	running conc.WaitGroup
}

func startNetwork(address string, site http.Handler, log *slog.Logger) (*networkHost, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	h := &networkHost{
		url:    fmt.Sprintf("http://%s", listener.Addr()),
		server: &http.Server{Handler: site, ReadHeaderTimeout: headerTimeout},
	}
	h.running.Go(func() {
		if err := h.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("the stand-in network ended", "error", err)
		}
	})
	return h, nil
}

func (h *networkHost) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	err := h.server.Shutdown(ctx)
	if err != nil {
		err = h.server.Close()
	}
	h.running.Wait()
	return err
}
