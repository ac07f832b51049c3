package doctor

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path"
	"strings"
	"time"

	"watchpost/actors/journal"
	"watchpost/actors/stored"
	"watchpost/actors/vault"
	"watchpost/internal/backupstore"
	"watchpost/internal/cluster"
	"watchpost/internal/mail"
	"watchpost/persistence"
	"watchpost/persistence/backup"
	"watchpost/persistence/format"
	"watchpost/persistence/migrate"
	"watchpost/watchpost"
)

// Bounds beyond which a check warns.
const (
	certificateLeft = 21 * 24 * time.Hour // of a certificate's validity
	clockApart      = 2 * time.Second     // between this machine and the database
	clockBehind     = time.Minute         // between the clock and the newest record
	mailWaits       = time.Hour
	backupAge       = 7 * 24 * time.Hour
	mailCheckTime   = 15 * time.Second
)

// checkFolder finds data that other users of the machine can read.
func (e *examination) checkFolder() {
	const check = "folder"
	info, err := os.Stat(e.Data)
	switch {
	case errors.Is(err, fs.ErrNotExist) && e.Database != "":
		e.ok(check, "%s is made at the first start", e.Data)
	case err != nil:
		e.fail(check, err, "name the data folder with --data")
	case info.Mode().Perm()&0o007 != 0:
		e.warn(check, "chmod 700 "+e.Data, "%s has mode %04o: every user of the machine can look into it", e.Data, info.Mode().Perm())
	default:
		e.ok(check, "%s", e.Data)
	}
	for _, file := range e.SecretFiles {
		if info, err := os.Stat(file); err == nil && info.Mode().Perm()&0o007 != 0 {
			e.warn(check, "chmod 600 "+file, "%s has mode %04o: every user of the machine can read it", file, info.Mode().Perm())
		}
	}
}

func (e *examination) checkFormat(ctx context.Context) {
	const check = "versions"
	if err := errors.Join(migrate.Check(ctx, e.Store), backup.Check(ctx, e.Store)); err != nil {
		e.fail(check, err, "end the copy or the restore, or use another store")
	}
	known := format.Known()
	switch stored, err := format.Stored(ctx, e.Store); {
	case err != nil:
		e.fail(check, err, "restore a backup")
	case stored > known:
		e.fail(check, fmt.Errorf("the data has format %d, and this build (%s) knows %d", stored, e.Build, known), "start the newer build, or restore a backup of before the upgrade")
	case stored == 0:
		e.ok(check, "the data has no format yet; this build knows %d", known)
	default:
		e.ok(check, "the data has format %d; this build knows %d", stored, known)
	}
	if e.Database != "" {
		e.checkDatabase(ctx)
	}
}

func (e *examination) checkKey(ctx context.Context) {
	const check = "key"
	keyring, origin, err := e.Keyring()
	if errors.Is(err, fs.ErrNotExist) {
		if needed, failed := vault.NeedsMasterKey(ctx, e.Store); failed == nil && !needed {
			e.ok(check, "made at the first start")
			return
		}
	}
	if err != nil {
		e.fail(check, err, "put your copy of the master key at "+origin+"; without it the API keys and tokens of all teams must be made again")
		return
	}
	if err := keyring.Check(ctx, e.Store); err != nil {
		e.fail(check, err, "name the right key with --master-key-file, and during a rotation the other one with --second-master-key-file")
		return
	}
	e.ok(check, "the master key is that of the store")
	e.checkRotation(ctx, keyring)
}

// checkRotation finds a rotation of the master key that is under way.
func (e *examination) checkRotation(ctx context.Context, keyring *vault.Keyring) {
	const check = "key"
	rotation, err := keyring.Rotation(ctx, e.Store)
	if errors.Is(err, persistence.ErrNotFound) {
		return // the store is not bound to a key yet
	}
	if err != nil {
		e.fail(check, err, "restore a backup")
		return
	}
	if rotation == nil {
		return
	}
	advice := "keep both keys until the log says that the rotation has ended; then remove --second-master-key-file on every node"
	if rotation.Waiting {
		advice = "start this service with the new key as --master-key-file and the old one as --second-master-key-file: until then it seals with the old key"
	}
	e.warn(check, advice, "a rotation of the master key is under way since %s, and ends after %s; secrets of %d teams are sealed with the old key",
		rotation.Began.Format(time.RFC3339), rotation.Ends.Format(time.RFC3339), rotation.Teams)
}

