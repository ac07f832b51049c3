package main

import (
	"bytes"
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

	"watchpost"
	"watchpost/actors"
	httpapi "watchpost/http"
	"watchpost/internal/backupstore"
	"watchpost/persistence"
	"watchpost/persistence/backup"
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
func openBackups(c *serveCommand, store persistence.Store, clock watchpost.Clock, keyring *actors.Keyring, log *slog.Logger) (*backups, error) {
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
	b.options = backup.Options{Build: version, Fingerprint: keyring.Fingerprint(), Name: keyring.BackupName}
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
func (b *backups) create(ctx context.Context, full bool) (httpapi.Backup, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	o := b.options
	o.Full, o.Now = full, b.clock.Now()
	made, err := backup.Create(ctx, b.store, b.files, o)
	b.metrics.count(made.Manifest, err)
	if err != nil {
		b.log.Error("backup failed", "error", err)
		return httpapi.Backup{}, err
	}
	if made.Mended > 0 {
		b.log.Warn("chunks of earlier backups were damaged: they are written again; check the disk of the backups", "chunks", made.Mended)
	}
	b.log.Info("backup made", "name", made.Name, "full", made.Full, "records", made.Records, "chunks", len(made.Chunks), "written", made.Written)
	return httpapi.Backup{Name: made.Name, Full: made.Full, Spaces: made.Spaces, Entries: made.Entries, Records: made.Records,
		Bytes: made.Bytes, Chunks: len(made.Chunks), Written: made.Written, Stored: made.Stored}, nil
}

// backupCommand makes and checks backups.
type backupCommand struct {
	Create backupCreate `cmd:"" default:"withargs" help:"Let a running service make a backup at the place of its --backup-to."`
	List   backupList   `cmd:"" help:"List the backups at a place, the oldest first."`
	Verify backupVerify `cmd:"" help:"Read a backup to its end and compare every checksum and count."`
}

type backupCreate struct {
	Admin adminFlags `embed:""`
	Full  bool       `env:"-" help:"Write everything again, apart from earlier backups; default: only what differs from the newest set."`
}

// Run makes a backup and prints its name.
func (c *backupCreate) Run(ctx context.Context) error {
	return show(ctx, &c.Admin, "make a backup", http.MethodPost, backupPath, map[string]bool{"full": c.Full}, func(made httpapi.Backup) error {
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

// open reads the manifest of the chosen backup.
func (c *backupChoice) open(ctx context.Context) (files backup.Files, name string, m backup.Manifest, decrypt func([]byte) ([]byte, error), err error) {
	if files, err = backupstore.Open(c.Place.From); err != nil {
		return nil, "", m, nil, fmt.Errorf("--from: %w", err)
	}
	if c.Identity != "" {
		if decrypt, err = decrypter(c.Identity); err != nil {
			return nil, "", m, nil, fmt.Errorf("--identity: %w", err)
		}
	}
	name, m, err = backup.Open(ctx, files, c.Backup, decrypt)
	return files, name, m, decrypt, err
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
}

// Run checks a backup.
func (c *backupVerify) Run(ctx context.Context) error {
	files, name, m, decrypt, err := c.Choice.open(ctx)
	if err != nil {
		return err
	}
	if err := backup.Verify(ctx, files, name, m, decrypt); err != nil {
		return err
	}
	fmt.Printf("%s is whole: %d records, %d directory entries, %d bytes in %d chunks\n", name, m.Records, m.Entries, m.Bytes, len(m.Chunks))
	return nil
}

// errKeyOfBackup says that secrets of the backup need another master key.
var errKeyOfBackup = errors.New("the backup's secrets were written with another master key: name its file with --master-key-file, or copy it to <data>/master.key")
