package dashboard

import (
	"cmp"
	"context"
	"html/template"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"watchpost/actors"
	"watchpost/internal/csvrow"
	"watchpost/internal/langcode"
	"watchpost/internal/text"
	"watchpost/internal/words"
	"watchpost/watchpost"
)

// feedPage is the feed with its filters.
type feedPage struct {
	frame
	feedFilters
	actingAs
	Since *sinceView
	Undo  *undoView
	Views *savedViews
	Posts []postView
	Count int
	paged
	Back       string // the address of the page
	ByTime     bool   // pages are newer and older, not previous and next
	Empty      *emptyView
	FirstSteps *firstSteps
	Figures    *figures
	Single     bool // a page of one post
	// Decided means that the page answers a decision about several posts: how many it was
	// Done to, and why others are Refused.
	Decided bool
	Done    int
	Refused []string

	made time.Time
}

func (d feedPages) feed(w http.ResponseWriter, r *http.Request, v *visit) error {
	page, err := d.feedPage(r, v)
	if err != nil {
		return err
	}
	return page.show(w, r, http.StatusOK)
}

// show writes the page, or for a script its results. A script takes a status that is none
// of success for a failure.
func (p *feedPage) show(w http.ResponseWriter, r *http.Request, status int) error {
	w.Header().Add("Vary", "HX-Request")
	if byHTMX(r) {
		return renderPart(w, p.language(), "feed.html", "results", p)
	}
	return render(w, status, "feed.html", p)
}

// feedPage makes the page of the feed that an address asks for.
func (d feedPages) feedPage(r *http.Request, v *visit) (*feedPage, error) {
	in, err := d.inboxOf(r, v)
	if err != nil {
		return nil, err
	}
	named, q, params, err := d.readFeed(r, v)
	if err != nil {
		return nil, err
	}
	q.PageSize = watchpost.PageSize
	lists, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListWatchlists{})
	if err != nil {
		return nil, err
	}
	now := d.Clock.Now()
	languages, err := d.Registry.PostLanguages(r.Context(), v.session.Team)
	if err != nil {
		return nil, err
	}
	f := newFeedFilters(v.say, params, r.URL.Query().Get("list_term"), named, q, lists, languages, now)
	charts := f.askFigures(lists, now)
	since := f.askInbox(in, now)
	if err := f.askUnread(d, r, v); err != nil {
		return nil, err
	}
	views, err := d.views(r, v, f, lists)
	if err != nil {
		return nil, err
	}
	found, err := d.Registry.Posts(r.Context(), v.session.Team, named, q, f.questions...)
	if err != nil {
		return nil, err
	}
	f.answer(found.Counts)
	charts.complete(f, found.Count)
	deeds, err := d.deeds(r, v)
	if err != nil {
		return nil, err
	}
	page := feedPage{
		Figures: charts, Since: since, made: now,
		frame: frameOf(v, "feed", v.say.Text("layout.feed")), feedFilters: *f, Views: views, actingAs: actingAsOf(r, v), Count: found.Count,
		Back: f.params.page(q.Page), ByTime: q.Order == watchpost.RecentFirst,
	}
	page.Undo = cmp.Or(undoAllDone(in, v, page.Back, now), undoOf(r, v, page.Back))
	forms, err := postFormsOf(v.say, page.Token, page.Back, page.actingAs, now)
	if err != nil {
		return nil, err
	}
	shown := postShower{say: v.say, now: now, asked: found.Asked, tagging: found.Tagging, lists: byID(lists), as: page.actingAs, forms: forms, drafts: d.Draft != nil, images: d.Picture != nil, inbox: in, team: v.team.Team}
	if err := d.addPosts(r, v, &page, found.Posts, &shown, deeds); err != nil {
		return nil, err
	}
	page.paged = pagedOf(q.Page, watchpost.PageSize, len(page.Posts), page.Count, f.params.page)
	if found.Count == 0 {
		if page.Empty, page.FirstSteps, err = d.emptyFeed(r, v, f, lists); err != nil {
			return nil, err
		}
	}
	return &page, nil
}

// addPosts adds posts to a page, with what members have asked to be done with them.
func (d feedPages) addPosts(r *http.Request, v *visit, p *feedPage, posts []*actors.StoredPost, as *postShower, deeds map[watchpost.PostID]watchpost.TaskID) error {
	asked := watchpost.TaskID(r.URL.Query().Get("task"))
	read := make([]*watchpost.Post, len(posts))
	for i, stored := range posts {
		var err error
		if read[i], err = stored.Post(); err != nil {
			return err
		}
	}
	var err error
	if as.histories, err = d.historiesOf(r, v, read); err != nil {
		return err
	}
	for _, post := range read {
		view := as.show(post)
		view.Pick, view.Chosen = !p.Single, r.URL.Query().Get("choose") == "all"
		if err := d.showAction(r, v, cmp.Or(deeds[post.ID], asked), &view, p.Back); err != nil {
			return err
		}
		p.Posts = append(p.Posts, view)
	}
	return nil
}

