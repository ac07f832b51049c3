package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/google/licensecheck"
)

// accepted are the licences under which a program of the Apache License 2.0 may
// contain a module.
var accepted = map[string]bool{
	"0BSD": true, "BSD-0-Clause": true /* htmx names it so */, "Apache-2.0": true, "BSD-2-Clause": true, "BSD-3-Clause": true, "CC0-1.0": true, "ISC": true, "MIT": true, "MPL-2.0": true,
	"Unlicense": true, "Zlib": true,
}

// ofDocuments are the licences that modules have for their documentation alone, which is no
// part of the program.
var ofDocuments = map[string]string{"github.com/modelcontextprotocol/go-sdk": "CC-BY-4.0"}

// module is a module in the program.
type module struct {
	path, version string
	licences      []string // SPDX identifiers
	texts         [][]byte // of the licences and notices
}

// modulesOf returns the modules that a program was built from, by the record in the
// program, and Go itself.
func modulesOf(ctx context.Context, program string) ([]module, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	versions := map[string]string{}
	for _, d := range info.Deps {
		if d.Replace != nil {
			d = d.Replace
		}
		versions[d.Path] = d.Version
	}
	dirs, err := moduleFolders(ctx)
	if err != nil {
		return nil, err
	}
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	golang, err := readLicences(module{path: "std", version: strings.TrimPrefix(info.GoVersion, "go")}, strings.TrimSpace(string(goroot)))
	if err != nil {
		return nil, err
	}
	modules := []module{golang}
	for path, version := range versions {
		m, err := readLicences(module{path: path, version: version}, dirs[path+"@"+version])
		if err != nil {
			return nil, err
		}
		modules = append(modules, m)
	}
	slices.SortFunc(modules, func(a, b module) int { return strings.Compare(a.path, b.path) })
	return modules, nil
}

// moduleFolders returns the folders of the modules of this repository, by path@version.
func moduleFolders(ctx context.Context) (map[string]string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-json", "all").Output()
	if err != nil {
		return nil, fmt.Errorf("go list -m: %w", err)
	}
	dirs := map[string]string{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var m struct{ Path, Version, Dir string }
		if err := decoder.Decode(&m); errors.Is(err, io.EOF) {
			return dirs, nil
		} else if err != nil {
			return nil, err
		}
		dirs[m.Path+"@"+m.Version] = m.Dir
	}
}

// licenceFile is the name of a file with a licence or a notice that goes with it.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|unlicense)([.-].*)?$`)

// enough is the part of a file, in percent, that must be a known licence.
const enough = 70

// readLicences reads the licences in the folder of a module.
func readLicences(m module, dir string) (module, error) {
	if dir == "" {
		return m, fmt.Errorf("%s %s is not in the module cache: go mod download", m.path, m.version)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return m, err
	}
	for _, f := range files {
		if f.IsDir() || !licenceFile.MatchString(f.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return m, err
		}
		m.texts = append(m.texts, text)
		if found := licensecheck.Scan(text); found.Percent >= enough {
			for _, match := range found.Match {
				if match.ID != ofDocuments[m.path] {
					m.licences = append(m.licences, match.ID)
				}
			}
		}
	}
	slices.Sort(m.licences)
	m.licences = slices.Compact(m.licences)
	return m, nil
}

// refused returns the faults of the licences of modules, one line for each.
func refused(modules []module) (lines []string) {
	for _, m := range modules {
		if len(m.licences) == 0 {
			lines = append(lines, fmt.Sprintf("%s %s: no known licence", m.path, m.version))
		}
		for _, id := range m.licences {
			if !accepted[id] {
				lines = append(lines, fmt.Sprintf("%s %s: %s is not accepted", m.path, m.version, id))
			}
		}
	}
	return lines
}

// noticesOf returns the texts of all licences, which must go with the program.
func noticesOf(modules []module) ([]byte, error) {
	if lines := refused(modules); len(lines) > 0 {
		return nil, errors.New(strings.Join(lines, "\n"))
	}
	var b bytes.Buffer
	b.WriteString("The program contains these modules, under the licences that follow their names.\n")
	for _, m := range modules {
		fmt.Fprintf(&b, "\n%s\n%s %s\n\n", strings.Repeat("=", 80), m.path, m.version)
		for _, text := range m.texts {
			b.Write(bytes.TrimSpace(text))
			b.WriteString("\n\n")
		}
	}
	return b.Bytes(), nil
}

// lockFiles name the packages of npm in the program's pages and in the extension.
var lockFiles = []string{"http/dashboard/package-lock.json", "extension/package-lock.json"}

// npmPackages returns the packages of npm that the program and the extension contain,
// with the licence that the lock files name. Tools that only build and test are no part.
func npmPackages(root string) (packages []module, err error) {
	for _, name := range lockFiles {
		raw, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		var lock struct {
			Packages map[string]struct {
				Version, License string
				Dev              bool
			}
		}
		if err := json.Unmarshal(raw, &lock); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for path, p := range lock.Packages {
			if path == "" || p.Dev {
				continue // the folder itself, and tools
			}
			m := module{path: "npm:" + strings.TrimPrefix(path, "node_modules/"), version: p.Version}
			if p.License != "" {
				m.licences = []string{p.License}
			}
			packages = append(packages, m)
		}
	}
	slices.SortFunc(packages, func(a, b module) int { return strings.Compare(a.path, b.path) })
	return packages, nil
}

// printLicences builds the program and lists its modules, and the packages of npm in it
// and in the extension, with their licences. A licence that is not accepted is an error.
func printLicences(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "watchpost-audit-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // temporary folder
	program, err := release{version: "audit", root: "."}.build(ctx, dir, platform{runtime.GOOS, runtime.GOARCH})
	if err != nil {
		return err
	}
	modules, err := modulesOf(ctx, program)
	if err != nil {
		return err
	}
	packages, err := npmPackages(".")
	if err != nil {
		return err
	}
	modules = append(modules, packages...)
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, m := range modules {
		_, _ = fmt.Fprintf(out, "%s\t%s\t%s\n", m.path, m.version, strings.Join(m.licences, ", ")) // Flush returns the error
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if lines := refused(modules); len(lines) > 0 {
		return errors.New(strings.Join(lines, "\n"))
	}
	return nil
}
