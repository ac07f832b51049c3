package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"watchpost/actors"
	"watchpost/internal/mail"
	"watchpost/internal/mail/outgoing"
	"watchpost/watchpost"
)

// smtpFlags configure the mail server. Without a host, mails are written to a
// folder.
type smtpFlags struct {
	Host     string `help:"Mail server; without one mails are written to <data>/mail."`
	Port     int    `help:"Port of the mail server; default: 587, or 465 with --smtp-tls tls."`
	User     string `help:"User name at the mail server, if it requires one."`
	Password string `help:"Password at the mail server. Also from the file named by WATCHPOST_SMTP_PASSWORD_FILE."`
	From     string `help:"Sender of the mails, for example no-reply@example.com."`
	TLS      string `name:"tls" default:"starttls" enum:"starttls,tls,none" help:"Encryption: starttls (the server must offer it), tls (from the first byte), or none (only to this machine)."`
}

// check refuses a configuration that cannot deliver mail, or would send it over
// the network unencrypted.
func (f *smtpFlags) check() error {
	if f.Host == "" {
		if f.Port != 0 || f.User != "" || f.Password != "" || f.From != "" {
			return errors.New("--smtp-host is missing")
		}
		return nil
	}
	if f.From == "" {
		return errors.New("--smtp-host needs --smtp-from")
	}
	if f.TLS == string(mail.TLSNone) && !mail.Loopback(f.Host) {
		return fmt.Errorf("--smtp-tls none: %s is not this machine", f.Host)
	}
	return nil
}

func (f *smtpFlags) options(clock watchpost.Clock, log *slog.Logger) mail.SMTPOptions {
	return mail.SMTPOptions{
		Host: f.Host, Port: f.Port, User: f.User, Password: f.Password, From: f.From, TLS: mail.TLSPolicy(f.TLS),
		Clock: clock, Log: log,
	}
}

// startMailer starts the delivery of mail and returns the function that stops
// it. shelf keeps the mails until the mail server has them.
func startMailer(c *serveCommand, shelf *mail.Shelf, clock watchpost.Clock, metrics *actors.Metrics, log *slog.Logger) (outgoing.Mailer, func(context.Context) error, error) {
	f := &c.SMTP
	if f.Host == "" {
		folder, err := mail.NewFolder(filepath.Join(c.Data, "mail"), clock, log)
		return folder, nil, err
	}
	smtp, err := mail.NewSMTP(f.options(clock, log))
	if err != nil {
		return nil, nil, err
	}
	outbox := mail.NewOutbox(smtp, shelf, clock, log, metrics.Mail)
	return outbox, outbox.Close, nil
}
