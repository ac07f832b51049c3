package fakenetwork

import (
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"watchpost/watchpost"
)

// Options are the options of a Site. The zero value is a site of seed 0 by the
// wall clock, without faults and control endpoints.
type Options struct {
	// Clock is the network's time (default: the wall clock).
	Clock watchpost.Clock
	// Seed chooses the generated world.
	Seed int64
	// CorpusFile, if set, is a file of JSON lines {id, language, sentiment,
	// text}; its posts replace the generated ones.
	CorpusFile string
	// PostsPerDay is the number of generated posts of a day (default 110).
	// Worlds with different numbers have nothing in common.
	PostsPerDay int
	// SearchPage is the number of posts on a page of results (default 25).
	SearchPage int
	// Caps are the network's own limits per account (default DefaultCaps).
	Caps Caps
	// Faults apply to every account from the start.
	Faults Faults
	// Control opens the test endpoints under /_control/: faults, counts of
	// writes, signing accounts out. Never expose them to others.
	Control bool
	// OnWrite, if set, is called after a write was applied and before it is
	// answered.
	OnWrite func(Write)
	// Logger receives internal errors (default: slog's).
	Logger *slog.Logger
}

// Site is the stand-in network as an HTTP handler, safe for concurrent use.
type Site struct {
	opts    Options
	world   *world
	records *records
	faults  faultTable
	mux     *http.ServeMux
}

// defaultSearchPage is the default number of posts on a page of results.
const defaultSearchPage = 25

// New creates a site. It fails when the corpus cannot be read; the error names
// the line.
func New(opts Options) (*Site, error) {
	if opts.Clock == nil {
		opts.Clock = watchpost.SystemClock{}
	}
	if opts.PostsPerDay <= 0 {
		opts.PostsPerDay = defaultPostsPerDay
	}
	if opts.SearchPage <= 0 {
		opts.SearchPage = defaultSearchPage
	}
	if opts.Caps == (Caps{}) {
		opts.Caps = DefaultCaps
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	s := &Site{opts: opts, world: newWorld(opts.Seed), mux: http.NewServeMux()}
	start := opts.Clock.Now()
	if opts.CorpusFile == "" {
		s.world.generatePosts(start, opts.PostsPerDay)
	} else if err := s.world.loadCorpus(opts.CorpusFile, start); err != nil {
		return nil, fmt.Errorf("network: %w", err)
	}
	s.records = newRecords(s.world, opts.Caps)
	s.faults.set("", opts.Faults)
	s.routes()
	return s, nil
}

// securityPolicy allows the site's own files only: no inline code or style, no
// other origin.
const securityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// ServeHTTP implements http.Handler.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.guarded(s.mux, w, r) }

// guarded answers with the headers that every page has.
func (s *Site) guarded(next http.Handler, w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", securityPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	next.ServeHTTP(w, r)
}

// PostCount returns the number of network posts, future ones included.
func (s *Site) PostCount() int { return len(s.world.posts.posts) }

// now is the network's time.
func (s *Site) now() time.Time { return s.opts.Clock.Now().UTC() }

// routes is the table of the site's addresses.
func (s *Site) routes() {
	s.mux.HandleFunc("GET /static/{file}", s.static)
	s.mux.HandleFunc("GET /media/{kind}/{file}", s.media)

	s.mux.HandleFunc("GET /sign-in", s.signInPage)
	s.mux.HandleFunc("POST /sign-in", s.signIn)
	s.mux.HandleFunc("POST /sign-out", s.signOut)

	read := func(pattern string, h func(*visit)) { s.mux.HandleFunc("GET "+pattern, s.reading(h)) }
	read("/{$}", (*visit).feed)
	read("/feed", (*visit).feed)
	read("/in/{who}", (*visit).profile)
	read("/in/{who}/posts", (*visit).memberPosts)
	read("/company/{who}", (*visit).company)
	read("/company/{who}/posts", (*visit).companyPosts)
	read("/posts/{post}", (*visit).post)
	read("/search/posts", (*visit).searchPosts)
	read("/search/people", (*visit).searchPeople)
	read("/search/companies", (*visit).searchCompanies)
	read("/forum", (*visit).forumFront)
	read("/forum/search", (*visit).searchForum)
	read("/forum/{post}", (*visit).forumPost)
	read("/connections", (*visit).connections)
	read("/messages", (*visit).messages)
	read("/messages/{who}", (*visit).thread)
	read("/invitations", (*visit).invitations)
	read("/", (*visit).notFound)

	write := func(pattern string, h func(deed)) { s.mux.HandleFunc("POST "+pattern, s.writing(h)) }
	write("/posts", deed.writePost)
	write("/posts/{post}/like", deed.like)
	write("/posts/{post}/unlike", deed.unlike)
	write("/posts/{post}/comment", deed.comment)
	write("/messages/{who}", deed.message)
	write("/in/{who}/invite", deed.invite)
	write("/in/{who}/withdraw", deed.withdraw)
	write("/in/{who}/accept", deed.accept)
	write("/in/{who}/decline", deed.decline)

	if s.opts.Control {
		s.controlRoutes()
	}
}
