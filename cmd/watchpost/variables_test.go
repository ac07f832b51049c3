package main

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
)

// samples are values that differ from the defaults, by flag type.
var samples = map[string]string{
	"string": "sample", "bool": "true", "int": "17", "int64": "17", "*float64": "0.5", "*int": "17", "duration": "17s", "path": "/sample", "slog.Level": "error", "netip.Prefix": "10.0.0.0/8",
}

// onPurpose are the flags that a variable must not set for each command.
var onPurpose = map[string]bool{"insecure": true, "yes": true, "expires": true, "full": true, "limit": true, "from": true, "backup": true, "accept-loss": true, "accept-unsealed": true}

// TestEveryFlagHasAVariable: each flag of each command can be set by its
// variable, with the same effect.
func TestEveryFlagHasAVariable(t *testing.T) {
	var line commandLine
	parser, err := newParser(&line)
	require.NoError(t, err)
	seen := 0
	for _, command := range parser.Model.Leaves(true) {
		for _, group := range command.AllFlags(true) {
			for _, flag := range group {
				if flag.Name == "help" || flag.Name == "version" || len(flag.Envs) == 0 && onPurpose[flag.Name] {
					continue
				}
				seen++
				name := "WATCHPOST_"
				if command.Name == "demo" || command.Name == "network" {
					name += strings.ToUpper(command.Name) + "_"
				}
				name += strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
				require.Contains(t, flag.Envs, name, "%s --%s", command.Path(), flag.Name)
				t.Run(command.Path()+" --"+flag.Name, func(t *testing.T) {
					value := sampleOf(t, flag)
					given := valueOf(t, command, flag.Name, "--"+flag.Name+"="+value)
					require.NotEmpty(t, given)
					t.Setenv(name, value)
					require.Equal(t, given, valueOf(t, command, flag.Name))
				})
			}
		}
	}
	require.Greater(t, seen, 40)
}

// sampleOf returns a value for a flag that is not its default.
func sampleOf(t *testing.T, flag *kong.Flag) string {
	t.Helper()
	for _, one := range flag.EnumSlice() {
		if one != "" && one != flag.Default {
			return one
		}
	}
	kind := flag.Target.Type().String()
	switch {
	case kind == "time.Duration":
		return samples["duration"]
	case strings.HasPrefix(kind, "[]"):
		kind = kind[2:]
	}
	value, known := samples[kind]
	require.True(t, known, "no sample for %s --%s", kind, flag.Name)
	return value
}

// valueOf parses a command line and returns the value of a flag.
func valueOf(t *testing.T, command *kong.Node, flag string, args ...string) any {
	t.Helper()
	var line commandLine
	parser, err := newParser(&line)
	require.NoError(t, err)
	words := strings.Fields(command.FullPath())
	for name, value := range map[string]string{"email": "--email=a@b.example", "plan": "--plan=growth", "team": "--team=x", "from": "--from=x"} {
		for _, group := range command.AllFlags(true) {
			for _, f := range group {
				if f.Name == name && f.Required && name != flag {
					args = append(args, value)
				}
			}
		}
	}
	for _, argument := range command.Positional {
		if argument.Required {
			args = append(args, "positional")
		}
	}
	_, err = parser.Parse(append(words[1:], args...))
	require.NoError(t, err)
	for _, leaf := range parser.Model.Leaves(true) {
		if leaf.Path() != command.Path() {
			continue
		}
		for _, group := range leaf.AllFlags(true) {
			for _, f := range group {
				if f.Name == flag {
					return f.Target.Interface()
				}
			}
		}
	}
	t.Fatalf("%s has no --%s", command.Path(), flag)
	return nil
}

// TestNoSharedVariables: variables of the service configure neither the demo
// nor the stand-in network, and vice versa.
func TestNoSharedVariables(t *testing.T) {
	var line commandLine
	parser, err := newParser(&line)
	require.NoError(t, err)
	owner := map[string]string{}
	for _, command := range parser.Model.Leaves(true) {
		if command.Name != "serve" && command.Name != "demo" && command.Name != "network" {
			continue
		}
		for _, flag := range command.Flags {
			for _, name := range flag.Envs {
				require.Empty(t, owner[name], "%s of %s", name, command.Name)
				owner[name] = command.Name
			}
		}
	}
	require.Equal(t, "serve", owner["WATCHPOST_DATA"])
	require.Equal(t, "demo", owner["WATCHPOST_DEMO_DATA"])
}
