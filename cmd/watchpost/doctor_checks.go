package main

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
	"path/filepath"
	"strings"
	"time"

	"watchpost/actors"
	"watchpost/actors/vault"
	"watchpost/http/admin"
	"watchpost/internal/backupstore"
	"watchpost/internal/mail"
	"watchpost/persistence"
	"watchpost/persistence/backup"
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

// examine runs every check and returns the findings.
func (d *doctor) examine(ctx context.Context) []admin.Finding {
	if err := d.config.check(); err != nil {
		d.fail("configuration", err, "correct the flag or its variable")
	} else {
		d.ok("configuration", "version %s", version)
	}
	d.checkFolder()
	if d.store != nil {
		d.checkFormat(ctx)
		d.checkKey(ctx)
		d.checkContent(ctx)
		d.checkIndex(ctx)
		d.checkJournals(ctx)
		d.checkDisk()
	}
	d.checkClock(ctx)
	d.checkPorts()
	d.checkCertificates()
	d.checkMail(ctx)
	d.checkProvider(ctx)
	d.checkBackups(ctx)
	d.checkVariables()
	return d.found
}

// checkFolder finds data that other users of the machine can read.
func (d *doctor) checkFolder() {
	const check = "folder"
	info, err := os.Stat(d.config.Data)
	switch {
	case errors.Is(err, fs.ErrNotExist) && d.config.Store != "":
		d.ok(check, "%s is made at the first start", d.config.Data)
	case err != nil:
		d.fail(check, err, "name the data folder with --data")
	case info.Mode().Perm()&0o007 != 0:
		d.warn(check, "chmod 700 "+d.config.Data, "%s has mode %04o: every user of the machine can look into it", d.config.Data, info.Mode().Perm())
	default:
		d.ok(check, "%s", d.config.Data)
	}
	for _, file := range []string{d.keyFile(), d.config.TLSKey, d.config.ClusterKey} {
		if info, err := os.Stat(file); err == nil && info.Mode().Perm()&0o007 != 0 {
			d.warn(check, "chmod 600 "+file, "%s has mode %04o: every user of the machine can read it", file, info.Mode().Perm())
		}
	}
}

// keyFile is the file of the master key; "" when the key comes from a variable.
func (d *doctor) keyFile() string {
	switch {
	case d.config.MasterKey != "":
		return ""
	case d.config.MasterKeyFile != "":
		return d.config.MasterKeyFile
	}
	return filepath.Join(d.config.Data, "master.key")
}

func (d *doctor) checkFormat(ctx context.Context) {
	const check = "versions"
	if err := checkFinished(ctx, d.store); err != nil {
		d.fail(check, err, "end the copy or the restore, or use another store")
	}
	known := len(migrations) + 1
	switch stored, err := storedFormat(ctx, d.store); {
	case err != nil:
		d.fail(check, err, "restore a backup")
	case stored > known:
		d.fail(check, fmt.Errorf("the data has format %d, and this build (%s) knows %d", stored, version, known), "start the newer build, or restore a backup of before the upgrade")
	case stored == 0:
		d.ok(check, "the data has no format yet; this build knows %d", known)
	default:
		d.ok(check, "the data has format %d; this build knows %d", stored, known)
	}
	if d.config.Store != "" {
		d.checkDatabase(ctx)
	}
}

func (d *doctor) checkKey(ctx context.Context) {
	const check = "key"
	keyring := d.keyring
	if keyring == nil {
		key, origin, err := readMasterKey(d.config)
		if errors.Is(err, fs.ErrNotExist) {
			if needed, failed := vault.NeedsMasterKey(ctx, d.store); failed == nil && !needed {
				d.ok(check, "made at the first start")
				return
			}
		}
		if err == nil {
			keyring, err = newKeyring(key, d.config.SecondMasterKeyFile)
		}
		if err != nil {
			d.fail(check, err, "put your copy of the master key at "+origin+"; without it the API keys and tokens of all teams must be made again")
			return
		}
	}
	if err := keyring.Check(ctx, d.store); err != nil {
		d.fail(check, err, "name the right key with --master-key-file, and during a rotation the other one with --second-master-key-file")
		return
	}
	d.ok(check, "the master key is that of the store")
	d.checkRotation(ctx, keyring)
}

// checkRotation finds a rotation of the master key that is under way.
func (d *doctor) checkRotation(ctx context.Context, keyring *vault.Keyring) {
	const check = "key"
	rotation, err := keyring.Rotation(ctx, d.store)
	if errors.Is(err, persistence.ErrNotFound) {
		return // the store is not bound to a key yet
	}
	if err != nil {
		d.fail(check, err, "restore a backup")
		return
	}
	if rotation == nil {
		return
	}
	advice := "keep both keys until the log says that the rotation has ended; then remove --second-master-key-file on every node"
	if rotation.Waiting {
		advice = "start this service with the new key as --master-key-file and the old one as --second-master-key-file: until then it seals with the old key"
	}
	d.warn(check, advice, "a rotation of the master key is under way since %s, and ends after %s; secrets of %d teams are sealed with the old key",
		rotation.Began.Format(time.RFC3339), rotation.Ends.Format(time.RFC3339), rotation.Teams)
}

