package dashboard

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"watchpost/actors"
	"watchpost/internal/words"
	"watchpost/watchpost"
)

// Bounds of the page of a person.
const (
	historySize = 50 // posts of a page of the history
	deedsAtMost = 100
)

// personPage is an author: the posts that the watchlists collected, and what the team did.
type personPage struct {
	frame
	paged
	personRow
	actingAs
	AuthorURL     string
	Address, Here string // of the page, and of this part of the history
	Begin         string // day of the first post
	Sentiment     string
	Lists         []chip
	History       []historyMonth
	Sent          string // the request that was just made
	Key           string // of the forms
	Write         composerView
	Profile       profileView
}

// profileView is what was fetched of a person or company, and how the fetch that was just
// asked for stands.
type profileView struct {
	Here    string // address of this part
	Facts   []fact
	At      moment // of the fetch; without a Machine there is none
	Asked   string
	Old     bool
	Pending string // why the fetch is not done
	Failed  string
}

// fact is a line of a profile.
type fact struct{ Name, Text string }

const (
	profileOld      = 7 * 24 * time.Hour // from then on the page offers to fetch it again
	positionsAtMost = 5
)

// historyMonth is what happened in a month, the newest first.
type historyMonth struct {
	Month   string
	Entries []historyEntry
}

// historyEntry is a post, or what the team did.
type historyEntry struct {
	at                 time.Time
	When               moment
	Icon, What, Text   string
	Ours               bool
	Post               watchpost.PostID
	State, Class, Sign string
	Why, Language      string
}

var errNoPerson = watchpost.Errorf(watchpost.NotFound, "Your watchlists have no posts of this author")

// personHref is the address of an author's page, by the key of the author; "" for one
// that is known by a number only.
func personHref(key string) string {
	kind, name, found := strings.Cut(key, "/")
	if !found {
		return ""
	}
	return pathPeople + "/" + kind + "/" + url.PathEscape(name)
}

// person shows an author's posts and what the team did, in one history.
func (d peoplePages) person(w http.ResponseWriter, r *http.Request, v *visit) error {
	lead, posts, err := d.leadOf(r, v)
	if err != nil {
		return err
	}
	if byHTMX(r) && r.URL.Query().Get("part") == "profile" {
		part := personPage{frame: frameOf(v, "people", lead.Name), actingAs: actingAsOf(r, v), Address: personHref(lead.Key), Key: watchpost.NewSecret(8)}
		if part.Profile, err = d.profileOf(r, v, lead); err != nil {
			return err
		}
		return renderPart(w, v.say, "person.html", "profile", part)
	}
	page, err := d.personPage(r, v, lead, posts)
	if err != nil {
		return err
	}
	return renderLive(w, r, "person.html", page)
}

// personPage returns the page of an author with the posts that a query selects.
func (d peoplePages) personPage(r *http.Request, v *visit, lead *actors.Lead, posts watchpost.PostQuery) (*personPage, error) {
	lists, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListWatchlists{})
	if err != nil {
		return nil, err
	}
	now := d.Clock.Now()
	n, _ := strconv.Atoi(r.URL.Query().Get("page")) // any other text is the first page
	n = max(n, 1)
	href := func(page int) string {
		if page == 1 {
			return personHref(lead.Key)
		}
		return personHref(lead.Key) + "?page=" + strconv.Itoa(page)
	}
	page := &personPage{
		personRow: d.personRowOf(v.say, lead, now), actingAs: actingAsOf(r, v), AuthorURL: lead.AuthorURL, Address: href(1), Here: href(n),
		Begin: v.say.Date("date.long", v.say.Local(lead.FirstAt)), Sentiment: lead.Sentiment, Key: watchpost.NewSecret(8),
		Write: composerView{ID: "message", Drafts: d.Draft != nil},
	}
	page.frame = frameOf(v, "people", page.Name)
	known := byID(lists)
	for _, id := range lead.Watchlists {
		page.Lists = append(page.Lists, chip{Name: known[id].Name, Href: page.Posted + "&" + url.Values{"watchlist_id": {string(id)}}.Encode()})
	}
	if task := r.URL.Query().Get("task"); task != "" {
		page.Sent = v.say.Text("person.it_goes_out_from_the_browser")
	}
	if page.Profile, err = d.profileOf(r, v, lead); err != nil {
		return nil, err
	}
	entries, shown, err := d.history(r, v, lead, posts, n)
	if err != nil {
		return nil, err
	}
	for i := range entries {
		month := v.say.Date("date.month", v.say.Local(entries[i].at))
		if i == 0 || v.say.Date("date.month", v.say.Local(entries[i-1].at)) != month {
			page.History = append(page.History, historyMonth{Month: month})
		}
		last := &page.History[len(page.History)-1]
		last.Entries = append(last.Entries, entries[i])
	}
	page.paged = pagedOf(n, historySize, shown, lead.Posts, href)
	return page, nil
}

