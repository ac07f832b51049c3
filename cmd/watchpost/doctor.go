package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"

	"watchpost/actors/vault"
	"watchpost/http/admin"
	"watchpost/internal/doctor"
	"watchpost/internal/identity"
	"watchpost/watchpost"
)

const doctorPath = "/admin/doctor"

// doctorCommand checks a service: a running one through the admin API, otherwise a
// stopped one with the flags that it is started with.
type doctorCommand struct {
	Serve  serveCommand `embed:""`
	Server string       `help:"Address of the admin API of a running service, which then checks itself; default: the service is stopped."`
	JSON   bool         `name:"json" help:"Print the findings as JSON."`
}

// Run prints the findings. An error among them is an error.
func (c *doctorCommand) Run(ctx context.Context) error {
	var found admin.Findings
	if c.Server != "" {
		flags := adminFlags{Server: c.Server, AdminToken: c.Serve.AdminToken}
		if err := flags.call(ctx, "ask the service", http.MethodGet, doctorPath, nil, &found); err != nil {
			return err
		}
	} else {
		var err error
		if found.Findings, err = examineStopped(ctx, &c.Serve); err != nil {
			return err
		}
	}
	if c.JSON {
		encoded, err := json.Marshal(found)
		if err != nil {
			return err
		}
		fmt.Println(string(encoded))
	} else if err := doctor.Print(os.Stdout, found.Findings); err != nil {
		return err
	}
	failed := 0
	for _, f := range found.Findings {
		if f.Level == admin.FindingError {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d findings are errors", failed, len(found.Findings))
	}
	return nil
}

// examineStopped examines the service of a configuration while it is stopped.
func examineStopped(ctx context.Context, c *serveCommand) ([]admin.Finding, error) {
	if err := c.readSecrets(); err != nil {
		return nil, err
	}
	s := c.examined(watchpost.SystemClock{})
	opened, err := openAnyToRead(ctx, c.Data, c.Store, slog.New(slog.DiscardHandler))
	s.OpenError = err
	if opened == nil {
		return doctor.Examine(ctx, s), nil
	}
	opened.examined(&s)
	s.Keyring = func() (*vault.Keyring, string, error) {
		key, origin, err := readMasterKey(c)
		if err != nil {
			return nil, origin, err
		}
		keyring, err := newKeyring(key, c.SecondMasterKeyFile)
		return keyring, origin, err
	}
	return doctor.Examine(ctx, s), opened.Close()
}

// examine examines the running service.
func (s *service) examine(ctx context.Context) []admin.Finding {
	e := s.config.examined(s.clock)
	s.store.examined(&e)
	e.Running, e.Node.Reached = true, s.api.Reached
	e.Keyring = func() (*vault.Keyring, string, error) { return s.keyring, "", nil }
	return doctor.Examine(ctx, e)
}

// examined returns what the doctor looks at, without the store and the key.
func (c *serveCommand) examined(clock watchpost.Clock) doctor.Service {
	keyFile := "" // the key comes from a variable
	if c.MasterKey == "" {
		keyFile = cmp.Or(c.MasterKeyFile, filepath.Join(c.Data, "master.key"))
	}
	return doctor.Service{
		Build: version, Clock: clock, Settings: c.check, UnknownVariables: c.unknown, TestClock: c.TestClock,
		Data: c.Data, Database: c.Store, MinFree: c.MinFree,
		SecretFiles: []string{keyFile, c.TLSKey, c.ClusterKey},
		Addresses:   []string{c.Listen, c.OpsListen, c.ClusterListen}, TLSCert: c.TLSCert, TLSKey: c.TLSKey,
		Node: doctor.Node{Clustered: c.Cluster, Advertise: c.Advertise, CertFile: c.ClusterCert, KeyFile: c.ClusterKey, CAFile: c.ClusterCA},
		SMTP: c.SMTP.options(clock, nil), MailFolder: filepath.Join(c.Data, "mail"),
		Provider:       func() (*identity.Provider, error) { return c.provider(clock) },
		ProviderIssuer: c.OIDC.Issuer, ProviderDomains: c.OIDC.domains(), PublicURL: c.PublicURL, BackupTo: c.BackupTo,
	}
}

// examined adds the store to what the doctor looks at.
func (s *store) examined(e *doctor.Service) {
	e.Store, e.Writable, e.Free = s, s.writable, s.free
}
