package dashboard

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"strings"
	"sync"
	"time"

	"watchpost/actors"
	"watchpost/actors/root"
	"watchpost/internal/words"
	"watchpost/watchpost"
)

// public is a page without a session: the ways to sign in.
func (d *Dashboard) public(page func(http.ResponseWriter, *http.Request) error) http.Handler {
	return d.protected(func(w http.ResponseWriter, r *http.Request) {
		client, _ := d.Client(r)
		r = r.WithContext(root.WithOrigin(r.Context(), watchpost.Origin{Client: client}))
		if err := page(w, r); err != nil {
			d.fail(w, r, err)
		}
	})
}

// signed is a page for members. Without a session the browser is sent to
// sign in. A form must carry the token of its session.
func (d *Dashboard) signed(page func(http.ResponseWriter, *http.Request, *visit) error) http.Handler {
	return d.protected(func(w http.ResponseWriter, r *http.Request) {
		v, err := d.visit(r)
		if err != nil && watchpost.KindOf(err) == watchpost.Unauthenticated {
			d.askToSignIn(w, r)
			return
		}
		if err == nil {
			client, _ := d.Client(r)
			r = r.WithContext(root.WithOrigin(v.into(r.Context()), watchpost.Origin{Member: v.member.ID, Client: client}))
			if r.Method != http.MethodGet && !v.sent(r) {
				err = watchpost.Errorf(watchpost.Forbidden, "This form is from another sign-in. Load the page and send it again.")
			}
		}
		if err == nil {
			err = page(w, r, v)
		}
		if err != nil {
			d.fail(w, r, err)
		}
	})
}

// protected refuses forms of other sites, and sets the headers of every page.
func (d *Dashboard) protected(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set(ownHeader, "1")
		if err := d.guard.Check(r); err != nil {
			d.fail(w, r, watchpost.WrapError(watchpost.Forbidden, "This form was sent from another site.", err))
			return
		}
		if len(r.URL.RawQuery) > maxAddress {
			d.fail(w, r, watchpost.Errorf(watchpost.Invalid, "The address is too long."))
			return
		}
		if r.Method != http.MethodGet {
			if err := d.Writable(); err != nil {
				d.fail(w, r, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err))
				return
			}
		}
		if err := d.ReadBody(r); err != nil {
			d.fail(w, r, err)
			return
		}
		next(w, r)
	})
}

// ownHeader is on every answer of a page. A script takes an answer without it for that of
// a proxy in between.
const ownHeader = "Watchpost-Page"

// maxAddress bounds the query of an address: pages have it in many links. The filters of
// a feed are shorter (maxFilters), and fit in as a value.
const maxAddress = 8 << 10

// policy lets a page load files of the same origin only, and run no inline code.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// visit returns who is signed in (Unauthenticated).
func (d *Dashboard) visit(r *http.Request) (*visit, error) {
	name, _ := d.cookie(r)
	c, err := r.Cookie(name)
	if err != nil {
		return nil, watchpost.WrapError(watchpost.Unauthenticated, "Signed out", err)
	}
	session, err := d.Registry.WebSession(r.Context(), c.Value)
	if err != nil {
		return nil, err
	}
	team, err := actors.Ask(r.Context(), d.Registry, session.Team, actors.GetTeam{})
	if err != nil {
		return nil, err
	}
	member, known := team.Team.Member(session.Member)
	if !known {
		return nil, watchpost.Errorf(watchpost.Unauthenticated, "Signed out")
	}
	d.Registry.NoteWebSessionUse(session)
	v := &visit{say: sayOf(r), session: session, team: team, member: member, token: c.Value}
	v.unread = sync.OnceValue(func() int { return d.countUnread(r, v) })
	return v, nil
}

// askToSignIn sends a browser without a session to sign in. A browser keeps a
// strict cookie back when a link of another site leads here: then the page
// loads itself once more, from here.
func (d *Dashboard) askToSignIn(w http.ResponseWriter, r *http.Request) {
	if fromElsewhere(r) {
		loadAgain(w)
		return
	}
	if byHTMX(r) { // the page says so, and keeps the typed text
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	http.Redirect(w, r, pathSignIn, http.StatusSeeOther)
}

// formSecret is what a form proves to have been given to the session's browser.
func (v *visit) formSecret() (secret [sha256.Size]byte) {
	return sha256.Sum256([]byte("form " + v.token))
}

// fromElsewhere reports whether another site has led the browser to a page.
func fromElsewhere(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Site") == "cross-site"
}

// loadAgain has the browser load the page once more, from here.
func loadAgain(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(`<!doctype html><title>Watchpost</title><meta http-equiv="refresh" content="0">`))
}

