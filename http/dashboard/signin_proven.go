package dashboard

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"watchpost/actors"
	"watchpost/watchpost"
)

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
		return d.refuse(w, r, http.StatusUnprocessableEntity, "The passkey was not accepted. Try again, or have a code mailed.")
	}
	return err
}

// refuse shows the page of sign-in with the reason why nobody was signed in.
func (d signInPages) refuse(w http.ResponseWriter, r *http.Request, status int, text string) error {
	page := d.signInPage(r, "Error: Sign in")
	page.Refused = text
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
