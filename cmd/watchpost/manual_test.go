package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
)

func parserOf(t *testing.T) *kong.Kong {
	t.Helper()
	var line commandLine
	parser, err := newParser(&line)
	require.NoError(t, err)
	return parser
}

// TestManualIsWhole: the pages name every command and every flag with its variable, and
// man reads them without a warning.
func TestManualIsWhole(t *testing.T) {
	t.Parallel()
	parser := parserOf(t)
	pages := manualPages(parser.Model.Node)
	plain := strings.NewReplacer(`\-`, "-")
	for _, leaf := range parser.Model.Leaves(true) {
		words := strings.Fields(leaf.FullPath())
		text := plain.Replace(string(pages["watchpost-"+words[1]+".1"]))
		require.Contains(t, text, strings.TrimSuffix(leaf.Help, "."), leaf.FullPath())
		for _, group := range leaf.AllFlags(true) {
			for _, flag := range group {
				if flag.Name == "help" || flag.Name == "version" {
					continue
				}
				require.Contains(t, text, "--"+flag.Name, leaf.FullPath())
				require.Contains(t, text, strings.Join(flag.Envs, ", "), leaf.FullPath())
			}
		}
		require.Contains(t, string(pages["watchpost.1"]), "\n.B "+roff(words[1]))
	}
	man, err := exec.LookPath("man")
	if err != nil {
		t.Skip("man is not installed: the pages are not read")
	}
	dir := t.TempDir()
	for name, content := range pages {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, content, 0o600))
		command := exec.CommandContext(t.Context(), man, "--warnings=w", "-l", file)
		command.Env = append(os.Environ(), "MANPAGER=cat", "MANWIDTH=100", "LC_ALL=C.UTF-8")
		out, err := command.CombinedOutput()
		require.NoError(t, err, "%s: %s", name, out)
		require.NotContains(t, string(out), "warning", name)
	}
}

// TestCompletion: bash completes commands, flags and their values.
func TestCompletion(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	script := strings.Replace(completionScript, "# TABLES\n", completionTables(parserOf(t).Model.Node), 1)
	complete := func(words ...string) []string {
		ask := script + "\nCOMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _watchpost; printf '%s\\n' \"${COMPREPLY[@]}\""
		out, err := exec.CommandContext(t.Context(), bash, append([]string{"-euc", ask, "bash"}, words...)...).CombinedOutput()
		require.NoError(t, err, string(out))
		return strings.Fields(string(out))
	}
	require.Equal(t, []string{"serve", "session"}, complete("watchpost", "se"))
	require.Contains(t, complete("watchpost", "team", ""), "create")
	require.Equal(t, []string{"--registration"}, complete("watchpost", "serve", "--reg"))
	require.Equal(t, []string{"open", "oidc", "closed"}, complete("watchpost", "serve", "--registration", "="))
	require.Equal(t, []string{"closed"}, complete("watchpost", "serve", "--registration", "=", "c"))
	require.Equal(t, []string{"closed"}, complete("watchpost", "serve", "--registration", "c"))
	require.Equal(t, []string{"--plan"}, complete("watchpost", "team", "--json", "create", "--email", "a@b.example", "--pl"))
	require.Empty(t, complete("watchpost", "team", "create", "--email", ""))
	require.Contains(t, complete("watchpost", "serve", "--tls-cert", "manual"), "manual.go")
}

// TestCompletionInFish: fish gets what bash gets.
func TestCompletionInFish(t *testing.T) {
	t.Parallel()
	fish, err := exec.LookPath("fish")
	if err != nil {
		t.Skip("fish is not installed")
	}
	dir := t.TempDir()
	script := strings.Replace(completionScript, "# TABLES\n", completionTables(parserOf(t).Model.Node), 1)
	program := "#!/bin/sh\ncat <<'END'\n" + script + "\nEND\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "watchpost"), []byte(program), 0o700))
	complete := func(line string) []string {
		command := exec.CommandContext(t.Context(), fish, "--no-config", "-c", fishScript+"\ncomplete -C $argv[1]", line)
		command.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "HOME="+dir)
		out, err := command.CombinedOutput()
		require.NoError(t, err, string(out))
		return strings.Fields(string(out))
	}
	require.ElementsMatch(t, []string{"serve", "session"}, complete("watchpost se"))
	require.Contains(t, complete("watchpost team "), "create")
	require.Equal(t, []string{"closed"}, complete("watchpost serve --registration c"))
	require.Empty(t, complete("watchpost team create --email "))
}
