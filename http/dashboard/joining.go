package dashboard

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"watchpost/actors"
	"watchpost/watchpost"
)

// invitationView is a pending invitation of the team.
type invitationView struct {
	ID      watchpost.InvitationID
	Email   string
	Role    watchpost.Role
	By      string
	Made    moment
	Expires string
	Mailed  bool // not long ago
}

func (p *teamPage) addInvitations(team actors.TeamView, now time.Time) {
	p.Alone = len(team.Team.Members) == 1
	if !p.Admin {
		return
	}
	for i := range team.Invitations {
		one := &team.Invitations[i]
		p.Invited = append(p.Invited, invitationView{
			ID: one.ID, Email: one.Email, Role: one.Role, By: one.By, Made: momentOf(p.say, agoOrNow(p.say, one.CreatedAt, now), one.CreatedAt),
			Expires: p.say.Date("date.day", one.Ends().UTC()), Mailed: one.CheckMailAgain(now) != nil,
		})
	}
}

// changeInvitations invites, mails an invitation again, or withdraws it.
func (d teamPages) changeInvitations(w http.ResponseWriter, r *http.Request, v *visit) error {
	if err := adminsOnly(v); err != nil {
		return err
	}
	ctx, id := r.Context(), watchpost.InvitationID(r.PostFormValue("invitation"))
	var err error
	switch r.PostFormValue("do") {
	case "mail":
		_, err = d.Registry.MailInvitation(ctx, v.session.Team, id, v.member.ID, v.say.Code)
	case "withdraw":
		_, err = actors.Ask(ctx, d.Registry, v.session.Team, actors.WithdrawInvitation{Invitation: id})
	default:
		err = d.invite(r, v)
	}
	switch kind := watchpost.KindOf(err); {
	case err == nil:
		http.Redirect(w, r, pathTeam, http.StatusSeeOther)
		return nil
	case kind != watchpost.Invalid && kind != watchpost.Conflict && kind != watchpost.InvitationCap:
		return err
	}
	page, failure := d.teamPage(r, v)
	if failure != nil {
		return failure
	}
	status, text, _ := d.Fault(r, err)
	if status == http.StatusBadRequest {
		status = http.StatusUnprocessableEntity // as other forms
	}
	page.Title, page.Error, page.Email = errorTitle(v.say, page.Title), v.say.Known(text), r.PostFormValue("email")
	return render(w, status, "team.html", page)
}

// invite makes a pending invitation and mails it.
func (d teamPages) invite(r *http.Request, v *visit) error {
	email, ok := watchpost.NormalizeEmail(r.PostFormValue("email"))
	if !ok {
		return watchpost.Errorf(watchpost.Invalid, "Enter an address as in ada@example.com.")
	}
	role, err := watchpost.ParseRole(r.PostFormValue("role"))
	if err != nil {
		return err
	}
	_, err = d.Registry.Invite(r.Context(), v.session.Team, actors.InviteMember{Email: email, Role: role, By: v.member.ID, Language: v.say.Code})
	return err
}

// leave takes the visitor out of the team.
func (d teamPages) leave(w http.ResponseWriter, r *http.Request, v *visit) error {
	request := actors.LeaveTeam{Member: v.member.ID, Closing: r.PostFormValue("closing") != ""}
	if _, err := actors.Ask(r.Context(), d.Registry, v.session.Team, request); err != nil {
		return err
	}
	d.setCookie(w, r, "", d.Clock.Now())
	http.Redirect(w, r, pathSignIn, http.StatusSeeOther)
	return nil
}

// A pairing link is an address of the service with a pairing code in the fragment, which
// browsers send to no server: neither logs nor programs that open links get the code. The
// page that it opens hands it to the extension.

// pairPage is what a pairing link opens, in any browser, with or without the extension.
type pairPage struct {
	frame
	Extensions string // ids in Chromium of the extensions that may have the link
}

func (d teamPages) showPairing(w http.ResponseWriter, r *http.Request) error {
	return render(w, http.StatusOK, "pair.html", pairPage{frame: bareFrame(r, "common.pair_this_browser"), Extensions: strings.Join(d.Extensions, " ")})
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
	view := pairingView{Code: code.Code, Link: cmp.Or(d.Registry.PasskeysAt(), d.origin(r)) + link, Ends: zonedTime(v.say, code.ExpiresAt, d.Clock.Now())}
	if do == "mail-code" {
		view.MailedTo = v.member.Email
		d.Registry.MailPairingLink(r.Context(), v.member.Email, view.Link, v.say.Code, code)
	}
	page, err := d.teamPage(r, v)
	if err != nil {
		return err
	}
	page.Pairing = &view
	return render(w, http.StatusOK, "team.html", page)
}
