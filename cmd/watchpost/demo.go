package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/sourcegraph/conc"

	"watchpost/actors"
	"watchpost/internal/fakenetwork"
	"watchpost/internal/fakenetwork/headless"
	"watchpost/watchpost"
)

// demoCommand runs service, network and sessions in one process.
type demoCommand struct {
	Listen        string     `default:"127.0.0.1:8080" help:"Address of the service; a free port if this one is in use."`
	NetworkListen string     `default:"127.0.0.1:8090" help:"Address of the stand-in network; a free port if this one is in use."`
	NetworkPages  string     `enum:"server,browser" default:"server" help:"Where the network's pages are rendered: by the server, or by a single-page site in the browser."`
	Data          string     `type:"path" help:"Folder of the data; default: a temporary folder, removed at the end."`
	Sessions      int        `default:"2" help:"Number of headless sessions."`
	Corpus        string     `type:"path" help:"File with posts for the network: JSON lines of {id, language, sentiment, text}."`
	Seed          int64      `default:"1" help:"Seed of the generated network."`
	AdminToken    string     `default:"demo" help:"Bearer token of the admin API."`
	TestClock     bool       `help:"Let the admin API set the clock of all parts forward."`
	ExtensionFile string     `type:"path" default:"extension/watchpost-extension.zip" help:"Zip of the browser extension to serve at /extension.zip, if the file exists."`
	LogLevel      slog.Level `default:"warn" help:"Lowest level to log: debug, info, warn or error."`
}

type demo struct {
	config   *demoCommand
	log      *slog.Logger
	service  *service
	network  *networkHost
	plain    *networkHost // the pages for sessions without a browser, if others are at network
	site     *fakenetwork.Site
	sessions conc.WaitGroup

	team watchpost.TeamID
	key  string
	link string // signs a browser in to the dashboard, once
}

// The seeded team.
const (
	demoEmail         = "ada@example.com"
	demoName          = "Ada Demo"
	firstPostsTimeout = 15 * time.Second
)

var demoWatchlists = []watchpost.Watchlist{
	{
		Type: watchpost.KeywordWatchlist, Name: "Hiring", Description: "Who is looking for people",
		Keywords: []watchpost.KeywordEntry{{Keyword: "hiring"}, {Keyword: "new job"}},
	},
	{
		Type: watchpost.KeywordWatchlist, Name: "Artificial intelligence",
		Keywords: []watchpost.KeywordEntry{{Keyword: "AI", Excluded: []string{"crypto"}}, {Keyword: "machine learning"}},
		Labels: []watchpost.Label{
			{Name: "Product", Description: "launch, release, product, customers"},
			{Name: "Research", Description: "paper, research, study, results"},
		},
	},
}

