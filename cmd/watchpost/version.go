package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
)

// version is set by the linker.
var version = "development"

type versionCommand struct{}

// Run prints the version.
func (versionCommand) Run() error { //nolint:unparam // the interface of kong
	fmt.Println(versionLine())
	return nil
}

// versionLine returns the version, the commit if known, and the version of Go.
func versionLine() string {
	line := "watchpost " + version
	if commit := commitOf(); commit != "" {
		line += " " + commit
	}
	return line + " " + runtime.Version()
}

// commitOf returns the commit that the binary was built from, or "" if the
// build did not record it.
func commitOf() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return ""
}

// buildInfo is the metric that distinguishes builds in a fleet.
func buildInfo() prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "watchpost_build_info", Help: "1; the labels name the build.",
		ConstLabels: prometheus.Labels{"version": version, "commit": commitOf(), "go": runtime.Version()},
	}, func() float64 { return 1 })
}
