package specs_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

// TestSecretsAtRest: neither the data folder, a backup nor the log contains
// keys of teams, tokens of sessions, pairing codes, one-time codes or the
// operator's token in plain text. Only the owner may read secret files
// (api.md#keys, api.md#mail, protocol.md#signing-in).
func TestSecretsAtRest(t *testing.T) {
	t.Parallel()
	w := isolatedWorld(t)
	w.play(t, `
service --access-log --log-level debug --backup-to backups
team ACME growth ada@acme.example
member ACME bob@acme.example
hello ADA ada@acme.example ada
hello BOB bob@acme.example bob
as operator POST /admin/teams/$ACME/pairing-codes '{"email":"bob@acme.example"}'
status 201
save PAIRING code
as nobody POST /network-agent/auth-send-otp '{"email":"carl@carl.example"}'
eventually mail otp carl@carl.example USED
as nobody POST /network-agent/auth-verify-otp '{"email":"carl@carl.example","otp":"$USED"}'
save CARL api_key
as nobody POST /network-agent/auth-send-otp '{"email":"ada@acme.example"}'
eventually mail otp ada@acme.example OTP
as nobody POST /network-agent/auth-send-otp '{"email":"bob@acme.example"}'
eventually mail otp bob@acme.example BOBS
as nobody POST /extension/sign-in '{"email":"bob@acme.example","otp":"$BOBS"}'
save SESSION session_token
as operator POST /admin/teams/$ACME/rotate-key
save ROTATED api_key
as ACME GET /api-posts
status 401
as nobody GET /api-posts -H 'x-api-key: $ROTATED'
status 200
as operator POST /admin/teams/$ACME/pairing-codes '{"email":"ada@acme.example"}'
save REDEEMED code
as nobody POST /extension/sign-in '{"code":"$REDEEMED"}'
save PAIRED session_token
as operator POST /admin/backup '{}'
status 201
`)
	secrets := map[string]string{"the operator's token": operatorToken}
	for _, name := range []string{"ACME_KEY", "ROTATED", "CARL", "ADA_TOKEN", "BOB_TOKEN", "SESSION", "PAIRED", "PAIRING", "REDEEMED", "OTP", "USED", "BOBS"} {
		secrets[name] = w.ts.Getenv(name)
		require.NotEmpty(t, secrets[name], name)
	}
	for name, secret := range secrets {
		if line, found := w.service.Logged(secret); found {
			t.Errorf("%s is in the log: %s", name, line)
		}
	}
	data := filepath.Join(w.dir, "data")
	requireMode(t, data, 0o700)
	requireMode(t, filepath.Join(data, "master.key"), 0o600)

	// While the service runs, and after a graceful stop.
	seen := search(t, data, secrets, "bob@acme.example")
	w.play(t, "service stop")
	seen = search(t, data, secrets, "bob@acme.example") || seen
	require.True(t, seen, "what is no secret is found where the secrets are looked for")

	key, err := os.ReadFile(filepath.Join(data, "master.key"))
	require.NoError(t, err)
	for form, secret := range formsOf(t, key) {
		secrets["the master key, "+form] = secret
	}
	searchBackup(t, filepath.Join(w.dir, "backups"), secrets, "bob@acme.example")
}

// formsOf returns the ways in which a master key may be written.
func formsOf(t *testing.T, file []byte) map[string]string {
	t.Helper()
	text := strings.TrimSpace(string(file))
	raw, err := base64.StdEncoding.DecodeString(text)
	require.NoError(t, err)
	return map[string]string{"as in its file": strings.TrimRight(text, "="), "raw": string(raw), "in hexadecimal": hex.EncodeToString(raw)}
}

