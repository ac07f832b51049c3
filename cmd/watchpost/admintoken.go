package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"strings"

	"watchpost/http/endpoint"
)

// adminTokenCommand makes a token for an operator with a name.
type adminTokenCommand struct {
	Name string `arg:"" help:"Name of the operator, as the audit shows it."`
}

// operatorToken begins each token that admin-token makes, so that scanners for
// secrets find it.
const operatorToken = "wpo_"

// Run prints the line for the file of --admin-tokens, and the token apart from it.
func (c *adminTokenCommand) Run() error {
	if err := checkOperatorName(c.Name); err != nil {
		return err
	}
	random := make([]byte, 24)
	if _, err := rand.Read(random); err != nil {
		return err
	}
	token := operatorToken + hex.EncodeToString(random)
	hash := sha256.Sum256([]byte(token))
	fmt.Printf("%s: %x\n", c.Name, hash)
	_, err := fmt.Fprintf(os.Stderr, "The token of %s, which is not shown again: %s\nAdd the line above to the file of --admin-tokens and restart the service.\n", c.Name, token)
	return err
}

var operatorName = regexp.MustCompile(`^[A-Za-z0-9._@+-]{1,64}$`)

func checkOperatorName(name string) error {
	if !operatorName.MatchString(name) {
		return fmt.Errorf("name %q: want up to 64 of A-Z a-z 0-9 . _ @ + -", name)
	}
	return nil
}

// operators reads the file of --admin-tokens: a line for each, empty lines and
// comments between them.
func (c *serveCommand) operators() ([]endpoint.Operator, error) {
	if c.AdminTokens == "" {
		return nil, nil
	}
	content, err := os.ReadFile(c.AdminTokens)
	if err != nil {
		return nil, fmt.Errorf("--admin-tokens: %w", err)
	}
	operators, err := parseOperators(content)
	if err != nil {
		return nil, fmt.Errorf("--admin-tokens: %w", err)
	}
	return operators, nil
}

func parseOperators(content []byte) (operators []endpoint.Operator, err error) {
	names := map[string]bool{}
	lines := bufio.NewScanner(bytes.NewReader(content))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, text, _ := strings.Cut(line, ":")
		hash, err := hex.DecodeString(strings.TrimSpace(text))
		switch {
		case err != nil || len(hash) != sha256.Size: // the line may hold a token: do not repeat it
			return nil, fmt.Errorf("line %d: want NAME: HASH, as watchpost admin-token prints it", n)
		case names[name]:
			return nil, fmt.Errorf("line %d: the name %s is there twice", n, name)
		}
		if err := checkOperatorName(name); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		names[name] = true
		operators = append(operators, endpoint.Operator{Name: name, Hash: [sha256.Size]byte(hash)})
	}
	return operators, lines.Err()
}

// managed reports whether there is an admin API.
func (c *serveCommand) managed() bool { return c.AdminToken != "" || c.AdminTokens != "" }