// checkContent looks at what the store says of itself.
func (d *doctor) checkContent(ctx context.Context) {
	const check = "store"
	found, err := actors.Inspect(ctx, d.store)
	if err != nil {
		d.fail(check, err, "restore a backup")
		return
	}
	now := d.clock.Now()
	d.ok(check, "%d teams", found.Teams)
	if d.store.writable != nil {
		if err := d.store.writable(); err != nil {
			d.fail(check, err, "until then writes are refused; they resume by themselves")
		}
	}
	if n := len(found.Deleting); n > 0 {
		advice := "the next start goes on with it"
		if d.running {
			advice = "if it lasts, look for errors in the log"
		}
		d.warn(check, advice, "the deletion of %d teams has not ended, the first %s", n, found.Deleting[0])
	}
	if waits := now.Sub(found.OldestMail); found.Mails > 0 && waits > mailWaits {
		d.warn("mail", "check --smtp-… and the log", "%d mails wait for the mail server, the oldest for %s", found.Mails, waits.Round(time.Minute))
	}
	for _, r := range found.Refused {
		d.warn("posts", "report the text and the reason; the rest of its scan was stored", "team %s could not %s the post %s on %s: %s: %.200q",
			r.Team, r.Step, r.URN, r.At.Format(time.DateTime), r.Reason, r.Content)
	}
	if ahead := found.Newest.Sub(now); ahead > clockBehind {
		d.fail("clocks", fmt.Errorf("the clock is %s behind the newest record of the store", ahead.Round(time.Second)),
			"set the clock of this machine, and keep it by NTP; a store that was used with --test-clock needs that flag")
	}
}

func (d *doctor) checkIndex(ctx context.Context) {
	const check = "index"
	first := ""
	sum, err := actors.VerifyPosts(ctx, d.store, actors.Repairing{}, func(_ watchpost.TeamID, problem string) {
		first = cmp.Or(first, problem)
	})
	switch {
	case err != nil:
		d.fail(check, err, "restore a backup")
	case sum.Damaged > 0:
		d.fail(check, fmt.Errorf("%d teams have lost records: %s", sum.Damaged, first), damagedAdvice)
	case sum.Problems > 0:
		d.fail(check, fmt.Errorf("%d problems in the index of %d posts", sum.Problems, sum.Posts), "run watchpost verify --repair, which changes nothing if it would lose posts")
	default:
		d.ok(check, "%d posts, and the index agrees with them", sum.Posts)
	}
}

// checkJournals checks the chains of the journals.
func (d *doctor) checkJournals(ctx context.Context) {
	const check = "journal"
	first := ""
	sum, err := actors.VerifyJournals(ctx, d.store, func(team watchpost.TeamID, problem string) {
		if first == "" {
			first = "team " + string(team) + ": " + problem
		}
	})
	switch {
	case err != nil:
		d.fail(check, err, "restore a backup")
	case sum.Problems > 0:
		d.fail(check, errors.New(first), "a journal was changed after it was written: compare it with a backup")
	default:
		d.ok(check, "%d records, and their chains are whole", sum.Records)
	}
}

func (d *doctor) checkDisk() {
	if d.store.free == nil {
		return
	}
	const check = "disk"
	free, least := d.store.free()>>20, int64(d.config.MinFree)
	switch {
	case free < least:
		d.fail(check, fmt.Errorf("%d MiB are free, less than the %d MiB of --min-free-disk", free, least), "make room: writes are refused until then")
	case free < 4*least:
		d.warn(check, "make room: below --min-free-disk writes are refused", "%d MiB are free", free)
	default:
		d.ok(check, "%d MiB are free", free)
	}
}

func (d *doctor) checkClock(ctx context.Context) {
	const check = "clocks"
	if d.config.TestClock {
		d.warn(check, "start production services without --test-clock", "the clock can be set by the admin API")
	}
	if synchronized, known := clockSynchronized(); known && !synchronized {
		d.warn(check, "run chrony or systemd-timesyncd", "the kernel says that the clock of this machine is not synchronized")
	} else {
		d.ok(check, "%s", d.clock.Now().UTC().Format(time.RFC3339))
	}
	if d.config.Store == "" || d.store == nil {
		return
	}
	if apart, err := databaseClock(ctx, d.config.Store); err != nil {
		d.fail(check, err, "the database does not answer")
	} else if apart.Abs() > clockApart {
		d.warn(check, "keep both clocks by NTP", "the clock of the database is %s apart from that of this machine", apart.Round(time.Millisecond))
	}
}

