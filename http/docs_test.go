package httpapi_test

import (
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
)

// docsPage is a page of the reference.
type docsPage struct {
	path string
	reply
	elements []*html.Node
}

// docs parses the pages of the reference, the one that begins it first.
func docs(t *testing.T) (pages []docsPage) {
	t.Helper()
	document(t)
	for _, path := range slices.Sorted(maps.Keys(published.pages)) {
		r := published.pages[path]
		require.Equal(t, 200, r.status, path)
		require.Equal(t, "text/html; charset=utf-8", r.header.Get("Content-Type"))
		page, err := html.Parse(strings.NewReader(r.raw))
		require.NoError(t, err)
		pages = append(pages, docsPage{path, r, elements(page)})
	}
	require.Equal(t, "/docs", pages[0].path)
	return pages
}

// elements returns all elements of a page in order.
func elements(page *html.Node) (list []*html.Node) {
	for n := range page.Descendants() {
		if n.Type == html.ElementNode {
			list = append(list, n)
		}
	}
	return list
}

func attribute(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// The pages name every operation, parameter, type and error of the document, and their
// links have targets. None is large.
func TestDocsAreWhole(t *testing.T) {
	t.Parallel()
	pages, raw := docs(t), ""
	ids := map[string]bool{} // with the path of the page
	for _, p := range pages {
		require.Less(t, len(p.raw), 220_000, p.path)
		raw += p.raw
		for _, e := range p.elements {
			if id, ok := attribute(e, "id"); ok {
				require.False(t, ids[p.path+"#"+id], id)
				ids[p.path+"#"+id] = true
			}
		}
	}
	text := html.UnescapeString(raw)
	d := document(t)
	for path, item := range d.Paths.Map() {
		require.Contains(t, raw, path)
		for method, o := range item.Operations() {
			where := method + " " + path
			require.Contains(t, raw, ` id="`+o.OperationID+`"`, where)
			require.Contains(t, text, o.Summary, where)
			for _, p := range o.Parameters {
				require.Contains(t, raw, "<code>"+p.Value.Name+"</code>", where)
			}
			for _, response := range o.Responses.Map() {
				media := response.Value.Content.Get("application/json")
				if media == nil {
					continue // an export
				}
				for _, example := range media.Examples {
					if body := example.Value.Value.(map[string]any); len(body) == 1 {
						require.Contains(t, text, "<q>"+body["error"].(string)+"</q>", where)
					}
				}
			}
		}
	}
	for name, schema := range d.Components.Schemas {
		require.True(t, strings.Contains(raw, ` id="schema-`+name+`"`), name)
		for property := range schema.Value.Properties {
			require.Contains(t, raw, "<code>"+property+"</code>", name)
		}
	}
	for _, p := range pages {
		for _, e := range p.elements {
			target, _ := attribute(e, "href")
			if strings.HasPrefix(target, "#") {
				target = p.path + target
			}
			if strings.Contains(target, "#") {
				require.True(t, ids[target], target)
			}
		}
	}
}

var hosts = regexp.MustCompile(`(?i)(?:https?|wss?|ftp):/*([a-z0-9.-]+)|url\(|@import|="?//`)

// The page loads from the service only, and runs no script but the service's.
func TestDocsKeepToThemselves(t *testing.T) {
	t.Parallel()
	for _, p := range docs(t) {
		p.keepsToItself(t)
	}
}

func (p docsPage) keepsToItself(t *testing.T) {
	t.Helper()
	policy := p.header.Get("Content-Security-Policy")
	require.True(t, strings.HasPrefix(policy, "default-src 'none'; "), policy)
	require.NotContains(t, policy, "unsafe")
	require.Equal(t, "nosniff", p.header.Get("X-Content-Type-Options"))
	for _, found := range hosts.FindAllStringSubmatch(p.raw, -1) {
		require.Regexp(t, `\.example$`, found[1], found[0])
	}
	for _, e := range p.elements {
		for _, a := range e.Attr {
			require.False(t, strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src", a.Key)
			if a.Key == "href" {
				require.Regexp(t, `^(#|/app/try\?|/openapi\.json$|/docs$|/docs/[a-z-]+(#[A-Za-z]+)?$|data:,$)`, a.Val)
			}
		}
		if e.Data == "style" || e.Data == "script" {
			sum := sha256.Sum256([]byte(e.FirstChild.Data))
			require.Contains(t, policy, e.Data+"-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
		}
	}
}

// Who cannot see the page, or has no mouse, can use it.
func TestDocsAreAccessible(t *testing.T) {
	t.Parallel()
	for _, p := range docs(t) {
		p.isAccessible(t)
	}
}

func (p docsPage) isAccessible(t *testing.T) {
	t.Helper()
	count := map[string]int{}
	labelled := map[string]bool{}
	level := 0
	for _, e := range p.elements {
		count[e.Data]++
		switch e.Data {
		case "html":
			language, _ := attribute(e, "lang")
			require.Equal(t, "en", language)
		case "label":
			target, _ := attribute(e, "for")
			labelled[target] = true
		case "input":
			id, _ := attribute(e, "id")
			require.True(t, labelled[id], id)
		case "table":
			require.Equal(t, "caption", e.FirstChild.NextSibling.Data)
		case "th":
			_, scoped := attribute(e, "scope")
			require.True(t, scoped)
		case "h1":
			level = 1
		case "h2", "h3":
			next := int(e.Data[1] - '0')
			if count["main"] > 0 {
				require.LessOrEqual(t, next, level+1)
				level = next
			}
		}
	}
	for _, one := range []string{"main", "nav", "h1", "title"} {
		require.Equal(t, 1, count[one], one)
	}
}

// TestDocsGroupByPath: the list of operations names each path once, with a link
// for each method, and begins with the watchlist of keywords.
func TestDocsGroupByPath(t *testing.T) {
	t.Parallel()
	r := docs(t)[0]
	paths := regexp.MustCompile(`<li><span class="path">([^<]+)</span>`).FindAllStringSubmatch(r.raw, -1)
	seen := map[string]bool{}
	for _, path := range paths {
		require.False(t, seen[path[1]], path[1])
		seen[path[1]] = true
	}
	require.Len(t, seen, len(document(t).Paths.Map()))
	require.Equal(t, "/api-keyword-watchlist", paths[0][1])
	require.Contains(t, r.raw, `<a href="/docs/watchlists#createKeywordWatchlist" class="method POST"`)
}
