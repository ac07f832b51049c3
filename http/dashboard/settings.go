package dashboard

import (
	"net/http"

	"watchpost/actors"
	"watchpost/watchpost"
)

// settingsPage shows how the visitor signs in.
type settingsPage struct {
	frame
	Email string
	Keys  []passkeyView
	Most  int
	At    string // the address that passkeys are for; "": there are none
	Fresh bool   // the sign-in is fresh enough to change passkeys
	Name  string // typed for a new passkey
	Error string
}

type passkeyView struct {
	ID          watchpost.PasskeyID
	Name        string
	Added, Used moment
	Never       bool
	Refused     bool // it may have been copied
}

func (d *Dashboard) settings(w http.ResponseWriter, r *http.Request, v *visit) error {
	return d.showSettings(w, r, v, http.StatusOK, "")
}

// showSettings shows the page, with an error where a form was refused.
func (d *Dashboard) showSettings(w http.ResponseWriter, r *http.Request, v *visit, status int, text string) error {
	keys, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListPasskeys{Member: v.member.ID})
	if err != nil {
		return err
	}
	now := d.Clock.Now()
	page := settingsPage{
		frame: frameOf(v, "settings", v.say.Text("common.settings")), Email: v.member.Email, Most: watchpost.MaxPasskeys, At: d.Registry.PasskeysAt(),
		Name: r.PostFormValue("name"), Error: v.say.Known(text),
	}
	page.Passkeys = page.At != ""
	if text != "" {
		page.Title = errorTitle(v.say, page.Title)
	}
	signIns, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListWebSessions{Member: v.member.ID})
	for _, s := range signIns {
		page.Fresh = page.Fresh || s.ID == v.session.ID && watchpost.FreshlySignedIn(s.CreatedAt, now)
	}
	if err != nil {
		return err
	}
	for _, k := range keys {
		view := passkeyView{ID: k.ID, Name: k.Name, Added: momentOf(v.say, ago(v.say, k.CreatedAt, now), k.CreatedAt), Never: k.UsedAt.IsZero(), Refused: k.RefusedAt.After(k.UsedAt)}
		if !view.Never {
			view.Used = momentOf(v.say, ago(v.say, k.UsedAt, now), k.UsedAt)
		}
		page.Keys = append(page.Keys, view)
	}
	return render(w, status, "settings.html", page)
}

// beginPasskey answers the script of a new passkey with the options for it.
func (d *Dashboard) beginPasskey(w http.ResponseWriter, r *http.Request, v *visit) error {
	options, err := d.Registry.BeginPasskey(r.Context(), v.session)
	if err != nil {
		return err
	}
	return writeOptions(w, options)
}

// changeSettings carries out a form of the page.
func (d *Dashboard) changeSettings(w http.ResponseWriter, r *http.Request, v *visit) error {
	id := watchpost.PasskeyID(r.PostFormValue("passkey"))
	name, err := "", error(nil)
	do := r.PostFormValue("do")
	if do == "add" || do == "rename" {
		name, err = watchpost.PasskeyName(r.PostFormValue("name"))
	}
	switch {
	case err != nil:
	case do == "add":
		err = d.Registry.AddPasskey(r.Context(), v.session, r.PostFormValue("answer"), name)
	case do == "rename":
		_, err = actors.Ask(r.Context(), d.Registry, v.session.Team, actors.RenamePasskey{Member: v.member.ID, ID: id, Name: name})
	case do == "remove":
		err = d.Registry.RemovePasskey(r.Context(), v.session, id)
	default:
		err = watchpost.Errorf(watchpost.Invalid, "The form asks for nothing that is known.")
	}
	switch watchpost.KindOf(err) {
	case watchpost.Invalid, watchpost.Conflict, watchpost.Unauthenticated, watchpost.Forbidden:
		if err != nil {
			return d.showSettings(w, r, v, http.StatusUnprocessableEntity, errorText(err))
		}
	}
	if err != nil {
		return err
	}
	http.Redirect(w, r, pathSettings, http.StatusSeeOther)
	return nil
}