// csvChunk is about how much of an export is sent at once.
const csvChunk = 64 << 10

// exportTime bounds an export, as that of the API. Each chunk has its own bound.
const exportTime = 15 * time.Minute

// feedCSV exports all posts that the filters of a feed select, as the API does.
func (d feedPages) feedCSV(w http.ResponseWriter, r *http.Request, v *visit) error {
	named, q, _, err := d.readFeed(r, v)
	if err != nil {
		return err
	}
	rows := csvrow.Rows{Columns: d.PostColumns}
	chunk, object, begun := csvrow.AppendHeader(nil, d.PostColumns), []byte(nil), false
	out := http.NewResponseController(w)
	send := func() error {
		if !begun {
			nameCSV(w, "watchpost-posts.csv")
			begun = true
		}
		_ = out.SetWriteDeadline(time.Now().Add(writeTime)) // else that of the server counts
		_, err := w.Write(chunk)
		chunk = chunk[:0]
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), exportTime)
	defer cancel()
	err = d.Registry.ExportPosts(ctx, v.session.Team, named, q, "", func(post *actors.StoredPost, q *watchpost.PostQuery) error {
		object = post.Append(object[:0], q.Live, q.Tagging)
		if chunk = rows.Append(chunk, object); len(chunk) < csvChunk {
			return nil
		}
		return send()
	})
	if err == nil {
		return send()
	}
	if begun {
		panic(http.ErrAbortHandler) // a file that ended here would look whole
	}
	return err
}

// All is the address of the page with all its posts selected.
func (p *feedPage) All() string {
	all := "choose=all"
	if strings.Contains(p.Back, "?") {
		return p.Back + "&" + all
	}
	return p.Back + "?" + all
}

// Tab is the tab of the page.
func (p *feedPage) Tab() string { return p.params.tab() }

// Made is when the page was made, as forms have it.
func (p *feedPage) Made() string { return p.made.UTC().Format(time.RFC3339Nano) }

// CSV is the address of the feed as a table.
func (p *feedPage) CSV() string {
	return pathFeed + "/posts.csv?" + p.params.with("page").values.Encode()
}

func byID(lists []actors.WatchlistView) map[watchpost.WatchlistID]watchpost.Watchlist {
	all := make(map[watchpost.WatchlistID]watchpost.Watchlist, len(lists))
	for _, l := range lists {
		all[l.Watchlist.ID] = l.Watchlist
	}
	return all
}

// postView is a post as the feed shows it.
type postView struct {
	ID                         watchpost.PostID
	Initials, Author, Headline string
	AuthorURL, URL             string
	Person                     string // address of the author's page
	Posted                     moment
	Language, LanguageName     string
	Text, Rest                 []textPart // of a long post the begin and the rest
	RestLength                 int
	Why                        []whyView
	Tags                       []string
	History                    *authorHistory // nil: the author has no page
	Sentiment                  string
	Relevance                  float64
	Influence                  int
	Likes, Comments            int
	Seniority                  string
	Bookmark, Liked, Commented bool
	Forum                      bool
	Avatar                     string // address; "" for initials alone
	Images                     []imageView
	ImageCount                 int
	// Fields that a template finds in an embedded struct cost it ten times as much.
	Actor  *actor
	Triage triageView
	Action *actionState
	Told   *toldView
	Write  composerView
	Key    string // of the forms
	Forms  *postForms
	// Pick means that the post can be selected with others, and Chosen that it is.
	Pick, Chosen bool
}

// postForms is what the forms of all posts of a page have in common. It is written
// once.
type postForms struct{ Sent, Accounts template.HTML }

// postFormsOf returns the parts for forms that lead back to a page.
func postFormsOf(say *words.Language, token, back string, as actingAs, now time.Time) (*postForms, error) {
	sent, err := written(say, "feed.html", "sent-all", struct{ Token, Back, Since string }{token, back, now.UTC().Format(time.RFC3339Nano)})
	if err != nil {
		return nil, err
	}
	accounts, err := written(say, "feed.html", "accounts", as)
	return &postForms{sent, accounts}, err
}

