package specs_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/internal/mail/mailtest"
	"watchpost/specs/process"
)

// mailed is a service that delivers mail to a mail server.
type mailed struct {
	t       *testing.T
	process *process.Process
	url     string
	client  *http.Client
	killed  bool
}

// startMailed starts the binary with a mail server whose certificate it trusts.
func startMailed(t *testing.T, server *mailtest.Server, args ...string) *mailed {
	t.Helper()
	return startMailedIn(t, t.TempDir(), server, args...)
}

// startMailedIn is startMailed with a data folder, which may hold mails.
func startMailedIn(t *testing.T, dir string, server *mailtest.Server, args ...string) *mailed {
	t.Helper()
	t.Setenv("SSL_CERT_FILE", server.CertificateFile())
	p, err := launch("service", dir, append([]string{
		"serve", "--data", dir, "--listen", "127.0.0.1:0", "--test-clock", "--admin-token", operatorToken,
		"--smtp-host", server.Host, "--smtp-port", strconv.Itoa(server.Port), "--smtp-from", "no-reply@watchpost.example",
	}, args...)...)
	require.NoError(t, err)
	m := &mailed{t: t, process: p, client: &http.Client{Timeout: patience, Transport: &http.Transport{}}}
	t.Cleanup(func() {
		m.client.CloseIdleConnections()
		if !m.killed {
			require.NoError(t, p.Stop())
		}
	})
	m.url, err = p.URL()
	require.NoError(t, err)
	return m
}

// post sends a request and returns the status and the body.
func (m *mailed) post(path, body string) (int, string) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url+path, bytes.NewBufferString(body))
	require.NoError(m.t, err)
	request.Header.Set("Authorization", "Bearer "+operatorToken)
	response, err := m.client.Do(request)
	require.NoError(m.t, err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	require.NoError(m.t, err)
	return response.StatusCode, string(answer)
}

// sends requests a code; the reply is the same whether or not the mail is
// delivered.
func (m *mailed) sends(email string) {
	m.t.Helper()
	before := time.Now()
	status, body := m.post("/network-agent/auth-send-otp", fmt.Sprintf(`{"email":%q}`, email))
	require.Equal(m.t, http.StatusOK, status)
	require.Contains(m.t, body, fmt.Sprintf(`{"success":true,"email":%q,"nonce":"`, email))
	require.Less(m.t, time.Since(before), patience/4)
}

// verify redeems a code.
func (m *mailed) verify(email, code string) (int, string) {
	m.t.Helper()
	return m.post("/network-agent/auth-verify-otp", fmt.Sprintf(`{"email":%q,"otp":%q}`, email, code))
}

var onlyCode = regexp.MustCompile(`[0-9]{6}`)

// TestOneTimeCodesOverSMTP: a one-time code is sent over SMTP, with TLS and a
// password, and creates a team (api.md#mail).
func TestOneTimeCodesOverSMTP(t *testing.T) {
	server := mailtest.Start(t, mailtest.Options{})
	m := startMailed(t, server, "--smtp-user", mailtest.User, "--smtp-password", mailtest.Password)

	m.sends("ada@acme.example")
	letter := server.Await(1)[0]
	require.True(t, letter.TLS)
	require.Equal(t, mailtest.User, letter.User)
	require.Equal(t, "no-reply@watchpost.example", letter.From)
	require.Equal(t, "ada@acme.example", letter.To)
	codes := onlyCode.FindAllString(letter.Body, -1)
	require.Len(t, codes, 1)
	status, body := m.verify("ada@acme.example", codes[0])
	require.Equal(t, http.StatusOK, status, body)

	// A member is invited, and signs in.
	status, made := m.post("/admin/teams", `{"email":"bea@acme.example","plan":"growth","name":"Acme"}`)
	require.Equal(t, http.StatusCreated, status)
	team := between(made, `"id":"`, `"`)
	status, _ = m.post("/admin/teams/"+team+"/members", `{"email":"joe@acme.example","role":"member"}`)
	require.Equal(t, http.StatusCreated, status)
	require.Equal(t, "joe@acme.example", server.Await(2)[1].To)
	require.Contains(t, server.Await(2)[1].Body, "Acme")
	m.sends("joe@acme.example")
	status, body = m.verify("joe@acme.example", onlyCode.FindString(server.Await(3)[2].Body))
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, team)

	// The log has the recipient and no secret.
	line, err := m.process.Await(`"msg":"mail sent","to":"ada@acme.example"`)
	require.NoError(t, err)
	require.NotContains(t, line, codes[0])
	for _, secret := range []string{codes[0], mailtest.Password} {
		_, found := m.process.Logged(secret)
		require.False(t, found)
	}
}