// leadOf returns the author whom the path names, with all posts, and the query for these
// (NotFound without any).
func (d peoplePages) leadOf(r *http.Request, v *visit) (lead *actors.Lead, posts watchpost.PostQuery, err error) {
	key := r.PathValue("kind") + "/" + r.PathValue("name")
	switch r.PathValue("kind") {
	case "profile":
		posts.People = []string{key}
	case "company":
		posts.Companies = []string{key}
	default:
		return nil, posts, errNoPerson
	}
	q := watchpost.LeadQuery{PostQuery: posts, By: watchpost.LeadsRecentFirst, MinPosts: 1}
	q.Page, q.PageSize = 1, 1
	found, err := d.Registry.Leads(r.Context(), v.session.Team, nil, q)
	if err != nil {
		return nil, posts, err
	}
	if len(found.Leads) == 0 {
		return nil, posts, errNoPerson
	}
	return &found.Leads[0], posts, nil
}

// history returns the n-th page of posts and what the team did in that time, newest first,
// and the number of posts.
func (d peoplePages) history(r *http.Request, v *visit, lead *actors.Lead, q watchpost.PostQuery, n int) (all []historyEntry, posts int, err error) {
	shown, err := d.somePosts(r, v, q, n, historySize)
	if err != nil {
		return nil, 0, err
	}
	query := watchpost.JournalQuery{About: &watchpost.Subjects{Authors: keysOf(lead)}}
	if len(shown) > 0 && n*historySize < lead.Posts {
		query.From = shown[len(shown)-1].PostedAt
	}
	if n > 1 {
		before, err := d.somePosts(r, v, q, (n-1)*historySize, 1)
		if err != nil {
			return nil, 0, err
		}
		for _, p := range before {
			query.To = p.PostedAt
		}
	}
	q.Interacted = true
	interacted, err := d.somePosts(r, v, q, 1, watchpost.MaxPageSize)
	if err != nil {
		return nil, 0, err
	}
	now := d.Clock.Now()
	for _, p := range shown {
		query.About.Posts = append(query.About.Posts, p.ID)
		all = append(all, historyEntry{
			at: p.PostedAt, When: momentOf(v.say, ago(v.say, p.PostedAt, now), p.PostedAt), Icon: "feed", What: v.say.Text("common.post"), Post: p.ID,
			Text: excerptOf(p.Content), Language: p.Language,
		})
	}
	for _, p := range interacted {
		query.About.Posts = append(query.About.Posts, p.ID)
	}
	found, err := d.Registry.Journal(r.Context(), v.session.Team, query, "", deedsAtMost)
	if err != nil {
		return nil, 0, err
	}
	for i := range found.Entries {
		e := &found.Entries[i]
		row := journalRowOf(v.say, e, v.team.Team, now)
		what := v.say.Known(e.Type.Title())
		if e.Member != "" {
			what = v.say.Text("tasks.as", "what", what, "name", row.Who)
		}
		all = append(all, historyEntry{
			at: e.At, When: momentOf(v.say, ago(v.say, e.At, now), e.At), Icon: e.Type.Icon(), Ours: true, What: v.say.Text("tasks.asked_by", "what", what, "name", row.Asked),
			Text: e.Text, Post: e.Post, State: row.State, Class: row.Class, Sign: row.Icon, Why: row.Why,
		})
	}
	rejected, err := d.rejected(r, v, lead, query.From, query.To)
	if err != nil {
		return nil, 0, err
	}
	all = append(all, rejected...)
	slices.SortStableFunc(all, func(a, b historyEntry) int { return b.at.Compare(a.at) })
	return all, len(shown), nil
}

// keysOf are the names by which an author is known.
func keysOf(lead *actors.Lead) []string {
	if lead.Same == "" {
		return []string{lead.Key}
	}
	return []string{lead.Key, lead.Same}
}

// rejected are the proposals of rules on an author's posts that members rejected from one
// moment to before another; a zero one is no bound.
func (d peoplePages) rejected(r *http.Request, v *visit, lead *actors.Lead, from, to time.Time) (all []historyEntry, err error) {
	found, err := d.Registry.RejectedProposals(r.Context(), v.session.Team, keysOf(lead)...)
	now := d.Clock.Now()
	for _, a := range found {
		if a.EndedAt.Before(from) || !to.IsZero() && !a.EndedAt.Before(to) {
			continue
		}
		state := ruleStates[a.State]
		e := historyEntry{
			at: a.EndedAt, When: momentOf(v.say, ago(v.say, a.EndedAt, now), a.EndedAt), Icon: ruleIcons[a.Action], Ours: true, Post: a.Post, Text: a.Text,
			What: v.say.Text("person.what_as_name_proposed_by_rule", "what", v.say.Text(ruleNouns[a.Action]), "name", memberName(v.say, v.team.Team, a.Member), "rule", a.RuleName), State: v.say.Text(state[0]), Class: state[1], Sign: state[2],
		}
		if by := memberName(v.say, v.team.Team, a.DecidedBy); by != "" {
			e.State = v.say.Text("person.state_by_name", "state", e.State, "name", by)
		}
		all = append(all, e)
	}
	return all, err
}