// textPart is a part of a post's text; Mark is one that matched.
type textPart struct {
	Text string
	Mark bool
}

// whyView says which watchlist collected a post, and for which keyword.
type whyView struct {
	Keyword, Kind, Name, Href string
}

// postShower makes views of posts.
type postShower struct {
	say       *words.Language
	now       time.Time
	asked     map[watchpost.WatchlistID]bool
	tagging   *watchpost.Tagging
	lists     map[watchpost.WatchlistID]watchpost.Watchlist
	as        actingAs
	forms     *postForms
	drafts    bool // there is a language model
	images    bool // they are shown
	inbox     *inbox
	team      watchpost.Team
	histories map[string]*authorHistory // of the authors, by key
	nobody    template.HTML             // see members
}

func (s *postShower) show(p *watchpost.Post) postView {
	v := postView{
		ID: p.ID, Author: cmp.Or(p.AuthorName, s.say.Text("feed.unknown_author")), Headline: p.AuthorHeadline, AuthorURL: p.AuthorURL, Person: personHref(p.AuthorKey()), URL: p.URL,
		Posted: momentOf(s.say, ago(s.say, p.PostedAt, s.now), p.PostedAt), Language: p.Language, LanguageName: s.say.Known(langcode.Name(p.Language)),
		Sentiment: p.Sentiment, Relevance: p.Relevance, Influence: p.Influence, Likes: int(p.Likes), Comments: int(p.Comments),
		Seniority: s.say.Known(p.Seniority), Bookmark: p.Bookmark, Liked: p.Liked, Commented: p.Commented, Forum: p.Source == watchpost.SourceForum,
		Actor: s.as.Actor, Triage: s.triage(p), Key: watchpost.NewSecret(8), Forms: s.forms,
		Write: composerView{ID: "c-" + string(p.ID), Drafts: s.drafts},
	}
	v.Initials, v.ImageCount, v.History = initials(v.Author), len(p.ImageURLs), s.histories[p.AuthorKey()]
	if s.images {
		v.Images = imagesOf(s.say, p)
		if p.AuthorImageURL != "" {
			v.Avatar = pathAvatars + "/" + string(p.ID)
		}
	}
	if p.Language == langcode.Undetermined {
		v.Language = ""
	}
	for _, t := range p.TagsGiven(s.tagging) {
		v.Tags = append(v.Tags, t.Name)
	}
	var keywords []string
	for _, m := range p.Matches {
		list, live := s.lists[m.Watchlist]
		if !live || !s.asked[m.Watchlist] {
			continue
		}
		keywords = append(keywords, m.Keyword)
		v.Why = append(v.Why, whyView{Keyword: m.Keyword, Kind: s.say.Text(authorKind(list.Type)), Name: list.Name, Href: watchlistHref(list.ID)})
	}
	begin, rest := folded(strings.TrimSpace(p.Content))
	v.Text = highlighted(begin, keywords)
	if rest != "" {
		v.Rest, v.RestLength = highlighted(rest, keywords), utf8.RuneCountInString(rest)
	}
	return v
}

const (
	// foldAt is how many characters of a long post are shown at once, and foldFrom at
	// least, so that the fold can be between two paragraphs.
	foldAt, foldFrom = 600, 300
	// foldRest is the shortest rest that is worth a fold.
	foldRest = 120
)

// folded cuts a long text between two paragraphs, or else between two words.
func folded(content string) (begin, rest string) {
	if utf8.RuneCountInString(content) < foldAt+foldRest {
		return content, ""
	}
	head := text.Clip(content, foldAt)
	cut := max(strings.LastIndexByte(head, '\n'), strings.LastIndexByte(head, '\r'))
	if utf8.RuneCountInString(head[:max(cut, 0)]) < foldFrom {
		cut = strings.LastIndexAny(head, " \t")
	}
	if cut <= 0 {
		cut = len(head)
	}
	return strings.TrimSpace(content[:cut]), strings.TrimSpace(content[cut:])
}

// authorKind returns the text of what a watchlist without keywords knows a post by.
func authorKind(t watchpost.WatchlistType) string {
	if t == watchpost.CompanyWatchlist {
		return "feed.company"
	}
	return "feed.author"
}

// highlighted marks the keywords in a text.
func highlighted(content string, keywords []string) []textPart {
	var parts []textPart
	from := 0
	for _, s := range text.Find(content, keywords) {
		if s.From > from {
			parts = append(parts, textPart{Text: content[from:s.From]})
		}
		parts = append(parts, textPart{content[s.From:s.To], true})
		from = s.To
	}
	return append(parts, textPart{Text: content[from:]})
}
