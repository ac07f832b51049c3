// Package layout holds the tree to its bounds: how many files a package has, how many
// methods a type, and how many lines a file of tests. make lint runs it; the direction of imports is in .golangci.yml.
package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	maxFiles   = 40  // of a package, tests excluded
	maxMethods = 40  // of a type
	maxLines   = 400 // of a file of tests
)

// TestLayout: no package is a hall whose only walls are the names of its files, and no type
// holds together what could be apart.
func TestLayout(t *testing.T) {
	t.Parallel()
	files, methods := map[string]int{}, map[string]int{}
	root := filepath.Join("..", "..")
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && (name == "node_modules" || name == "testdata" || name == ".git" || name == "bin"):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		files[folder]++
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
				methods[folder+"."+receiver(f.Recv.List[0].Type)]++
			}
		}
		return nil
	}))
	require.Greater(t, len(files), 40)
	for folder, n := range files {
		require.LessOrEqual(t, n, bound(folder, maxFiles), "files of %s: move what knows nothing of the rest into a package of its own", folder)
	}
	for name, n := range methods {
		require.LessOrEqual(t, n, bound(name, maxMethods), "methods of %s: split it, and give each part what it needs", name)
	}
}

// exceptions have a bound of their own. It only goes down.
var exceptions = map[string]int{
	"actors": 60,
}

func bound(name string, usual int) int {
	if n, ok := exceptions[name]; ok {
		return n
	}
	return usual
}

// receiver returns the name of the type of a method.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// longTests are files of tests about one subject that stay together, with their bound. It
// only goes down.
var longTests = map[string]int{
	"persistence/postindex/model_test.go": 444, // the model of a query and its generator
	"actors/linear_test.go":               426, // one checker of histories
	"actors/life_test.go":                 414,
}

// TestTestsAreShort: a file of tests has one subject.
func TestTestsAreShort(t *testing.T) {
	t.Parallel()
	root, files := filepath.Join("..", ".."), 0
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && (name == "node_modules" || name == "testdata" || name == ".git" || name == "bin"):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, "_test.go"):
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		files++
		limit := max(maxLines, longTests[filepath.ToSlash(file)])
		require.LessOrEqual(t, strings.Count(string(content), "\n"), limit, "lines of %s: move a subject into a file of its own", file)
		return nil
	}))
	require.Greater(t, files, 100)
}
