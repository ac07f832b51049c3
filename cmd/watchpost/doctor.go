package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"unicode"

	"watchpost/actors/vault"
	"watchpost/http/admin"
	"watchpost/persistence"
	"watchpost/persistence/badger"
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
	} else if err := printFindings(os.Stdout, found.Findings); err != nil {
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

// printFindings prints what strangers may have written, too: nothing of it controls the
// operator's terminal.
func printFindings(w io.Writer, found []admin.Finding) error {
	plain := func(r rune) rune {
		switch {
		case r == '\n': // between errors
			return ' '
		case !unicode.IsGraphic(r):
			return unicode.ReplacementChar
		}
		return r
	}
	for _, f := range found {
		if _, err := fmt.Fprintf(w, "%-8s %-13s %s\n", f.Level, f.Check, strings.Map(plain, f.Found)); err != nil {
			return err
		}
		if f.Advice != "" {
			if _, err := fmt.Fprintf(w, "%-8s %-13s → %s\n", "", "", strings.Map(plain, f.Advice)); err != nil {
				return err
			}
		}
	}
	return nil
}

// doctor examines a service from within (running), or a stopped one.
type doctor struct {
	config  *serveCommand
	store   *store         // nil when it cannot be opened
	keyring *vault.Keyring // nil when there is none
	clock   watchpost.Clock
	running bool
	// reached is httpapi.Server.Reached of a running service.
	reached func(ctx context.Context, others []string) error
	found   []admin.Finding
}

// examineStopped examines the service of a configuration while it is stopped.
func examineStopped(ctx context.Context, c *serveCommand) ([]admin.Finding, error) {
	if err := c.readSecrets(); err != nil {
		return nil, err
	}
	d := &doctor{config: c, clock: watchpost.SystemClock{}}
	d.openStore(ctx)
	if d.store == nil {
		return d.examine(ctx), nil
	}
	found := d.examine(ctx)
	return found, d.store.Close()
}

// openStore opens an existing store, without a change to its files.
func (d *doctor) openStore(ctx context.Context) {
	const check = "store"
	opened, err := openAnyToRead(ctx, d.config.Data, d.config.Store, slog.New(slog.DiscardHandler))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.fail(check, err, "name the data folder of the service with --data; a new one is made at the first start of serve")
	case errors.Is(err, badger.ErrInUse):
		d.fail(check, err, "a service runs: name it with --server")
	case errors.Is(err, persistence.ErrDamaged):
		d.fail(check, err, damagedAdvice)
	case errors.Is(err, fs.ErrPermission):
		d.fail(check, err, "run doctor as the user of the service")
	case err != nil:
		d.fail(check, err, "if a service runs, name it with --server")
	default:
		d.store = opened
	}
}

// damagedAdvice is for records that are lost. A repair is no advice: it drops them.
const damagedAdvice = "restore a backup; keep the damaged folder until then"

func (d *doctor) add(level, check, advice, format string, args ...any) {
	d.found = append(d.found, admin.Finding{Check: check, Level: level, Found: fmt.Sprintf(format, args...), Advice: advice})
}

func (d *doctor) ok(check, format string, args ...any) {
	d.add(admin.FindingOK, check, "", format, args...)
}

func (d *doctor) warn(check, advice, format string, args ...any) {
	d.add(admin.FindingWarning, check, advice, format, args...)
}

func (d *doctor) fail(check string, err error, advice string) {
	d.add(admin.FindingError, check, advice, "%v", err)
}
