package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"

	"filippo.io/age"

	"watchpost/actors/vault"
	"watchpost/http/admin"
	"watchpost/internal/backupstore"
	"watchpost/persistence"
	"watchpost/persistence/backup"
	"watchpost/watchpost"
)

const backupPath = "/admin/backup"

// backups makes the backups of a running service, one at a time.
type backups struct {
	mu      sync.Mutex
	files   backup.Files
	store   persistence.Store
	clock   watchpost.Clock
	options backup.Options
	log     *slog.Logger
	metrics *backupMetrics
}

// openBackups returns nil without --backup-to.
func openBackups(c *serveCommand, store persistence.Store, clock watchpost.Clock, keyring *vault.Keyring, log *slog.Logger) (*backups, error) {
	if c.BackupTo == "" {
		return nil, nil
	}
	files, err := backupstore.Open(c.BackupTo)
	if err != nil {
		return nil, fmt.Errorf("--backup-to: %w", err)
	}
	if err := backupstore.CheckWritable(c.BackupTo); err != nil {
		return nil, fmt.Errorf("--backup-to %s: %w: choose a folder that the service may write to (below %s, or one of ReadWritePaths= of the systemd unit)", c.BackupTo, err, c.Data)
	}
	b := &backups{files: files, store: store, clock: clock, log: log, metrics: newBackupMetrics()}
	b.options = backup.Options{Build: version, Fingerprint: keyring.Fingerprint(), Name: keyring.BackupName, Seal: keyring.SealBackup}
	if len(c.BackupRecipients) == 0 {
		return b, nil
	}
	recipients, err := age.ParseRecipients(strings.NewReader(strings.Join(c.BackupRecipients, "\n")))
	if err != nil {
		return nil, fmt.Errorf("--backup-recipient: %w", err)
	}
	b.options.Recipients = strings.Join(slices.Sorted(slices.Values(c.BackupRecipients)), "\n")
	b.options.Encrypt = func(plain []byte) ([]byte, error) {
		var sealed bytes.Buffer
		w, err := age.Encrypt(&sealed, recipients...)
		if err == nil {
			_, err = w.Write(plain)
		}
		if err == nil {
			err = w.Close()
		}
		return sealed.Bytes(), err
	}
	return b, nil
}

// create makes a backup.
func (b *backups) create(ctx context.Context, full bool) (admin.Backup, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	o := b.options
	o.Full, o.Now = full, b.clock.Now()
	made, err := backup.Create(ctx, b.store, b.files, o)
	b.metrics.count(made.Manifest, err)
	if err != nil {
		b.log.Error("backup failed", "error", err)
		return admin.Backup{}, err
	}
	if made.Mended > 0 {
		b.log.Warn("chunks of earlier backups were damaged: they are written again; check the disk of the backups", "chunks", made.Mended)
	}
	b.log.Info("backup made", "name", made.Name, "full", made.Full, "records", made.Records, "chunks", len(made.Chunks), "written", made.Written)
	return admin.Backup{Name: made.Name, Full: made.Full, Spaces: made.Spaces, Entries: made.Entries, Records: made.Records,
		Bytes: made.Bytes, Chunks: len(made.Chunks), Written: made.Written, Stored: made.Stored}, nil
}

// backupCommand makes and checks backups.
type backupCommand struct {
	Create backupCreate `cmd:"" default:"withargs" help:"Let a running service make a backup at the place of its --backup-to."`
	List   backupList   `cmd:"" help:"List the backups at a place, the oldest first."`
	Verify backupVerify `cmd:"" help:"Read a backup to its end and compare every checksum and count, and with the master key the seal."`
}

type backupCreate struct {
	Admin adminFlags `embed:""`
	Full  bool       `env:"-" help:"Write everything again, apart from earlier backups; default: only what differs from the newest set."`
}

// Run makes a backup and prints its name.
func (c *backupCreate) Run(ctx context.Context) error {
	return show(ctx, &c.Admin, "make a backup", http.MethodPost, backupPath, map[string]bool{"full": c.Full}, func(made admin.Backup) error {
		_, err := fmt.Printf("%s\n%d records, %d directory entries, %d bytes; %d of %d chunks written\n",
			made.Name, made.Records, made.Entries, made.Bytes, made.Written, made.Chunks)
		return err
	})
}

// backupPlace is where a command reads backups.
type backupPlace struct {
	From string `required:"" env:"-" help:"Where the backups are: a folder, or s3+https://host/bucket/prefix with the credentials in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."`
}

