package dashboard

import (
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"watchpost/actors"
	"watchpost/watchpost"
)

// keysPage lists the keys with scopes of the team, and makes or changes one. All members
// may use it, as all may see the team's key; making or changing a key takes a fresh
// sign-in, as seeing that one does.
type keysPage struct {
	frame
	Keys   []keyRow
	Most   int
	Row    *keyRow // the key that is changed; nil on the page of all
	Stale  bool    // the sign-in is not fresh
	Secret string  // of the key that was made just now, which is shown once
	Made   string  // its name
	keyForm
}

// keyRow is a key in the list.
type keyRow struct {
	ID                  watchpost.KeyID
	Name, Href, Rule    string
	State, Class, Sign  string
	Used                moment
	Client              string // that used it last
	Never, MadeByAnyKey bool
}

// keyForm is the form of a key. Nothing typed is lost.
type keyForm struct {
	Errors            []fieldError
	Name, Until, From string
	Scopes            []choice
	Limits            []limitField
	old               watchpost.ScopedKey
}

// limitField is the daily limit of an action, as it is typed.
type limitField struct{ Action, Name, Value string }

// scopeNames say what a key with a scope may do.
var scopeNames = map[watchpost.Scope]string{
	watchpost.ScopeRead: "Read posts, leads, watchlists, tasks and the journal", watchpost.ScopeWatchlists: "Change watchlists, and save posts",
	watchpost.ScopeTasks: "Read profiles and companies on the network, and search it", watchpost.ScopeEngage: "Like and comment in members’ names",
	watchpost.ScopeContact: "Send messages and invitations in members’ names", watchpost.ScopeRules: "Change rules, and decide on what they propose",
	watchpost.ScopeNotifications: "See and change notification targets", watchpost.ScopeKeys: "Make, change and delete keys that may do no more than it",
}

// keyErrors say what a field of the form takes.
var keyErrors = map[string]string{
	"name": "A name has 1 to 120 characters.", "scopes": "Choose at least one right.", "expires_at": "Choose a day from today on, or none.",
	"daily_limits": "A limit is a whole number from 0 to 100000, or empty.", "networks": "Enter up to 20 addresses or ranges as in 203.0.113.0/24, each on its own line.",
}

// newKeyForm is the form with the fields of a key.
func newKeyForm(k watchpost.ScopedKey) keyForm {
	f := keyForm{Name: k.Name, Until: lastDay(k.ExpiresAt), old: k}
	for i, network := range k.Networks {
		if i > 0 {
			f.From += "\n"
		}
		f.From += network.String()
	}
	for _, scope := range watchpost.Scopes() {
		f.Scopes = append(f.Scopes, choice{Value: string(scope), Name: scopeNames[scope], On: slices.Contains(k.Scopes, scope)})
	}
	for _, action := range watchpost.KeyActions() {
		field := limitField{Action: string(action), Name: actionNames[action]}
		if limit, limited := k.DailyLimits[action]; limited {
			field.Value = strconv.Itoa(limit)
		}
		f.Limits = append(f.Limits, field)
	}
	return f
}

// lastDay is the last day on which a key works; "" for one without an end.
func lastDay(expires time.Time) string {
	if expires.IsZero() {
		return ""
	}
	return expires.Add(-1).UTC().Format(time.DateOnly)
}

// take reads the typed values.
func (f *keyForm) take(r *http.Request) {
	f.Name, f.Until, f.From = r.PostFormValue("name"), r.PostFormValue("expires_at"), r.PostFormValue("networks")
	tick(f.Scopes, r.PostForm["scopes"]...)
	for i := range f.Limits {
		f.Limits[i].Value = r.PostFormValue("limit_" + f.Limits[i].Action)
	}
}

