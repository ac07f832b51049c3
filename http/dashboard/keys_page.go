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
	"watchpost/internal/words"
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
	watchpost.ScopeRead: "keys.read_posts_leads_watchlists_tasks", watchpost.ScopeWatchlists: "keys.change_watchlists_and_save_posts",
	watchpost.ScopeTasks: "keys.read_profiles_and_companies_on_the", watchpost.ScopeEngage: "keys.like_and_comment_in_members_names",
	watchpost.ScopeContact: "keys.send_messages_and_invitations_in", watchpost.ScopeRules: "keys.change_rules_and_decide_on_what",
	watchpost.ScopeNotifications: "keys.see_and_change_notification_targets", watchpost.ScopeKeys: "keys.make_change_and_delete_keys_that",
}

// keyErrors say what a field of the form takes.
var keyErrors = map[string]string{
	"name": "keys.a_name_has_1_to_120", "scopes": "keys.choose_at_least_one_right", "expires_at": "keys.choose_a_day_from_today_on",
	"daily_limits": "keys.a_limit_is_a_whole_number", "networks": "keys.enter_up_to_20_addresses_or",
}

// newKeyForm is the form with the fields of a key.
func newKeyForm(say *words.Language, k watchpost.ScopedKey) keyForm {
	f := keyForm{Name: k.Name, Until: lastDay(k.ExpiresAt), old: k}
	for i, network := range k.Networks {
		if i > 0 {
			f.From += "\n"
		}
		f.From += network.String()
	}
	for _, scope := range watchpost.Scopes() {
		f.Scopes = append(f.Scopes, choice{Value: string(scope), Name: say.Text(scopeNames[scope]), On: slices.Contains(k.Scopes, scope)})
	}
	for _, action := range watchpost.KeyActions() {
		field := limitField{Action: string(action), Name: say.Text(actionNames[action])}
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

func keyRowOf(say *words.Language, v *actors.ScopedKeyView, now time.Time) keyRow {
	k := &v.Key
	row := keyRow{
		ID: k.ID, Name: k.Name, Href: pathKeys + "/" + string(k.ID), Rule: keyRule(say, v),
		State: say.Text("keys.works"), Class: "good", Sign: "check", Client: v.Used.Client, Never: v.Used.At.IsZero(), MadeByAnyKey: len(k.Makers) > 0,
	}
	if !row.Never {
		row.Used = momentOf(say, agoOrNow(say, v.Used.At, now), v.Used.At)
	}
	switch {
	case k.Expired(now):
		row.State, row.Class, row.Sign = say.Text("keys.expired"), "bad", "clock"
	case !k.ExpiresAt.IsZero():
		row.State = say.Text("keys.works_until_until", "until", lastMoment(say, k.ExpiresAt))
	}
	return row
}

// lastMoment says until when a key works: the last day where it ends with one.
func lastMoment(say *words.Language, ends time.Time) string {
	if ends = ends.UTC(); ends.Equal(ends.Truncate(24 * time.Hour)) {
		return say.Text("keys.the_end_of_date", "date", say.Date("date.long", ends.AddDate(0, 0, -1)))
	}
	return say.Date("date.moment", ends)
}

// keyRule says in a few words what a key may do, how much, and from where.
func keyRule(say *words.Language, v *actors.ScopedKeyView) string {
	k := &v.Key
	scopes := make([]string, len(k.Scopes))
	for i, scope := range k.Scopes {
		scopes[i] = string(scope)
	}
	rule := say.Text("keys.may_scopes", "scopes", say.List(scopes...))
	for _, action := range watchpost.KeyActions() {
		if limit, limited := k.DailyLimits[action]; limited {
			rule += " " + say.Text("keys.action_used_of_limit_today", "action", say.Text(actionNames[action]), "used", v.Today.Used[action], "limit", limit)
		}
	}
	if len(k.Networks) > 0 {
		from := make([]string, len(k.Networks))
		for i, network := range k.Networks {
			from[i] = network.String()
		}
		rule += " " + say.Text("keys.from_addresses_only", "addresses", some(say, from))
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
	page := &keysPage{frame: frameOf(v, "team", v.say.Text("common.keys")), Most: watchpost.MaxScopedKeys, keyForm: newKeyForm(v.say, watchpost.ScopedKey{Scopes: []watchpost.Scope{watchpost.ScopeRead}})}
	page.Stale = !slices.ContainsFunc(signIns, func(s actors.WebSessionView) bool {
		return s.ID == v.session.ID && watchpost.FreshlySignedIn(s.CreatedAt, now)
	})
	id := r.PathValue("id")
	for i := range views {
		row := keyRowOf(v.say, &views[i], now)
		page.Keys = append(page.Keys, row)
		if string(row.ID) == id {
			page.Row, page.Title, page.keyForm = &row, row.Name, newKeyForm(v.say, views[i].Key)
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
				field, text = known, p.say.Text(keyErrors[known])
			}
		}
		p.Errors = []fieldError{{field, p.say.Known(text)}}
	case watchpost.Conflict:
		p.Errors = []fieldError{{"name", p.say.Known(text) + ". " + p.say.Text("conditions.delete_one")}}
	case watchpost.Forbidden:
		p.Stale = true
		p.Errors = []fieldError{{"stale", p.say.Text("keys.sign_in_again_first")}}
	default:
		return err
	}
	p.Title = errorTitle(p.say, p.Title)
	return render(w, http.StatusUnprocessableEntity, "keys.html", p)
}
