package dashboard

import (
	"cmp"
	"errors"
	"net/http"
	"strings"
	"time"

	"watchpost/actors"
	"watchpost/actors/root"
	"watchpost/actors/signin"
	"watchpost/internal/useragent"
	"watchpost/watchpost"
)

// signInPage is the form for an email or, once the code is mailed, for the code.
type signInPage struct {
	frame
	Email, Error string
	Provider     bool   // one signs people in, too
	Refused      string // why a passkey, or a provider of identities, did not sign the person in
	Next         string // where to go then; "": to the feed
}

// signInPage returns the page with the text of its title, and what every page of sign-in offers.
func (d signInPages) signInPage(r *http.Request, title string) signInPage {
	page := signInPage{
		frame: bareFrame(r, title), Provider: d.Provider != nil, Next: r.PostFormValue("next"),
	}
	page.Passkeys = d.Registry.PasskeysAt() != ""
	return page
}

// nextKey is the API key as Next, which takes a fresh sign-in.
const nextKey = "key"

// nexts are where a fresh sign-in can lead: the API key, and the keys with scopes.
var nexts = map[string]string{nextKey: pathTeam + "#key", "keys": pathKeys}

func (d signInPages) showSignIn(w http.ResponseWriter, r *http.Request) error {
	v, err := d.visit(r)
	again := r.URL.Query().Get("again")
	if err == nil && again == "" {
		http.Redirect(w, r, pathFeed, http.StatusSeeOther)
		return nil
	}
	page := d.signInPage(r, "common.sign_in")
	if err == nil && nexts[again] != "" {
		page.Next, page.Email = again, v.member.Email
	}
	return render(w, http.StatusOK, "signin.html", page)
}

// mailCode mails a code as auth-send-otp does.
func (d signInPages) mailCode(w http.ResponseWriter, r *http.Request) error {
	email, ok := watchpost.NormalizeEmail(r.PostFormValue("email"))
	if !ok {
		page := d.signInPage(r, "common.sign_in")
		page.Title = errorTitle(page.say, page.Title)
		page.Email, page.Error = r.PostFormValue("email"), page.say.Text("signin.enter_your_address_as_in_ada")
		return render(w, http.StatusUnprocessableEntity, "signin.html", page)
	}
	client, _ := d.Client(r)
	page := d.signInPage(r, "code.enter_your_code")
	if err := d.Registry.SendOTP(r.Context(), email, "", client, d.ownNonce(w, r), page.say.Code); err != nil {
		return err
	}
	page.Email = email
	return render(w, http.StatusOK, "code.html", page)
}

// enterCode redeems a code as auth-verify-otp does, and signs the browser in.
func (d signInPages) enterCode(w http.ResponseWriter, r *http.Request) error {
	email, ok := watchpost.NormalizeEmail(r.PostFormValue("email"))
	if !ok {
		http.Redirect(w, r, pathSignIn, http.StatusSeeOther)
		return nil
	}
	wrong := func(text string) error {
		page := d.signInPage(r, "code.enter_your_code")
		page.Title = errorTitle(page.say, page.Title)
		page.Email, page.Error = email, page.say.Text(text)
		return render(w, http.StatusUnprocessableEntity, "code.html", page)
	}
	code := strings.TrimSpace(r.PostFormValue("otp"))
	if !watchpost.ValidOTP(code) {
		return wrong("signin.enter_the_six_digits_from_the")
	}
	otp := signin.OneTimeCode{Email: email, OTP: code, Nonce: d.nonce(r)}
	signed, err := d.choose(r, otp)
	var choice *actors.ChoiceError
	switch {
	case errors.As(err, &choice):
		return d.showChoice(w, r, otp)
	case err != nil && watchpost.KindOf(err) == watchpost.Unauthenticated:
		return wrong("signin.that_is_not_the_code_we")
	case err != nil:
		return err
	}
	return d.welcome(w, r, signed)
}

// welcome opens the session of a browser whose member has signed in, in whichever way.
func (d signInPages) welcome(w http.ResponseWriter, r *http.Request, signed actors.SignedIn) error {
	return d.enter(w, r, func(b actors.Browser) (actors.WebSessionOpened, error) {
		return d.Registry.OpenWebSession(r.Context(), signed.Team.ID, signed.Member.Email, b)
	})
}

// nonce returns the browser's nonce of sign-ins; "" when it has none.
func (d signInPages) nonce(r *http.Request) string {
	name, _ := d.cookie(r)
	c, err := r.Cookie(name + "-nonce")
	if err != nil || len(c.Value) > maxNonce {
		return ""
	}
	return c.Value
}

// ownNonce is nonce for a browser that gets one where it has none.
func (d signInPages) ownNonce(w http.ResponseWriter, r *http.Request) string {
	nonce := d.nonce(r)
	if nonce == "" {
		nonce = signin.NewNonce()
		d.setNonce(w, r, nonce)
	}
	return nonce
}

const (
	maxNonce  = 200
	nonceTime = 365 * 24 * time.Hour // the most that browsers keep, about
)

