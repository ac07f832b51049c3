package fakenetwork

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"watchpost/internal/fakenetwork/page"
)

// cookieName is the cookie of a signed-in browser.
const cookieName = "network_session"

// csrfHeader carries the token of the page that a write was sent from.
const csrfHeader = "X-Csrf-Token"

// writeHeader names a write: the page's script names each submission of a
// form, so that a resent request is applied once.
const writeHeader = "X-Write-Id"

// viewpoint shows the site as a member sees it.
type viewpoint struct {
	*Site
	now  time.Time
	me   *member // nil: no one is signed in
	csrf string
}

// visit is one request of a signed-in member.
type visit struct {
	viewpoint
	w      http.ResponseWriter
	r      *http.Request
	faults Faults
}

// deed is a visit that writes.
type deed struct{ *visit }

// reading wraps the handler of a page.
func (s *Site) reading(h func(*visit)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := s.begin(w, r)
		if v == nil {
			return
		}
		if v.me == nil && formOf(r) == formJSON {
			v.show(http.StatusUnauthorized, "Sign in", page.Data{Kind: page.KindSignIn})
			return
		}
		if v.me == nil {
			http.Redirect(w, r, "/sign-in?next="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
			return
		}
		h(v)
	}
}

// writing wraps the handler of a write, which needs the cookie and the token
// of a page shown for it.
func (s *Site) writing(h func(deed)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
		v := s.begin(w, r)
		if v == nil {
			return
		}
		if v.me == nil {
			v.show(http.StatusForbidden, "Sign in", page.Data{Kind: page.KindSignIn})
			return
		}
		if v.csrf == "" || r.Header.Get(csrfHeader) != v.csrf {
			v.refuse(http.StatusForbidden, page.ReasonCSRF)
			return
		}
		if err := r.ParseForm(); err != nil {
			v.refuse(http.StatusBadRequest, page.ReasonInvalid)
			return
		}
		h(deed{v})
	}
}

// begin identifies the caller and applies the faults of that account. It
// returns nil when it has answered the request.
func (s *Site) begin(w http.ResponseWriter, r *http.Request) *visit {
	v := &visit{viewpoint: viewpoint{Site: s}, w: w, r: r}
	account := ""
	if c, err := r.Cookie(cookieName); err == nil {
		if in := s.records.session(c.Value); in != nil {
			v.me, v.csrf, account = in.member, in.csrf, in.member.slug
		}
	}
	v.faults = s.faults.meet(account)
	if !wait(r.Context(), v.faults.Slow) {
		return nil
	}
	v.now = s.now()
	switch {
	case v.faults.SignedOut:
		v.me = nil
	case v.me == nil:
	case v.faults.Challenge:
		v.show(http.StatusForbidden, "Security check", page.Data{Kind: page.KindChallenge})
		return nil
	case v.faults.RateLimited:
		v.show(http.StatusTooManyRequests, "Too many requests", page.Data{Kind: page.KindLimit, Limit: &page.Limit{Action: "any", Reason: page.LimitRate}})
		return nil
	}
	return v
}

// wait waits in real time; it reports false when the request ended.
func wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// refuse answers a write that was not applied.
func (v *visit) refuse(status int, reason string) {
	v.show(status, "Not done", page.Data{Kind: page.KindRefused, Reason: reason})
}

// notFound answers requests for unknown things.
func (v *visit) notFound() {
	v.show(http.StatusNotFound, "Not found", page.Data{Kind: page.KindNotFound})
}

// pageNumber reads the parameter page; it is at least 1.
func (v *visit) pageNumber() int {
	n, err := strconv.Atoi(v.r.FormValue("page"))
	if err != nil || n < 1 || n > 1_000_000 {
		return 1
	}
	return n
}

// whoMember returns the member named by slug, id or URN in the address.
func (v *visit) whoMember() *member {
	who := v.r.PathValue("who")
	if m := v.records.member(who); m != nil {
		return m
	}
	if id, ok := parseID(who); ok && isReference(who, id) {
		return v.records.memberOfID(id)
	}
	return nil
}

// whoCompany returns the company named by slug, id or URN in the address.
func (v *visit) whoCompany() *company {
	who := v.r.PathValue("who")
	if c := v.world.companyBySlug[who]; c != nil {
		return c
	}
	if id, ok := parseID(who); ok && isReference(who, id) {
		return v.world.companyByID[id]
	}
	return nil
}

// isReference reports whether ref is an id or URN rather than a slug that ends
// in digits.
func isReference(ref string, id uint64) bool {
	number := strconv.FormatUint(id, 10)
	return ref == number || len(ref) > len(number) && ref[len(ref)-len(number)-1] == ':'
}

// whichPost returns the visible post of a timeline named by slug, id or URN in
// the address.
func (v *visit) whichPost(t *timeline) *post {
	id, ok := parseID(v.r.PathValue("post"))
	if !ok {
		return nil
	}
	if p := t.find(id, v.now); p != nil || t != &v.world.posts {
		return p
	}
	return v.records.writtenPost(id)
}
