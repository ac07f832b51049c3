package deploy

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/persistence/postgres/postgrestest"
	"watchpost/specs/cluster/local"
	"watchpost/specs/process"
)

// metricsOf returns the names of a service's metrics.
func metricsOf(t *testing.T, address string) (names map[string]bool) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/metrics", nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+local.AdminToken)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode)
	defer http.DefaultClient.CloseIdleConnections()
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	names = map[string]bool{}
	for _, found := range regexp.MustCompile(`(?m)^# TYPE (\w+) (\w+)$`).FindAllStringSubmatch(string(raw), -1) {
		names[found[1]] = true
		if found[2] == "histogram" {
			for _, suffix := range []string{"_bucket", "_sum", "_count"} {
				names[found[1]+suffix] = true
			}
		}
	}
	return names
}

// TestMetrics: every metric that the rules and the dashboard name exists. Every metric of
// Watchpost has its row in the runbook, and every row is one.
func TestMetrics(t *testing.T) {
	dir := t.TempDir()
	binary, err := process.Build(dir)
	require.NoError(t, err)
	service, err := process.Launch("service", dir, binary, "serve", "--listen", "127.0.0.1:0", "--data", "data", "--backup-to", filepath.Join(dir, "backups"), "--admin-token", local.AdminToken)
	require.NoError(t, err)
	t.Cleanup(service.Kill)
	url, err := service.URL()
	require.NoError(t, err)
	known := metricsOf(t, url)

	server, err := postgrestest.Start("fsync=off")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	shared := filepath.Join(dir, "cluster")
	require.NoError(t, os.Mkdir(shared, 0o700))
	c, err := local.New(local.Options{Binary: binary, Dir: shared, StoreURL: server.URL("postgres")})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	listen, err := process.FreeAddress()
	require.NoError(t, err)
	node, err := c.Add(t.Context(), listen)
	require.NoError(t, err)
	for name := range metricsOf(t, "http://"+node.Listen) {
		known[name] = true
	}

	for name := range inCode(t) { // also those that have no series yet
		known[name] = true
	}
	var rows, own []string
	for _, row := range regexp.MustCompile(`(?m)^\| `+"`"+`(watchpost_\w+)`+"`"+` \|`).FindAllStringSubmatch(read(t, "RUNBOOK.md"), -1) {
		rows = append(rows, row[1])
	}
	for name := range known {
		if strings.HasPrefix(name, "watchpost_") && !partOfHistogram(name, known) {
			own = append(own, name)
		}
	}
	slices.Sort(own)
	require.Greater(t, len(own), 40)
	require.Equal(t, own, rows, "the metrics, and their rows in RUNBOOK.md by name")
	named(t, known)
}

// partOfHistogram reports whether a series belongs to a histogram.
func partOfHistogram(name string, known map[string]bool) bool {
	whole := regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
	return whole != name && known[whole]
}

// named checks the metrics that the rules and the dashboard name.
func named(t *testing.T, known map[string]bool) {
	t.Helper()
	var board struct {
		Panels []struct {
			ID      int
			Title   string
			Targets []struct{ Expr string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(read(t, "grafana/watchpost.json")), &board))
	require.NotEmpty(t, board.Panels)
	texts := map[string]string{"rules": strings.Join(regexp.MustCompile(`(?s)expr:(.*?)\n +(?:for|labels):`).FindAllString(read(t, "prometheus/rules.yaml"), -1), "\n")}
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			texts[p.Title] += target.Expr + "\n"
		}
	}
	count := 0
	for where, text := range texts {
		for _, name := range regexp.MustCompile(`\b(?:watchpost|process)_\w+`).FindAllString(text, -1) {
			count++
			require.True(t, known[name], "%s names %s, which no node shows", where, name)
		}
	}
	require.Greater(t, count, 40)
}

// inCode returns the names of the metrics that the code makes. One with labels shows no
// series before its first value.
func inCode(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	literal := func(e ast.Expr) {
		if l, ok := e.(*ast.BasicLit); ok && l.Kind == gotoken.STRING {
			text, err := strconv.Unquote(l.Value)
			require.NoError(t, err)
			names["watchpost_"+strings.TrimPrefix(text, "watchpost_")] = true
		}
	}
	for _, root := range []string{"actors", "cmd/watchpost", "http", "internal/cluster", "internal/mail", "persistence"} {
		var files []string
		require.NoError(t, filepath.WalkDir(filepath.Join("../..", root), func(file string, _ fs.DirEntry, err error) error {
			if filepath.Ext(file) == ".go" {
				files = append(files, file)
			}
			return err
		}))
		for _, file := range files {
			parsed, err := parser.ParseFile(gotoken.NewFileSet(), file, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			if strings.HasSuffix(file, "_test.go") || !makesMetrics(parsed) {
				continue
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.KeyValueExpr: // of options
					if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Name" {
						literal(n.Value)
					}
				case *ast.CallExpr: // of a helper that makes one
					if f, ok := n.Fun.(*ast.Ident); ok && slices.Contains([]string{"gauge", "counter", "vector"}, f.Name) {
						literal(n.Args[0])
					}
					if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Gauge" {
						literal(n.Args[0])
					}
				}
				return true
			})
		}
	}
	return names
}

func makesMetrics(f *ast.File) bool {
	return slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool {
		return i.Path.Value == `"github.com/prometheus/client_golang/prometheus"` || i.Path.Value == `"watchpost/persistence/storemetrics"`
	})
}
