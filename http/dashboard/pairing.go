package dashboard

import (
	"cmp"
	"net/http"
	"strings"

	"watchpost/actors"
)

// A pairing link is an address of the service with a pairing code in the fragment, which
// browsers send to no server: neither logs nor programs that open links get the code. The
// page that it opens hands it to the extension.

// pairPage is what a pairing link opens, in any browser, with or without the extension.
type pairPage struct {
	frame
	Extensions string // ids in Chromium of the extensions that may have the link
}

func (d teamPages) showPairing(w http.ResponseWriter, _ *http.Request) error {
	return render(w, http.StatusOK, "pair.html", pairPage{frame: frame{Title: "Pair this browser"}, Extensions: strings.Join(d.Extensions, " ")})
}

// pairingView is a new pairing code.
type pairingView struct {
	Code, Link, Ends string
	MailedTo         string
}

// pair makes a pairing code for the visitor's own browsers, and opens its link here, shows
// it, or mails it. The page that shows it is not stored, and does not show it when it is
// loaded again.
func (d teamPages) pair(w http.ResponseWriter, r *http.Request, v *visit) error {
	code, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.CreatePairingCode{Email: v.member.Email})
	if err != nil {
		return err
	}
	do, link := r.PostFormValue("do"), pathPair+"#"+code.Code
	if do == "pair" {
		http.Redirect(w, r, link, http.StatusSeeOther)
		return nil
	}
	view := pairingView{Code: code.Code, Link: cmp.Or(d.Registry.PasskeysAt(), d.origin(r)) + link, Ends: code.ExpiresAt.UTC().Format("15:04 UTC")}
	if do == "mail-code" {
		view.MailedTo = v.member.Email
		d.Registry.MailPairingLink(r.Context(), v.member.Email, view.Link, code)
	}
	page, err := d.teamPage(r, v)
	if err != nil {
		return err
	}
	page.Pairing = &view
	return render(w, http.StatusOK, "team.html", page)
}