// patch returns the change that the form asks for. An end whose day was not changed stays
// as exact as it is.
func (f *keyForm) patch() (p watchpost.KeyPatch, err error) {
	scopes, limits, networks := []watchpost.Scope{}, map[watchpost.Action]int{}, []netip.Prefix{}
	for _, scope := range ticked(f.Scopes) {
		scopes = append(scopes, watchpost.Scope(scope))
	}
	if until := strings.TrimSpace(f.Until); until != lastDay(f.old.ExpiresAt) {
		var ends time.Time
		if until != "" {
			day, err := time.Parse(time.DateOnly, until)
			if err != nil {
				return p, watchpost.Errorf(watchpost.Invalid, "Invalid 'expires_at'")
			}
			ends = day.AddDate(0, 0, 1)
		}
		p.ExpiresAt = &ends
	}
	for _, field := range f.Limits {
		if value := strings.TrimSpace(field.Value); value != "" {
			limit, err := strconv.Atoi(value)
			if err != nil {
				return p, watchpost.Errorf(watchpost.Invalid, "Invalid 'daily_limits'")
			}
			limits[watchpost.Action(field.Action)] = limit
		}
	}
	for _, line := range wordsOf(f.From) {
		network, ok := watchpost.ParseNetwork(line)
		if !ok {
			return p, watchpost.Errorf(watchpost.Invalid, "Invalid 'networks'")
		}
		networks = append(networks, network)
	}
	p.Name, p.Scopes, p.DailyLimits, p.Networks = &f.Name, &scopes, &limits, &networks
	return p, nil
}

// Error returns the error of a field.
func (f *keyForm) Error(field string) string {
	for _, e := range f.Errors {
		if e.Field == field {
			return e.Text
		}
	}
	return ""
}

// Limited reports whether a limit is typed.
func (f *keyForm) Limited() bool {
	return f.Error("daily_limits") != "" || slices.ContainsFunc(f.Limits, func(l limitField) bool { return l.Value != "" })
}

func keyRowOf(v *actors.ScopedKeyView, now time.Time) keyRow {
	k := &v.Key
	row := keyRow{
		ID: k.ID, Name: k.Name, Href: pathKeys + "/" + string(k.ID), Rule: keyRule(v),
		State: "Works", Class: "good", Sign: "check", Client: v.Used.Client, Never: v.Used.At.IsZero(), MadeByAnyKey: len(k.Makers) > 0,
	}
	if !row.Never {
		row.Used = momentOf(agoOrNow(v.Used.At, now), v.Used.At)
	}
	switch {
	case k.Expired(now):
		row.State, row.Class, row.Sign = "Expired", "bad", "clock"
	case !k.ExpiresAt.IsZero():
		row.State = "Works until " + lastMoment(k.ExpiresAt)
	}
	return row
}

// lastMoment says until when a key works: the last day where it ends with one.
func lastMoment(ends time.Time) string {
	if ends = ends.UTC(); ends.Equal(ends.Truncate(24 * time.Hour)) {
		return "the end of " + ends.AddDate(0, 0, -1).Format("2 January 2006")
	}
	return ends.Format("2 January 2006, 15:04 UTC")
}

// keyRule says in a few words what a key may do, how much, and from where.
func keyRule(v *actors.ScopedKeyView) string {
	k := &v.Key
	scopes := make([]string, len(k.Scopes))
	for i, scope := range k.Scopes {
		scopes[i] = string(scope)
	}
	rule := "May " + strings.Join(scopes, ", ") + "."
	for _, action := range watchpost.KeyActions() {
		if limit, limited := k.DailyLimits[action]; limited {
			rule += " " + actionNames[action] + ": " + number(v.Today.Used[action]) + " of " + number(limit) + " today."
		}
	}
	if len(k.Networks) > 0 {
		from := make([]string, len(k.Networks))
		for i, network := range k.Networks {
			from[i] = network.String()
		}
		rule += " From " + some(from) + " only."
	}
	return rule
}

