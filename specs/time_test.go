package specs_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime/quotedprintable"
	"net/mail"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// askAgain is the polling interval of a condition.
const askAgain = 40 * time.Millisecond

// until retries like a client until it succeeds or patience ends.
func (w *world) until(try func() error) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ticker := time.NewTicker(askAgain)
	defer ticker.Stop()
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("not within %s: %w", patience, err)
		}
	}
}

// eventuallyCommand waits until a condition holds. For a condition on the last
// reply it repeats the request first.
func (w *world) eventuallyCommand(args []string) error {
	if len(args) == 0 {
		return usage("eventually CONDITION")
	}
	again := false
	switch args[0] {
	case "json", "status", "reply", "refused", "header":
		again = true
	case "metric", "mail", "log":
	default:
		return fmt.Errorf("%s is no condition that can be waited for", args[0])
	}
	first := true
	return w.until(func() error {
		if again && !first {
			r, err := w.request(w.last.who, w.last.method, w.last.path, w.last.sent, w.last.extra...)
			if err != nil {
				return err
			}
			w.last = r
		}
		first = false
		return w.do(args)
	})
}

// repeatCommand runs the lines of a file of the archive several times; the
// variable N counts.
func (w *world) repeatCommand(args []string) error {
	if len(args) != 2 {
		return usage("repeat TIMES FILE")
	}
	times, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	lines := strings.Split(w.ts.ReadFile(args[1]), "\n")
	for n := 1; n <= times; n++ {
		w.ts.Setenv("N", strconv.Itoa(n))
		for _, line := range lines {
			line := words(line)
			if len(line) == 0 {
				continue
			}
			if err := w.do(line); err != nil {
				return fmt.Errorf("time %d: %s: %w", n, strings.Join(line, " "), err)
			}
		}
	}
	return nil
}

var sixDigits = regexp.MustCompile(`\b\d{6}\b`)

// mailCommand reads the mails that the service wrote to an address.
func (w *world) mailCommand(args []string) error {
	if len(args) != 3 || args[0] != "otp" && args[0] != "count" {
		return usage("mail otp EMAIL NAME | mail count EMAIL NUMBER")
	}
	files, err := filepath.Glob(filepath.Join(w.dir, "data", "mail", "*-"+args[1]+".eml"))
	if err != nil {
		return err
	}
	if args[0] == "count" {
		if got := strconv.Itoa(len(files)); got != args[2] {
			return fmt.Errorf("%s got %s mails, want %s", args[1], got, args[2])
		}
		return nil
	}
	if len(files) == 0 {
		return fmt.Errorf("no mail to %s", args[1])
	}
	code, err := codeIn(slices.Max(files), args[1])
	w.ts.Setenv(args[2], code)
	w.logs.learn("the one-time code", code)
	return err
}

// codeIn returns the one-time code of a mail, the only run of six digits in it.
// Only the owner may read the file.
func codeIn(file, to string) (string, error) {
	info, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	if info.Mode().Perm() != 0o600 {
		return "", fmt.Errorf("%s has the mode %v", filepath.Base(file), info.Mode().Perm())
	}
	opened, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer opened.Close()
	message, err := mail.ReadMessage(opened)
	if err != nil {
		return "", err
	}
	if got := message.Header.Get("To"); !strings.Contains(got, to) {
		return "", fmt.Errorf("the mail is to %s", got)
	}
	body, err := io.ReadAll(quotedprintable.NewReader(message.Body))
	if err != nil {
		return "", err
	}
	codes := sixDigits.FindAllString(string(body), -1)
	if len(codes) != 1 {
		return "", fmt.Errorf("%d runs of six digits in the mail, want one\n%s", len(codes), body)
	}
	return codes[0], nil
}

// wrongCommand stores a code that differs from a variable's.
func (w *world) wrongCommand(args []string) error {
	if len(args) != 2 {
		return usage("wrong NAME OTHER")
	}
	code, err := strconv.Atoi(w.ts.Getenv(args[0]))
	w.ts.Setenv(args[1], fmt.Sprintf("%06d", (code+1)%1_000_000))
	return err
}

// logCommand checks that the service's log contains, or lacks, a text.
func (w *world) logCommand(args []string) error {
	if len(args) != 2 || args[0] != "has" && args[0] != "lacks" {
		return usage("log has TEXT | log lacks TEXT")
	}
	if w.service == nil {
		return errors.New("no service runs")
	}
	line, found := w.logged(args[1])
	switch {
	case args[0] == "has" && !found:
		return fmt.Errorf("nothing in the log says %q\n%s", args[1], w.service.Tail())
	case args[0] == "lacks" && found:
		return fmt.Errorf("the log says %s", line)
	}
	return nil
}

// runCommand runs another command of the binary. Its exit status becomes the
// status of a reply, its output the body.
func (w *world) runCommand(args []string) error {
	p, err := launchWith(w.variables, "watchpost "+strings.Join(args, " "), w.dir, args...)
	if err != nil {
		return err
	}
	select {
	case <-p.Done():
	case <-time.After(patience):
		p.Kill()
		return fmt.Errorf("it does not end\n%s", p.Tail())
	}
	w.last = &reply{who: "shell", method: "run", path: strings.Join(args, " "), status: p.ExitCode(), body: []byte(p.Tail())}
	return nil
}