// checkContent looks at what the store says of itself.
func (e *examination) checkContent(ctx context.Context) {
	const check = "store"
	found, err := stored.Inspect(ctx, e.Store)
	if err != nil {
		e.fail(check, err, "restore a backup")
		return
	}
	now := e.Clock.Now()
	e.ok(check, "%d teams", found.Teams)
	if e.Writable != nil {
		if err := e.Writable(); err != nil {
			e.fail(check, err, "until then writes are refused; they resume by themselves")
		}
	}
	if n := len(found.Deleting); n > 0 {
		advice := "the next start goes on with it"
		if e.Running {
			advice = "if it lasts, look for errors in the log"
		}
		e.warn(check, advice, "the deletion of %d teams has not ended, the first %s", n, found.Deleting[0])
	}
	if waits := now.Sub(found.OldestMail); found.Mails > 0 && waits > mailWaits {
		e.warn("mail", "check --smtp-… and the log", "%d mails wait for the mail server, the oldest for %s", found.Mails, waits.Round(time.Minute))
	}
	for _, r := range found.Refused {
		e.warn("posts", "report the text and the reason; the rest of its scan was stored", "team %s could not %s the post %s on %s: %s: %.200q",
			r.Team, r.Step, r.URN, r.At.Format(time.DateTime), r.Reason, r.Content)
	}
	if ahead := found.Newest.Sub(now); ahead > clockBehind {
		e.fail("clocks", fmt.Errorf("the clock is %s behind the newest record of the store", ahead.Round(time.Second)),
			"set the clock of this machine, and keep it by NTP; a store that was used with --test-clock needs that flag")
	}
}

func (e *examination) checkIndex(ctx context.Context) {
	const check = "index"
	first := ""
	sum, err := stored.VerifyPosts(ctx, e.Store, stored.Repairing{}, func(_ watchpost.TeamID, problem string) {
		first = cmp.Or(first, problem)
	})
	switch {
	case err != nil:
		e.fail(check, err, "restore a backup")
	case sum.Damaged > 0:
		e.fail(check, fmt.Errorf("%d teams have lost records: %s", sum.Damaged, first), damagedAdvice)
	case sum.Problems > 0:
		e.fail(check, fmt.Errorf("%d problems in the index of %d posts", sum.Problems, sum.Posts), "run watchpost verify --repair, which changes nothing if it would lose posts")
	default:
		e.ok(check, "%d posts, and the index agrees with them", sum.Posts)
	}
}

// checkJournals checks the chains of the journals.
func (e *examination) checkJournals(ctx context.Context) {
	const check = "journal"
	first := ""
	sum, err := journal.VerifyAll(ctx, e.Store, func(team watchpost.TeamID, problem string) {
		if first == "" {
			first = "team " + string(team) + ": " + problem
		}
	})
	switch {
	case err != nil:
		e.fail(check, err, "restore a backup")
	case sum.Problems > 0:
		e.fail(check, errors.New(first), "a journal was changed after it was written: compare it with a backup")
	default:
		e.ok(check, "%d records, and their chains are whole", sum.Records)
	}
}

func (e *examination) checkDisk() {
	if e.Free == nil {
		return
	}
	const check = "disk"
	free, least := e.Free()>>20, int64(e.MinFree)
	switch {
	case free < least:
		e.fail(check, fmt.Errorf("%d MiB are free, less than the %d MiB of --min-free-disk", free, least), "make room: writes are refused until then")
	case free < 4*least:
		e.warn(check, "make room: below --min-free-disk writes are refused", "%d MiB are free", free)
	default:
		e.ok(check, "%d MiB are free", free)
	}
}

func (e *examination) checkClock(ctx context.Context) {
	const check = "clocks"
	if e.TestClock {
		e.warn(check, "start production services without --test-clock", "the clock can be set by the admin API")
	}
	if synchronized, known := clockSynchronized(); known && !synchronized {
		e.warn(check, "run chrony or systemd-timesyncd", "the kernel says that the clock of this machine is not synchronized")
	} else {
		e.ok(check, "%s", e.Clock.Now().UTC().Format(time.RFC3339))
	}
	if e.Database == "" || e.Store == nil {
		return
	}
	if apart, err := databaseClock(ctx, e.Database); err != nil {
		e.fail(check, err, "the database does not answer")
	} else if apart.Abs() > clockApart {
		e.warn(check, "keep both clocks by NTP", "the clock of the database is %s apart from that of this machine", apart.Round(time.Millisecond))
	}
}

// checkPorts finds addresses that a stopped service could not take.
func (e *examination) checkPorts() {
	const check = "ports"
	for _, address := range e.Addresses {
		switch {
		case address == "":
		case e.Running:
			e.ok(check, "serving at %s", address)
		default:
			listener, err := net.Listen("tcp", address)
			if err == nil {
				err = listener.Close()
			}
			if err != nil {
				e.fail(check, err, "end the process that has the port (ss -ltnp), or choose another address; ports below 1024 need CAP_NET_BIND_SERVICE")
			} else {
				e.ok(check, "%s is free", address)
			}
		}
	}
}