// keysPage is the page of all keys, or of the one that the path names (NotFound).
func (d teamPages) keysPage(r *http.Request, v *visit) (*keysPage, error) {
	views, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListKeys{})
	if err != nil {
		return nil, err
	}
	signIns, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListWebSessions{Member: v.member.ID})
	if err != nil {
		return nil, err
	}
	now := d.Clock.Now()
	page := &keysPage{frame: frameOf(v, "team", "Keys"), Most: watchpost.MaxScopedKeys, keyForm: newKeyForm(watchpost.ScopedKey{Scopes: []watchpost.Scope{watchpost.ScopeRead}})}
	page.Stale = !slices.ContainsFunc(signIns, func(s actors.WebSessionView) bool {
		return s.ID == v.session.ID && watchpost.FreshlySignedIn(s.CreatedAt, now)
	})
	id := r.PathValue("id")
	for i := range views {
		row := keyRowOf(&views[i], now)
		page.Keys = append(page.Keys, row)
		if string(row.ID) == id {
			page.Row, page.Title, page.keyForm = &row, row.Name, newKeyForm(views[i].Key)
		}
	}
	if id != "" && page.Row == nil {
		return nil, watchpost.Errorf(watchpost.NotFound, watchpost.TextKeyNotFound)
	}
	return page, nil
}

// showKeys shows all keys, or the one that the path names.
func (d teamPages) showKeys(w http.ResponseWriter, r *http.Request, v *visit) error {
	page, err := d.keysPage(r, v)
	if err != nil {
		return err
	}
	return render(w, http.StatusOK, "keys.html", page)
}

// changeKeys makes a key, or changes or deletes the one that the path names. The page with
// the secret of a new key is not stored, and does not show it when it is loaded again.
func (d teamPages) changeKeys(w http.ResponseWriter, r *http.Request, v *visit) error {
	page, err := d.keysPage(r, v)
	if err != nil {
		return err
	}
	if page.Row != nil && r.PostFormValue("do") == "delete" {
		if _, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.DeleteKey{ID: page.Row.ID}); err != nil {
			return err
		}
		http.Redirect(w, r, pathKeys, http.StatusSeeOther)
		return nil
	}
	if do := r.PostFormValue("do"); do != "save" {
		return errUnknownForm()
	}
	page.take(r)
	patch, err := page.patch()
	if err != nil {
		return page.refused(w, err)
	}
	if page.Row != nil {
		update := actors.UpdateKey{ID: page.Row.ID, Patch: patch, Session: v.session.ID}
		if _, err := actors.Ask(r.Context(), d.Registry, v.session.Team, update); err != nil {
			return page.refused(w, err)
		}
		http.Redirect(w, r, pathKeys, http.StatusSeeOther)
		return nil
	}
	made, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.CreateKey{Key: patch.Apply(watchpost.ScopedKey{}), Session: v.session.ID})
	if err != nil {
		return page.refused(w, err)
	}
	if page, err = d.keysPage(r, v); err != nil {
		return err
	}
	page.Secret, page.Made = made.Secret, made.Key.Name
	return render(w, http.StatusOK, "keys.html", page)
}

// refused shows the form with its error.
func (p *keysPage) refused(w http.ResponseWriter, err error) error {
	text := errorText(err)
	switch watchpost.KindOf(err) {
	case watchpost.Invalid:
		field := "name"
		for known := range maps.Keys(keyErrors) {
			if strings.HasPrefix(text, "Invalid '"+known+"'") {
				field, text = known, keyErrors[known]
			}
		}
		p.Errors = []fieldError{{field, text}}
	case watchpost.Conflict:
		p.Errors = []fieldError{{"name", text + ". Delete one to make another."}}
	case watchpost.Forbidden:
		p.Stale = true
		p.Errors = []fieldError{{"stale", "Sign in again first."}}
	default:
		return err
	}
	p.Title = "Error: " + p.Title
	return render(w, http.StatusUnprocessableEntity, "keys.html", p)
}