// profileOf is the newest fetch of a person or company, and the fetch that the address
// names.
func (d peoplePages) profileOf(r *http.Request, v *visit, lead *actors.Lead) (p profileView, err error) {
	now, fetch := d.Clock.Now(), r.URL.Query().Get("fetch")
	p.Here = personHref(lead.Key) + "?" + url.Values{"part": {"profile"}, "fetch": {fetch}}.Encode()
	task, err := d.Registry.NewestFetch(r.Context(), v.session.Team, keysOf(lead)...)
	if err != nil {
		return p, err
	}
	if task != nil {
		entry := task.Journal()
		p.Facts, p.At, p.Asked = profileFacts(v.say, task), momentOf(v.say, agoOrNow(v.say, task.EndedAt, now), task.EndedAt), askerOf(v.say, &entry, v.team.Team)
		p.Old = now.Sub(task.EndedAt) >= profileOld
	}
	if fetch == "" {
		return p, nil
	}
	asked, err := d.Registry.TaskStatus(r.Context(), v.session.Team, watchpost.TaskID(fetch))
	if watchpost.KindOf(err) == watchpost.NotFound {
		return p, nil // it was deleted, or the address is another one's
	}
	switch shown := taskShown(v.say, asked, v.team.Team, now); {
	case shown.Pending:
		p.Pending = strings.TrimSpace(v.say.Text("person.being_fetched_state", "state", shown.State) + " " + shown.Extra)
	case asked.State == watchpost.TaskFailed:
		p.Failed = strings.TrimSpace(v.say.Text("person.not_fetched_state", "state", shown.State) + " " + shown.Extra)
	}
	return p, err
}

// profileFacts are the lines of a fetched profile of a person or company.
func profileFacts(say *words.Language, task *watchpost.Task) (facts []fact) {
	var out struct {
		Headline, Location, Industry, Headquarters, Website, Description string
		Followers                                                        int
		Employees                                                        int `json:"employee_count"`
		Experience                                                       []struct {
			Title   string
			Company string `json:"company_name"`
			Start   int    `json:"start_year"`
			End     int    `json:"end_year"`
		}
	}
	_ = json.Unmarshal(task.Output, &out) // an output that cannot be read has no facts
	add := func(name, text string) { facts = appendFact(facts, say.Text(name), text) }
	add("person.headline", out.Headline)
	add("person.location", out.Location)
	add("person.industry", out.Industry)
	add("person.headquarters", out.Headquarters)
	add("person.employees", say.Number(out.Employees))
	add("person.website", out.Website)
	add("person.followers", say.Number(out.Followers))
	for _, job := range out.Experience[:min(len(out.Experience), positionsAtMost)] {
		when := say.Text("person.position")
		switch {
		case job.Start != 0 && job.End != 0:
			when = say.Text("person.from_to_to", "from", strconv.Itoa(job.Start), "to", strconv.Itoa(job.End))
		case job.Start != 0:
			when = say.Text("person.since_year", "year", strconv.Itoa(job.Start))
		}
		facts = appendFact(facts, when, say.List(slices.DeleteFunc([]string{job.Title, job.Company}, func(s string) bool { return s == "" })...))
	}
	add("person.about", excerptOf(out.Description))
	return facts
}

// appendFact adds a line that says something.
func appendFact(facts []fact, name, text string) []fact {
	if text == "" || text == "0" {
		return facts
	}
	return append(facts, fact{name, text})
}

// fetchProfile makes the task that fetches a person's or company's profile.
func (d peoplePages) fetchProfile(w http.ResponseWriter, r *http.Request, v *visit, lead *actors.Lead) error {
	if err := d.Registry.RequireExtension(r.Context(), v.session.Team); err != nil {
		return err
	}
	request, param := actors.CreateTask{Type: watchpost.TaskProfileFetch}, "profile_slug"
	if lead.Kind == watchpost.LeadCompany {
		request.Type, param = watchpost.TaskCompanyFetch, "company_slug"
	}
	_, slug, _ := strings.Cut(lead.Key, "/") // leadOf found it by that
	var err error
	if request.Input, err = json.Marshal(map[string]string{param: slug}); err != nil {
		return err
	}
	made, _, err := actors.AskOnce(r.Context(), d.Registry, v.session.Team, formKey(r), request)
	if err != nil {
		return err
	}
	http.Redirect(w, r, personHref(lead.Key)+"?"+url.Values{"fetch": {string(made.ID)}}.Encode()+"#profile", http.StatusSeeOther)
	return nil
}

// somePosts returns a page of the posts that a query selects.
func (d peoplePages) somePosts(r *http.Request, v *visit, q watchpost.PostQuery, page, size int) ([]*watchpost.Post, error) {
	q.Page, q.PageSize = page, size
	found, err := d.Registry.Posts(r.Context(), v.session.Team, nil, q)
	if err != nil {
		return nil, err
	}
	posts := make([]*watchpost.Post, len(found.Posts))
	for i, stored := range found.Posts {
		if posts[i], err = stored.Post(); err != nil {
			return nil, err
		}
	}
	return posts, nil
}
