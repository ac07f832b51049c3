package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// packages writes the Debian packages of two versions with one program, and the files
// that the README installs from the source.
func packages(t *testing.T, dir string) {
	t.Helper()
	nfpm := tool(t, "nfpm")
	program := program(t)
	arch, err := exec.CommandContext(t.Context(), "dpkg", "--print-architecture").Output()
	require.NoError(t, err)
	binary, err := os.ReadFile(program)
	require.NoError(t, err)
	for _, version := range []string{"v1.0.0", "v1.1.0"} {
		r := release{version: version, time: at, root: "../..", out: dir, nfpm: nfpm}
		entries, err := r.texts(t.Context(), program)
		require.NoError(t, err)
		entries = append(entries, entry{"watchpost", 0o755, binary}, entry{"THIRD-PARTY-LICENSES", 0o644, []byte("…")})
		require.NoError(t, r.debian(t.Context(), strings.TrimSpace(string(arch)), entries))
	}
	repository := filepath.Join(dir, "repository")
	require.NoError(t, os.MkdirAll(filepath.Join(repository, "bin"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(repository, "bin", "watchpost"), binary, 0o755))
	require.NoError(t, os.CopyFS(filepath.Join(repository, "deploy"), os.DirFS("..")))
}

// TestOperatorsDay boots a machine with systemd, installs the package and runs a day of an
// operator there, by the commands of README and RUNBOOK.
func TestOperatorsDay(t *testing.T) {
	if os.Getenv("WATCHPOST_LONG") == "" {
		t.Skip("WATCHPOST_LONG is not set")
	}
	if os.Getuid() != 0 {
		t.Skip("booting a machine needs root")
	}
	for _, name := range []string{"apt", "sudo", "systemd-nspawn", "systemctl", "man", "jq", "curl"} {
		if _, err := exec.LookPath(name); err != nil && os.Getenv("CI") == "" {
			t.Skipf("%s is not installed: make long-tools", name)
		} else {
			require.NoError(t, err)
		}
	}
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o755)) // the operator reads it
	packages(t, dir)
	for _, script := range []string{"operators-day.sh", "private-machine.sh"} {
		content, err := os.ReadFile(filepath.Join("testdata", script))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, script), content, 0o644))
	}
	day := exec.CommandContext(t.Context(), "unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
		"bash", filepath.Join(dir, "private-machine.sh"), dir, "operators-day.sh")
	machine, failed := day.CombinedOutput()
	said, err := os.ReadFile(filepath.Join(dir, "out"))
	require.NoError(t, errors.Join(failed, err), "%s\n%s", machine, said)
	require.Contains(t, string(said), "step: done", string(machine))
}

// elsewhere are the commands of the documents that an operator's day leaves out, and what
// tests them.
var elsewhere = map[string]string{
	"make build":                    "built by the test itself",
	"sudo -u watchpost":             "the beginning of commands",
	"sudo -u watchpost watchpost …": "the beginning of commands",
	"watchpost serve --store postgres://… --master-key-file key --cluster --advertise node1.example:8443 --cluster-listen :8443     --cluster-cert node1.pem --cluster-key node1.key --cluster-ca nodes.pem": "specs/cluster",
	"watchpost nodes --store postgres://…":                                             "specs/cluster",
	"pg_dump --format=custom --file=watchpost-$(date +%F).dump \"$STORE\"":             "TestRestore",
	"createdb watchpost_restored":                                                      "TestRestore",
	"pg_restore --exit-on-error --dbname=watchpost_restored watchpost-2026-11-22.dump": "TestRestore",
	"watchpost verify --store postgres://…/watchpost_restored":                         "TestRestore",
	"deploy/make-secrets secrets '*.watchpost-nodes'":                                  "TestSecrets",
	"rm secrets/node.pem && deploy/make-secrets secrets HOST…":                         "TestSecrets",
	"openssl x509 -in node.pem -noout -dates -ext subjectAltName":                      "TestSecrets",
	"docker compose -f deploy/compose.yaml up -d":                                      "TestCompose loads the file",
	"printf 'postgres://watchpost:PASSWORD@db.example/watchpost?sslmode=verify-full' > secrets/store.new && mv secrets/store.new secrets/store": kubernetes,
	"kubectl create namespace watchpost": kubernetes,
	"kubectl create secret generic watchpost -n watchpost --from-file=secrets/admin-token --from-file=secrets/master.key     --from-file=secrets/store --from-file=secrets/ca.pem --from-file=secrets/node.pem --from-file=secrets/node.key": kubernetes,
	"kubectl apply -k deploy/kubernetes":                        kubernetes,
	"kubectl rollout status statefulset/watchpost -n watchpost": kubernetes,
	"kubectl set image":                                         kubernetes,
	"kubectl logs":                                              kubernetes,
	"kubectl kustomize":                                         kubernetes,
}

const kubernetes = "needs a cluster of Kubernetes; TestKubernetes checks the manifests"

// TestTheDayIsThatOfTheDocuments: an operator's day runs every command of the documents, in
// their words, and claims no other to be theirs.
func TestTheDayIsThatOfTheDocuments(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("testdata/operators-day.sh")
	require.NoError(t, err)
	run := map[string]bool{}
	for _, found := range regexp.MustCompile(`(?m)^\s*doc (?:'([^']+)'|"([^"]+)")`).FindAllStringSubmatch(string(script), -1) {
		run[found[1]+found[2]] = true
	}
	written := map[string]bool{}
	for file, from := range map[string]string{"../../README.md": "\n## Run it\n", "../RUNBOOK.md": ""} {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		_, text, found := strings.Cut(string(content), from)
		require.True(t, found, from)
		for _, command := range commands(text) {
			written[command] = true
			require.True(t, run[command] || elsewhere[command] != "", "%s: %q is neither run by operators-day.sh nor named by elsewhere", file, command)
		}
	}
	for command := range run {
		require.True(t, written[command], "operators-day.sh runs %q, which no document has", command)
	}
	for command := range elsewhere {
		require.True(t, written[command] && !run[command], "elsewhere has %q, which no document has, or the day runs", command)
	}
}

var (
	shellBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")
	// Spans that begin with watchpost or make often name a tool.
	shellSpan = regexp.MustCompile("`((?:sudo|systemctl|systemd-run|source|openssl|operator|rm|docker|kubectl|journalctl) [^`]+)`")
	comment   = regexp.MustCompile(`\s+# .*$`)
)

// commands returns the commands of a text: the lines of its shell blocks without their
// comments, and the spans of code that are commands.
func commands(text string) (all []string) {
	for _, block := range shellBlock.FindAllStringSubmatch(text, -1) {
		for line := range strings.Lines(strings.ReplaceAll(block[1], "\\\n", "")) {
			all = append(all, strings.TrimSpace(comment.ReplaceAllString(strings.TrimSpace(line), "")))
		}
	}
	for _, span := range shellSpan.FindAllStringSubmatch(shellBlock.ReplaceAllString(text, ""), -1) {
		all = append(all, strings.ReplaceAll(span[1], `\|`, "|"))
	}
	return all
}
