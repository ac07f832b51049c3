package doctor

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io/fs"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors/vault"
	"watchpost/http/admin"
	"watchpost/internal/identity"
	"watchpost/internal/mail"
	"watchpost/internal/mail/mailtest"
	"watchpost/persistence"
	"watchpost/persistence/badger"
	"watchpost/persistence/enginetest"
	"watchpost/persistence/format"
	"watchpost/persistence/postindex"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// patient is a stopped service with an empty store.
type patient struct {
	Service
	found []admin.Finding
}

func newPatient(t *testing.T) *patient {
	t.Helper()
	s, err := badger.Open(badger.Options{InMemory: true, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	data := t.TempDir()
	require.NoError(t, os.Chmod(data, 0o700))
	return &patient{Service: Service{
		Clock: watchpost.SystemClock{}, Settings: func() error { return nil }, Data: data, MailFolder: filepath.Join(data, "mail"), Addresses: []string{"127.0.0.1:0", ""},
		Store: s, Free: func() int64 { return 1 << 40 }, MinFree: 256,
		Keyring:  func() (*vault.Keyring, string, error) { return nil, "master.key", fs.ErrNotExist },
		Provider: func() (*identity.Provider, error) { return nil, nil },
	}}
}

// finds examines and requires a finding of a check with a level and text.
func (p *patient) finds(t *testing.T, check, level, text string) {
	t.Helper()
	p.found = Examine(t.Context(), p.Service)
	require.True(t, slices.ContainsFunc(p.found, func(f admin.Finding) bool {
		matches := f.Check == check && f.Level == level && (level == admin.FindingOK || f.Advice != "")
		return matches && strings.Contains(f.Found, text)
	}), "%s %s %q in %+v", level, check, text, p.found)
}

// write commits a batch of a space.
func (p *patient) write(t *testing.T, space persistence.Space, fill func(*persistence.Batch)) {
	t.Helper()
	enginetest.Commit(t, p.Store, space, fill)
}

// has gives the patient a master key.
func (p *patient) has(keys *vault.Keyring) {
	p.Keyring = func() (*vault.Keyring, string, error) { return keys, "", nil }
}

const team = "01890000-0000-7000-8000-000000000001"

// TestDoctorReadsTheStore: each state of a store that an operator must know of.
func TestDoctorReadsTheStore(t *testing.T) {
	t.Parallel()
	d := newPatient(t)
	now := time.Now()
	d.finds(t, "versions", admin.FindingOK, "no format yet")
	d.finds(t, "key", admin.FindingOK, "made at the first start")
	d.finds(t, "store", admin.FindingOK, "0 teams")

	d.write(t, format.Space, func(b *persistence.Batch) { b.Set(format.Entry, []byte("7")) })
	d.finds(t, "versions", admin.FindingError, "the data has format 7")
	d.write(t, format.Space, func(b *persistence.Batch) {
		b.Set(persistence.DirectoryKey{Kind: "restore", Name: "unfinished"}, []byte{})
	})
	d.finds(t, "versions", admin.FindingError, "unfinished restore")

	d.write(t, teamspace.KeyringSpace, func(b *persistence.Batch) {
		b.Put(teamspace.FingerprintKey, teamspace.Encode(teamspace.KeyFingerprint{Hash: "x", CreatedAt: now.Add(3 * time.Hour)}))
	})
	d.finds(t, "key", admin.FindingError, "file does not exist")
	other, err := vault.NewKeyring(make([]byte, vault.MasterKeySize))
	require.NoError(t, err)
	d.has(other)
	d.finds(t, "key", admin.FindingError, "another key")
	d.finds(t, "clocks", admin.FindingError, "behind the newest record")

	d.write(t, format.Space, func(b *persistence.Batch) {
		b.Set(persistence.DirectoryKey{Kind: teamspace.DirDeleting, Name: team}, []byte{})
		b.Set(persistence.DirectoryKey{Kind: teamspace.DirMail, Name: "m"}, teamspace.Encode(teamspace.MailEntry{At: now.Add(-5 * time.Hour)}))
		b.Set(persistence.DirectoryKey{Kind: teamspace.DirTeam, Name: team}, teamspace.Encode(teamspace.TeamEntry{Name: "Acme", CreatedAt: now}))
	})
	d.finds(t, "store", admin.FindingWarning, "the deletion of 1 teams has not ended, the first "+team)
	d.finds(t, "mail", admin.FindingWarning, "1 mails wait for the mail server, the oldest for 5h")
	d.finds(t, "store", admin.FindingOK, "1 teams")

	d.finds(t, "index", admin.FindingOK, "0 posts")
	d.write(t, team, func(b *persistence.Batch) {
		view, err := d.Store.View(t.Context())
		require.NoError(t, err)
		defer view.Close()
		w, err := postindex.New(postindex.Options{}).Writer(view, team, b)
		require.NoError(t, err)
		require.NoError(t, w.Put(&watchpost.Post{ID: team, URN: "urn:network:post:1", Content: "tea", PostedAt: now, CreatedAt: now}))
		_, err = w.Finish()
		require.NoError(t, err)
	})
	d.finds(t, "index", admin.FindingOK, "1 posts")
	d.write(t, team, func(b *persistence.Batch) { b.Delete([]byte("pU" + "urn:network:post:1")) })
	d.finds(t, "index", admin.FindingError, "problems in the index")
	d.finds(t, "journal", admin.FindingOK, "0 records")
	d.write(t, team, func(b *persistence.Batch) {
		b.Put(teamspace.JournalKey(team), teamspace.Encode(watchpost.JournalEntry{ID: team, Number: 1}))
	})
	d.finds(t, "journal", admin.FindingError, "the entry with number 1 is not that of the chain")
	d.Writable = func() error { return errors.New("the database does not answer") }
	d.finds(t, "store", admin.FindingError, "the database does not answer")
}

// TestDoctorTellsOfRefusedPosts: with the reason and the beginning of the text. What
// strangers wrote cannot write to the operator's terminal.
func TestDoctorTellsOfRefusedPosts(t *testing.T) {
	t.Parallel()
	d := newPatient(t)
	const urn = "urn:network:post:1\x1b]0;all is well\a\u202e"
	d.write(t, format.Space, func(b *persistence.Batch) {
		b.Set(persistence.DirectoryKey{Kind: teamspace.DirTeam, Name: team}, teamspace.Encode(teamspace.TeamEntry{Name: "Acme", CreatedAt: time.Now()}))
	})
	d.write(t, team, func(b *persistence.Batch) {
		b.Put(teamspace.RefusedKey(urn, "clean"), teamspace.Encode(teamspace.RefusedPost{
			At: time.Date(2031, 4, 5, 6, 7, 8, 0, time.UTC), Step: "clean", URN: urn, Reason: "index out of range [5]",
			Content: "\x1b[2Jtea\n" + strings.Repeat("x", 300) + "the end",
		}))
	})
	d.finds(t, "posts", admin.FindingWarning, "team "+team+" could not clean the post urn:network:post:1")
	d.finds(t, "posts", admin.FindingWarning, "on 2031-04-05 06:07:08: index out of range [5]: ")
	var printed strings.Builder
	require.NoError(t, Print(&printed, d.found))
	require.NotContains(t, printed.String(), "the end")
	lines := strings.Split(strings.TrimSuffix(printed.String(), "\n"), "\n")
	for _, line := range lines {
		require.NotRegexp(t, `[^[:graph:] →\x{FFFD}]`, line)
	}
	advised := slices.DeleteFunc(slices.Clone(d.found), func(f admin.Finding) bool { return f.Advice == "" })
	require.Len(t, lines, len(d.found)+len(advised))
}

// TestDoctorLooksAround: folder, disk, ports, certificates, mail and backups.
func TestDoctorLooksAround(t *testing.T) {
	t.Parallel()
	d := newPatient(t)
	d.finds(t, "folder", admin.FindingOK, d.Data)
	key := filepath.Join(d.Data, "master.key")
	d.SecretFiles = []string{"", key}
	require.NoError(t, os.WriteFile(key, []byte("x"), 0o600))
	require.NoError(t, os.Chmod(key, 0o644))
	d.finds(t, "folder", admin.FindingWarning, "every user of the machine can read it")
	require.NoError(t, os.Chmod(d.Data, 0o755))
	d.finds(t, "folder", admin.FindingWarning, "every user of the machine can look into it")

	d.finds(t, "disk", admin.FindingOK, "MiB are free")
	d.Free = func() int64 { return 300 << 20 }
	d.finds(t, "disk", admin.FindingWarning, "300 MiB are free")
	d.Free = func() int64 { return 3 << 20 }
	d.finds(t, "disk", admin.FindingError, "less than the 256 MiB")

	d.finds(t, "ports", admin.FindingOK, "is free")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	d.Addresses = []string{taken.Addr().String()}
	d.finds(t, "ports", admin.FindingError, "address already in use")

	d.finds(t, "mail", admin.FindingWarning, "mails are written to")
	d.SMTP = mail.SMTPOptions{Clock: d.Clock, Host: "127.0.0.1", Port: 1, From: "a@b.example", TLS: "none"}
	d.finds(t, "mail", admin.FindingError, "connection refused")

	d.finds(t, "backups", admin.FindingWarning, "none are configured")
	d.UnknownVariables = []string{"WATCHPOST_SMPT_HOST"}
	d.finds(t, "variables", admin.FindingWarning, "WATCHPOST_SMPT_HOST is unknown")
	d.BackupTo = t.TempDir()
	d.finds(t, "backups", admin.FindingWarning, "there is none in")
	for made, level := range map[time.Time]string{time.Now().AddDate(0, 0, -20): admin.FindingWarning, time.Now(): admin.FindingOK} {
		set := filepath.Join(d.BackupTo, made.UTC().Format("20060102T150405.000Z")+"-plain")
		require.NoError(t, os.MkdirAll(set, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(set, made.UTC().Format("20060102T150405.000Z")+".manifest"), nil, 0o600))
		d.finds(t, "backups", level, made.UTC().Format("2006"))
		require.NoError(t, os.RemoveAll(set))
	}
	d.BackupTo = "s3+https://127.0.0.1:1/"
	d.finds(t, "backups", admin.FindingError, "127.0.0.1:1")
	d.Settings = func() error { return errors.New("--listen: nonsense") }
	d.finds(t, "configuration", admin.FindingError, "nonsense")
}

// TestDoctorReadsCertificates: expired ones, those that expire soon, and those of
// another authority or host.
func TestDoctorReadsCertificates(t *testing.T) {
	t.Parallel()
	d := newPatient(t)
	dir := t.TempDir()
	var usage []x509.ExtKeyUsage
	write := func(name string, ends time.Time) (certFile, keyFile string) {
		private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		require.NoError(t, err)
		template := &x509.Certificate{
			SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{"node1.example"}, IPAddresses: []net.IP{net.IPv4(10, 0, 0, 1)},
			NotBefore: time.Now().AddDate(0, 0, -2), NotAfter: ends, ExtKeyUsage: usage, IsCA: true, BasicConstraintsValid: true,
		}
		raw, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
		require.NoError(t, err)
		encoded, err := x509.MarshalECPrivateKey(private)
		require.NoError(t, err)
		certFile, keyFile = filepath.Join(dir, name+".pem"), filepath.Join(dir, name+".key")
		require.NoError(t, os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}), 0o600))
		require.NoError(t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: encoded}), 0o600))
		return certFile, keyFile
	}
	good, goodKey := write("good", time.Now().AddDate(1, 0, 0))
	other, _ := write("other", time.Now().AddDate(1, 0, 0))
	d.TLSCert, d.TLSKey = good, goodKey
	d.finds(t, "certificates", admin.FindingOK, "--tls-cert is valid until")
	d.TLSCert, d.TLSKey = write("soon", time.Now().AddDate(0, 0, 3))
	d.finds(t, "certificates", admin.FindingWarning, "expires on")
	d.TLSCert, d.TLSKey = write("past", time.Now().Add(-time.Minute))
	d.finds(t, "certificates", admin.FindingError, "has expired")
	d.TLSKey = goodKey
	d.finds(t, "certificates", admin.FindingError, "--tls-cert")

	d.TLSCert, d.TLSKey = "", ""
	d.Node.CertFile, d.Node.KeyFile, d.Node.CAFile, d.Node.Advertise = good, goodKey, good, "node1.example:8443"
	d.finds(t, "certificates", admin.FindingOK, "--cluster-cert is valid until")
	d.Node.Advertise = "node2.example:8443"
	d.finds(t, "certificates", admin.FindingError, "node2.example")
	d.Node.Advertise = "10.0.0.2:8443"
	d.finds(t, "certificates", admin.FindingError, "10.0.0.2")
	d.Node.Advertise = "10.0.0.1:8443"
	d.Node.Advertise, d.Node.CAFile = "node1.example:8443", other
	d.finds(t, "certificates", admin.FindingError, "--cluster-cert")
	d.Node.CertFile, d.Node.KeyFile = write("past", time.Now().Add(-time.Minute))
	d.Node.CAFile = d.Node.CertFile
	d.finds(t, "certificates", admin.FindingError, "expired")
	usage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	d.Node.CertFile, d.Node.KeyFile = write("server", time.Now().AddDate(1, 0, 0))
	d.Node.CAFile = d.Node.CertFile
	d.finds(t, "certificates", admin.FindingError, "key usage")
	d.Node.CAFile = filepath.Join(dir, "none")
	d.finds(t, "certificates", admin.FindingError, "no certificate in it")
}

