package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/coreos/go-systemd/v22/daemon"

	"watchpost/internal/mail"
	"watchpost/internal/passkey"
	"watchpost/persistence/badger"
	"watchpost/watchpost"
)

// extensionOrigin is the Origin of the extension in this repository. Its id
// follows from the key in the manifest.
const extensionOrigin = "chrome-extension://bamceibeigcjfoonkpdekbfiefbccikj"

// serveCommand is the configuration of the service.
type serveCommand struct {
	Listen     string `default:"127.0.0.1:8080" help:"Address to serve at. An address that is not loopback requires TLS, a trusted proxy, or --insecure."`
	OpsListen  string `help:"Address of /metrics and /admin; default: that of --listen."`
	Data       string `default:"./data" type:"path" help:"Folder of the store, the master key and the mails."`
	Store      string `help:"PostgreSQL database (15 or later) for the store, instead of files in --data: postgres://user@host/database. Also from the file named by WATCHPOST_STORE_FILE."`
	MinFree    int    `name:"min-free-disk" default:"256" help:"Free disk space below which writes are refused until there is room, in MiB: 64 or more, or 0 to disable the check."`
	PostCache  int    `default:"128" help:"Size of the cache of posts and their index for all teams, in MiB. The memory limit of the whole process is that of its cgroup, or GOMEMLIMIT."`
	NetworkURL string `name:"network-url" help:"Origin of the network. Browser extensions ask for access to it at pairing. It completes addresses of posts and people that a session reports without an origin."`

	AdminToken    string `help:"Bearer token of the admin API; default: the admin API is disabled. Also from the file named by WATCHPOST_ADMIN_TOKEN_FILE."`
	AdminTokens   string `type:"path" help:"File with operators whom the audit names, a line NAME: HASH for each, as watchpost admin-token prints it. Their tokens open the admin API as --admin-token does. It is read at the start."`
	MetricsToken  string `help:"Bearer token that reads /metrics and nothing else; the admin token reads it too. Also from the file named by WATCHPOST_METRICS_TOKEN_FILE."`
	MasterKey     string `help:"Key that protects secrets in the store: 32 bytes in base64. Also from the file named by WATCHPOST_MASTER_KEY_FILE."`
	MasterKeyFile string `type:"path" help:"File with the master key; default: <data>/master.key, generated at the first start."`

	SecondMasterKeyFile string `type:"path" help:"File with a second master key, for a rotation: what it has sealed is opened too. When it is the key of the store, the store is moved to the key of --master-key-file while the service runs."`

	BackupTo         string   `help:"Where POST /admin/backup writes backups: a folder, or s3+https://host/bucket/prefix with the credentials in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."`
	BackupRecipients []string `name:"backup-recipient" help:"Public keys of age for which backups are encrypted: age1…; default: backups are not encrypted."`

	KeepPosts string `default:"forever" help:"How long posts are kept after they were stored, in teams without a setting of their own: 365d, or forever. Posts stay that a team saved, liked or commented on."`
	KeepTasks string `default:"forever" help:"How long tasks are kept after they ended: 400d, or forever. Likes and invitations that were done stay, and so do all entries of the journal."`

	Registration string `default:"open" enum:"open,oidc,closed" help:"Who may sign in with an unknown address: open creates a team; oidc mails no code, and people whom the provider of --oidc-issuer signs in join the team of their domain; closed does neither."`

	PublicURL string `name:"public-url" help:"Address of the service as browsers have it, for example https://watch.example.com. Passkeys are bound to its host name; without it there are none, and no --oidc-issuer. https, or http with localhost."`

	TLSCert         string         `name:"tls-cert" type:"path" help:"File with the TLS certificate chain (PEM)."`
	TLSKey          string         `name:"tls-key" type:"path" help:"File with the key of the TLS certificate (PEM)."`
	ACME            acmeFlags      `embed:"" prefix:"acme-"`
	TrustedProxy    []netip.Prefix `help:"Networks of proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted, for example 10.0.0.0/8."`
	NotifyPrivate   []netip.Prefix `help:"Private networks that notifications may be delivered to, also without TLS, and images fetched from, for example 10.1.2.3/32."`
	NoImages        bool           `help:"Fetch no images of posts and authors: the dashboard says that a post has images, and shows initials."`
	Insecure        bool           `help:"Serve other machines without TLS. Keys and tokens are sent unencrypted."`
	ExtensionOrigin []string       `default:"chrome-extension://bamceibeigcjfoonkpdekbfiefbccikj,moz-extension://*" help:"Allowed origins of browser extensions: chrome-extension://<id>, and moz-extension://* for Firefox, which makes another one in each profile."`
	ExtensionFile   string         `type:"path" help:"Zip of the browser extension to serve at /extension.zip."`
	ExtensionUpdate string         `name:"extension-updates" type:"path" help:"Folder with signed packages of the browser extension (make extension-updates) to serve at /extension/updates/. Its id is an allowed origin."`

	Cluster       bool   `help:"Share the teams of --store with other nodes. Needs --advertise and the three certificate files."`
	Advertise     string `help:"Address at which the other nodes of the cluster reach this one: host:port."`
	ClusterListen string `help:"Address to serve the other nodes at; default: that of --advertise."`
	ClusterCert   string `name:"cluster-cert" type:"path" help:"File with this node's certificate chain for the host of --advertise (PEM)."`
	ClusterKey    string `name:"cluster-key" type:"path" help:"File with the key of --cluster-cert (PEM)."`
	ClusterCA     string `name:"cluster-ca" type:"path" help:"File with the certificate authority of all nodes (PEM). It must sign certificates of nodes only."`

	MaxSessions int           `default:"0" help:"Connections of sessions at this process from which on new ones are asked to come later; 0: as many as fit into three quarters of the memory limit with 80 KiB each, so that the loss of one node does not take the next with it."`
	DrainTime   time.Duration `default:"5s" help:"How long a node of a cluster that stops still serves after /readyz has begun to fail, so that proxies send to the other nodes first."`

	OIDC        oidcFlags        `embed:"" prefix:"oidc-"`
	SMTP        smtpFlags        `embed:"" prefix:"smtp-"`
	Interpreter interpreterFlags `embed:"" prefix:"interpreter-"`

	LogLevel     slog.Level `default:"info" help:"Lowest level to log: debug, info, warn or error."`
	LogFormat    string     `default:"json" enum:"json,text" help:"Format of the log: json or text."`
	AccessLog    bool       `help:"Log every request: client, team, status, bytes and seconds."`
	OTLPEndpoint string     `name:"otlp-endpoint" help:"OpenTelemetry collector to send traces to, by OTLP over HTTP: http://127.0.0.1:4318; default: no traces. The variables OTEL_EXPORTER_OTLP_… apply."`
	TestClock    bool       `help:"Let the admin API set the clock forward, on all nodes of a cluster. For tests."`

	// demo restricts the service to this machine: it accepts a short admin
	// token, and requests only for the machine's own names.
	demo bool
	// unknown are the variables that look like settings and are none.
	unknown []string
	// passed are the sockets that the supervisor has opened, by address.
	passed map[string]net.Listener
}

