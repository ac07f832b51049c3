package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"watchpost/actors/vault"
	"watchpost/internal/atomicfile"
	"watchpost/persistence"
)

// secret returns the value of a secret flag, or the content of the file that
// its …_FILE variable names.
func secret(value, variable string) (string, error) {
	file := os.Getenv(variable + "_FILE")
	if value != "" || file == "" {
		return value, nil
	}
	content, err := os.ReadFile(file) //nolint:gosec // the operator names the file
	if err != nil {
		return "", fmt.Errorf("%s_FILE: %w", variable, err)
	}
	return strings.TrimSpace(string(content)), nil
}

// readSecrets completes the secret flags from the files that their variables name.
func (c *serveCommand) readSecrets() error {
	for variable, value := range map[string]*string{
		"WATCHPOST_ADMIN_TOKEN": &c.AdminToken, "WATCHPOST_METRICS_TOKEN": &c.MetricsToken, "WATCHPOST_MASTER_KEY": &c.MasterKey, "WATCHPOST_STORE": &c.Store,
		"WATCHPOST_INTERPRETER_KEY": &c.Interpreter.Key, "WATCHPOST_SMTP_PASSWORD": &c.SMTP.Password,
		"WATCHPOST_OIDC_CLIENT_SECRET": &c.OIDC.ClientSecret,
	} {
		var err error
		if *value, err = secret(*value, variable); err != nil {
			return err
		}
	}
	return nil
}

// openKeyring returns the keyring for the master key, which protects the
// secrets in the store. The key comes from the flag or variable, from a file,
// or is generated at the first start. openKeyring returns an error if the
// secrets in the store were written with another key.
func openKeyring(ctx context.Context, c *serveCommand, store persistence.Store, now time.Time, log *slog.Logger) (*vault.Keyring, error) {
	key, origin, err := masterKey(ctx, c, store, log)
	if err != nil {
		return nil, err
	}
	keyring, err := newKeyring(key, c.SecondMasterKeyFile)
	if err != nil {
		return nil, err
	}
	if err := keyring.Bind(ctx, store, now); err != nil {
		switch {
		case errors.Is(err, vault.ErrOtherMasterKey):
			err = fmt.Errorf("%w: put the right key there, or name its file with --master-key-file", err)
		case errors.Is(err, vault.ErrRotating):
			err = fmt.Errorf("%w: name the file of the other one with --second-master-key-file", err)
		case errors.Is(err, vault.ErrRetired):
			err = fmt.Errorf("%w: name the file of the newest with --master-key-file", err)
		}
		return nil, fmt.Errorf("master key in %s: %w", origin, err)
	}
	return keyring, nil
}

// newKeyring returns the keyring of a master key, and of the second one if a file is named.
func newKeyring(key []byte, secondFile string) (*vault.Keyring, error) {
	if secondFile == "" {
		return vault.NewKeyring(key)
	}
	content, err := os.ReadFile(secondFile)
	if err != nil {
		return nil, fmt.Errorf("--second-master-key-file: %w", err)
	}
	second, err := decodeKey(strings.TrimSpace(string(content)), secondFile)
	if err != nil {
		return nil, err
	}
	of, err := vault.NewKeyring(second)
	if err != nil {
		return nil, err
	}
	return vault.NewKeyring(key, of)
}

// masterKey returns the master key and its origin. It generates a key only for
// a store without secrets.
func masterKey(ctx context.Context, c *serveCommand, store persistence.Store, log *slog.Logger) ([]byte, string, error) {
	key, file, err := readMasterKey(c)
	if err == nil || c.MasterKeyFile != "" || !errors.Is(err, fs.ErrNotExist) {
		return key, file, err
	}
	switch needed, err := vault.NeedsMasterKey(ctx, store); {
	case err != nil:
		return nil, file, fmt.Errorf("master key: %w", err)
	case needed:
		return nil, file, fmt.Errorf("master key: %s is missing, and the store in %s holds secrets written with it: "+
			"put your copy of the key there, or name it by --master-key-file", file, c.Data)
	}
	key = make([]byte, vault.MasterKeySize)
	if _, err := rand.Read(key); err != nil {
		return nil, file, err
	}
	if err := atomicfile.WriteFile(file, []byte(base64.StdEncoding.EncodeToString(key)+"\n")); err != nil {
		return nil, file, fmt.Errorf("master key: %w", err)
	}
	log.Warn("generated a new master key: keep a copy apart from the data and its backups", "file", file)
	return key, file, nil
}

// readMasterKey returns the master key of the configuration and its origin.
func readMasterKey(c *serveCommand) (key []byte, origin string, err error) {
	if c.MasterKey != "" {
		key, err = decodeKey(c.MasterKey, "--master-key")
		return key, "--master-key", err
	}
	file := c.MasterKeyFile
	if file == "" {
		file = filepath.Join(c.Data, "master.key")
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, file, fmt.Errorf("master key: %w", err)
	}
	key, err = decodeKey(strings.TrimSpace(string(content)), file)
	return key, file, err
}

func decodeKey(text, origin string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(key) != vault.MasterKeySize {
		return nil, fmt.Errorf("master key in %s: want %d bytes in base64", origin, vault.MasterKeySize)
	}
	return key, nil
}
