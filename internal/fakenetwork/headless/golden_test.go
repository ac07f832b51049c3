package headless_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/fakenetwork"
	"watchpost/internal/protocol"
)

// update rewrites the golden pages: go test ./internal/fakenetwork/headless
// -run TestGoldenPages -update.
var update = flag.Bool("update", false, "write the golden pages of the extension's tests")

// goldenDir has the pages that the extension's adapter is tested with, and
// tasks.json with the outputs of a session without a browser.
const goldenDir = "../../../extension/test/pages"

// goldenOrigin replaces the address of the site.
const goldenOrigin = "http://network.test"

// goldenCase is a task, the session's requests to the network, and its result.
type goldenCase struct {
	Name     string              `json:"name"`
	TaskType string              `json:"task_type"`
	Input    any                 `json:"input"`
	Requests []*exchange         `json:"requests"`
	Output   json.RawMessage     `json:"output,omitempty"`
	Error    *protocol.TaskError `json:"error,omitempty"`
	// After is the page of a write after the write.
	After *exchange `json:"after,omitempty"`

	faults fakenetwork.Faults
}

// exchange is a request of a session and its response.
type exchange struct {
	Method   string     `json:"method"`
	Path     string     `json:"path"`
	Form     url.Values `json:"form,omitempty"`
	Status   int        `json:"status"`
	Location string     `json:"location,omitempty"`
	Page     string     `json:"page,omitempty"` // name of the file
	html     []byte
}

// recorder wraps the site and records requests.
type recorder struct {
	site http.Handler
	mu   sync.Mutex
	on   bool
	seen []*exchange
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	req.Body = io.NopCloser(bytes.NewReader(body))
	answer := httptest.NewRecorder()
	r.site.ServeHTTP(answer, req)
	r.remember(req, body, answer) // before the response: the session may finish as soon as it has it
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

func (r *recorder) remember(req *http.Request, body []byte, answer *httptest.ResponseRecorder) {
	form, _ := url.ParseQuery(string(body))
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.on {
		r.seen = append(r.seen, &exchange{
			Method: req.Method, Path: req.URL.RequestURI(), Form: form, Status: answer.Code, Location: answer.Header().Get("Location"),
			html: goldenHTML(req.Method, answer.Body.Bytes()),
		})
	}
}

// start begins recording; stop ends it and returns the requests.
func (r *recorder) start() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.on, r.seen = true, nil
}

func (r *recorder) stop() []*exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.on = false
	return r.seen
}

var (
	tokenForm = regexp.MustCompile(`<meta name="csrf-token" content="([^"]+)">`)
	blockForm = regexp.MustCompile(`(?s)(<script type="application/json" id="page-data">).*?(</script>)`)
)

// goldenHTML removes the token from a page, because it differs from run to run.
// It also removes the data block of pages that are read, because the extension
// reads markup.
func goldenHTML(method string, page []byte) []byte {
	if token := tokenForm.FindSubmatch(page); token != nil {
		page = bytes.ReplaceAll(page, token[1], []byte("token-of-the-page"))
	}
	if method == http.MethodGet {
		page = blockForm.ReplaceAll(page, []byte("$1{}$2"))
	}
	return page
}

// TestGoldenPages: the extension's test pages are those that the site shows,
// and the outputs are those of the session without a browser.
func TestGoldenPages(t *testing.T) {
	w := newWorld(t, fakenetwork.Options{SearchPage: 4})
	site := &recorder{site: w.site}
	server := httptest.NewServer(site)
	t.Cleanup(server.Close)
	w.network = server.URL
	cases := goldenCases(w)
	w.run()
	c, _ := w.welcomed()
	jo := w.browser("jo")
	files := make(map[string][]byte)
	for i, g := range cases {
		w.site.SetFaults("jo", g.faults)
		f := task("t"+strconv.Itoa(i), g.TaskType, g.Input)
		site.start()
		c.send(f)
		c.read(protocol.TypeAccepted)
		result := c.next()
		if result.Type == protocol.TypeActing {
			c.send(goFor(f))
			result = c.read(protocol.TypeResult)
		}
		g.Requests = append([]*exchange{}, site.stop()...)
		g.Output, g.Error = bytes.ReplaceAll(result.Output, []byte(server.URL), []byte(goldenOrigin)), result.Error
		c.send(ack(f.Task))
		w.site.ClearFaults()
		if first := g.Requests; len(first) > 1 && first[len(first)-1].Method == http.MethodPost {
			site.start()
			jo.Get(first[0].Path)
			g.After = site.stop()[0]
		}
		for _, e := range append(g.Requests, g.After) {
			if e != nil && e.Location == "" {
				e.Page = goldenName(files, e)
			}
		}
	}
	manifest, err := json.MarshalIndent(cases, "", " ")
	require.NoError(t, err)
	files["tasks.json"] = append(manifest, '\n')
	compareGolden(t, files)
}

var noFileName = regexp.MustCompile(`[^a-z0-9.-]+`)