// formToken returns what each form of a page carries: the secret under a mask that is
// another one for each page. Pages are compressed, and addresses have texts that they
// show: from the size of a page one could otherwise tell a right guess of the token.
func (v *visit) formToken() string {
	if v.form == "" {
		secret, token := v.formSecret(), make([]byte, 2*sha256.Size)
		_, _ = rand.Read(token[:sha256.Size]) // never fails
		subtle.XORBytes(token[sha256.Size:], token[:sha256.Size], secret[:])
		v.form = base64.RawURLEncoding.EncodeToString(token)
	}
	return v.form
}

// sent reports whether a form carries a token of the session.
func (v *visit) sent(r *http.Request) bool {
	token, err := base64.RawURLEncoding.DecodeString(r.PostFormValue("token"))
	if err != nil || len(token) != 2*sha256.Size {
		return false
	}
	given, secret := token[sha256.Size:], v.formSecret()
	subtle.XORBytes(given, given, token[:sha256.Size])
	return subtle.ConstantTimeCompare(given, secret[:]) == 1
}

// cookie returns the name of the session's cookie, and whether it is Secure.
// Browsers do not agree on Secure cookies over plain HTTP, not even on loopback:
// there the cookie has another name, so that it is never taken for one that only
// this host can have set.
func (d *Dashboard) cookie(r *http.Request) (name string, secure bool) {
	if _, encrypted := d.Client(r); encrypted {
		return "__Host-watchpost", true
	}
	return "watchpost", false
}

// origin is the address of the service as the browser knows it.
func (d *Dashboard) origin(r *http.Request) string {
	if _, encrypted := d.Client(r); encrypted {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// setCookie signs the browser in; an empty token signs it out.
func (d *Dashboard) setCookie(w http.ResponseWriter, r *http.Request, token string, ends time.Time) {
	name, secure := d.cookie(r)
	age := int(ends.Sub(d.Clock.Now()).Seconds())
	if token == "" {
		age = -1
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure where the connection is
		Name: name, Value: token, Path: "/", MaxAge: age, Secure: secure, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
}

// languageCookie keeps the code of the language that a reader has chosen.
const languageCookie = "watchpost-language"

// zoneCookie has the name of the browser's time zone. A script of the pages sets it.
const zoneCookie = "watchpost-zone"

// sayOf returns the language of a page, the chosen one or that of the browser, with the
// time zone of the browser.
func sayOf(r *http.Request) *words.Language {
	say := cmp.Or(askedFor(r), words.English())
	if c, err := r.Cookie(zoneCookie); err == nil {
		if zone := zoneNamed(c.Value); zone != nil {
			return say.In(zone)
		}
	}
	return say
}

// askedFor returns the language that a reader has chosen, or the browser asks for; nil when
// they name none that there is.
func askedFor(r *http.Request) *words.Language {
	if c, err := r.Cookie(languageCookie); err == nil {
		if chosen := words.Of(c.Value); chosen != nil {
			return chosen
		}
	}
	return acceptedBy(r)
}

// acceptedBy returns the language that the browser asks for; nil when it names none that there
// is.
func acceptedBy(r *http.Request) *words.Language {
	return words.Accepted(strings.Join(r.Header.Values("Accept-Language"), ","))
}

// codeOf returns the code of a language, or "".
func codeOf(l *words.Language) string {
	if l == nil {
		return ""
	}
	return l.Code
}

// zones are the time zones that readers have had, by name.
var zones sync.Map

// zoneNamed returns a zone of the time zone database; nil when it has none of that name.
func zoneNamed(name string) *time.Location {
	if zone, known := zones.Load(name); known {
		return zone.(*time.Location)
	}
	zone, err := time.LoadLocation(name)
	if err != nil || zone == time.UTC || zone == time.Local {
		return nil
	}
	zones.Store(name, zone)
	return zone
}

// chooseLanguage keeps the language that a reader has chosen, or none. Mails to a member are
// in it, too; without a choice they are in that of the browser.
func (d *Dashboard) chooseLanguage(w http.ResponseWriter, r *http.Request) error {
	chosen, age := r.PostFormValue("language"), int(nonceTime.Seconds())
	if chosen == "" {
		age = -1
	} else if words.Of(chosen) == nil {
		return errUnknownForm()
	}
	if v, err := d.visit(r); err == nil {
		set := actors.UpdateMember{Member: v.member.ID, Language: new(cmp.Or(chosen, codeOf(acceptedBy(r))))}
		if _, err := actors.Ask(r.Context(), d.Registry, v.session.Team, set); err != nil {
			return err
		}
	}
	_, secure := d.cookie(r)
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure where the connection is
		Name: languageCookie, Value: chosen, Path: pathFeed, MaxAge: age, Secure: secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
	http.Redirect(w, r, backOr(r, pathSignIn), http.StatusSeeOther)
	return nil
}
