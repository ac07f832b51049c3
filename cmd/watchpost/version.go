package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is set by the linker.
var version = "development"

type versionCommand struct{}

// Run prints the version, the commit when the build knew it, and Go's.
func (versionCommand) Run() error { //nolint:unparam // kong wants an error
	commit := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				commit = " " + s.Value
			}
		}
	}
	fmt.Printf("watchpost %s%s %s\n", version, commit, runtime.Version())
	return nil
}