// Run serves until the process receives a signal to stop.
func (c *serveCommand) Run(ctx context.Context) error {
	log := newLog(c.LogLevel)
	if c.LogFormat == "text" {
		log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: c.LogLevel}))
	}
	for _, name := range c.unknown { // a value may be a secret
		log.Warn("a variable is unknown and has no effect", "variable", name)
	}
	boundMemory(memlimit.FromCgroup, log)
	if err := c.takeSockets(); err != nil {
		return err
	}
	reload := make(chan os.Signal, 1)
	signal.Notify(reload, syscall.SIGHUP)
	defer signal.Stop(reload)
	s, err := startService(ctx, c, log)
	if err != nil {
		return err
	}
	log.Info("serving", "url", s.url, "ops", cmp.Or(s.opsURL, s.url), "version", version)
	s.explain(ctx)
	tellSupervisor(log, daemon.SdNotifyReady)
	// The watchdog is fed until the process ends: a stop may take longer than its limit.
	go feedWatchdog(context.WithoutCancel(ctx), log)
	err = s.await(ctx, reload)
	log.Info("stopping")
	tellSupervisor(log, daemon.SdNotifyStopping)
	return errors.Join(err, s.stop())
}

// await returns when the service has to stop: at the signal, which is no error, or
// when a part has failed. At each reload it reads the certificate again.
func (s *service) await(ctx context.Context, reload <-chan os.Signal) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-s.failed:
			return err
		case err := <-s.store.failed:
			s.log.Error("the store cannot write any more: restart the service", "error", err)
			return err
		case err := <-s.nodeFailed():
			s.log.Error("this node has left the cluster: restart the service", "error", err)
			return err
		case <-reload:
			tellSupervisor(s.log, daemon.SdNotifyReloading)
			if s.certificate != nil {
				s.certificate.reload()
			}
			s.log.Info("reloaded")
			tellSupervisor(s.log, daemon.SdNotifyReady)
		}
	}
}

// explain logs what an operator needs at the first start.
func (s *service) explain(ctx context.Context) {
	mails := []any{"folder", filepath.Join(s.config.Data, "mail")}
	if s.config.SMTP.Host != "" {
		mails = []any{"smtp", s.config.SMTP.Host}
	}
	s.log.Info("mails with codes and invitations go to", mails...)
	if !s.config.managed() {
		s.log.Warn("/admin is closed: give --admin-token to manage teams")
	}
	if found, err := s.registry.HasTeams(ctx); err != nil || found {
		return
	}
	how := "watchpost team create --email you@example.com --plan growth"
	if !s.config.managed() {
		how = "start with --admin-token; then " + how
	}
	s.log.Info("there is no team yet: create one", "command", how)
}

