// Package identitytest has an OpenID Connect provider that says what a test wants it to
// say, right or wrong.
package identitytest

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Issuer signs in one person, without asking.
type Issuer struct {
	URL              string
	ClientID, Secret string

	mu sync.Mutex
	// claims are those of the person's token.
	claims map[string]any
	// userinfo are the claims that are kept for userinfo; nil: none.
	userinfo map[string]any
	key      *rsa.PrivateKey // that signs
	codes    map[string]url.Values
	down     bool
}

// New starts an issuer whose person has a verified address.
func New(t testing.TB, email string) *Issuer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	i := &Issuer{ClientID: "watchpost", Secret: "issuer-secret", key: key, codes: map[string]url.Values{}}
	i.claims = map[string]any{"sub": "1", "email": email, "email_verified": true, "name": "Ada Lovelace"}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", i.describe)
	mux.HandleFunc("GET /authorize", i.authorize)
	mux.HandleFunc("POST /token", i.token)
	mux.HandleFunc("GET /userinfo", func(w http.ResponseWriter, _ *http.Request) { i.write(w, i.userinfo) })
	public := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "1", Algorithm: "RS256", Use: "sig"}}}
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) { i.write(w, public) })
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.mu.Lock()
		defer i.mu.Unlock()
		if i.down {
			http.Error(w, "down", http.StatusBadGateway)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	i.URL = server.URL
	return i
}

// Claim changes what the token says of the person; nil removes a claim.
func (i *Issuer) Claim(name string, value any) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.claims[name] = value; value == nil {
		delete(i.claims, name)
	}
}

// Userinfo moves the claims of the person but the subject to userinfo, with this subject.
func (i *Issuer) Userinfo(subject string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.userinfo = i.claims
	i.claims = map[string]any{"sub": i.userinfo["sub"]}
	i.userinfo["sub"] = subject
}

// Forge has tokens signed with a key that the issuer does not publish.
func (i *Issuer) Forge(t testing.TB) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.key = key
}

// Down makes the issuer fail, or work again.
func (i *Issuer) Down(is bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.down = is
}

func (i *Issuer) describe(w http.ResponseWriter, _ *http.Request) {
	i.write(w, map[string]any{
		"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token", "jwks_uri": i.URL + "/keys",
		"userinfo_endpoint": i.URL + "/userinfo", "id_token_signing_alg_values_supported": []string{"RS256"},
	})
}

// authorize sends the browser back with a code.
func (i *Issuer) authorize(w http.ResponseWriter, r *http.Request) {
	asked := r.URL.Query()
	code := rand.Text()
	i.codes[code] = asked
	back := url.Values{"code": {code}, "state": {asked.Get("state")}}
	http.Redirect(w, r, asked.Get("redirect_uri")+"?"+back.Encode(), http.StatusSeeOther) //nolint:gosec // the test asks for it
}

// token takes a code once, from the client with the verifier.
func (i *Issuer) token(w http.ResponseWriter, r *http.Request) {
	asked, known := i.codes[r.FormValue("code")]
	delete(i.codes, r.FormValue("code"))
	id, secret, _ := r.BasicAuth()
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	challenge := base64.RawURLEncoding.EncodeToString(sum[:])
	if !known || id != i.ClientID || secret != i.Secret || asked.Get("code_challenge_method") != "S256" || challenge != asked.Get("code_challenge") || r.FormValue("redirect_uri") != asked.Get("redirect_uri") {
		http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
		return
	}
	now := time.Now() //nolint:forbidigo // providers of tests have the time of the machine
	said := map[string]any{"iss": i.URL, "aud": i.ClientID, "iat": now.Unix(), "exp": now.Add(5 * time.Minute).Unix(), "nonce": asked.Get("nonce")}
	for name, value := range i.claims {
		said[name] = value
	}
	payload, err := json.Marshal(said)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: i.key, KeyID: "1"}}, nil)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	compact, err := signed.CompactSerialize()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	i.write(w, map[string]any{"access_token": "access", "token_type": "Bearer", "id_token": compact})
}

func (i *Issuer) write(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(value); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