// checkPorts finds addresses that a stopped service could not take.
func (d *doctor) checkPorts() {
	const check = "ports"
	for _, address := range []string{d.config.Listen, d.config.OpsListen, d.config.ClusterListen} {
		switch {
		case address == "":
		case d.running:
			d.ok(check, "serving at %s", address)
		default:
			listener, err := net.Listen("tcp", address)
			if err == nil {
				err = listener.Close()
			}
			if err != nil {
				d.fail(check, err, "end the process that has the port (ss -ltnp), or choose another address; ports below 1024 need CAP_NET_BIND_SERVICE")
			} else {
				d.ok(check, "%s is free", address)
			}
		}
	}
}

func (d *doctor) checkCertificates() {
	c := d.config
	d.checkCertificate("--tls-cert", c.TLSCert, c.TLSKey, nil, "")
	if c.ClusterCert == "" {
		return
	}
	trusted := x509.NewCertPool()
	if raw, err := os.ReadFile(c.ClusterCA); err != nil || !trusted.AppendCertsFromPEM(raw) {
		d.fail("certificates", fmt.Errorf("--cluster-ca %s: no certificate in it", c.ClusterCA), "name the file of the nodes' authority")
		return
	}
	host, _, _ := net.SplitHostPort(c.Advertise) // an error is one of the configuration
	d.checkCertificate("--cluster-cert", c.ClusterCert, c.ClusterKey, trusted, host)
}

// checkCertificate checks a pair of files, and with trusted also who signed the
// certificate and for which host.
func (d *doctor) checkCertificate(flag, certFile, keyFile string, trusted *x509.CertPool, host string) {
	const check = "certificates"
	if certFile == "" {
		return
	}
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		d.fail(check, fmt.Errorf("%s: %w", flag, err), "the files must be a certificate and its key in PEM")
		return
	}
	left := time.Until(pair.Leaf.NotAfter)
	if trusted != nil {
		err = verifyNode(&pair, trusted, host)
	}
	switch {
	case left <= 0:
		d.fail(check, fmt.Errorf("%s %s has expired on %s", flag, certFile, pair.Leaf.NotAfter.Format(time.DateOnly)), "replace both files; the service reads them by itself")
	case err != nil:
		d.fail(check, fmt.Errorf("%s %s: %w", flag, certFile, err), "make a certificate of the nodes' authority for the host of --advertise")
	case left < certificateLeft:
		d.warn(check, "replace both files; the service reads them by itself", "%s %s expires on %s", flag, certFile, pair.Leaf.NotAfter.Format(time.DateOnly))
	default:
		d.ok(check, "%s is valid until %s", flag, pair.Leaf.NotAfter.Format(time.DateOnly))
	}
}

func (d *doctor) checkMail(ctx context.Context) {
	const check = "mail"
	f := &d.config.SMTP
	if f.Host == "" {
		d.warn(check, "give --smtp-host, so that people get their codes", "mails are written to %s", filepath.Join(d.config.Data, "mail"))
		return
	}
	ctx, cancel := context.WithTimeout(ctx, mailCheckTime)
	defer cancel()
	smtp, err := mail.NewSMTP(f.options(d.clock, nil))
	if err == nil {
		err = smtp.Check(ctx)
	}
	if err != nil {
		d.fail(check, err, "check --smtp-host, --smtp-port, --smtp-tls and the password; people get no codes until then")
		return
	}
	d.ok(check, "%s answers and accepts the user", f.Host)
}

// checkBackups looks for a backup that is not too old.
func (d *doctor) checkBackups(ctx context.Context) {
	const check = "backups"
	if d.config.BackupTo == "" {
		d.warn(check, "give --backup-to and run watchpost backup daily", "none are configured")
		return
	}
	files, err := backupstore.Open(d.config.BackupTo)
	var names []string
	if err == nil {
		names, err = backup.Backups(ctx, files)
	}
	if err != nil {
		d.fail(check, fmt.Errorf("%s: %w", d.config.BackupTo, err), "make the place of --backup-to reachable")
		return
	}
	if len(names) == 0 {
		d.warn(check, "run watchpost backup", "there is none in %s yet", d.config.BackupTo)
		return
	}
	newest := names[len(names)-1]
	made, err := backup.MadeAt(newest)
	if age := d.clock.Now().Sub(made); err != nil || age > backupAge {
		d.warn(check, "run watchpost backup, best daily", "the newest is %s", path.Base(strings.TrimSuffix(newest, ".age")))
		return
	}
	d.ok(check, "%d, the newest of %s", len(names), made.Format(time.RFC3339))
}

// checkVariables names the variables that have no effect.
func (d *doctor) checkVariables() {
	for _, name := range d.config.unknown {
		d.warn("variables", "look for its name in watchpost serve --help", "%s is unknown and has no effect", name)
	}
}
