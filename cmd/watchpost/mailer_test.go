package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/internal/mail"
	"watchpost/persistence/badger"
	"watchpost/watchpost"
)

func TestSMTPFlags(t *testing.T) {
	for name, c := range map[string]struct {
		flags smtpFlags
		ok    bool
	}{
		"none at all":             {smtpFlags{TLS: "starttls"}, true},
		"host and sender":         {smtpFlags{Host: "mail.example", From: "a@b.example", TLS: "starttls"}, true},
		"no sender":               {smtpFlags{Host: "mail.example", TLS: "starttls"}, false},
		"sender without host":     {smtpFlags{From: "a@b.example", TLS: "starttls"}, false},
		"password without host":   {smtpFlags{Password: "p", TLS: "starttls"}, false},
		"plain to elsewhere":      {smtpFlags{Host: "mail.example", From: "a@b.example", TLS: "none"}, false},
		"plain to this machine":   {smtpFlags{Host: "127.0.0.1", From: "a@b.example", TLS: "none"}, true},
		"plain to another's name": {smtpFlags{Host: "localhost.example", From: "a@b.example", TLS: "none"}, false},
	} {
		err := c.flags.check()
		require.Equal(t, c.ok, err == nil, "%s: %v", name, err)
	}
}

func TestSMTPVariables(t *testing.T) {
	file := filepath.Join(t.TempDir(), "password")
	require.NoError(t, os.WriteFile(file, []byte("hidden\n"), 0o600))
	for name, value := range map[string]string{"HOST": "mail.example", "PORT": "2525", "USER": "u", "PASSWORD_FILE": file, "FROM": "a@b.example", "TLS": "tls"} {
		t.Setenv("WATCHPOST_SMTP_"+name, value)
	}
	var line commandLine
	parser, err := kong.New(&line, kong.DefaultEnvars("WATCHPOST"))
	require.NoError(t, err)
	_, err = parser.Parse([]string{"serve"})
	require.NoError(t, err)
	c := line.Serve.SMTP
	c.Password, err = secret(c.Password, "WATCHPOST_SMTP_PASSWORD")
	require.NoError(t, err)
	require.Equal(t, smtpFlags{Host: "mail.example", Port: 2525, User: "u", Password: "hidden", From: "a@b.example", TLS: "tls"}, c)
	_, err = parser.Parse([]string{"serve", "--smtp-tls", "maybe"})
	require.Error(t, err)
}

func TestStartMailer(t *testing.T) {
	log, metrics := slog.New(slog.DiscardHandler), actors.NewMetrics()
	store, err := badger.Open(badger.Options{Dir: t.TempDir(), Logger: log})
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	shelf := mail.NewShelf(mail.ShelfOptions{Store: store, Clock: watchpost.SystemClock{}, Sender: "alone", Alive: func(string) bool { return false }})
	folder, end, err := startMailer(&serveCommand{Data: t.TempDir()}, shelf, watchpost.SystemClock{}, metrics, log)
	require.NoError(t, err)
	require.IsType(t, &mail.Folder{}, folder)
	require.Nil(t, end)
	smtp := smtpFlags{Host: "mail.example", From: "a@b.example", TLS: "starttls"}
	outbox, end, err := startMailer(&serveCommand{SMTP: smtp}, shelf, watchpost.SystemClock{}, metrics, log)
	require.NoError(t, err)
	require.IsType(t, &mail.Outbox{}, outbox)
	require.NoError(t, end(context.Background()))
	smtp.User = "without a password"
	_, _, err = startMailer(&serveCommand{SMTP: smtp}, shelf, watchpost.SystemClock{}, metrics, log)
	require.Error(t, err)
}
