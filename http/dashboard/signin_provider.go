package dashboard

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"watchpost/actors"
	"watchpost/actors/signin"
	"watchpost/internal/identity"
	"watchpost/watchpost"
)

// Signing in at a provider of identities (OpenID Connect). A cookie binds the way there
// and back to the browser; all secrets of it follow from the cookie, which has its end in
// it. The page to which the provider sends the browser loads itself once more, because
// browsers keep strict cookies back when another site sends them here.

// signOnTime is how long the way to the provider and back may take.
const signOnTime = 10 * time.Minute

// goToProvider sends the browser to the provider.
func (d signInPages) goToProvider(w http.ResponseWriter, r *http.Request) error {
	if d.Provider == nil {
		return watchpost.Errorf(watchpost.NotFound, "Not found")
	}
	secret := strconv.FormatInt(d.Clock.Now().Add(signOnTime).Unix(), 10) + "." + signin.NewNonce()
	address, err := d.Provider.Address(r.Context(), d.signOnSecrets(secret))
	if err != nil {
		return d.refuseProvider(w, r, err)
	}
	d.setSignOn(w, r, secret, int(signOnTime.Seconds()))
	http.Redirect(w, r, address, http.StatusSeeOther)
	return nil
}

// comeFromProvider signs in the person whom the provider names.
func (d signInPages) comeFromProvider(w http.ResponseWriter, r *http.Request) error {
	if d.Provider == nil {
		return watchpost.Errorf(watchpost.NotFound, "Not found")
	}
	if err := d.Writable(); err != nil {
		return watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	}
	if fromElsewhere(r) {
		loadAgain(w)
		return nil
	}
	asked := r.URL.Query()
	secret, begun := d.signOn(r)
	secrets := d.signOnSecrets(secret)
	if !begun || subtle.ConstantTimeCompare([]byte(asked.Get("state")), []byte(secrets.State)) != 1 {
		return d.refuse(w, r, http.StatusUnprocessableEntity, sayOf(r).Text("signin.this_sign_in_was_not_begun"))
	}
	d.setSignOn(w, r, "", -1)
	if asked.Get("code") == "" {
		return d.refuse(w, r, http.StatusUnprocessableEntity, sayOf(r).Text("signin.your_organisation_did_not_sign_you"))
	}
	client, _ := d.Client(r)
	if err := d.Registry.TakeTry(r.Context(), client); err != nil {
		if watchpost.KindOf(err) == watchpost.Unauthenticated {
			return d.refuse(w, r, http.StatusUnprocessableEntity, sayOf(r).Text("signin.too_many_sign_ins_from_here"))
		}
		return err
	}
	person, err := d.Provider.Person(r.Context(), asked.Get("code"), secrets)
	if err != nil {
		return d.refuseProvider(w, r, err)
	}
	email, ok := watchpost.NormalizeEmail(person.Email)
	if !ok || !slices.Contains(d.Domains, watchpost.DomainOf(email)) {
		return d.refuse(w, r, http.StatusForbidden, sayOf(r).Text("signin.addresses_of_this_domain_do_not"))
	}
	name, err := watchpost.CleanName(person.FullName)
	if err != nil {
		name = "" // it is the provider's, and not needed
	}
	proof := actors.Proof{Email: email, FullName: name, By: "provider of identities", Provider: true}
	err = d.enterProven(w, r, proof)
	var choice *actors.ChoiceError
	switch {
	case err == nil:
	case errors.As(err, &choice):
		return d.chooseByProof(w, r, proof)
	case watchpost.KindOf(err) == watchpost.NotFound:
		return d.refuse(w, r, http.StatusForbidden, sayOf(r).Text("signin.you_are_not_in_a_team", "email", email))
	case watchpost.KindOf(err) == watchpost.PlanLimit:
		return d.refuse(w, r, http.StatusPaymentRequired, sayOf(r).Text("signin.the_team_of_your_domain_is"))
	}
	return err
}

// chooseByProof asks a person which team it is. A code stands for the proof from here on.
func (d signInPages) chooseByProof(w http.ResponseWriter, r *http.Request, p actors.Proof) error {
	nonce := d.ownNonce(w, r)
	otp, err := d.Registry.KeepProof(r.Context(), p, nonce)
	if err != nil {
		return err
	}
	if otp == "" {
		return d.refuse(w, r, http.StatusTooManyRequests, sayOf(r).Text("signin.too_many_sign_ins_with_this"))
	}
	return d.showChoice(w, r, signin.OneTimeCode{Email: p.Email, OTP: otp, Nonce: nonce})
}