// goldenName chooses the file of a page; equal pages share one.
func goldenName(files map[string][]byte, e *exchange) string {
	base := strings.Trim(noFileName.ReplaceAllString(strings.ToLower(e.Method+" "+e.Path), "_"), "_")
	base = base[:min(len(base), 70)]
	for n := 1; ; n++ {
		name := base + ".html"
		if n > 1 {
			name = base + "-" + strconv.Itoa(n) + ".html"
		}
		if have, ok := files[name]; !ok || bytes.Equal(have, e.html) {
			files[name] = e.html
			return name
		}
	}
}

// compareGolden compares files with those of the extension, or with -update
// writes them.
func compareGolden(t *testing.T, files map[string][]byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.RemoveAll(goldenDir))
		require.NoError(t, os.MkdirAll(goldenDir, 0o755))
		for name, content := range files {
			require.NoError(t, os.WriteFile(filepath.Join(goldenDir, name), content, 0o644))
		}
	}
	have, err := os.ReadDir(goldenDir)
	require.NoError(t, err)
	for _, f := range have {
		if _, ok := files[f.Name()]; !ok {
			t.Errorf("%s is a page that no task asks for any more; run with -update", f.Name())
		}
	}
	for name, content := range files {
		golden, err := os.ReadFile(filepath.Join(goldenDir, name))
		if err != nil || !bytes.Equal(golden, content) {
			t.Errorf("%s is not what the site shows now (%v); run with -update", name, err)
		}
	}
}

// goldenCases are the tasks: every type and every way to fail.
func goldenCases(w *world) []*goldenCase {
	w.browser("zoë")
	b := w.browser("ann")
	feed := b.Get("/feed")
	people := b.Get("/search/people?count=50").People
	person := people[0]
	firm := b.Get("/in/" + person.Slug).Profile.Positions[0].CompanySlug
	jo := w.browser("jo")
	me := jo.Get("/feed").Viewer
	own := me.Companies[0]
	post, liked, commented := feed.Posts[0].URN, feed.Posts[1], feed.Posts[2]
	friends := jo.Get("/connections").People
	var strangers []string
	for _, p := range jo.Get("/search/people?count=50").People {
		if p.Degree > 1 {
			strangers = append(strangers, p.URN)
		}
	}
	text := "Well said <b>&amp;</b> é\nsecond line"
	jo.Post(liked.Path+"/like", nil)
	jo.Post(commented.Path+"/comment", url.Values{"text": {text}})
	jo.Post("/messages/"+friends[1].Slug, url.Values{"text": {text}})
	jo.Post("/in/"+strangers[1]+"/invite", nil)

	type in = map[string]any
	list := []*goldenCase{
		{Name: "a profile", TaskType: "agent_profile_fetch", Input: in{"profile_slug": person.Slug}},
		{Name: "a profile by address, of a name that is not ASCII", TaskType: "agent_profile_fetch", Input: in{"profile_slug": "https://n.example/in/zo%C3%AB/?x=1"}},
		{Name: "no profile", TaskType: "agent_profile_fetch", Input: in{"profile_slug": "nobody-at-all"}},
		{Name: "a profile of no name", TaskType: "agent_profile_fetch", Input: in{"profile_slug": " "}},
		{Name: "a profile signed out", TaskType: "agent_profile_fetch", Input: in{"profile_slug": person.Slug}, faults: fakenetwork.Faults{SignedOut: true}},
		{Name: "a profile behind a challenge", TaskType: "agent_profile_fetch", Input: in{"profile_slug": person.Slug}, faults: fakenetwork.Faults{Challenge: true}},
		{Name: "a profile with too many requests", TaskType: "agent_profile_fetch", Input: in{"profile_slug": person.Slug}, faults: fakenetwork.Faults{RateLimited: true}},
		{Name: "a profile in another layout", TaskType: "agent_profile_fetch", Input: in{"profile_slug": person.Slug}, faults: fakenetwork.Faults{LayoutChanged: true}},
		{Name: "a company", TaskType: "agent_company_fetch", Input: in{"company_slug": firm}},
		{Name: "no company", TaskType: "agent_company_fetch", Input: in{"company_slug": "none"}},
		{Name: "profiles' posts", TaskType: "agent_profiles_posts_fetch", Input: in{"profile_urns": []string{person.URN, "1", people[1].URN}}},
		{Name: "posts of nobody", TaskType: "agent_profiles_posts_fetch", Input: in{"profile_urns": []string{"1", "2"}}},
		{Name: "posts of no urns", TaskType: "agent_profiles_posts_fetch", Input: in{"profile_urns": []string{}}},
		{Name: "posts in another layout", TaskType: "agent_profiles_posts_fetch", Input: in{"profile_urns": []string{person.URN}}, faults: fakenetwork.Faults{LayoutChanged: true}},
		{Name: "a company's posts", TaskType: "agent_company_posts_fetch", Input: in{"company_slug": "https://n.example/company/" + firm}},
		{Name: "a search for people", TaskType: "agent_profiles_search", Input: in{"keywords": "engineer", "industry": []string{""}, "count": 3}},
		{Name: "a search for people with filters", TaskType: "agent_profiles_search", Input: in{"current_company": []string{firm, own.Slug}, "title": "", "count": 2}},
		{Name: "a search that finds nobody", TaskType: "agent_profiles_search", Input: in{"keywords": "zzzz"}},
		{Name: "a search for a wrong number", TaskType: "agent_profiles_search", Input: in{"count": "many"}},
		{Name: "connections", TaskType: "agent_connections_fetch", Input: in{"start": 3, "count": 2, "sort_type": "last_name"}},
		{Name: "connections with a word", TaskType: "agent_connections_fetch", Input: in{"keyword": "zzzz"}},
		{Name: "a keyword scan", TaskType: "keyword_scan", Input: in{"keyword": "battery storage", "since": start.AddDate(0, 0, -4)}},
		{Name: "a keyword scan that finds nothing", TaskType: "keyword_scan", Input: in{"keyword": "zzzz", "since": start.AddDate(0, 0, -4)}},
		{Name: "a scan of no keyword", TaskType: "keyword_scan", Input: in{"keyword": " ", "since": start}},
		{Name: "a scan in another layout", TaskType: "keyword_scan", Input: in{"keyword": "battery", "since": start}, faults: fakenetwork.Faults{LayoutChanged: true}},
		{Name: "a forum scan", TaskType: "forum_scan", Input: in{"keyword": "observability", "since": start.AddDate(0, 0, -20)}},
		{Name: "a people scan", TaskType: "people_scan", Input: in{"profile": person.URN, "since": start.AddDate(0, 0, -12)}},
		{Name: "a company scan", TaskType: "company_scan", Input: in{"company": firm, "since": start.AddDate(0, 0, -30)}},
	}
	return append(list, goldenWrites(in{
		"post": post, "liked": liked.URN, "commented": commented.URN, "text": text, "company": own.Name,
		"free": strangers[2], "friend": friends[0].URN, "met": friends[1].URN, "stranger": strangers[0], "invited": strangers[1], "me": me.URN,
	})...)
}

