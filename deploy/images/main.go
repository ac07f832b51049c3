// Command images pins the images of others in the compose files: behind each tag it writes
// the digest that the tag has at its registry now. With -check it only names the images
// that have none.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, &http.Client{Timeout: time.Minute}, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "images:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, client *http.Client, args []string) error {
	flags := flag.NewFlagSet("images", flag.ContinueOnError)
	check := flags.Bool("check", false, "change nothing; name the images without a digest")
	dir := flags.String("dir", "deploy", "folder of the compose files")
	if err := flags.Parse(args); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(*dir, "compose*.yaml"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no compose files in %s (%w)", *dir, err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if *check {
			for _, image := range unpinned(string(content)) {
				fmt.Fprintf(os.Stderr, "%s: %s has no digest: make pin-images, where its registry can be reached\n", file, image)
			}
			continue
		}
		pinned, err := pin(ctx, client, string(content))
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := os.WriteFile(file, []byte(pinned), 0o644); err != nil { //nolint:gosec // in the repository
			return err
		}
	}
	return nil
}

// image is an image in a compose file: the reference up to its tag, and its digest. The
// service's own image is built from this repository.
var image = regexp.MustCompile(`(?m)^(\s+image: )([^\s@]+:[^\s@/]+)(@sha256:[0-9a-f]{64})?$`)

const own = "watchpost:"

func unpinned(text string) (references []string) {
	for _, found := range image.FindAllStringSubmatch(text, -1) {
		if found[3] == "" && !strings.HasPrefix(found[2], own) {
			references = append(references, found[2])
		}
	}
	return references
}

// pin returns a compose file with the digests that its images have now.
func pin(ctx context.Context, client *http.Client, text string) (string, error) {
	var failed error
	pinned := image.ReplaceAllStringFunc(text, func(line string) string {
		found := image.FindStringSubmatch(line)
		if failed != nil || strings.HasPrefix(found[2], own) {
			return line
		}
		var digest string
		if digest, failed = resolve(ctx, client, found[2]); failed != nil {
			failed = fmt.Errorf("%s: %w", found[2], failed)
		}
		return found[1] + found[2] + "@" + digest
	})
	return pinned, failed
}

// manifestTypes are the forms of a manifest, those for many platforms first.
const manifestTypes = "application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.list.v2+json, " +
	"application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json"

// maxManifest bounds the bytes that are read from a registry.
const maxManifest = 4 << 20

// resolve asks the registry of an image for the manifest of its tag. The digest is that of
// the bytes that came, whatever the registry says of them.
func resolve(ctx context.Context, client *http.Client, reference string) (digest string, err error) {
	path, tag := reference[:strings.LastIndex(reference, ":")], reference[strings.LastIndex(reference, ":")+1:]
	registry, repository, named := strings.Cut(path, "/")
	if !named || !strings.ContainsAny(registry, ".:") {
		registry, repository = "registry-1.docker.io", path
		if !named {
			repository = "library/" + path
		}
	}
	address := "https://" + registry + "/v2/" + repository + "/manifests/" + tag
	status, header, body, err := get(ctx, client, address, "")
	if status == http.StatusUnauthorized {
		var token string
		if token, err = signIn(ctx, client, header.Get("WWW-Authenticate")); err != nil {
			return "", err
		}
		status, header, body, err = get(ctx, client, address, token)
	}
	if err != nil {
		return "", err
	}
	if status != http.StatusOK {
		return "", fmt.Errorf("%s answers %d", address, status)
	}
	digest = fmt.Sprintf("sha256:%x", sha256.Sum256(body))
	if said := header.Get("Docker-Content-Digest"); said != "" && said != digest {
		return "", fmt.Errorf("%s answers with the digest %s, and its bytes have %s", address, said, digest)
	}
	return digest, nil
}

var parameter = regexp.MustCompile(`(\w+)="([^"]*)"`)

// signIn gets a token for what a registry asks of strangers.
func signIn(ctx context.Context, client *http.Client, challenge string) (token string, err error) {
	query, realm := url.Values{}, ""
	for _, found := range parameter.FindAllStringSubmatch(challenge, -1) {
		if found[1] == "realm" {
			realm = found[2]
		} else {
			query.Set(found[1], found[2])
		}
	}
	if !strings.HasPrefix(challenge, "Bearer ") || !strings.HasPrefix(realm, "https://") {
		return "", fmt.Errorf("the registry asks for %q", challenge)
	}
	status, _, body, err := get(ctx, client, realm+"?"+query.Encode(), "")
	if err != nil {
		return "", err
	}
	var reply struct{ Token string }
	if err := json.Unmarshal(body, &reply); err != nil || reply.Token == "" {
		return "", fmt.Errorf("%s answers %d and no token", realm, status)
	}
	return reply.Token, nil
}

func get(ctx context.Context, client *http.Client, address, token string) (status int, header http.Header, body []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, nil, nil, err
	}
	request.Header.Set("Accept", manifestTypes)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, nil, err
	}
	body, err = io.ReadAll(http.MaxBytesReader(nil, response.Body, maxManifest))
	return response.StatusCode, response.Header, body, errors.Join(err, response.Body.Close())
}
