package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// debian writes the Debian package of an architecture: it stages the files as they are
// installed, and nfpm packs them by deploy/package/nfpm.yaml.
func (r release) debian(ctx context.Context, arch string, entries []entry) error {
	stage, err := os.MkdirTemp("", "watchpost-debian-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage) //nolint:errcheck // temporary folder
	for _, e := range entries {
		name, content, err := installed(e)
		if err != nil {
			return err
		}
		if name == "" {
			continue
		}
		file := filepath.Join(stage, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil { //nolint:gosec // installed for all users
			return err
		}
		if err := os.WriteFile(file, content, os.FileMode(e.mode)); err != nil {
			return err
		}
	}
	if err := os.CopyFS(filepath.Join(stage, "package"), os.DirFS(filepath.Join(r.root, "deploy/package"))); err != nil {
		return err
	}
	out, err := filepath.Abs(r.out)
	if err != nil {
		return err
	}
	nfpm, err := filepath.Abs(r.nfpm)
	if err != nil {
		return err
	}
	version := debianVersion(r.version, r.time)
	c := exec.CommandContext(ctx, nfpm, "package", "--config", "package/nfpm.yaml", "--packager", "deb", //nolint:gosec // a tool of developers
		"--target", filepath.Join(out, "watchpost_"+version+"_"+arch+".deb"))
	c.Dir = stage
	c.Env = append(os.Environ(), "VERSION="+version, "ARCH="+arch, "SOURCE_DATE_EPOCH="+r.unixTime(), "TZ=UTC")
	if said, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("nfpm: %w\n%s", err, said)
	}
	return nil
}

// installed returns the path below / of a file of an archive in a Debian package, and
// its content there; "" means that the package leaves it out.
func installed(e entry) (path string, content []byte, err error) {
	base := filepath.Base(e.name)
	switch {
	case e.name == "watchpost":
		return "usr/bin/watchpost", e.content, nil
	case e.name == "deploy/watchpost.service":
		return "usr/lib/systemd/system/" + base, packagedUnit(e.content), nil
	case e.name == "deploy/watchpost.socket":
		return "usr/lib/systemd/system/" + base, e.content, nil
	case e.name == "completion/watchpost.fish":
		return "usr/share/fish/vendor_completions.d/" + base, e.content, nil
	case strings.HasPrefix(e.name, "completion/"):
		return "usr/share/bash-completion/completions/" + base, e.content, nil
	case strings.HasPrefix(e.name, "man/"):
		content, err := compressed(e.content)
		return "usr/share/man/man1/" + base + ".gz", content, err
	case e.name == "LICENSE":
		return "usr/share/doc/watchpost/copyright", e.content, nil
	case strings.HasPrefix(e.name, "deploy/") || !strings.Contains(e.name, "/"):
		return "usr/share/doc/watchpost/" + base, e.content, nil
	}
	return "", nil, nil
}

// packagedUnit is the unit of the package: the program is in /usr/bin, and the package
// makes a user, so that the operator can read the data with the tools of the program.
func packagedUnit(unit []byte) []byte {
	unit = bytes.ReplaceAll(unit, []byte("/usr/local/bin/"), []byte("/usr/bin/"))
	return bytes.Replace(unit, []byte("DynamicUser=yes\n"), []byte("User=watchpost\nGroup=watchpost\n"), 1)
}

func compressed(content []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}

var threeNumbers = regexp.MustCompile(`^v?(\d+\.\d+\.\d+)(.*)$`)

// debianVersion turns the version of a build into one that Debian orders rightly:
// v1.2.3 is 1.2.3, the build of the 4th commit after it is 1.2.3+4-gabc, and a build
// without a tag comes before every release, by the time of its commit.
func debianVersion(version string, commit time.Time) string {
	if found := threeNumbers.FindStringSubmatch(version); found != nil {
		return found[1] + strings.Replace(found[2], "-", "+", 1)
	}
	return "0.0.0~" + commit.UTC().Format("20060102150405") + "." + strings.ReplaceAll(version, "-", ".")
}