// setNonce gives the browser a nonce, which stays when the session ends.
func (d signInPages) setNonce(w http.ResponseWriter, r *http.Request, nonce string) {
	name, secure := d.cookie(r)
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure where the connection is
		Name: name + "-nonce", Value: nonce, Path: "/", MaxAge: int(nonceTime.Seconds()), Secure: secure, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
}

// linkPage asks for a click: programs that open links do not use them up.
type linkPage struct {
	frame
	Link, Error string
}

func (d signInPages) showLink(w http.ResponseWriter, r *http.Request) error {
	return render(w, http.StatusOK, "link.html", linkPage{frame: bareFrame(r, "common.sign_in"), Link: r.URL.Query().Get("link")})
}

func (d signInPages) redeemLink(w http.ResponseWriter, r *http.Request) error {
	err := d.enter(w, r, func(b actors.Browser) (actors.WebSessionOpened, error) {
		return d.Registry.RedeemSignInLink(r.Context(), r.PostFormValue("link"), b)
	})
	if err != nil && watchpost.KindOf(err) == watchpost.Unauthenticated {
		page := linkPage{frame: bareFrame(r, "common.sign_in")}
		page.Title, page.Error = errorTitle(page.say, page.Title), page.say.Text("signin.this_link_was_used_or_has")
		return render(w, http.StatusUnprocessableEntity, "link.html", page)
	}
	return err
}

// enter gives the browser the session that open opens for it, and the sealed nonce by
// which it is known from then on. The session that it had ends.
func (d signInPages) enter(w http.ResponseWriter, r *http.Request, open func(actors.Browser) (actors.WebSessionOpened, error)) error {
	nonce := cmp.Or(d.nonce(r), signin.NewNonce())
	opened, err := open(actors.Browser{Nonce: nonce, Agent: r.UserAgent(), Name: useragent.Kind(r.UserAgent()), Language: codeOf(askedFor(r))})
	if err != nil {
		return err
	}
	d.setNonce(w, r, d.Registry.SealNonce(opened.Member.Email, nonce))
	if v, err := d.visit(r); err == nil {
		if err := d.end(r, v.session.ID, v); err != nil {
			return err
		}
	}
	d.setCookie(w, r, opened.Token, opened.Ends)
	http.Redirect(w, r, cmp.Or(nexts[r.PostFormValue("next")], pathFeed), http.StatusSeeOther)
	return nil
}

// signOut ends the session of the browser or, with everywhere, all of the member.
func (d signInPages) signOut(w http.ResponseWriter, r *http.Request, v *visit) error {
	id := v.session.ID
	if r.PostFormValue("everywhere") != "" {
		id = ""
	}
	if err := d.end(r, id, v); err != nil {
		return err
	}
	d.setCookie(w, r, "", d.Clock.Now())
	http.Redirect(w, r, pathSignIn, http.StatusSeeOther)
	return nil
}

func (d signInPages) end(r *http.Request, id string, v *visit) error {
	_, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.EndWebSessions{Member: v.session.Member, ID: id})
	return err
}

// choicePage asks a person with a proved address for the team, and shows the address's
// blocks. Its forms send the code along, which is kept until it signs a person in.
type choicePage struct {
	frame
	Email, Code string
	actors.Consent
}

// choose does what the form of a code asks for. The error is an *actors.ChoiceError when
// the person is asked, or asked again.
func (d signInPages) choose(r *http.Request, code signin.OneTimeCode) (actors.SignedIn, error) {
	do := r.PostFormValue("do")
	switch do {
	case "":
		return d.SignIn(r, code, actors.Choice{Asks: true})
	case "own":
		return d.SignIn(r, code, actors.Choice{})
	case "join":
		return d.SignIn(r, code, actors.Choice{Accept: watchpost.InvitationID(r.PostFormValue("invitation"))})
	}
	err := d.CheckOTP(r, code)
	if err != nil {
		return actors.SignedIn{}, err
	}
	client, _ := d.Client(r)
	ctx, team := root.WithOrigin(r.Context(), watchpost.Origin{Client: client}), watchpost.TeamID(r.PostFormValue("team"))
	switch do {
	case "show":
	case "decline":
		err = d.Registry.DeclineInvitation(ctx, code.Email, watchpost.InvitationID(r.PostFormValue("invitation")))
	case "block", "allow":
		if team != "" && !watchpost.ValidID(string(team)) {
			return actors.SignedIn{}, watchpost.Errorf(watchpost.NotFound, "Team not found")
		}
		err = d.Registry.BlockInvitations(ctx, code.Email, team, do == "block")
	default:
		err = errUnknownForm()
	}
	if err == nil {
		err = &actors.ChoiceError{}
	}
	return actors.SignedIn{}, err
}

func errUnknownForm() error {
	return watchpost.Errorf(watchpost.Invalid, "The form asks for nothing that is known.")
}

func (d signInPages) showChoice(w http.ResponseWriter, r *http.Request, code signin.OneTimeCode) error {
	consent, err := d.Registry.Consent(r.Context(), code.Email)
	if err != nil {
		return err
	}
	page := choicePage{frame: bareFrame(r, "choice.choose_a_team"), Email: code.Email, Code: code.OTP, Consent: consent}
	return render(w, http.StatusOK, "choice.html", page)
}