// refuseProvider shows why the provider did not sign the person in. The cause is for the
// operator.
func (d signInPages) refuseProvider(w http.ResponseWriter, r *http.Request, err error) error {
	d.Log.Warn("the provider of identities signed nobody in", "error", err)
	if errors.Is(err, identity.ErrUnreachable) {
		return d.refuse(w, r, http.StatusServiceUnavailable, sayOf(r).Text("signin.your_organisations_sign_in_cannot"))
	}
	return d.refuse(w, r, http.StatusForbidden, sayOf(r).Text("signin.your_organisations_answer_was_not"))
}

func (d signInPages) signOnSecrets(cookie string) identity.Secrets {
	state, nonce, verifier := d.Registry.SignOnSecrets(cookie)
	return identity.Secrets{State: state, Nonce: nonce, Verifier: verifier}
}

// signOn returns the cookie of a sign-in that the browser has begun and whose time is not
// over.
func (d signInPages) signOn(r *http.Request) (secret string, begun bool) {
	name, _ := d.cookie(r)
	c, err := r.Cookie(name + "-oidc")
	if err != nil {
		return "", false
	}
	end, _, _ := strings.Cut(c.Value, ".")
	ends, err := strconv.ParseInt(end, 10, 64)
	return c.Value, err == nil && d.Clock.Now().Before(time.Unix(ends, 0))
}

func (d signInPages) setSignOn(w http.ResponseWriter, r *http.Request, secret string, age int) {
	name, secure := d.cookie(r)
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure where the connection is
		Name: name + "-oidc", Value: secret, Path: "/", MaxAge: age, Secure: secure, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
}

// Ways to sign in without a code. Each ends with a proof of an address, and a proof signs
// in as a right code does.

// beginSignIn answers the script of a sign-in by passkey with the options for it.
func (d signInPages) beginSignIn(w http.ResponseWriter, r *http.Request) error {
	client, _ := d.Client(r)
	options, err := d.Registry.BeginSignIn(r.Context(), client, d.ownNonce(w, r))
	if err != nil {
		return err
	}
	return writeOptions(w, options)
}

func writeOptions(w http.ResponseWriter, options json.RawMessage) error {
	w.Header().Set("Content-Type", "application/json")
	_, err := w.Write(options)
	return err
}

// enterPasskey signs the browser in by a passkey.
func (d signInPages) enterPasskey(w http.ResponseWriter, r *http.Request) error {
	client, _ := d.Client(r)
	proof, err := d.Registry.ProveByPasskey(r.Context(), r.PostFormValue("answer"), client, d.nonce(r))
	if err == nil {
		err = d.enterProven(w, r, proof)
	}
	if err != nil && watchpost.KindOf(err) == watchpost.Unauthenticated {
		d.Log.Info("a passkey was not accepted", "error", err)
		return d.refuse(w, r, http.StatusUnprocessableEntity, sayOf(r).Text(sayOf(r).Text("signin.the_passkey_was_not_accepted_try")))
	}
	return err
}

// refuse shows the page of sign-in with the reason for the refusal.
func (d signInPages) refuse(w http.ResponseWriter, r *http.Request, status int, text string) error {
	page := d.signInPage(r, "common.sign_in")
	page.Title, page.Refused = errorTitle(page.say, page.Title), text
	return render(w, status, "signin.html", page)
}

// enterProven signs in a person whose address is proven.
func (d signInPages) enterProven(w http.ResponseWriter, r *http.Request, p actors.Proof) error {
	signed, err := d.SignInProven(r, p)
	if err != nil {
		asProven(r, p) // should another node serve the team, it gets the proof
		return err
	}
	return d.welcome(w, r, signed)
}

// asProven makes a request the form of enterForwarded.
func asProven(r *http.Request, p actors.Proof) {
	r.Method, r.URL = http.MethodPost, &url.URL{Path: pathProven}
	r.PostForm = url.Values{
		"email": {p.Email}, "full_name": {p.FullName}, "by": {p.By},
		"passkey": {string(p.Passkey.ID)}, "counter": {strconv.FormatUint(uint64(p.Passkey.Counter), 10)},
		"provider": {strconv.FormatBool(p.Provider)}, "next": {r.PostFormValue("next")},
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Del("Sec-Fetch-Site") // the guard has seen the browser's request
	r.Header.Del("Origin")
}

// enterForwarded signs in a person whose proof another node has taken. It is for nodes of
// the cluster only.
func (d signInPages) enterForwarded(w http.ResponseWriter, r *http.Request) error {
	counter, err := strconv.ParseUint(r.PostFormValue("counter"), 10, 32)
	if err != nil || !d.Accepted(r) {
		return watchpost.Errorf(watchpost.NotFound, "Not found")
	}
	return d.enterProven(w, r, actors.Proof{
		Email: r.PostFormValue("email"), FullName: r.PostFormValue("full_name"), By: r.PostFormValue("by"),
		Provider: r.PostFormValue("provider") == "true",
		Passkey:  actors.PasskeyUse{ID: watchpost.PasskeyID(r.PostFormValue("passkey")), Counter: uint32(counter)},
	})
}
