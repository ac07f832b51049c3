package specs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// attackers are the parts of SECURITY.md: what each holds.
var attackers = []string{
	"A team's API key", "A session's token", "The database", "A backup", "The operator's token",
	"A browser that a member left signed in, and a former member", "A hostile page of the network",
	"A site that a member visits", "The network between the parts", "Nothing",
}

// TestSecurityPage: SECURITY.md has every attacker, says for each the possible and the impossible
// done, and every line names a test that exists.
func TestSecurityPage(t *testing.T) {
	content, err := os.ReadFile("../SECURITY.md")
	require.NoError(t, err)
	table := newClauseTable(t, "SECURITY.md")
	var headings []string
	kinds := map[string]map[string]bool{}
	for n, line := range strings.Split(string(content), "\n") {
		if heading, found := strings.CutPrefix(line, "### "); found {
			headings = append(headings, heading)
			kinds[heading] = map[string]bool{}
		}
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |"), " | ")
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| |") || len(headings) == 0 {
			continue
		}
		require.Len(t, cells, 3, "SECURITY.md:%d", n+1)
		require.Contains(t, []string{"can", "cannot"}, cells[0], "SECURITY.md:%d", n+1)
		kinds[headings[len(headings)-1]][cells[0]] = true
		for _, proof := range strings.Fields(cells[2]) {
			table.exists(n+1, proof)
		}
	}
	require.Equal(t, attackers, headings)
	for _, heading := range headings {
		require.True(t, kinds[heading]["cannot"], heading)
	}
}

// secretName is the name of a variable or field with a secret, or of the hash of one.
var secretName = regexp.MustCompile(`(?i)(token|secret|otp|apikey|password|passcode|pairingcode|masterkey)$`)

// comparedOnPurpose are comparisons of such names that need not take constant time, with
// the reason.
var comparedOnPurpose = map[string]string{
	"internal/mail/mailtest/server.go password":       "a mail server of the tests",
	"internal/identity/identitytest/issuer.go secret": "a provider of identities of the tests",
}

// TestSecretsAreComparedInConstantTime: no code compares secrets with == or !=, whose
// time tells how much is right. Secrets are looked up by a keyed hash or compared with
// crypto/subtle.
func TestSecretsAreComparedInConstantTime(t *testing.T) {
	var found []string
	used := map[string]bool{}
	require.NoError(t, filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && (name == "node_modules" || name == "specs" || name == "fakenetwork" || name == "bin" || name == "testdata") {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			b, is := n.(*ast.BinaryExpr)
			if !is || b.Op != token.EQL && b.Op != token.NEQ || !secretName.MatchString(lastName(b.X)) || fixed(b.Y) {
				return true
			}
			where := strings.TrimPrefix(filepath.ToSlash(path), "../") + " " + lastName(b.X)
			used[where] = true
			if comparedOnPurpose[where] == "" {
				found = append(found, files.Position(b.Pos()).String()+": "+where)
			}
			return true
		})
		return nil
	}))
	slices.Sort(found)
	require.Empty(t, found, "compare with crypto/subtle, or say why not")
	for where := range comparedOnPurpose {
		require.True(t, used[where], "%s is no longer there", where)
	}
}

// lastName returns the last name of x, x.y or x.y().
func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.CallExpr:
		return lastName(e.Fun)
	}
	return ""
}

// fixed reports whether an operand is a literal, nil or an untyped constant of the
// language.
func fixed(e ast.Expr) bool {
	if id, is := e.(*ast.Ident); is {
		return id.Name == "nil" || id.Name == "true" || id.Name == "false"
	}
	_, literal := e.(*ast.BasicLit)
	return literal
}
