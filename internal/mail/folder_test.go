package mail_test

import (
	"io"
	"log/slog"
	"mime/quotedprintable"
	netmail "net/mail"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/mail"
	"watchpost/internal/mail/outgoing"
	"watchpost/watchpost"
)

func TestFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "mail")
	folder, err := mail.NewFolder(dir, watchpost.SystemClock{}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.NoError(t, folder.Send(t.Context(), outgoing.Mail{
		To: "ada@example.com", Subject: "Your code — now", Body: "Your sign-in code is 123456.\n",
	}))

	files, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Len(t, files, 1, "one mail, and nothing half written beside it")
	require.Regexp(t, `\d{8}T\d{6}\.\d{9}Z-ada@example\.com\.eml$`, files[0])
	info, err := os.Stat(files[0])
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	file, err := os.Open(files[0])
	require.NoError(t, err)
	defer file.Close()
	message, err := netmail.ReadMessage(file)
	require.NoError(t, err)
	to, err := message.Header.AddressList("To")
	require.NoError(t, err)
	require.Equal(t, "ada@example.com", to[0].Address)
	body, err := io.ReadAll(quotedprintable.NewReader(message.Body))
	require.NoError(t, err)
	require.Equal(t, []string{"123456"}, regexp.MustCompile(`\d{6,}`).FindAllString(string(body), -1), "the only run of digits is the code")
}

func TestFolderRefusesHeaderBreaks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder, err := mail.NewFolder(dir, watchpost.SystemClock{}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.Error(t, folder.Send(t.Context(), outgoing.Mail{To: "ada@example.com\r\nBcc: eve@example.com", Subject: "x", Body: "x"}))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestFolderKeepsToItself: addresses that are paths to other folders stay in
// the folder.
func TestFolderKeepsToItself(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	dir := filepath.Join(outside, "mail")
	folder, err := mail.NewFolder(dir, watchpost.SystemClock{}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.NoError(t, folder.Send(t.Context(), outgoing.Mail{To: "../../x@example.com", Subject: "x", Body: "x"}))
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 1)
}

// TestFolderMailToNoOne: the time of a sign-in must not tell whether an address is known,
// so a mail to no one is the same work. The folder keeps nothing of it.
func TestFolderMailToNoOne(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder, err := mail.NewFolder(dir, watchpost.SystemClock{}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.NoError(t, folder.Send(t.Context(), outgoing.Mail{Subject: "x", Body: "x"}))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
	require.NoError(t, os.RemoveAll(dir))
	require.Error(t, folder.Send(t.Context(), outgoing.Mail{Subject: "x", Body: "x"}), "it writes, as a mail to somebody does")
}