type backupChoice struct {
	Place    backupPlace `embed:""`
	Backup   string      `env:"-" help:"Name of the backup; default: the newest."`
	Identity string      `type:"path" help:"File with the identity of age for which the backup is encrypted."`
}

// open reads the manifest of the chosen backup. It checks the seal with a keyring, and
// without one checksums only.
func (c *backupChoice) open(ctx context.Context, keyring *vault.Keyring, unsealed bool) (files backup.Files, name string, m backup.Manifest, decrypt func([]byte) ([]byte, error), err error) {
	if files, err = backupstore.Open(c.Place.From); err != nil {
		return nil, "", m, nil, fmt.Errorf("--from: %w", err)
	}
	keys := backup.Keys{Unsealed: unsealed}
	if c.Identity != "" {
		if keys.Decrypt, err = decrypter(c.Identity); err != nil {
			return nil, "", m, nil, fmt.Errorf("--identity: %w", err)
		}
	}
	if keyring != nil {
		keys.Sealed = keyring.SealedBackup
	}
	name, m, err = backup.Open(ctx, files, c.Backup, keys)
	switch {
	case m.Fingerprint != "" && keyring != nil && !keyring.Holds(m.Fingerprint):
		err = errKeyOfBackup
	case errors.Is(err, backup.ErrUnsealed):
		err = fmt.Errorf("%w: when you know where it has been since it was made, use --accept-unsealed", err)
	}
	return files, name, m, keys.Decrypt, err
}

// backupKeys are the master keys of the service of a backup.
type backupKeys struct {
	MasterKey           string `help:"Master key of the service of the backup. Also from the file named by WATCHPOST_MASTER_KEY_FILE."`
	MasterKeyFile       string `type:"path" help:"File with that key; restore looks for it in <data>/master.key."`
	SecondMasterKeyFile string `type:"path" help:"File with another master key, for backups of before or after a rotation."`
	AcceptUnsealed      bool   `env:"-" help:"Accept a backup of a build that made no seals. Nothing shows then whether somebody has changed it."`
}

// keyring returns the keyring of the master keys; nil when none is named and there is no
// other file.
func (k *backupKeys) keyring(otherwise string) (*vault.Keyring, error) {
	encoded, err := secret(k.MasterKey, "WATCHPOST_MASTER_KEY")
	if err != nil {
		return nil, err
	}
	origin := "--master-key"
	if encoded == "" {
		if origin = cmp.Or(k.MasterKeyFile, otherwise); origin == "" {
			return nil, nil
		}
		content, err := os.ReadFile(origin)
		if err != nil {
			return nil, err
		}
		encoded = strings.TrimSpace(string(content))
	}
	key, err := decodeKey(encoded, origin)
	if err != nil {
		return nil, err
	}
	return newKeyring(key, k.SecondMasterKeyFile)
}

func decrypter(file string) (func([]byte) ([]byte, error), error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	identities, err := age.ParseIdentities(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	return func(sealed []byte) ([]byte, error) {
		r, err := age.Decrypt(bytes.NewReader(sealed), identities...)
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	}, nil
}

type backupList struct {
	Place backupPlace `embed:""`
}

// Run lists backups.
func (c *backupList) Run(ctx context.Context) error {
	files, err := backupstore.Open(c.Place.From)
	if err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	names, err := backup.Backups(ctx, files)
	for _, name := range names {
		fmt.Println(name)
	}
	return err
}

type backupVerify struct {
	Choice backupChoice `embed:""`
	Keys   backupKeys   `embed:""`
}

// Run checks a backup.
func (c *backupVerify) Run(ctx context.Context) error {
	keyring, err := c.Keys.keyring("")
	if err != nil {
		return err
	}
	files, name, m, decrypt, err := c.Choice.open(ctx, keyring, c.Keys.AcceptUnsealed)
	if err != nil {
		return err
	}
	if err := backup.Verify(ctx, files, name, m, decrypt); err != nil {
		return err
	}
	fmt.Printf("%s is whole: %d records, %d directory entries, %d bytes in %d chunks\n", name, m.Records, m.Entries, m.Bytes, len(m.Chunks))
	if keyring == nil {
		fmt.Println("Only checksums were compared, which anybody can compute again: with --master-key-file the seal is checked too.")
	}
	return nil
}

// errKeyOfBackup says that secrets of the backup need another master key.
var errKeyOfBackup = errors.New("the backup's secrets were written with another master key: name its file with --master-key-file, or copy it to <data>/master.key")
