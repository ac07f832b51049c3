package httpapi_test

import (
	"encoding/json"
	"html"
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

var (
	triedRule    = regexp.MustCompile(`name="tried" value="([^"]*)"`)
	shownRules   = regexp.MustCompile(`<h3 class="name"><a href="/app/rules/([^"]+)">`)
	proposedActs = regexp.MustCompile(`action="/app/rules/actions/([^"]+)"`)
)

// ruleForm is a form of a rule that acts at any time.
func ruleForm(list, action string) url.Values {
	return url.Values{
		"watchlist": {list}, "action": {action}, "per_day": {"3"}, "from": {"00:00"}, "until": {"24:00"}, "min_pause": {"1"}, "max_pause": {"1"}, "key": {action},
	}
}

// saveRule sends a form: first for the dry run, then to save the rule that it shows.
func (b *browser) saveRule(path string, form url.Values) (dryRun string) {
	b.t.Helper()
	form.Set("token", b.token())
	form.Set("do", "try")
	tried := b.send(path, form)
	require.Equal(b.t, 200, tried.status, tried.raw)
	form.Set("do", "save")
	form.Set("tried", triedRule.FindStringSubmatch(tried.raw)[1])
	require.Equal(b.t, 303, b.send(path, form).status)
	return html.UnescapeString(tried.raw)
}

// TestDashboardRules makes, changes, stops and deletes rules, and decides their
// proposals.
func TestDashboardRules(t *testing.T) {
	t.Parallel()
	const hostile = `"><script>alert(1)</script>`
	h := build(t)
	m, other := h.team("Rulers", "growth"), h.team("Others", "growth")
	p := m.join()
	b := h.browser()
	b.signIn(m.email)
	require.Contains(t, b.do("GET", "/app/rules", "").raw, "No watchlist yet")
	post := sample(1, "telemetry "+hostile)
	post.AuthorName = hostile
	list := m.collect(p, "telemetry", post)
	require.Contains(t, b.do("GET", "/app/rules", "").raw, "0 of 2 rules on the Growth plan")

	// Nothing is saved before its dry run was shown.
	form := ruleForm(list, "like")
	form.Set("name", hostile)
	form.Set("token", b.token())
	form.Set("do", "save")
	asked := b.send("/app/rules/new", form)
	require.Equal(t, 200, asked.status)
	require.Contains(t, asked.raw, "Not saved yet.")
	require.Contains(t, asked.raw, "<dt>Would like</dt><dd>1</dd>")
	require.NotContains(t, asked.raw, "<script>")
	form.Set("tried", triedRule.FindStringSubmatch(asked.raw)[1])
	form.Set("per_day", "4")
	require.Contains(t, b.send("/app/rules/new", form).raw, "Not saved yet.", "another rule than was tried")
	require.Empty(t, read[fields](m.call("GET", "/api-engagement-rules", ""), 200)["rules"])
	for field, bad := range map[string]string{"per_day": "none", "min_relevance": "11", "from": "9", "min_pause": "0", "languages": "nowhere", "max_age_hours": "-3"} {
		wrong := ruleForm(list, "like")
		wrong.Set(field, bad)
		wrong.Set("token", b.token())
		refused := b.send("/app/rules/new", wrong)
		require.Equal(t, 422, refused.status, field)
		require.Contains(t, refused.raw, `href="#`+field+`"`)
		require.Contains(t, refused.raw, `value="`+bad+`"`, "what was typed is kept")
	}
	require.Contains(t, []int{403, 404}, b.send("/app/rules/new", url.Values{"token": {b.token()}, "watchlist": {other.watch()}, "do": {"try"}, "per_day": {"1"},
		"from": {"09:00"}, "until": {"10:00"}, "min_pause": {"1"}, "max_pause": {"2"}}).status, "another team's watchlist")
	b.saveRule("/app/rules/new", form)
	page := b.do("GET", "/app/rules", "").raw
	require.Contains(t, page, "Like every post. "+m.email+", at most 4 a day each, every day 00:00 to 24:00 UTC.")
	require.NotContains(t, page, "<script>")
	rule := "/app/rules/" + shownRules.FindStringSubmatch(page)[1]

	// Change, switch off, delete.
	edit := b.do("GET", rule, "").raw
	require.Contains(t, edit, `name="per_day" inputmode="numeric" value="4"`)
	form.Set("name", "Warm words")
	form["sentiments"] = []string{"negative"}
	require.Contains(t, b.saveRule(rule, form), "<dt>Would like</dt><dd>0</dd>")
	require.Contains(t, b.do("GET", "/app/rules", "").raw, "Like if sentiment is negative.")
	act := func(path, do string) int { return b.send(path, url.Values{"token": {b.token()}, "do": {do}}).status }
	require.Equal(t, 303, act(rule, "pause"))
	require.Contains(t, b.do("GET", "/app/rules", "").raw, "Switch Warm words on")
	require.Equal(t, 303, act(rule, "resume"))
	require.Equal(t, 400, act(rule, "nothing"))
	require.Equal(t, 303, act(rule, "delete"))
	require.Contains(t, b.do("GET", "/app/rules", "").raw, "“Warm words” is being deleted.")
}

// watch makes a watchlist whose posts have not been looked for yet.
func (m team) watch() string {
	m.t.Helper()
	return read[fields](m.call("POST", watchlists, `{"keywords":["beacon"]}`), 200)["id"].(string)
}

// proposeComments makes a rule that proposes a comment on a post of each author. It returns
// the page of rules with these proposals.
func (b *browser) proposeComments(m team, p *fakeSession, authors ...string) (page string) {
	b.t.Helper()
	list := m.watch()
	scan := p.hear(protocol.TypeTask)
	form := ruleForm(list, "comment")
	form["template"] = []string{"Well said, {author_name}!", ""}
	form.Set("approval", "1")
	require.Contains(b.t, b.saveRule("/app/rules/new", form), "No post is stored yet to try it on.")

	var posts []protocol.Post
	for i, name := range authors {
		post := sample(i, "beacon of "+name)
		post.AuthorName, post.AuthorURL = name, "https://network.example/in/"+name[:3]
		posts = append(posts, post)
	}
	exhausted := true
	output, err := json.Marshal(protocol.PostsOutput{Posts: posts, Exhausted: &exhausted})
	require.NoError(b.t, err)
	p.send(protocol.Frame{Type: protocol.TypeAccepted, Task: scan.Task, Lease: scan.Lease})
	p.send(protocol.Frame{Type: protocol.TypeResult, Task: scan.Task, Lease: scan.Lease, Attempt: scan.Attempt, Output: output})
	p.hear(protocol.TypeAck)
	require.Eventually(b.t, func() bool {
		page = b.do("GET", "/app/rules", "").raw
		return strings.Count(page, `class="proposal"`) == len(authors)
	}, time.Minute, 20*time.Millisecond)
	return page
}

// TestApprovalOfSeveral decides on chosen proposals together, with their edited comments,
// takes the decisions back, and names those that it cannot decide. A rejected proposal is
// part of the history of its author.
func TestApprovalOfSeveral(t *testing.T) {
	t.Parallel()
	h, clock := buildAt(t)
	m := h.team("Several", "growth")
	p := m.join()
	b := h.browser()
	b.signIn(m.email)
	page := b.proposeComments(m, p, "Ada", "Bob", "Eve", "Mia")
	ids := map[string]string{}
	for _, name := range []string{"Ada", "Bob", "Eve", "Mia"} {
		ids[name] = proposedActs.FindStringSubmatch(page[strings.Index(page, "the post of "+name):])[1]
	}
	require.Equal(t, 4, strings.Count(b.do("GET", "/app/rules?choose=all", "").raw, " checked>"))
	require.NotContains(t, page, " checked>")
	token := b.token()
	send := func(do string, more url.Values, names ...string) reply {
		form := url.Values{"token": {token}, "do": {do}}
		for name, id := range ids {
			form.Set("text-"+id, "Edited for "+name)
		}
		for name, values := range more {
			form[name] = values
		}
		for _, name := range names {
			form.Add("chosen", ids[name])
		}
		return b.send("/app/rules/actions", form)
	}
	require.Equal(t, 400, send("approve", nil).status, "nothing is chosen")
	require.Equal(t, 409, send("maybe", nil, "Ada").status)
	var many []string
	for range 101 {
		many = append(many, watchpost.NewID(clock.Now()))
	}
	require.Equal(t, 400, send("approve", url.Values{"chosen": many}).status, "more than together")

	require.Equal(t, 303, send("approve", nil, "Ada", "Bob").status)
	require.Equal(t, 303, send("reject", nil, "Mia", "Mia").status)
	require.Contains(t, b.do("GET", "/app/rules", "").raw, "Undo all 3")
	require.Equal(t, 303, send("undo", nil).status)
	page = b.do("GET", "/app/rules", "").raw
	require.Contains(t, page, "4 to approve")
	require.Contains(t, page, ">Edited for Ada</textarea>", "what was edited stays")

	require.Equal(t, 303, send("reject", nil, "Bob").status)
	partly := send("approve", url.Values{"text-" + ids["Eve"]: {" "}}, "Ada", "Bob", "Eve")
	require.Equal(t, 409, partly.status)
	refused := between(t, partly.raw, "<b>1 decided, 2 not:</b>", "</ul>")
	require.Contains(t, refused, "Comment on the post of Bob: ")
	require.Contains(t, refused, "Comment on the post of Eve: A comment has 1 to ")
	require.Contains(t, partly.raw, "2 to approve, ", "Ada and Bob are decided, Mia and Eve are not")
	require.NoError(t, clock.Advance(10*time.Second))
	task := p.hear(protocol.TypeTask)
	require.Contains(t, string(task.Input), "Edited for Ada")
	require.Contains(t, send("reject", nil, "Bob", "Mia").raw, "<li>A proposal is gone, or was decided by another member.</li>")

	history := between(t, html.UnescapeString(b.do("GET", "/app/people/profile/bob", "").raw), `<h2 id="history">`, "</nav>")
	require.Contains(t, history, "Comment as "+m.email+", proposed by “")
	require.Contains(t, history, "Rejected by "+m.email)
	require.Contains(t, history, "Edited for Bob")
	require.NotContains(t, html.UnescapeString(b.do("GET", "/app/people/profile/ada", "").raw), "Rejected")
}

// TestDashboardApproval decides on the comments that a rule proposes, and stops all
// rules.
func TestDashboardApproval(t *testing.T) {
	t.Parallel()
	const hostile = `"><img src=x onerror=alert(2)>`
	h, clock := buildAt(t)
	m := h.team("Deciders", "growth")
	p := m.join()
	b := h.browser()
	b.signIn(m.email)
	page := b.proposeComments(m, p, "Ada", "Bob", "Eve "+hostile)
	require.NotContains(t, page, "<img src=x")
	require.Contains(t, page, "3 to approve")
	require.Contains(t, page, `<span>Rules</span><span class="count">3<span class="sr"> to approve</span></span>`)
	for _, address := range []string{"/app/rules", "/app/watchlists", "/app/notifications", "/app/tasks"} {
		part := b.do("GET", address, "", "HX-Request", "true")
		require.Equal(t, 200, part.status)
		require.NotContains(t, part.raw, "<!doctype", "a script asks for the part that it follows")
		require.Contains(t, part.raw, `hx-get="`+address+`"`)
	}
	of := func(name string) string {
		from := page[strings.Index(page, "the post of "+name):]
		return "/app/rules/actions/" + proposedActs.FindStringSubmatch(from)[1]
	}
	token := b.token()
	require.Equal(t, 400, b.send(of("Ada"), url.Values{"token": {token}, "do": {"approve"}, "text-" + path.Base(of("Ada")): {" "}}).status)
	require.Equal(t, 400, b.send(of("Ada"), url.Values{"token": {token}, "do": {"maybe"}}).status)
	// A decision can be taken back for ten seconds.
	send := func(name, do, text string) reply {
		return b.send(of(name), url.Values{"token": {token}, "do": {do}, "text-" + path.Base(of(name)): {text}})
	}
	require.Equal(t, "/app/rules#proposal-"+path.Base(of("Ada")), send("Ada", "approve", "Too fast").header.Get("Location"))
	waits := b.do("GET", "/app/rules", "").raw
	require.Contains(t, waits, "Approved by "+m.email)
	require.Contains(t, waits, "Comment on the post of Ada. It is done in 10 seconds.")
	require.Contains(t, waits, "2 to approve")
	require.Equal(t, 409, send("Ada", "reject", "").status)
	require.NoError(t, clock.Advance(9*time.Second))
	require.Equal(t, 303, send("Ada", "undo", "").status)
	require.Equal(t, 303, send("Bob", "reject", "").status)
	require.Contains(t, b.do("GET", "/app/rules", "").raw, "Comment on the post of Bob. It is discarded in 10 seconds.")
	require.Equal(t, 303, send("Bob", "undo", "").status)
	require.NoError(t, clock.Advance(time.Minute))
	waits = b.do("GET", "/app/rules", "").raw
	require.Contains(t, waits, "3 to approve")
	require.Contains(t, waits, ">Too fast</textarea>")

	require.Equal(t, 303, send("Ada", "approve", "In my own words").status)
	require.NoError(t, clock.Advance(10*time.Second))
	task := p.hear(protocol.TypeTask)
	require.Equal(t, "agent_comment_post", task.TaskType)
	require.Contains(t, string(task.Input), "In my own words")
	require.Equal(t, 409, send("Ada", "undo", "").status)
	require.NotEqual(t, 303, send("Ada", "reject", "").status, "it was approved")
	require.Equal(t, 303, send("Bob", "reject", "").status)
	require.NoError(t, clock.Advance(10*time.Second))
	page = b.do("GET", "/app/rules", "").raw
	require.Contains(t, page, "Rejected")
	require.Contains(t, b.do("GET", "/app/nav?page=rules", "").raw, `aria-current="page"`)
	require.Contains(t, b.do("GET", "/app/nav?page=rules", "").raw, `<span class="count">1<span class="sr"> to approve`)
	require.Equal(t, 1, strings.Count(page, `class="proposal"`))
	require.Regexp(t, `Proposed <time datetime="20[^"]+" title="[^"]+">[^<]+</time>, lapses in `, page)

	// A stop names the number of proposals and actions that it discards. Stop everything,
	// and let the rules act again.
	require.Contains(t, page, "This discards 1 proposal to approve and 1 action in a browser, unless it has begun. They do not come back when the rules act again.")
	require.Equal(t, 400, b.send("/app/rules", url.Values{"token": {token}}).status)
	require.Equal(t, 303, b.send("/app/rules", url.Values{"token": {token}, "do": {"stop"}}).status)
	page = b.do("GET", "/app/rules", "").raw
	require.Contains(t, page, "All rules are stopped.")
	require.Contains(t, page, "Stopped by "+m.email)
	require.NotContains(t, page, `class="proposal"`)
	require.Equal(t, 303, b.send("/app/rules", url.Values{"token": {token}, "do": {"resume"}}).status)
	require.NotContains(t, b.do("GET", "/app/rules", "").raw, "All rules are stopped.")
	require.Eventually(t, func() bool { // the browser has released the action
		return strings.Contains(b.do("GET", "/app/rules", "").raw, "Nothing waits, so nothing is discarded.")
	}, patience, time.Millisecond)
}

// TestRuleTexts: the dry run shows how the comments read, and greets no company by a
// first name.
func TestRuleTexts(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Greeters", "growth")
	p := m.join()
	var posts []protocol.Post
	for i := range 6 {
		post := sample(i, "telemetry")
		post.AuthorName, post.AuthorURL = "Juniper Networks", "https://network.example/company/juniper"
		if i == 2 {
			post.AuthorName, post.AuthorURL = "Ada Lovelace", "https://network.example/in/ada"
		}
		posts = append(posts, post)
	}
	list := m.collect(p, "telemetry", posts...)
	b := h.browser()
	b.signIn(m.email)
	form := ruleForm(list, "comment")
	form["template"] = []string{"Congratulations, {first_name}!"}
	form.Set("token", b.token())
	form.Set("do", "try")
	page := html.UnescapeString(b.send("/app/rules/new", form).raw)
	require.NotContains(t, page, "Congratulations, Juniper")
	require.Contains(t, page, "How the comments read")
	require.Contains(t, page, "Congratulations, Ada!")
	require.Contains(t, page, "5 that no comment fits, because a variable has no value for them")
	form["template"] = []string{"Congratulations, {first_name}!", "Well said, {author_name}", "More on {keyword}?"}
	page = b.send("/app/rules/new", form).raw
	texts := page[strings.Index(page, "How the comments read"):strings.Index(page, "What it would have done")]
	require.Equal(t, 3, strings.Count(texts, "<blockquote"))
}
