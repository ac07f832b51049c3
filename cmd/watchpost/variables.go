package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// fileVariable finds the variables of files with secrets: the help of each such flag
// names its own.
var fileVariable = regexp.MustCompile(`WATCHPOST_\w+_FILE`)

// serviceLink is a variable that Docker and Kubernetes set for a service whose name begins
// with watchpost.
var serviceLink = regexp.MustCompile(`_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_\w+)?)$`)

// testVariables are those of the project's own tests and drills.
var testVariables = regexp.MustCompile(`^WATCHPOST_(TEST_|FAULTS_|CORPUS|LONG$|BINARY$)`)

// knownVariables returns the variables that some flag of a command line is set by.
func knownVariables(model *kong.Application) map[string]bool {
	known := map[string]bool{}
	var visit func(*kong.Node)
	visit = func(node *kong.Node) {
		for _, flag := range node.Flags {
			for _, name := range flag.Envs {
				known[name] = true
			}
			for _, name := range fileVariable.FindAllString(flag.Help, -1) {
				known[name] = true
			}
		}
		for _, child := range node.Children {
			visit(child)
		}
	}
	visit(model.Node)
	return known
}

// unknownVariables returns the variables of an environment that look like settings of
// Watchpost and are none: misspelled ones, and those of another version.
func unknownVariables(known map[string]bool, environment []string) (unknown []string) {
	for _, entry := range environment {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "WATCHPOST_") || known[name] || serviceLink.MatchString(name) || testVariables.MatchString(name) {
			continue
		}
		unknown = append(unknown, name)
	}
	slices.Sort(unknown)
	return unknown
}
