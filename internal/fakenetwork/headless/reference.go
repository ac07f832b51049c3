package headless

import (
	"net/url"
	"strings"

	"watchpost/internal/protocol"
)

// reference returns the part of an address that identifies ref: a slug, an id,
// the last part of a URN, or the part after one of the given folders in an
// address of any host. The result is escaped, and the network's origin is never
// taken from ref.
func reference(ref string, folders ...string) (string, error) {
	ref = strings.TrimSpace(ref)
	if strings.Contains(ref, "/") {
		found := ""
		for _, folder := range folders {
			if _, rest, ok := strings.Cut(ref, "/"+folder+"/"); ok {
				found, _, _ = strings.Cut(rest, "/")
				found, _, _ = strings.Cut(found, "?")
				found, _, _ = strings.Cut(found, "#")
				break
			}
		}
		if plain, err := url.PathUnescape(found); err == nil {
			found = plain
		}
		ref = found
	}
	if strings.HasPrefix(ref, "urn:") {
		ref = ref[strings.LastIndex(ref, ":")+1:]
	}
	if ref == "" || ref == "." || ref == ".." {
		return "", faultf(protocol.CodeInvalidInput, "nothing that names a page")
	}
	return url.PathEscape(ref), nil
}

// memberPath is the address of a member's page.
func memberPath(ref string) (string, error) {
	name, err := reference(ref, "in")
	return "/in/" + name, err
}

// companyPath is the address of a company's page.
func companyPath(ref string) (string, error) {
	name, err := reference(ref, "company", "school", "showcase")
	return "/company/" + name, err
}

// postPath is the address of a post's page.
func postPath(ref string) (string, error) {
	name, err := reference(ref, "posts", "update")
	return "/posts/" + name, err
}