// Run runs the demonstration until the process receives a signal to stop.
func (c *demoCommand) Run(ctx context.Context) error {
	d := &demo{config: c, log: newLog(c.LogLevel)}
	if c.Data == "" {
		dir, err := os.MkdirTemp("", "watchpost-demo-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir) //nolint:errcheck // temporary folder
		c.Data = dir
	}
	sessionsCtx, stopSessions := context.WithCancel(context.Background())
	err := d.start(ctx, sessionsCtx)
	if err == nil {
		d.print()
		select {
		case <-ctx.Done():
		case err = <-d.service.failed:
		}
	}
	stopSessions()
	return errors.Join(err, d.stop())
}

func (d *demo) start(ctx, sessionsCtx context.Context) error {
	c := d.config
	config := &serveCommand{
		Listen: freeAddress(c.Listen), Data: c.Data, AdminToken: c.AdminToken, TestClock: c.TestClock, LogLevel: c.LogLevel,
		ExtensionOrigin: []string{extensionOrigin, "moz-extension://*"}, ExtensionFile: c.ExtensionFile,
		demo: true,
	}
	networkAddress := freeAddress(c.NetworkListen)
	config.NetworkURL = "http://" + networkAddress
	if network, err := netip.ParseAddrPort(networkAddress); err == nil { // whose images the dashboard shows
		config.NotifyPrivate = []netip.Prefix{netip.PrefixFrom(network.Addr(), network.Addr().BitLen())}
	}
	var err error
	if d.service, err = startService(ctx, config, d.log); err != nil {
		return err
	}
	d.site, err = fakenetwork.New(fakenetwork.Options{Clock: d.service.clock, Seed: c.Seed, CorpusFile: c.Corpus, Control: true, Logger: d.log})
	if err != nil {
		return err
	}
	if d.network, err = startNetwork(networkAddress, ownNamesOnly(pagesOf(d.site, c.NetworkPages)), d.log); err != nil {
		return err
	}
	if c.NetworkPages == "browser" {
		if d.plain, err = startNetwork("127.0.0.1:0", ownNamesOnly(d.site), d.log); err != nil {
			return err
		}
	}
	if err := d.seed(ctx); err != nil {
		return fmt.Errorf("seed the team: %w", err)
	}
	if err := d.startSessions(ctx, sessionsCtx); err != nil {
		return err
	}
	link, err := actors.Ask(ctx, d.service.registry, d.team, actors.CreateSignInLink{Email: demoEmail})
	if err != nil {
		return err
	}
	d.link = d.service.url + "/app/sign-in/link?link=" + link.Token
	return d.awaitPosts(ctx)
}

// freeAddress returns address, or the same host with a free port when the port
// is in use.
func freeAddress(address string) string {
	listener, err := net.Listen("tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		host, _, _ := net.SplitHostPort(address) // address was parsed by Listen
		listener, err = net.Listen("tcp", net.JoinHostPort(host, "0"))
	}
	if err != nil {
		return address // the later Listen reports the error
	}
	defer listener.Close() //nolint:errcheck // no connection was accepted
	return listener.Addr().String()
}

// seed creates the team, unless the data folder has one from an earlier run.
func (d *demo) seed(ctx context.Context) error {
	r := d.service.registry
	teams, err := r.Teams(ctx)
	if err != nil {
		return err
	}
	if len(teams) > 0 {
		d.team = teams[0].ID
		if err := d.ownsTeam(ctx); err != nil {
			return err
		}
		key, err := actors.Ask(ctx, r, d.team, actors.RevealKey{ToUse: true})
		d.key = key.Key
		return err
	}
	made, err := r.CreateTeam(ctx, actors.CreateTeam{Name: "Demo team", Plan: watchpost.PlanUltimate, Email: demoEmail, FullName: demoName})
	if err != nil {
		return err
	}
	d.team, d.key = made.Team.ID, made.APIKey
	for i := 2; i <= d.config.Sessions; i++ {
		email := fmt.Sprintf("member%d@example.com", i)
		if _, err := actors.Ask(ctx, r, d.team, actors.AddMember{Email: email, Role: watchpost.RoleMember}); err != nil {
			return err
		}
	}
	for _, w := range demoWatchlists {
		if _, err := actors.Ask(ctx, r, d.team, actors.CreateWatchlist{Watchlist: w}); err != nil {
			return err
		}
	}
	return nil
}

// ownsTeam returns an error if the folder holds the data of another service.
func (d *demo) ownsTeam(ctx context.Context) error {
	view, err := actors.Ask(ctx, d.service.registry, d.team, actors.GetTeam{})
	if err != nil {
		return err
	}
	if _, made := view.Team.MemberByEmail(demoEmail); !made {
		return fmt.Errorf("--data %s holds teams that the demo has not made: give it a folder of its own", d.config.Data)
	}
	return nil
}

// startSessions starts a headless session for each of the first members.
func (d *demo) startSessions(ctx, running context.Context) error {
	view, err := actors.Ask(ctx, d.service.registry, d.team, actors.GetTeam{})
	if err != nil {
		return err
	}
	network := d.network.url
	if d.plain != nil {
		network = d.plain.url
	}
	for i := range min(d.config.Sessions, len(view.Team.Members)) {
		email := view.Team.Members[i].Email
		opened, err := actors.Ask(ctx, d.service.registry, d.team, actors.OpenSession{Email: email})
		if err != nil {
			return err
		}
		o := headless.Options{
			Server: d.service.url, Token: opened.Token, NetworkURL: network, Account: headless.AccountOf(email),
			JournalDir: filepath.Join(d.config.Data, "sessions", headless.AccountOf(email)), Version: version, Logger: d.log, Clock: d.service.clock,
		}
		d.sessions.Go(func() {
			if err := headless.Run(running, o); err != nil && !errors.Is(err, context.Canceled) {
				d.log.Error("a session ended", "account", o.Account, "error", err)
			}
		})
	}
	return nil
}

// awaitPosts waits until the first scans are done, so that the printed commands
// return posts.
func (d *demo) awaitPosts(ctx context.Context) error {
	if d.config.Sessions == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, firstPostsTimeout)
	defer cancel()
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		view, err := actors.Ask(ctx, d.service.registry, d.team, actors.GetTeam{})
		if err != nil && ctx.Err() == nil {
			return err
		}
		if err == nil && view.WaitingScans+view.RunningScans == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil // the scans finish soon
		case <-ticker.C:
		}
	}
}

func (d *demo) stop() error {
	d.sessions.Wait()
	var failures []error
	if d.service != nil {
		failures = append(failures, d.service.stop())
	}
	for _, host := range []*networkHost{d.network, d.plain} {
		if host != nil {
			failures = append(failures, host.stop())
		}
	}
	return errors.Join(failures...)
}

// print prints the addresses and commands to try.
func (d *demo) print() {
	fmt.Printf(`
Watchpost      %[1]s
API key        %[2]s

Dashboard      %[9]s
               (the link signs in once; later: %[1]s/app as %[7]s, codes in %[5]s/mail)

Network        %[3]s   (the stand-in; sign in as any member)
API reference  %[1]s/docs   (document: %[1]s/openapi.json)
Admin token    %[4]s
Data           %[5]s

Extension      load extension/dist (make extension), sign in at %[3]s, and choose
               “Pair this browser” at %[1]s/app/team; for other sessions a code:
  curl -s -H "authorization: Bearer %[4]s" -d '{"email":"%[7]s"}' %[1]s/admin/teams/%[8]s/pairing-codes

Try:
  export WATCHPOST_URL=%[1]s WATCHPOST_KEY=%[2]s
  curl -s -H "x-api-key: $WATCHPOST_KEY" "$WATCHPOST_URL/api-posts?page_size=2"
  curl -s -H "x-api-key: $WATCHPOST_KEY" "$WATCHPOST_URL/api-keyword-watchlist"
  curl -s -H "x-api-key: $WATCHPOST_KEY" -d '{"profile_slug":"%[6]s"}' "$WATCHPOST_URL/network-agent/fetch-profile"
  curl -s -H "x-api-key: $WATCHPOST_KEY" "$WATCHPOST_URL/network-agent/get-task-status?api_agent_task_id=<the id from above>"

Ctrl-C ends it.
`, d.service.url, d.key, d.network.url, d.config.AdminToken, d.config.Data, headless.AccountOf(demoEmail), demoEmail, d.team, d.link)
}