func (e *examination) checkCertificates() {
	c := e.Node
	e.checkCertificate("--tls-cert", e.TLSCert, e.TLSKey, nil, "")
	if c.CertFile == "" {
		return
	}
	trusted := x509.NewCertPool()
	if raw, err := os.ReadFile(c.CAFile); err != nil || !trusted.AppendCertsFromPEM(raw) {
		e.fail("certificates", fmt.Errorf("--cluster-ca %s: no certificate in it", c.CAFile), "name the file of the nodes' authority")
		return
	}
	host, _, _ := net.SplitHostPort(c.Advertise) // an error is one of the configuration
	e.checkCertificate("--cluster-cert", c.CertFile, c.KeyFile, trusted, host)
}

// checkCertificate checks a pair of files, and with trusted also who signed the
// certificate and for which host.
func (e *examination) checkCertificate(flag, certFile, keyFile string, trusted *x509.CertPool, host string) {
	const check = "certificates"
	if certFile == "" {
		return
	}
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		e.fail(check, fmt.Errorf("%s: %w", flag, err), "the files must be a certificate and its key in PEM")
		return
	}
	left := time.Until(pair.Leaf.NotAfter)
	if trusted != nil {
		err = cluster.VerifyCertificate(&pair, trusted, host)
	}
	switch {
	case left <= 0:
		e.fail(check, fmt.Errorf("%s %s has expired on %s", flag, certFile, pair.Leaf.NotAfter.Format(time.DateOnly)), "replace both files; the service reads them by itself")
	case err != nil:
		e.fail(check, fmt.Errorf("%s %s: %w", flag, certFile, err), "make a certificate of the nodes' authority for the host of --advertise")
	case left < certificateLeft:
		e.warn(check, "replace both files; the service reads them by itself", "%s %s expires on %s", flag, certFile, pair.Leaf.NotAfter.Format(time.DateOnly))
	default:
		e.ok(check, "%s is valid until %s", flag, pair.Leaf.NotAfter.Format(time.DateOnly))
	}
}

func (e *examination) checkMail(ctx context.Context) {
	const check = "mail"
	if e.SMTP.Host == "" {
		e.warn(check, "give --smtp-host, so that people get their codes", "mails are written to %s", e.MailFolder)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, mailCheckTime)
	defer cancel()
	smtp, err := mail.NewSMTP(e.SMTP)
	if err == nil {
		err = smtp.Check(ctx)
	}
	if err != nil {
		e.fail(check, err, "check --smtp-host, --smtp-port, --smtp-tls and the password; people get no codes until then")
		return
	}
	e.ok(check, "%s answers and accepts the user", e.SMTP.Host)
}

// checkBackups looks for a backup that is not too old.
func (e *examination) checkBackups(ctx context.Context) {
	const check = "backups"
	if e.BackupTo == "" {
		e.warn(check, "give --backup-to and run watchpost backup daily", "none are configured")
		return
	}
	files, err := backupstore.Open(e.BackupTo)
	var names []string
	if err == nil {
		names, err = backup.Backups(ctx, files)
	}
	if err != nil {
		e.fail(check, fmt.Errorf("%s: %w", e.BackupTo, err), "make the place of --backup-to reachable")
		return
	}
	if len(names) == 0 {
		e.warn(check, "run watchpost backup", "there is none in %s yet", e.BackupTo)
		return
	}
	newest := names[len(names)-1]
	made, err := backup.MadeAt(newest)
	if age := e.Clock.Now().Sub(made); err != nil || age > backupAge {
		e.warn(check, "run watchpost backup, best daily", "the newest is %s", path.Base(strings.TrimSuffix(newest, ".age")))
		return
	}
	e.ok(check, "%d, the newest of %s", len(names), made.Format(time.RFC3339))
}

// checkVariables names the variables that have no effect.
func (e *examination) checkVariables() {
	for _, name := range e.UnknownVariables {
		e.warn("variables", "look for its name in watchpost serve --help", "%s is unknown and has no effect", name)
	}
}

// checkProvider looks whether the provider of identities answers, and the address of the
// service fits its certificates.
func (e *examination) checkProvider(ctx context.Context) {
	const check = "sign-in"
	provider, err := e.Provider()
	switch {
	case err != nil:
		return // the configuration says so
	case provider == nil && e.PublicURL == "":
		e.ok(check, "by mailed codes; --public-url adds passkeys")
		return
	case provider == nil:
		e.ok(check, "by mailed codes, and by passkeys at %s", e.PublicURL)
		return
	}
	defer provider.Close()
	if err := provider.Reach(ctx); err != nil {
		e.fail(check, err, "check --oidc-issuer, its certificate and the way to it; members sign in by mailed codes and passkeys until then")
		return
	}
	e.ok(check, "%s answers; people of %s sign in there, and it must send them to %s", e.ProviderIssuer, strings.Join(e.ProviderDomains, ", "), provider.Callback)
}
