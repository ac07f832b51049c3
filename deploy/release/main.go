// Command release builds the published files of a version: an archive for each
// platform with its bill of materials, Debian packages and checksums. Two runs on one
// commit with one version of Go make the same bytes. With -audit it lists the licences
// of the modules in the program instead.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// platform is a pair of GOOS and GOARCH.
type platform struct{ os, arch string }

// platforms are those of a release. The store locks its folder by flock, which
// Windows does not have.
var platforms = []platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}}

// release is one run.
type release struct {
	version string
	time    time.Time // of every file
	root    string    // of the repository
	out     string
	nfpm    string // program that makes Debian packages; empty: none are made
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	version := flags.String("version", "", "version, as v1.2.3")
	seconds := flags.Int64("time", 0, "time of all files, in seconds of Unix: that of the commit")
	out := flags.String("out", "dist", "folder to write to; it is emptied first")
	nfpm := flags.String("nfpm", "", "path of nfpm, for Debian packages")
	only := flags.String("platforms", "", "platforms to build, as linux/amd64,linux/arm64; default: all")
	audit := flags.Bool("audit", false, "list the licences of all modules and packages in the program and the extension")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *audit {
		return printLicences(ctx)
	}
	if *version == "" || *seconds == 0 {
		return errors.New("give -version and -time")
	}
	r := release{version: *version, time: time.Unix(*seconds, 0).UTC(), root: ".", out: *out, nfpm: *nfpm}
	chosen := platforms
	if *only != "" {
		chosen = nil
		for name := range strings.SplitSeq(*only, ",") {
			goos, arch, _ := strings.Cut(name, "/")
			chosen = append(chosen, platform{goos, arch})
		}
	}
	return r.make(ctx, chosen)
}

// make builds everything into r.out.
func (r release) make(ctx context.Context, chosen []platform) error {
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	build, err := os.MkdirTemp("", "watchpost-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(build)                         //nolint:errcheck // temporary folder
	if err := os.MkdirAll(r.out, 0o755); err != nil { //nolint:gosec // published
		return err
	}
	// The program of this machine writes the manual and the completion of all.
	host, err := r.build(ctx, build, platform{runtime.GOOS, runtime.GOARCH})
	if err != nil {
		return err
	}
	texts, err := r.texts(ctx, host)
	if err != nil {
		return err
	}
	for _, p := range chosen {
		program, err := r.build(ctx, build, p)
		if err != nil {
			return err
		}
		if err := r.publish(ctx, p, program, texts); err != nil {
			return fmt.Errorf("%s/%s: %w", p.os, p.arch, err)
		}
	}
	return writeChecksums(r.out)
}

// tags are those of `make build`.
const tags = "stdlibjson"

// build compiles the program for a platform and returns its path.
func (r release) build(ctx context.Context, dir string, p platform) (string, error) {
	program := filepath.Join(dir, p.os+"_"+p.arch, "watchpost")
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	c := exec.CommandContext(ctx, "go", "build", "-trimpath", "-tags", tags, "-ldflags", "-s -w -X main.version="+r.version, "-o", program, "./cmd/watchpost") //nolint:gosec // a tool of developers
	c.Dir = r.root
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.os, "GOARCH="+p.arch, "GOFLAGS=")
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build for %s/%s: %w\n%s", p.os, p.arch, err, out)
	}
	return program, nil
}

// publish writes the archive, the bill of materials and the Debian package of a
// platform.
func (r release) publish(ctx context.Context, p platform, program string, texts []entry) error {
	binary, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	modules, err := modulesOf(ctx, program)
	if err != nil {
		return err
	}
	notices, err := noticesOf(modules)
	if err != nil {
		return err
	}
	entries := append(slices.Clone(texts), entry{"watchpost", 0o755, binary}, entry{"THIRD-PARTY-LICENSES", 0o644, notices})
	base := "watchpost_" + strings.TrimPrefix(r.version, "v") + "_" + p.os + "_" + p.arch
	if err := writeArchive(filepath.Join(r.out, base+".tar.gz"), base, r.time, entries); err != nil {
		return err
	}
	if err := writeSBOM(filepath.Join(r.out, base+".cdx.json"), r.version, r.time, modules); err != nil {
		return err
	}
	if r.nfpm == "" || p.os != "linux" {
		return nil
	}
	return r.debian(ctx, p.arch, entries)
}

// unixTime is the time of the release as environment variables and nfpm read it.
func (r release) unixTime() string { return strconv.FormatInt(r.time.Unix(), 10) }
