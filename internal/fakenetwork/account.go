package fakenetwork

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"watchpost/internal/fakenetwork/page"
)

// slugForm is the form of an account's name in addresses.
var slugForm = regexp.MustCompile(`^[\pL\pN][\pL\pN._-]{0,99}$`)

// signInPage shows the form. A visitor may sign in as any member by its slug;
// an unknown slug becomes a new member.
func (s *Site) signInPage(w http.ResponseWriter, r *http.Request) {
	v := &visit{viewpoint: viewpoint{Site: s, now: s.now()}, w: w, r: r}
	v.show(http.StatusOK, "Sign in", page.Data{Kind: page.KindSignIn})
}

// signIn sets the cookie of the account in the form and redirects to the
// requested page.
func (s *Site) signIn(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 8<<10)
	slug := strings.ToLower(strings.TrimSpace(r.FormValue("slug")))
	v := &visit{viewpoint: viewpoint{Site: s, now: s.now()}, w: w, r: r}
	v.faults = s.faults.meet(slug)
	if !wait(r.Context(), v.faults.Slow) {
		return
	}
	if !slugForm.MatchString(slug) {
		v.show(http.StatusBadRequest, "Sign in", page.Data{Kind: page.KindSignIn, Reason: page.ReasonInvalid})
		return
	}
	if v.faults.SignedOut {
		v.show(http.StatusForbidden, "Sign in", page.Data{Kind: page.KindSignIn})
		return
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure where there is TLS; the stand-in mostly runs without
		Name: cookieName, Value: s.records.signIn(s.records.join(slug)), Path: "/", Domain: cookieDomain(r),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, MaxAge: 30 * 86_400,
		Secure: r.TLS != nil,
	})
	http.Redirect(w, r, within(r.FormValue("next")), http.StatusSeeOther) //nolint:gosec // an address of this site only
}

// within returns next if it is an address of this site, else the feed.
func within(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(u.Path, "/") || strings.HasPrefix(u.Path, "//") {
		return "/feed"
	}
	return (&url.URL{Path: u.Path, RawQuery: u.RawQuery}).String()
}

// signOut clears the cookie. It needs no token: SameSite keeps other sites'
// forms from sending the cookie, and the only damage would be a sign-out.
func (s *Site) signOut(w http.ResponseWriter, r *http.Request) {
	if c, err := r.Cookie(cookieName); err == nil {
		s.records.drop(c.Value)
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // as above
		Name: cookieName, Path: "/", Domain: cookieDomain(r), MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: r.TLS != nil,
	})
	http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
}

// SignOut ends all sign-ins of an account, given by slug; it may sign in
// again.
func (s *Site) SignOut(account string) { s.records.dropAccount(account) }
