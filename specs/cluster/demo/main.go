// Command demo runs a cluster on this machine to try: a private PostgreSQL
// server, three nodes, one address in front of them, the stand-in network and a
// team with sessions. A node that ends is started again, so that a visitor can
// kill any of them. make cluster builds and runs it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/sourcegraph/conc"

	"watchpost/internal/fakenetwork"
	"watchpost/persistence/postgres/postgrestest"
	"watchpost/specs/cluster/local"
	"watchpost/watchpost"
)

// options are the command line.
type options struct {
	binary  string
	listen  string // of the front
	network string // of the stand-in network
	nodes   []string
	restart time.Duration // until a node that has ended is started again
	out     io.Writer
}

func main() {
	o := options{nodes: []string{"127.0.0.1:8081", "127.0.0.1:8082", "127.0.0.1:8083"}, restart: 10 * time.Second, out: os.Stdout}
	flag.StringVar(&o.binary, "binary", "bin/watchpost", "program of the nodes")
	flag.StringVar(&o.listen, "listen", "127.0.0.1:8080", "address in front of the nodes; a free port if this one is in use")
	flag.StringVar(&o.network, "network-listen", "127.0.0.1:8090", "address of the stand-in network; a free port if this one is in use")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o)
	stop()
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// demo is what runs.
type demo struct {
	options
	dir     string
	log     *slog.Logger
	cluster *local.Cluster
	front   *local.Front
	network string // URL of the stand-in network
	team    team
	running conc.WaitGroup
}

// run runs the demonstration until ctx ends, then stops everything.
func run(ctx context.Context, o options) (err error) {
	dir, err := os.MkdirTemp("", "watchpost-cluster-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // temporary folder
	d := &demo{options: o, dir: dir, log: slog.New(slog.NewTextHandler(o.out, &slog.HandlerOptions{Level: slog.LevelWarn}))}
	fmt.Fprintln(o.out, "starting PostgreSQL, three nodes and the stand-in network…")
	server, err := postgrestest.Start()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	if d.cluster, err = local.New(local.Options{Binary: o.binary, Dir: dir, StoreURL: server.URL("postgres")}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.cluster.Close()) }()
	ctx, stop := context.WithCancel(ctx)
	defer d.running.Wait()
	defer stop()
	if err := d.start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.front.Close()) }()
	if err := d.seed(ctx); err != nil {
		return fmt.Errorf("seed the team: %w", err)
	}
	if err := d.awaitPosts(ctx); err != nil {
		return err
	}
	d.print()
	<-ctx.Done()
	fmt.Fprintln(o.out, "stopping")
	return nil
}

// start starts the network, the nodes one after the other, and the front.
func (d *demo) start(ctx context.Context) error {
	address, err := local.Free(d.options.network)
	if err != nil {
		return err
	}
	d.network = "http://" + address
	if err := d.startNetwork(ctx, address); err != nil {
		return err
	}
	var addresses []string
	for _, wanted := range d.nodes {
		address, err := local.Free(wanted)
		if err != nil {
			return err
		}
		node, err := d.cluster.Add(ctx, address)
		if err != nil {
			return err
		}
		addresses = append(addresses, node.Listen)
		d.running.Go(func() { d.heal(ctx, node) })
	}
	listen, err := local.Free(d.listen)
	if err != nil {
		return err
	}
	d.front, err = local.Serve(listen, addresses...)
	return err
}

func (d *demo) startNetwork(ctx context.Context, address string) error {
	site, err := fakenetwork.New(fakenetwork.Options{Clock: watchpost.SystemClock{}, Seed: 1, Control: true, Logger: d.log})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: site, ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() }) // Serve reports the end
	d.running.Go(func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			d.log.Error("the stand-in network ended", "error", err)
		}
	})
	return nil
}

// heal starts a node again each time after it has ended.
func (d *demo) heal(ctx context.Context, node *local.Node) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.cluster.Ended(node):
		}
		fmt.Fprintf(d.out, "%s has ended; it starts again in %v\n", node.Name, d.restart)
		select {
		case <-ctx.Done():
			return
		case <-time.After(d.restart):
		}
		err := d.cluster.Start(ctx, node)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			fmt.Fprintf(d.out, "%s did not start: %v\n", node.Name, err)
		default:
			fmt.Fprintf(d.out, "%s serves again\n", node.Name)
		}
	}
}

// print prints the addresses and commands to try.
func (d *demo) print() {
	fmt.Fprintf(d.out, `
Watchpost      %[1]s   (passes each connection to one of the nodes)
API key        %[2]s
Dashboard      %[1]s/app   (sign in as %[3]s; the code is in %[4]s)
Network        %[5]s   (the stand-in; sign in as any member)
Admin token    %[6]s
Data           %[7]s

`, d.front.URL, d.team.Key, demoEmail, filepath.Join(d.dir, "mail"), d.network, local.AdminToken, d.dir)
	for _, n := range d.cluster.Nodes() {
		fmt.Fprintf(d.out, "%-8s       http://%s   nodes reach it at %s, log %s\n", n.Name, n.Listen, n.Advertise, n.Log)
	}
	fmt.Fprintf(d.out, `
Try:
  export WATCHPOST_URL=%[1]s WATCHPOST_KEY=%[2]s DATA=%[3]s
  curl -s -H "x-api-key: $WATCHPOST_KEY" "$WATCHPOST_URL/api-posts?page_size=2"
  curl -s -H "x-api-key: $WATCHPOST_KEY" "$WATCHPOST_URL/api-keyword-watchlist"
  curl -s -H "x-api-key: $WATCHPOST_KEY" -d '{"profile_slug":"ada"}' "$WATCHPOST_URL/network-agent/fetch-profile"
  %[4]s nodes --store '%[5]s'
Kill a node, then repeat the commands: the other nodes take over its teams, and it comes back after %[6]v.
  kill -9 $(cat %[7]s)
Freeze it (its teams wait until its lease of 5 s ends), then let it go on:
  kill -STOP $(cat %[7]s)
  kill -CONT $(cat %[7]s)
Move the teams of a node to the others:
  %[4]s nodes drain --store '%[5]s' %[8]s

Ctrl-C here stops everything.
`, d.front.URL, d.team.Key, d.dir, d.binary, d.cluster.StoreURL(), d.restart, d.cluster.Nodes()[0].PIDFile, d.cluster.Nodes()[0].Advertise)
}
