package clients_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"watchpost/specs/process"
)

// codegen is the generator of the Go client.
const codegen = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"

// patience bounds a tool that may have to be downloaded first, on a busy
// machine.
const patience = 4 * time.Minute

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestClients runs the scenario of each client against the demo.
func TestClients(t *testing.T) {
	document, err := filepath.Abs("../openapi.json")
	require.NoError(t, err)
	service := startDemo(t)
	t.Run("Go", func(t *testing.T) {
		t.Parallel()
		dir := scenario(t, "go")
		env := []string{"GOFLAGS=-mod=mod", "GOWORK=off"}
		// The generator is fetched at its own version, independent of the
		// module's.
		if out, err := run(t, dir, env, "go", "mod", "download"); err != nil {
			unavailable(t, "the modules of the Go client", out)
		}
		require.NoError(t, os.Mkdir(filepath.Join(dir, "api"), 0o755))
		if out, err := run(t, dir, env, "go", "install", "-n", codegen); err != nil {
			unavailable(t, "oapi-codegen", out)
		}
		must(t, dir, env, "go", "run", codegen, "-config", "codegen.yaml", document)
		must(t, dir, env, "go", "vet", "./...")
		must(t, dir, env, "go", "build", "-o", "scenario", ".")
		check(t, must(t, dir, service, "./scenario"))
	})
	t.Run("TypeScript", func(t *testing.T) {
		t.Parallel()
		dir := scenario(t, "typescript")
		tool := nodeTools(t, dir)
		must(t, dir, nil, tool, "openapi-typescript", document, "-o", "api.d.ts")
		must(t, dir, nil, tool, "tsc", "-p", ".")
		check(t, must(t, dir, service, "node", "out/scenario.js"))
	})
	t.Run("MCP", func(t *testing.T) {
		t.Parallel()
		dir := scenario(t, "mcp")
		tool := nodeTools(t, dir)
		must(t, dir, nil, tool, "tsc", "-p", ".")
		require.Regexp(t, `^http: (\d+) tools, (\d+) that read; stdio: (\d+) tools, (\d+) that read\n$`, must(t, dir, service, "node", "out/scenario.js"))
		inspect(t, tool, service)
	})
}

// inspect calls tools by the official inspector, over both transports. It reads a file of
// its own relative to the folder that it runs in.
func inspect(t *testing.T, tool string, service []string) {
	t.Helper()
	dir := filepath.Join(filepath.Dir(tool), "node_modules/@modelcontextprotocol/inspector-cli/build")
	of := variables(service)
	for _, target := range [][]string{
		{of["WATCHPOST_URL"] + "/mcp", "--transport", "http", "--header", "x-api-key: " + of["WATCHPOST_KEY"]},
		{"-e", "WATCHPOST_URL=" + of["WATCHPOST_URL"], "-e", "WATCHPOST_KEY=" + of["WATCHPOST_KEY"], of["WATCHPOST_PROGRAM"], "mcp"},
	} {
		inspector := append([]string{"mcp-inspector-cli", "--cli"}, target...)
		require.Contains(t, must(t, dir, nil, tool, append(inspector, "--method", "tools/list")...), `"name": "search_posts"`)
		found := must(t, dir, nil, tool, append(inspector, "--method", "tools/call", "--tool-name", "search_posts", "--tool-arg", "page_size=1")...)
		require.Contains(t, found, "1 are shown")
		require.Contains(t, found, `"watchpost/content_of_others": true`)
	}
}

// nodeTools installs the tools of specs/openapi, lends them to a scenario, and returns
// what runs one.
func nodeTools(t *testing.T, dir string) (tool string) {
	t.Helper()
	tools, err := filepath.Abs("../openapi")
	require.NoError(t, err)
	tool = filepath.Join(tools, "tools")
	if out, err := run(t, dir, nil, tool); err != nil {
		unavailable(t, "the tools of specs/openapi", out)
	}
	require.NoError(t, os.Symlink(filepath.Join(tools, "node_modules"), filepath.Join(dir, "node_modules")))
	return tool
}

// check checks the output of a scenario: the demo's two watchlists, the
// client's own and possibly those of the other clients.
func check(t *testing.T, said string) {
	t.Helper()
	require.Regexp(t, `^watchlists [3-5], profile \S.*, posts [1-9]\d*\n$`, said)
}

var offer = regexp.MustCompile(`WATCHPOST_URL=(\S+) WATCHPOST_KEY=(\S+)`)

// startDemo starts the demo and returns the variables of a scenario.
func startDemo(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	program, err := process.Build(dir, "-race")
	require.NoError(t, err)
	const operator = "operator-token-of-the-tests"
	demo, err := process.Launch("demo", dir, program, "demo", "--listen", "127.0.0.1:0", "--network-listen", "127.0.0.1:0", "--data", dir+"/data", "--admin-token", operator)
	require.NoError(t, err)
	t.Cleanup(func() {
		if err := demo.Stop(); err != nil {
			t.Error(err)
		}
	})
	line, err := demo.Await("export WATCHPOST_URL=")
	require.NoError(t, err)
	found := offer.FindStringSubmatch(line)
	require.Len(t, found, 3, line)
	line, err = demo.Await(`"profile_slug":"`)
	require.NoError(t, err)
	profile := regexp.MustCompile(`"profile_slug":"([^"]+)"`).FindStringSubmatch(line)
	require.Len(t, profile, 2, line)
	return []string{
		"WATCHPOST_URL=" + found[1], "WATCHPOST_KEY=" + found[2], "WATCHPOST_PROGRAM=" + program,
		"PROFILE=" + profile[1], "MAIL=" + dir + "/data/mail", "ADMIN=" + operator,
	}
}

// variables are those of an environment, by their names.
func variables(environment []string) map[string]string {
	of := map[string]string{}
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		of[name] = value
	}
	return of
}

// scenario copies the files of a scenario to a temporary folder.
func scenario(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", name))))
	return dir
}

// run runs a program in a folder and returns its output.
func run(t *testing.T, dir string, env []string, program string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, program, args...)
	command.Dir, command.Env = dir, append(os.Environ(), env...)
	var out, complaints bytes.Buffer
	command.Stdout, command.Stderr = &out, &complaints
	if err := command.Run(); err != nil {
		return out.String() + complaints.String(), errors.Join(err, ctx.Err())
	}
	return out.String(), nil
}

func must(t *testing.T, dir string, env []string, program string, args ...string) string {
	t.Helper()
	out, err := run(t, dir, env, program, args...)
	require.NoError(t, err, "%s %v\n%s", program, args, out)
	return out
}

// unavailable skips a client whose tools this machine lacks; on the build
// server it fails instead.
func unavailable(t *testing.T, what, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s cannot be had: %s", what, why)
	}
	t.Skipf("%s cannot be had: %s", what, why)
}