// TestDoctorAsksTheMailServer: a server that answers and accepts the user gets no mail.
func TestDoctorAsksTheMailServer(t *testing.T) {
	t.Parallel()
	server := mailtest.Start(t, mailtest.Options{NoStartTLS: true, PlainSecret: true})
	d := newPatient(t)
	d.SMTP = mail.SMTPOptions{Clock: d.Clock, Host: server.Host, Port: server.Port, User: mailtest.User, Password: mailtest.Password, From: "a@b.example", TLS: "none"}
	d.finds(t, "mail", admin.FindingOK, "answers and accepts the user")
	d.SMTP.Password = "wrong"
	d.finds(t, "mail", admin.FindingError, "535")
	require.Empty(t, server.Mails())
}

// TestDoctorFindsARotation of the master key, also on a node that does not use the new
// key yet.
func TestDoctorFindsARotation(t *testing.T) {
	t.Parallel()
	d := newPatient(t)
	ring := func(first byte, second ...*vault.Keyring) *vault.Keyring {
		k, err := vault.NewKeyring(bytes.Repeat([]byte{first}, vault.MasterKeySize), second...)
		require.NoError(t, err)
		return k
	}
	began := time.Date(2031, 4, 5, 6, 0, 0, 0, time.UTC)
	d.has(ring(1, ring(2)))
	d.finds(t, "key", admin.FindingOK, "the master key is that of the store")
	require.NoError(t, ring(1).Bind(t.Context(), d.Store, began))
	d.finds(t, "key", admin.FindingOK, "the master key is that of the store")
	require.NoError(t, ring(2, ring(1)).Bind(t.Context(), d.Store, began))
	const found = "under way since 2031-04-05T06:00:00Z, and ends after 2031-04-06T07:00:00Z; secrets of 0 teams"
	d.finds(t, "key", admin.FindingWarning, found)
	advised := func(text string) bool {
		return slices.ContainsFunc(d.found, func(f admin.Finding) bool { return strings.Contains(f.Advice, text) })
	}
	require.True(t, advised("start this service with the new key"))
	d.has(ring(2, ring(1)))
	d.finds(t, "key", admin.FindingWarning, found)
	require.True(t, advised("keep both keys until the log says"))
	d.has(ring(2))
	d.finds(t, "key", admin.FindingError, "a rotation of the master key has not ended")
}
