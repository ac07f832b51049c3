// Package dashboard serves the pages of the account dashboard under /app. They
// are rendered on the server and need no script to be read. A page asks the same
// actors as the API; package httpapi lends it what both read from a request.
//
//	signed      session cookie, form token, limit of the body
//	page…       requests to the team, and the view of the page
//	templates/  one file per page, and the layout
//	assets/     stylesheet, icons, scripts; vendor/ is written by make dashboard-assets
package dashboard

import (
	"context"
	"log/slog"
	"net/http"
	"slices"

	"watchpost/actors"
	"watchpost/actors/signin"
	"watchpost/internal/csvrow"
	"watchpost/internal/identity"
	"watchpost/internal/interpret"
	"watchpost/internal/interpret/draft"
	"watchpost/internal/pictures"
	"watchpost/internal/words"
	"watchpost/watchpost"
)

// Options is what a Dashboard needs; all fields but Provider, Draft and Picture are required.
type Options struct {
	Registry *actors.Registry
	Clock    watchpost.Clock
	Log      *slog.Logger
	// ReadPosts reads the query of GET /api-posts, whose parameters are those
	// of the feed.
	ReadPosts func(*http.Request) (named []string, q watchpost.PostQuery, err error)
	// PostColumns are those of an export of posts.
	PostColumns []csvrow.Column
	// Try answers a request as the API does.
	Try func(*http.Request) TryReply
	// Interpret returns what a prompt means, or *interpret.Refused.
	Interpret func(context.Context, watchpost.WatchlistType, string) (interpret.Result, error)
	// Draft writes a draft of a comment or message (draft.Write); nil: there are none.
	Draft func(context.Context, *draft.Request) (string, error)
	// Picture returns the image at an address of a stored post (pictures.Fetcher.Get); nil:
	// pages say that there are images, and show none.
	Picture func(ctx context.Context, address string) (*pictures.Picture, error)
	// Client returns the name of the client in limits, and whether its
	// connection is encrypted.
	Client func(*http.Request) (key string, encrypted bool)
	// Writable tells why forms are refused because nothing can be stored.
	Writable func() error
	// CheckOTP checks a one-time code and keeps it.
	CheckOTP func(*http.Request, signin.OneTimeCode) error
	// SignIn redeems a one-time code.
	SignIn func(*http.Request, signin.OneTimeCode, actors.Choice) (actors.SignedIn, error)
	// Provider is the provider of identities; nil: there is none. Domains are the mail
	// domains whose people sign in there.
	Provider *identity.Provider
	Domains  []string
	// SignInProven signs in a person whose address is proven.
	SignInProven func(r *http.Request, p actors.Proof) (actors.SignedIn, error)
	// Accepted reports whether another node of a cluster has taken the proof that a
	// request names.
	Accepted func(*http.Request) bool
	// Extensions are the ids in Chromium of the extensions that work with the service.
	Extensions []string
	// Closing is closed when the server closes: event streams end then, as a server
	// waits for them.
	Closing <-chan struct{}
	// ReadBody reads the body of a request within its bounds of time and size.
	ReadBody func(*http.Request) error
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

// The pages of a subject, with what the Dashboard lends to all of them.
type (
	signInPages       struct{ *Dashboard }
	feedPages         struct{ *Dashboard }
	triagePages       struct{ feedPages }
	peoplePages       struct{ feedPages }
	imagePages        struct{ *Dashboard }
	watchlistPages    struct{ *Dashboard }
	rulePages         struct{ *Dashboard }
	notificationPages struct{ *Dashboard }
	teamPages         struct{ *Dashboard }
)

// Route is a page or an action of the dashboard.
type Route struct {
	Method, Path string
	Handler      http.Handler
	Stream       bool // it has no deadline
	Export       bool // it bounds its work itself
}

// New returns the dashboard.
func New(o Options) *Dashboard { return &Dashboard{Options: o, guard: http.NewCrossOriginProtection()} }

// Routes lists the whole surface.
func (d *Dashboard) Routes() []Route {
	signIn, watchlists, rules := signInPages{d}, watchlistPages{d}, rulePages{d}
	notifications, team := notificationPages{d}, teamPages{d}
	return slices.Concat(d.feedRoutes(), d.teamRoutes(), []Route{
		{Method: http.MethodGet, Path: "/{$}", Handler: http.RedirectHandler(pathFeed, http.StatusSeeOther)},
		{Method: http.MethodGet, Path: "/app/assets/{file}", Handler: http.HandlerFunc(serveAsset)},
		{Method: http.MethodGet, Path: pathSignIn, Handler: d.public(signIn.showSignIn)},
		{Method: http.MethodPost, Path: pathSignIn, Handler: d.public(signIn.mailCode)},
		{Method: http.MethodPost, Path: pathCode, Handler: d.public(signIn.enterCode)},
		{Method: http.MethodPost, Path: pathPasskey + "/options", Handler: d.public(signIn.beginSignIn)},
		{Method: http.MethodPost, Path: pathPasskey, Handler: d.public(signIn.enterPasskey)},
		{Method: http.MethodGet, Path: pathProvider, Handler: d.public(signIn.goToProvider)},
		{Method: http.MethodGet, Path: PathCallback, Handler: d.public(signIn.comeFromProvider)},
		{Method: http.MethodPost, Path: pathProven, Handler: d.public(signIn.enterForwarded)},
		{Method: http.MethodGet, Path: pathLink, Handler: d.public(signIn.showLink)},
		{Method: http.MethodPost, Path: pathLink, Handler: d.public(signIn.redeemLink)},
		{Method: http.MethodGet, Path: pathPair, Handler: d.public(team.showPairing)},
		{Method: http.MethodPost, Path: "/app/language", Handler: d.public(d.chooseLanguage)},
		{Method: http.MethodPost, Path: "/app/sign-out", Handler: d.signed(signIn.signOut)},
		{Method: http.MethodGet, Path: "/app/nav", Handler: d.signed(d.navigation)},
		{Method: http.MethodGet, Path: pathEvents, Handler: d.signed(d.events), Stream: true},
		{Method: http.MethodGet, Path: pathWatchlists, Handler: d.signed(watchlists.watchlists)},
		{Method: http.MethodPost, Path: pathWatchlists, Handler: d.signed(watchlists.switchWatchlists)},
		{Method: http.MethodGet, Path: "/app/watchlists/new", Handler: d.signed(watchlists.newWatchlist)},
		{Method: http.MethodPost, Path: "/app/watchlists/new", Handler: d.signed(watchlists.makeWatchlist)},
		{Method: http.MethodPost, Path: "/app/watchlists/preview", Handler: d.signed(watchlists.preview)},
		{Method: http.MethodGet, Path: "/app/watchlists/{id}", Handler: d.signed(watchlists.editWatchlist)},
		{Method: http.MethodPost, Path: "/app/watchlists/{id}", Handler: d.signed(watchlists.changeWatchlist)},
		{Method: http.MethodGet, Path: pathTasks, Handler: d.signed(d.tasks)},
		{Method: http.MethodPost, Path: pathTasks + "/{id}/retry", Handler: d.signed(d.retry)},
		{Method: http.MethodPost, Path: pathTasks + "/{id}/cancel", Handler: d.signed(d.cancel)},
		{Method: http.MethodGet, Path: pathJournal, Handler: d.signed(d.journal)},
		{Method: http.MethodGet, Path: pathJournal + ".csv", Handler: d.signed(d.journalCSV)},
		{Method: http.MethodGet, Path: pathRules, Handler: d.signed(rules.rules)},
		{Method: http.MethodPost, Path: pathRules, Handler: d.signed(rules.switchRules)},
		{Method: http.MethodGet, Path: pathRules + "/new", Handler: d.signed(rules.newRule)},
		{Method: http.MethodPost, Path: pathRules + "/new", Handler: d.signed(rules.makeRule)},
		{Method: http.MethodGet, Path: pathRules + "/{id}", Handler: d.signed(rules.editRule)},
		{Method: http.MethodPost, Path: pathRules + "/{id}", Handler: d.signed(rules.changeRule)},
		{Method: http.MethodPost, Path: pathRules + "/actions", Handler: d.signed(rules.decideActions)},
		{Method: http.MethodPost, Path: pathRules + "/actions/{id}", Handler: d.signed(rules.decideAction)},
		{Method: http.MethodGet, Path: pathNotifications, Handler: d.signed(notifications.notifications)},
		{Method: http.MethodGet, Path: pathNotifications + "/new", Handler: d.signed(notifications.newTarget)},
		{Method: http.MethodPost, Path: pathNotifications + "/new", Handler: d.signed(notifications.makeTarget)},
		{Method: http.MethodGet, Path: pathNotifications + "/{id}", Handler: d.signed(notifications.showTarget)},
		{Method: http.MethodPost, Path: pathNotifications + "/{id}", Handler: d.signed(notifications.changeTarget)},
		{Method: http.MethodGet, Path: pathTry, Handler: d.signed(d.showTry)},
		{Method: http.MethodPost, Path: pathTry, Handler: d.signed(d.try)},
		{Method: http.MethodGet, Path: "/app/", Handler: d.signed(d.unknown)},
	})
}

// feedRoutes lists the pages of posts and their authors.
func (d *Dashboard) feedRoutes() []Route {
	feed := feedPages{d}
	triage, images, people := triagePages{feed}, imagePages{d}, peoplePages{feed}
	return []Route{
		{Method: http.MethodGet, Path: pathFeed, Handler: d.signed(feed.feed)},
		{Method: http.MethodGet, Path: pathFeed + "/posts.csv", Handler: d.signed(feed.feedCSV), Export: true},
		{Method: http.MethodGet, Path: pathFeed + "/fresh", Handler: d.signed(feed.fresh)},
		{Method: http.MethodGet, Path: pathFeed + "/acting", Handler: d.signed(feed.acting)},
		{Method: http.MethodPost, Path: pathFeed + "/views", Handler: d.signed(feed.changeViews)},
		{Method: http.MethodPost, Path: pathFeed + "/done", Handler: d.signed(triage.markAll)},
		{Method: http.MethodPost, Path: pathFeed + "/several", Handler: d.signed(triage.decideSeveral)},
		{Method: http.MethodPost, Path: "/app/as", Handler: d.signed(feed.chooseActor)},
		{Method: http.MethodGet, Path: "/app/posts/{id}", Handler: d.signed(feed.post)},
		{Method: http.MethodPost, Path: "/app/posts/{id}/save", Handler: d.signed(feed.save)},
		{Method: http.MethodPost, Path: "/app/posts/{id}/like", Handler: d.signed(feed.like)},
		{Method: http.MethodPost, Path: "/app/posts/{id}/comment", Handler: d.signed(feed.comment)},
		{Method: http.MethodPost, Path: "/app/posts/{id}/triage", Handler: d.signed(triage.mark)},
		{Method: http.MethodPost, Path: "/app/posts/{id}/team", Handler: d.signed(triage.assign)},
		{Method: http.MethodPost, Path: "/app/posts/{id}/replying", Handler: d.signed(triage.replying)},
		{Method: http.MethodPost, Path: "/app/posts/{id}/cancel", Handler: d.signed(feed.cancel)},
		{Method: http.MethodGet, Path: pathImages + "/{post}/{n}", Handler: d.signed(images.image)},
		{Method: http.MethodGet, Path: pathAvatars + "/{post}", Handler: d.signed(images.avatar)},
		{Method: http.MethodGet, Path: pathPeople, Handler: d.signed(people.people)},
		{Method: http.MethodGet, Path: pathPeople + ".csv", Handler: d.signed(people.peopleCSV)},
		{Method: http.MethodGet, Path: pathPeople + "/{kind}/{name}", Handler: d.signed(people.person)},
		{Method: http.MethodPost, Path: pathPeople + "/{kind}/{name}", Handler: d.signed(people.writeTo)},
		{Method: http.MethodGet, Path: pathTrends, Handler: d.signed(feed.trends)},
		{Method: http.MethodGet, Path: pathTrends + ".csv", Handler: d.signed(feed.trendsCSV)},
	}
}

// teamRoutes lists the pages of the team, its keys, and its members' own settings.
func (d *Dashboard) teamRoutes() []Route {
	team := teamPages{d}
	return []Route{
		{Method: http.MethodGet, Path: pathTeam, Handler: d.signed(team.showTeam)},
		{Method: http.MethodPost, Path: pathTeam, Handler: d.signed(team.changeTeam)},
		{Method: http.MethodGet, Path: pathKeys, Handler: d.signed(team.showKeys)},
		{Method: http.MethodPost, Path: pathKeys, Handler: d.signed(team.changeKeys)},
		{Method: http.MethodGet, Path: pathKeys + "/{id}", Handler: d.signed(team.showKeys)},
		{Method: http.MethodPost, Path: pathKeys + "/{id}", Handler: d.signed(team.changeKeys)},
		{Method: http.MethodGet, Path: pathSettings, Handler: d.signed(d.settings)},
		{Method: http.MethodPost, Path: pathSettings, Handler: d.signed(d.changeSettings)},
		{Method: http.MethodPost, Path: pathSettings + "/passkey/options", Handler: d.signed(d.beginPasskey)},
	}
}

// Place returns the name under which a cluster places a request: that of sign-in,
// or the team of the session; "" for a request that every node can serve.
func (d *Dashboard) Place(r *http.Request) string {
	if r.URL.Path == PathCallback {
		return actors.SignInPlace
	}
	if r.Method == http.MethodPost {
		switch r.URL.Path {
		case pathSignIn, pathCode, pathPasskey, pathPasskey + "/options":
			return actors.SignInPlace
		}
	}
	name, _ := d.cookie(r)
	c, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	session, err := d.Registry.WebSession(r.Context(), c.Value)
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
	pathPair       = "/app/pair"
	pathPasskey    = "/app/sign-in/passkey" //nolint:gosec // no secret
	pathProven     = "/app/sign-in/proven"  // of requests that another node forwards
	pathProvider   = "/app/sign-in/oidc"
	pathSettings   = "/app/settings"
	pathWatchlists = "/app/watchlists"
	pathTeam       = "/app/team"
	pathKeys       = "/app/keys"
	pathPeople     = "/app/people"
	pathTrends     = "/app/trends"
	pathTasks      = "/app/tasks"
	pathJournal    = "/app/journal"
	pathRules      = "/app/rules"
	pathTry        = "/app/try"
	pathEvents     = "/app/events"
	pathImages     = "/app/images"
	pathAvatars    = "/app/avatars"

	pathNotifications = "/app/notifications"
)

// PathCallback is where the provider of identities sends browsers back.
const PathCallback = pathProvider + "/callback"

// visit is the request of a member who is signed in.
type visit struct {
	say     *words.Language
	session actors.WebSession
	team    actors.TeamView
	member  watchpost.Member
	token   string // of the session; the form token is made of it
	form    string // the form token of this page, once it was asked for
	inbox   *inbox // once it was asked for
	undo    *undoView
	unread  func() int // how many posts the member has not decided about
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