// boundMemory sets the memory limit of the collector to that of the cgroup,
// unless GOMEMLIMIT sets one. Without either there is no limit: with a limit
// below the memory in use, the collector would run all the time.
func boundMemory(limit memlimit.Provider, log *slog.Logger) {
	bound, err := memlimit.Set(memlimit.WithProvider(limit))
	switch {
	case err != nil:
		log.Debug("cannot determine the memory limit", "error", err)
	case bound != math.MaxInt64:
		log.Info("memory limit set", "mib", bound>>20)
	}
}

// sessionMemory is what a connection of a session takes, with its share of the team, and
// of both ends where it is relayed (specs/scale.md).
const sessionMemory = 80 << 10

// maxSessions returns the bound of the sessions at a memory limit; 0: there is none.
func (c *serveCommand) maxSessions(limit int64) int {
	if c.MaxSessions > 0 || limit == math.MaxInt64 {
		return c.MaxSessions
	}
	return int(limit / 4 * 3 / sessionMemory)
}

func newLog(level slog.Level) *slog.Logger {
	return slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
}

// check refuses a configuration that would expose secrets to the network.
func (c *serveCommand) check() error {
	if (c.TLSCert == "") != (c.TLSKey == "") {
		return errors.New("--tls-cert and --tls-key belong together")
	}
	if err := c.checkACME(); err != nil {
		return err
	}
	if _, err := c.passkeys(); err != nil {
		return err
	}
	if err := c.checkIdentity(); err != nil {
		return err
	}
	if c.PostCache < 0 {
		return fmt.Errorf("--post-cache: want 0 (the default) or more, have %d", c.PostCache)
	}
	if reserve := badger.DiskReserve >> 20; c.MinFree != 0 && c.MinFree < reserve {
		return fmt.Errorf("--min-free-disk: want 0 (no watch) or at least %d MiB, have %d", reserve, c.MinFree)
	}
	_, posts := c.keepPosts()
	_, tasks := c.keepTasks()
	if err := errors.Join(posts, tasks); err != nil {
		return err
	}
	if c.MaxSessions < 0 {
		return fmt.Errorf("--max-sessions: want 0 (by the memory limit) or more, have %d", c.MaxSessions)
	}
	if c.TestClock && !c.managed() {
		return errors.New("--test-clock needs --admin-token")
	}
	if err := c.SMTP.check(); err != nil {
		return err
	}
	for flag, token := range map[string]string{"--admin-token": c.AdminToken, "--metrics-token": c.MetricsToken} {
		if len(token) < minToken && token != "" && !c.demo {
			return fmt.Errorf("%s: want at least %d characters, have %d: make one with openssl rand -hex 24", flag, minToken, len(token))
		}
	}
	if err := c.checkCluster(); err != nil {
		return err
	}
	if err := c.checkAddress("--listen", c.Listen); err != nil || c.OpsListen == "" {
		return err
	}
	return c.checkAddress("--ops-listen", c.OpsListen)
}

// minToken is the minimum length of a configured token in characters.
const minToken = 16

// checkAddress refuses an address that other machines can reach without TLS.
func (c *serveCommand) checkAddress(flag, address string) error {
	host, _, err := net.SplitHostPort(address)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", flag, err)
	case mail.Loopback(host):
		return nil
	case c.demo:
		return fmt.Errorf("%s %s is not loopback: the demo serves this machine only", flag, address)
	case c.TLSCert == "" && len(c.ACME.Host) == 0 && len(c.TrustedProxy) == 0 && !c.Insecure:
		return fmt.Errorf("%s %s is not loopback: give --tls-cert and --tls-key, --acme-host, --trusted-proxy, or --insecure", flag, address)
	}
	return nil
}

// passkeys returns the site that passkeys are for; nil: there are none.
func (c *serveCommand) passkeys() (*passkey.Site, error) {
	if c.PublicURL == "" {
		return nil, nil
	}
	site, err := passkey.New(c.PublicURL)
	if err != nil {
		return nil, fmt.Errorf("--public-url: %w", err)
	}
	return site, nil
}

// keepPosts returns how long posts are kept in teams without a setting of their own.
func (c *serveCommand) keepPosts() (watchpost.KeepDays, error) {
	return keepDays("--keep-posts", c.KeepPosts, watchpost.MinKeepPosts)
}

// keepTasks returns how long ended tasks are kept.
func (c *serveCommand) keepTasks() (watchpost.KeepDays, error) {
	return keepDays("--keep-tasks", c.KeepTasks, watchpost.MinKeepTasks)
}

// keepDays reads the value of a flag; empty: forever.
func keepDays(flag, value string, least watchpost.KeepDays) (watchpost.KeepDays, error) {
	if value == "" {
		return watchpost.KeepForever, nil
	}
	keep, err := watchpost.ParseKeepDays(value)
	if err != nil || keep > 0 && keep < least {
		return 0, fmt.Errorf("%s %s: want days from %s to %s, or forever", flag, value, least, watchpost.MaxKeep)
	}
	return keep, nil
}
