// Package dashboard serves the pages of the account dashboard under /app. They
// are rendered on the server and need no script to be read. A page asks the same
// actors as the API; package httpapi lends it what both read from a request.
//
//	signed      session cookie, form token, limit of the body
//	page…       requests to the team, and the view of the page
//	templates/  one file per page, and the layout
//	assets/     stylesheet, icons, scripts; vendor/ is written by make assets
package dashboard

import (
	"context"
	"net/http"

	"watchpost"
	"watchpost/actors"
	"watchpost/internal/interpret"
)

// Options is what a Dashboard needs; all fields are required.
type Options struct {
	Registry *actors.Registry
	Clock    watchpost.Clock
	// ReadPosts reads the query of GET /api-posts, whose parameters are those
	// of the feed.
	ReadPosts func(*http.Request) (named []string, q watchpost.PostQuery, err error)
	// Interpret returns what a prompt means, or *interpret.Refused.
	Interpret func(context.Context, watchpost.WatchlistType, string) (interpret.Result, error)
	// Client returns the name of the client in limits, and whether its
	// connection is encrypted.
	Client func(*http.Request) (key string, encrypted bool)
	// Writable tells why forms are refused because nothing can be stored.
	Writable func() error
	// SignIn redeems a one-time code.
	SignIn func(r *http.Request, email, otp string) (actors.SignedIn, error)
	// Elsewhere reports whether another node of a cluster answers the request, in
	// place of the error.
	Elsewhere func(*http.Request, error) bool
	// Fault logs an error where it is the service's, and returns the status and
	// the text of its reply, and the id of the request.
	Fault func(*http.Request, error) (status int, text, request string)
}

// Dashboard is the set of pages.
type Dashboard struct {
	Options
	guard *http.CrossOriginProtection
}

// Route is a page or an action of the dashboard.
type Route struct {
	Method, Path string
	Handler      http.Handler
}

// New returns the dashboard.
func New(o Options) *Dashboard { return &Dashboard{Options: o, guard: http.NewCrossOriginProtection()} }

// Routes lists the whole surface.
func (d *Dashboard) Routes() []Route {
	return []Route{
		{http.MethodGet, "/{$}", http.RedirectHandler(pathFeed, http.StatusSeeOther)},
		{http.MethodGet, "/app/assets/{file}", http.HandlerFunc(serveAsset)},
		{http.MethodGet, pathSignIn, d.public(d.showSignIn)},
		{http.MethodPost, pathSignIn, d.public(d.mailCode)},
		{http.MethodPost, pathCode, d.public(d.enterCode)},
		{http.MethodGet, pathLink, d.public(d.showLink)},
		{http.MethodPost, pathLink, d.public(d.redeemLink)},
		{http.MethodPost, "/app/sign-out", d.signed(d.signOut)},
		{http.MethodGet, pathFeed, d.signed(d.feed)},
		{http.MethodPost, "/app/as", d.signed(d.chooseActor)},
		{http.MethodGet, "/app/posts/{id}", d.signed(d.post)},
		{http.MethodPost, "/app/posts/{id}/save", d.signed(d.save)},
		{http.MethodPost, "/app/posts/{id}/like", d.signed(d.like)},
		{http.MethodPost, "/app/posts/{id}/comment", d.signed(d.comment)},
		{http.MethodGet, pathWatchlists, d.signed(d.watchlists)},
		{http.MethodGet, "/app/watchlists/new", d.signed(d.newWatchlist)},
		{http.MethodPost, "/app/watchlists/new", d.signed(d.makeWatchlist)},
		{http.MethodGet, "/app/watchlists/{id}", d.signed(d.editWatchlist)},
		{http.MethodPost, "/app/watchlists/{id}", d.signed(d.changeWatchlist)},
		{http.MethodGet, pathTeam, d.signed(d.showTeam)},
		{http.MethodPost, pathTeam, d.signed(d.changeTeam)},
		{http.MethodGet, "/app/", d.signed(d.unknown)},
	}
}

// Place returns the name under which a cluster places a request: that of sign-in,
// or the team of the session; "" for a request that every node can serve.
func (d *Dashboard) Place(r *http.Request) string {
	if r.Method == http.MethodPost && (r.URL.Path == pathSignIn || r.URL.Path == pathCode) {
		return actors.SignInPlace
	}
	name, _ := d.cookie(r)
	c, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	session, err := d.Registry.WebSession(c.Value)
	if err != nil {
		return "" // the page says so
	}
	return string(session.Team)
}

// Paths that pages link to.
const (
	pathFeed       = "/app"
	pathSignIn     = "/app/sign-in"
	pathCode       = "/app/sign-in/code"
	pathLink       = "/app/sign-in/link"
	pathWatchlists = "/app/watchlists"
	pathTeam       = "/app/team"
)

// visit is the request of a member who is signed in.
type visit struct {
	session actors.WebSession
	team    actors.TeamView
	member  watchpost.Member
	token   string // of the session; the form token is made of it
}

type visitKey struct{}

func (v *visit) into(ctx context.Context) context.Context {
	return context.WithValue(ctx, visitKey{}, v)
}

// visitOf returns the visit of a request; nil when no member is signed in.
func visitOf(ctx context.Context) *visit {
	v, _ := ctx.Value(visitKey{}).(*visit)
	return v
}

// unknown answers for paths under /app that are none.
func (d *Dashboard) unknown(http.ResponseWriter, *http.Request, *visit) error {
	return watchpost.Errorf(watchpost.NotFound, "Not found")
}
