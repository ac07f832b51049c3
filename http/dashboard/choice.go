package dashboard

import (
	"net/http"

	"watchpost/actors"
	"watchpost/actors/root"
	"watchpost/actors/signin"
	"watchpost/watchpost"
)

// choicePage asks who has proved an address which team it is, and has what the address
// blocks. Its forms send the code along, which is kept until it signs somebody in.
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
	page := choicePage{frame: frame{Title: "Choose a team"}, Email: code.Email, Code: code.OTP, Consent: consent}
	return render(w, http.StatusOK, "choice.html", page)
}
