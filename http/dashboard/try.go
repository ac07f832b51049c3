package dashboard

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"watchpost/actors"
	"watchpost/watchpost"
)

// TryReply is what the API answered to a call of the page that tries calls.
type TryReply struct {
	Status int
	Body   []byte
}

// tryPage makes a call of the API with the team's key.
type tryPage struct {
	frame
	Method, Target, Body string
	Methods              []choice
	Changes              bool // the call may change something
	Sent                 bool
	Status               int
	Good                 bool
	Reply, Error         string
}

var tryMethods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete}

// maxTryShown bounds the reply that the page shows, in bytes.
const maxTryShown = 100_000

func (d *Dashboard) showTry(w http.ResponseWriter, r *http.Request, v *visit) error {
	q := r.URL.Query()
	if q.Get("method") != http.MethodGet && !d.fromReference(r) {
		q = nil
	}
	return d.tryPage(v, q).render(w, http.StatusOK)
}

// fromReference reports whether a link of our own reference leads here. A link of
// another site must not fill in a call that changes something, which a member then
// sends with one click. Sec-Fetch-Site does not tell: after such a link the page loads
// itself again (askToSignIn).
func (d *Dashboard) fromReference(r *http.Request) bool {
	reference := d.origin(r) + "/docs"
	return r.Referer() == reference || strings.HasPrefix(r.Referer(), reference+"/")
}

func (d *Dashboard) tryPage(v *visit, q url.Values) *tryPage {
	p := &tryPage{frame: frameOf(v, "", v.say.Text("try.try_a_call")), Method: q.Get("method"), Target: q.Get("path"), Body: q.Get("body")}
	if !slices.Contains(tryMethods, p.Method) {
		p.Method = http.MethodGet
	}
	if p.Target == "" {
		p.Target = "/api-posts?page_size=2"
	}
	for _, m := range tryMethods {
		p.Methods = append(p.Methods, choice{Value: m, Name: m, On: m == p.Method})
	}
	p.Changes = p.Method != http.MethodGet
	return p
}

func (p *tryPage) render(w http.ResponseWriter, status int) error {
	return render(w, status, "try.html", p)
}

// try makes the call as a client with the key would, with its checks and limits.
func (d *Dashboard) try(w http.ResponseWriter, r *http.Request, v *visit) error {
	p := d.tryPage(v, r.PostForm)
	target, err := url.Parse(p.Target)
	teams := err == nil && target.Host == "" && target.Scheme == "" &&
		(strings.HasPrefix(target.Path, "/api-") || strings.HasPrefix(target.Path, "/network-agent/"))
	if !teams {
		p.Error = v.say.Text("try.enter_a_path_of_the_api")
		p.Title = errorTitle(v.say, p.Title)
		return p.render(w, http.StatusUnprocessableEntity)
	}
	key, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.RevealKey{ToUse: true})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(r.Context(), p.Method, target.RequestURI(), strings.NewReader(p.Body)) //nolint:gosec // it is handed to the service's own handler, and never sent
	if err != nil {
		return watchpost.WrapError(watchpost.Invalid, "The call cannot be made.", err)
	}
	request.RemoteAddr, request.Host = r.RemoteAddr, r.Host
	request.Header.Set("X-Api-Key", key.Key)
	reply := d.Try(request)
	p.Sent, p.Status, p.Good = true, reply.Status, reply.Status < http.StatusBadRequest
	var pretty bytes.Buffer
	if json.Indent(&pretty, reply.Body, "", "  ") == nil {
		reply.Body = pretty.Bytes()
	}
	p.Reply = strings.ToValidUTF8(clip(string(reply.Body), maxTryShown), "")
	return p.render(w, http.StatusOK)
}
