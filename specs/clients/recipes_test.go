package clients_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// recipes finds the programs of the section Recipes in the README.
var recipes = regexp.MustCompile("(?ms)^```(sh|python|go)\n(.*?)^```$")

// TestRecipes runs the programs of the README as they stand, against the demo.
func TestRecipes(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	section := regexp.MustCompile(`(?ms)^## Recipes\n(.*?)^## `).FindSubmatch(readme)
	require.NotNil(t, section)
	found := recipes.FindAllSubmatch(section[1], -1)
	require.Len(t, found, 5)
	service := startDemo(t)
	for i, one := range []struct {
		name, language, file, line string
		run                        []string
	}{
		{"follow in a shell", "sh", "run.sh", `^\{"changes":\[\{"cursor":".*"action":"matched"`, []string{"bash", "run.sh"}},
		{"follow in Python", "python", "run.py", `^20\S+Z http`, []string{"python3", "run.py"}},
		{"follow in Go", "go", "main.go", `^http`, []string{"./follow"}},
		{"fetch profiles", "python", "run.py", `^[^|]+ \| [^|]+ \| `, []string{"python3", "run.py"}},
		{"export a week", "sh", "run.sh", "", []string{"bash", "run.sh"}},
	} {
		t.Run(one.name, func(t *testing.T) {
			dir := t.TempDir()
			require.Equal(t, one.language, string(found[i][1]))
			require.NoError(t, os.WriteFile(filepath.Join(dir, one.file), found[i][2], 0o600))
			if one.language == "go" {
				must(t, dir, nil, "go", "build", "-o", "follow", "main.go")
			}
			if _, err := exec.LookPath(one.run[0]); err != nil && one.language != "go" {
				unavailable(t, one.run[0], err.Error())
			}
			if one.line == "" {
				must(t, dir, service, one.run[0], one.run[1:]...)
				rows, err := os.ReadFile(filepath.Join(dir, "posts.csv"))
				require.NoError(t, err)
				require.Regexp(t, `(?s)^id,.*\n[0-9a-f-]{36},`, string(rows))
				return
			}
			stored := ""
			if strings.HasPrefix(one.name, "follow in ") {
				stored = filepath.Join(dir, "cursor.txt")
			}
			follow(t, dir, service, regexp.MustCompile(one.line), stored, one.run)
		})
	}
	t.Run("desktop client", func(t *testing.T) { desktopClient(t, section[1], service) })
}

// desktopClient starts the service's tools as the lines for a desktop client say, with the
// address and key of a running service.
func desktopClient(t *testing.T, section []byte, service []string) {
	var config struct {
		Servers map[string]struct {
			Command string
			Args    []string
			Env     map[string]string
		} `json:"mcpServers"`
	}
	lines := regexp.MustCompile("(?ms)^```json\n(.*?)^```$").FindSubmatch(section)
	require.NotNil(t, lines)
	require.NoError(t, json.Unmarshal(lines[1], &config))
	server := config.Servers["watchpost"]
	require.Equal(t, "watchpost", server.Command)
	of := variables(service)
	command := exec.CommandContext(t.Context(), of["WATCHPOST_PROGRAM"], server.Args...)
	for name := range server.Env {
		require.Contains(t, of, name)
		command.Env = append(command.Env, name+"="+of[name])
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "desktop", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.CommandTransport{Command: command}, nil)
	require.NoError(t, err)
	tools, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.NotEmpty(t, tools.Tools)
	require.NoError(t, session.Close())
}

// follow runs a program that does not end by itself until it has written a line as wanted
// and, where it stores one, a cursor.
func follow(t *testing.T, dir string, env []string, wanted *regexp.Regexp, stored string, program []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, program[0], program[1:]...)
	command.Dir, command.Env, command.Stderr = dir, append(os.Environ(), env...), os.Stderr
	out, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	lines, known := bufio.NewScanner(out), false
	lines.Buffer(nil, 1<<20)
	for !known && lines.Scan() {
		known = wanted.MatchString(lines.Text())
	}
	if known && stored != "" {
		require.Eventually(t, func() bool {
			cursor, err := os.ReadFile(stored)
			return err == nil && len(cursor) > 0
		}, patience, 50*time.Millisecond)
	}
	cancel()
	_ = command.Wait() // it was ended
	require.True(t, known, "%v writes no line as %s", program, wanted)
}