// searchBackup searches the files of a backup, and their compressed content. It requires
// that it finds the control text.
func searchBackup(t *testing.T, dir string, secrets map[string]string, open string) {
	t.Helper()
	unpack, err := zstd.NewReader(nil)
	require.NoError(t, err)
	defer unpack.Close()
	seen := false
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if records, err := unpack.DecodeAll(content, nil); err == nil {
			content = append(content, records...)
		}
		seen = seen || bytes.Contains(content, []byte(open))
		for name, secret := range secrets {
			if holds(content, secret) {
				t.Errorf("%s is in %s", name, path)
			}
		}
		return err
	}))
	require.True(t, seen, "what is no secret is found in the backup")
}

// TestSecretsAreNotServed: nothing that the operator can read over HTTP has the master key
// or the operator's token.
func TestSecretsAreNotServed(t *testing.T) {
	t.Parallel()
	w := isolatedWorld(t)
	w.play(t, `
service --access-log --log-level debug --backup-to backups
team ACME growth ada@acme.example
hello ADA ada@acme.example ada
as ACME POST /api-keyword-watchlist '{"keywords":["go"]}'
status 200
as operator POST /admin/backup '{}'
status 201
`)
	key, err := os.ReadFile(filepath.Join(w.dir, "data", "master.key"))
	require.NoError(t, err)
	secrets := formsOf(t, key)
	secrets["the operator's token"] = operatorToken
	var document struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	require.NoError(t, json.Unmarshal(w.served(t, "/openapi.json"), &document))
	paths := []string{"/docs", "/openapi.json", "/app/sign-in", "/admin/profile/cmdline", "/admin/profile/goroutine?debug=2", "/admin/profile/heap?debug=1", "/admin/profile/allocs"}
	for path, methods := range document.Paths {
		if methods["get"] != nil {
			paths = append(paths, strings.NewReplacer("{id}", w.ts.Getenv("ACME")).Replace(path))
		}
	}
	require.Greater(t, len(paths), 25)
	for _, path := range paths {
		reply := w.served(t, path)
		for name, secret := range secrets {
			require.NotContains(t, string(reply), secret, "%s at %s", name, path)
		}
	}
	require.Contains(t, string(w.served(t, "/admin/teams/"+w.ts.Getenv("ACME")+"/export")), "ada@acme.example", "the operator reads what there is")
}

// served reads a path as the operator, who may not read all of them.
func (w *world) served(t *testing.T, path string) []byte {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.serviceURL+path, http.NoBody)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+operatorToken)
	response, err := w.client.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return raw
}

// search searches the files of a folder for secrets, except the mails that
// contain codes. It reports whether it found the control text.
func search(t *testing.T, dir string, secrets map[string]string, open string) (seen bool) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if filepath.Base(filepath.Dir(path)) == "mail" {
			requireMode(t, path, 0o600)
			return nil
		}
		content, err := written(path)
		if os.IsNotExist(err) {
			return nil // the store has removed it
		}
		seen = seen || bytes.Contains(content, []byte(open))
		for name, secret := range secrets {
			if holds(content, secret) {
				t.Errorf("%s is in %s", name, path)
			}
		}
		return err
	}))
	return seen
}

// written returns the contents of a file without empty pages, because the store
// preallocates its files.
func written(path string) (content []byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	const page = 4096
	empty, at := make([]byte, page), make([]byte, page)
	for {
		n, err := io.ReadFull(file, at)
		if !bytes.Equal(at[:n], empty[:n]) {
			content = append(content, at[:n]...)
		}
		if err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				err = nil
			}
			return content, err
		}
	}
}

// holds reports whether a secret occurs. Six digits inside a longer number do
// not count.
func holds(content []byte, secret string) bool {
	for {
		at := bytes.Index(content, []byte(secret))
		if at < 0 {
			return false
		}
		end := at + len(secret)
		if (at == 0 || !isDigit(content[at-1])) && (end == len(content) || !isDigit(content[end])) {
			return true
		}
		content = content[end:]
	}
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func requireMode(t *testing.T, path string, mode fs.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, mode, info.Mode().Perm(), path)
}