// goldenWrites are the tasks that change something; of has their targets.
func goldenWrites(of map[string]any) []*goldenCase {
	type in = map[string]any
	return []*goldenCase{
		{Name: "a like", TaskType: "agent_like_post", Input: in{"social_urn": of["post"]}},
		{Name: "a like of a company", TaskType: "agent_like_post", Input: in{"social_urn": of["post"], "actor_type": "company", "company_title": of["company"]}},
		{Name: "a like of a foreign company", TaskType: "agent_like_post", Input: in{"social_urn": of["post"], "actor_type": "company", "company_title": "Nobody Inc."}},
		{Name: "a like of what is liked", TaskType: "agent_like_post", Input: in{"social_urn": of["liked"]}},
		{Name: "a like of no post", TaskType: "agent_like_post", Input: in{"social_urn": "urn:network:activity:1"}},
		{Name: "a like in another layout", TaskType: "agent_like_post", Input: in{"social_urn": of["post"]}, faults: fakenetwork.Faults{LayoutChanged: true}},
		{Name: "a comment", TaskType: "agent_comment_post", Input: in{"social_urn": of["post"], "comment_text": of["text"]}},
		{Name: "a second comment", TaskType: "agent_comment_post", Input: in{"social_urn": of["commented"], "comment_text": of["text"]}},
		{Name: "a comment of a company", TaskType: "agent_comment_post", Input: in{"social_urn": of["post"], "comment_text": "From us", "actor_type": "company", "company_title": of["company"]}},
		{Name: "a comment that is refused", TaskType: "agent_comment_post", Input: in{"social_urn": of["post"], "comment_text": " "}},
		{Name: "a comment of no text", TaskType: "agent_comment_post", Input: in{"social_urn": of["post"]}},
		{Name: "a message", TaskType: "agent_send_message", Input: in{"recipient_urn": of["friend"], "message": of["text"]}},
		{Name: "a second message", TaskType: "agent_send_message", Input: in{"recipient_urn": of["met"], "message": of["text"]}},
		{Name: "a message to a stranger", TaskType: "agent_send_message", Input: in{"recipient_urn": of["stranger"], "message": "x"}},
		{Name: "an invitation", TaskType: "agent_send_connection_request", Input: in{"profile_urn": of["stranger"], "note": "Let us talk"}},
		{Name: "an invitation that waits", TaskType: "agent_send_connection_request", Input: in{"profile_urn": of["invited"]}},
		{Name: "an invitation of a connection", TaskType: "agent_send_connection_request", Input: in{"profile_urn": of["friend"]}},
		{Name: "an invitation of oneself", TaskType: "agent_send_connection_request", Input: in{"profile_urn": of["me"]}},
		{Name: "a withdrawal", TaskType: "agent_withdraw_invitation", Input: in{"profile_urn": of["invited"]}},
		{Name: "a withdrawal without an invitation", TaskType: "agent_withdraw_invitation", Input: in{"profile_urn": of["free"]}},
		{Name: "a withdrawal from a connection", TaskType: "agent_withdraw_invitation", Input: in{"profile_urn": of["friend"]}},
		{Name: "a withdrawal from oneself", TaskType: "agent_withdraw_invitation", Input: in{"profile_urn": of["me"]}},
	}
}