// TestAnswerDoesNotTellOfTheMail: the reply is immediate and the same when the
// mail server refuses, fails temporarily, or is slow.
func TestAnswerDoesNotTellOfTheMail(t *testing.T) {
	server := mailtest.Start(t, mailtest.Options{NoAuth: true})
	m := startMailed(t, server)
	server.Refuse(550)
	m.sends("nobody@acme.example")
	_, err := m.process.Await(`"msg":"mail not sent","to":"nobody@acme.example"`)
	require.NoError(t, err)

	// Mail is retried, by the clock, while the code is valid.
	server.Refuse(451)
	m.sends("ada@acme.example")
	_, err = m.process.Await(`"msg":"mail is tried again","to":"ada@acme.example"`)
	require.NoError(t, err)
	status, _ := m.post("/admin/clock", `{"advance":"1m"}`)
	require.Equal(t, http.StatusOK, status)
	code := onlyCode.FindString(server.Await(1)[0].Body)
	status, body := m.verify("ada@acme.example", code)
	require.Equal(t, http.StatusOK, status, body)

	// A slow mail server delays no reply.
	server.Hang()
	for n := range 6 {
		m.sends(fmt.Sprintf("slow%d@acme.example", n))
	}
	server.Resume()
	server.Await(7)
}

// TestMailSurvivesKill kills the service while the mail server does not answer. The
// next start delivers the mail, and its code is accepted.
func TestMailSurvivesKill(t *testing.T) {
	server := mailtest.Start(t, mailtest.Options{NoAuth: true})
	dir := t.TempDir()
	server.Hang()
	killed := startMailedIn(t, dir, server)
	killed.sends("ada@acme.example")
	killed.process.Kill()
	killed.killed = true
	require.Empty(t, server.Mails())
	server.Resume()
	m := startMailedIn(t, dir, server)
	code := onlyCode.FindString(server.Await(1)[0].Body)
	status, body := m.verify("ada@acme.example", code)
	require.Equal(t, http.StatusOK, status, body)
}

// between returns the text between two texts.
func between(s, before, after string) string {
	_, s, _ = strings.Cut(s, before)
	s, _, _ = strings.Cut(s, after)
	return s
}

// TestMailsInTheReadersLanguage: a code that the page of sign-in asks for, and an invitation,
// arrive in German and in Arabic.
func TestMailsInTheReadersLanguage(t *testing.T) {
	server := mailtest.Start(t, mailtest.Options{NoAuth: true})
	m := startMailed(t, server)
	arrived := 0
	for language, want := range map[string]struct{ code, inCode, invitation, inInvitation string }{
		"de": {"Ihr Code für Watchpost", "Ihr Code zum Anmelden ist ", "Sie sind in ein Team auf Watchpost eingeladen", "lädt Sie in das Team „de's Team“ auf Watchpost ein."},
		"ar": {"رمزك في Watchpost", "رمز تسجيل الدخول هو ", "أنت مدعو إلى فريق على Watchpost", "إلى «\u2068ar's Team\u2069» على Watchpost."},
	} {
		jar, err := cookiejar.New(nil)
		require.NoError(t, err)
		m.client.Jar = jar
		next := func(subject string) mailtest.Mail {
			t.Helper()
			arrived++
			letter := server.Await(arrived)[arrived-1]
			got, err := new(mime.WordDecoder).DecodeHeader(letter.Header.Get("Subject"))
			require.NoError(t, err)
			require.Equal(t, []string{subject, language}, []string{got, letter.Header.Get("Content-Language")})
			return letter
		}
		email := language + "@acme.example"
		m.form("/app/sign-in", language, url.Values{"email": {email}})
		letter := next(want.code)
		require.Contains(t, letter.Body, want.inCode)
		page := m.form("/app/sign-in/code", language, url.Values{"email": {email}, "otp": {onlyCode.FindString(letter.Body)}})
		token := between(page, `name="token" value="`, `"`)
		m.form("/app/team", language, url.Values{"token": {token}, "do": {"invite"}, "email": {"new-" + email}, "role": {"member"}})
		letter = next(want.invitation)
		require.Equal(t, "new-"+email, letter.To)
		require.Contains(t, letter.Body, want.inInvitation)
		require.Contains(t, letter.Body, email)
	}
}

// form sends a form of the dashboard's own page in a language, and returns the page that it
// leads to.
func (m *mailed) form(path, language string, form url.Values) string {
	m.t.Helper()
	request, err := http.NewRequestWithContext(m.t.Context(), http.MethodPost, m.url+path, strings.NewReader(form.Encode()))
	require.NoError(m.t, err)
	for name, value := range map[string]string{"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin", "Accept-Language": language} {
		request.Header.Set(name, value)
	}
	response, err := m.client.Do(request)
	require.NoError(m.t, err)
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	require.NoError(m.t, err)
	require.Equal(m.t, http.StatusOK, response.StatusCode, string(page))
	return string(page)
}
