package dashboard

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"watchpost/actors"
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
}

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
func (d feedPages) person(w http.ResponseWriter, r *http.Request, v *visit) error {
	lead, posts, err := d.leadOf(r, v)
	if err != nil {
		return err
	}
	page, err := d.personPage(r, v, lead, posts)
	if err != nil {
		return err
	}
	return renderLive(w, r, "person.html", page)
}

// personPage returns the page of an author with the posts that a query selects.
func (d feedPages) personPage(r *http.Request, v *visit, lead *actors.Lead, posts watchpost.PostQuery) (*personPage, error) {
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
		personRow: d.personRowOf(lead, now), actingAs: actingAsOf(r, v), AuthorURL: lead.AuthorURL, Address: href(1), Here: href(n),
		Begin: lead.FirstAt.UTC().Format("2 January 2006"), Sentiment: lead.Sentiment, Key: watchpost.NewSecret(8),
		Write: composerView{ID: "message", Drafts: d.Draft != nil},
	}
	page.frame = frameOf(v, "people", page.Name)
	known := byID(lists)
	for _, id := range lead.Watchlists {
		page.Lists = append(page.Lists, chip{Name: known[id].Name, Href: page.Posted + "&" + url.Values{"watchlist_id": {string(id)}}.Encode()})
	}
	if task := r.URL.Query().Get("task"); task != "" {
		page.Sent = "It goes out from the browser of the account. The history shows how far it is."
	}
	entries, shown, err := d.history(r, v, lead, posts, n)
	if err != nil {
		return nil, err
	}
	for i := range entries {
		month := entries[i].at.UTC().Format("January 2006")
		if i == 0 || entries[i-1].at.UTC().Format("January 2006") != month {
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
func (d feedPages) leadOf(r *http.Request, v *visit) (lead *actors.Lead, posts watchpost.PostQuery, err error) {
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
func (d feedPages) history(r *http.Request, v *visit, lead *actors.Lead, q watchpost.PostQuery, n int) (all []historyEntry, posts int, err error) {
	shown, err := d.somePosts(r, v, q, n, historySize)
	if err != nil {
		return nil, 0, err
	}
	query := watchpost.JournalQuery{About: &watchpost.Subjects{Authors: []string{lead.Key}}}
	if lead.Same != "" {
		query.About.Authors = append(query.About.Authors, lead.Same)
	}
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
			at: p.PostedAt, When: momentOf(ago(p.PostedAt, now), p.PostedAt), Icon: "feed", What: "Post", Post: p.ID,
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
		row := journalRowOf(e, v.team.Team, now)
		all = append(all, historyEntry{
			at: e.At, When: momentOf(ago(e.At, now), e.At), Icon: e.Type.Icon(), Ours: true, What: e.Type.Title() + " as " + row.Who + ", asked by " + row.Asked,
			Text: e.Text, Post: e.Post, State: row.State, Class: row.Class, Sign: row.Icon, Why: row.Why,
		})
	}
	slices.SortStableFunc(all, func(a, b historyEntry) int { return b.at.Compare(a.at) })
	return all, len(shown), nil
}

// somePosts returns a page of the posts that a query selects.
func (d feedPages) somePosts(r *http.Request, v *visit, q watchpost.PostQuery, page, size int) ([]*watchpost.Post, error) {
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

// writeTo makes the task that sends a person a message, or an invitation to connect.
func (d feedPages) writeTo(w http.ResponseWriter, r *http.Request, v *visit) error {
	lead, posts, err := d.leadOf(r, v)
	if err != nil {
		return err
	}
	if r.PostFormValue("draft") != "" {
		return d.draftMessage(w, r, v, lead, posts)
	}
	request, err := messageTo(lead, v.team.Team, r.PostForm)
	if err != nil {
		return err
	}
	last, err := d.Registry.Post(r.Context(), v.session.Team, lead.LastPost)
	if err != nil {
		return err
	}
	if again, ask := unsure(r, r.PostFormValue("text"), last.Post); ask && request.Type == watchpost.TaskSendMessage {
		return d.messageAgain(w, r, v, lead, posts, again)
	}
	if err := d.Registry.RequireExtension(r.Context(), v.session.Team); err != nil {
		return err
	}
	made, _, err := actors.AskOnce(r.Context(), d.Registry, v.session.Team, formKey(r), request)
	if err != nil {
		return err
	}
	http.Redirect(w, r, personHref(lead.Key)+"?"+url.Values{"task": {string(made.ID)}}.Encode(), http.StatusSeeOther)
	return nil
}

// messageTo returns the task of a form.
func messageTo(lead *actors.Lead, team watchpost.Team, form url.Values) (request actors.CreateTask, err error) {
	if lead.Kind != watchpost.LeadPerson {
		return request, watchpost.Errorf(watchpost.Invalid, "Messages and invitations go to people.")
	}
	member, known := team.Member(watchpost.MemberID(form.Get("as")))
	if !known {
		return request, watchpost.Errorf(watchpost.NotFound, "User not found")
	}
	written := strings.TrimSpace(form.Get("text"))
	length := utf8.RuneCountInString(written)
	request.Email = &member.Email
	input := map[string]string{"user_email": member.Email}
	switch form.Get("do") {
	case "message":
		if length == 0 || length > watchpost.MaxMessage {
			return request, watchpost.Errorf(watchpost.Invalid, "A message has between 1 and %d characters.", watchpost.MaxMessage)
		}
		request.Type = watchpost.TaskSendMessage
		input["recipient_urn"], input["message"] = lead.AuthorURL, written
	case "invite":
		if length > watchpost.MaxNote {
			return request, watchpost.Errorf(watchpost.Invalid, "A note has at most %d characters.", watchpost.MaxNote)
		}
		request.Type = watchpost.TaskConnectionRequest
		input["profile_urn"] = lead.AuthorURL
		if written != "" {
			input["note"] = written
		}
	default:
		return request, errUnknownForm()
	}
	request.Input, err = json.Marshal(input)
	return request, err
}
