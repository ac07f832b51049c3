package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/specs/process"
)

var at = time.Unix(1_800_000_000, 0).UTC()

// built is the folder of the program under test.
var built string

func TestMain(m *testing.M) {
	var err error
	if built, err = os.MkdirTemp("", "watchpost-release-test-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(built)
	os.Exit(code)
}

var buildOnce = sync.OnceValues(func() (string, error) { return process.Build(built, "-ldflags=-s -w") })

// program returns the program that the packages contain.
func program(t *testing.T) string {
	t.Helper()
	path, err := buildOnce()
	require.NoError(t, err)
	return path
}

// tool returns the path of a program that make long-tools builds. On the build
// server a missing one is a failure.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("../../bin/tools", name))
	require.NoError(t, err)
	if _, err = os.Stat(path); err != nil && os.Getenv("CI") == "" {
		t.Skipf("%s is not built: make long-tools", name)
	}
	require.NoError(t, err, "make long-tools builds %s", name)
	return path
}

// TestArchivesAreTheSameAgain: neither order nor time of the build is in an archive.
func TestArchivesAreTheSameAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := []entry{{"b", 0o644, []byte("two")}, {"a", 0o755, []byte("one")}}
	require.NoError(t, writeArchive(filepath.Join(dir, "1"), "x", at, files))
	files[0], files[1] = files[1], files[0]
	require.NoError(t, writeArchive(filepath.Join(dir, "2"), "x", at, files))
	first, err := os.ReadFile(filepath.Join(dir, "1"))
	require.NoError(t, err)
	second, err := os.ReadFile(filepath.Join(dir, "2"))
	require.NoError(t, err)
	require.True(t, bytes.Equal(first, second))
	listed, err := exec.CommandContext(t.Context(), "tar", "-tvzf", filepath.Join(dir, "1")).CombinedOutput()
	require.NoError(t, err, string(listed))
	require.Regexp(t, `-rwxr-xr-x 0/0 +3 2027-01-15 \d\d:00 x/a\n-rw-r--r-- 0/0 +3 2027-01-15 \d\d:00 x/b\n`, string(listed))

	require.NoError(t, writeChecksums(dir))
	check := exec.CommandContext(t.Context(), "sha256sum", "--strict", "-c", "SHA256SUMS")
	check.Dir = dir
	out, err := check.CombinedOutput()
	require.NoError(t, err, string(out))
}

// TestDebianVersions: dpkg orders the versions as they were built.
func TestDebianVersions(t *testing.T) {
	t.Parallel()
	builds := []string{ // an hour lies between them
		"0a1b2c3-dirty", "fa1b2c3", "3a1b2c3", // without a tag
		"v1.2.3", "v1.2.3-4-g0a1b2c3", "v1.2.3-10-g0a1b2c3", "v1.10.0",
	}
	versions := make([]string, len(builds))
	for i, build := range builds {
		versions[i] = debianVersion(build, at.Add(time.Duration(i)*time.Hour))
	}
	require.Equal(t, "1.2.3+4-g0a1b2c3", versions[4])
	dpkg, err := exec.LookPath("dpkg")
	if err != nil {
		t.Skip("dpkg is not installed")
	}
	for i, version := range versions[1:] {
		require.NoError(t, exec.CommandContext(t.Context(), dpkg, "--compare-versions", versions[i], "lt", version).Run(), version)
	}
}

// TestLicences: every module in the program has a licence that goes with that of the
// program, and the bill of materials names all modules.
func TestLicences(t *testing.T) {
	t.Parallel()
	program := program(t)
	modules, err := modulesOf(t.Context(), program)
	require.NoError(t, err)
	require.Greater(t, len(modules), 50)
	require.Empty(t, refused(modules))
	require.Len(t, refused([]module{{path: "x"}, {path: "y", licences: []string{"AGPL-3.0"}}}), 2)
	packages, err := npmPackages("../..")
	require.NoError(t, err)
	require.Empty(t, refused(packages))
	require.Subset(t, paths(packages), []string{"npm:htmx.org", "npm:uplot", "npm:valibot"})
	require.NotContains(t, paths(packages), "npm:vitest")
	notices, err := noticesOf(modules)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "sbom")
	require.NoError(t, writeSBOM(file, "v1.2.3", at, modules))
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	var sbom struct {
		BOMFormat, SpecVersion string
		Components             []struct {
			Name, Version, Purl string
			Licenses            []struct{ License struct{ ID string } }
		}
	}
	require.NoError(t, json.Unmarshal(raw, &sbom))
	require.Equal(t, "CycloneDX 1.6", sbom.BOMFormat+" "+sbom.SpecVersion)
	require.Len(t, sbom.Components, len(modules))
	for i, c := range sbom.Components {
		require.Equal(t, "pkg:golang/"+modules[i].path+"@"+modules[i].version, c.Purl)
		require.NotEmpty(t, c.Licenses, c.Name)
		require.Contains(t, string(notices), "\n"+c.Name+" "+c.Version+"\n")
	}
}

func paths(modules []module) (all []string) {
	for _, m := range modules {
		all = append(all, m.path)
	}
	return all
}
