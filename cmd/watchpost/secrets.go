package main

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"watchpost/actors"
	"watchpost/persistence/durable"
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

// masterKey returns the key that protects the secrets in the store: from the
// flag or variable, from a file, or made at the first start.
func masterKey(value, file, dataDir string, log *slog.Logger) ([]byte, error) {
	if value != "" {
		return decodeKey(value, "--master-key")
	}
	own := file == ""
	if own {
		file = filepath.Join(dataDir, "master.key")
	}
	content, err := os.ReadFile(file)
	if err == nil {
		return decodeKey(strings.TrimSpace(string(content)), file)
	}
	if !own || !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("master key: %w", err)
	}
	key := make([]byte, actors.MasterKeySize)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	if err := durable.WriteFile(file, []byte(base64.StdEncoding.EncodeToString(key)+"\n")); err != nil {
		return nil, fmt.Errorf("master key: %w", err)
	}
	log.Warn("made a new master key: keep a copy apart from the data and its backups", "file", file)
	return key, nil
}

func decodeKey(text, origin string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(key) != actors.MasterKeySize {
		return nil, fmt.Errorf("master key in %s: want %d bytes in base64", origin, actors.MasterKeySize)
	}
	return key, nil
}
