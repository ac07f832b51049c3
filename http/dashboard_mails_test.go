package httpapi_test

import (
	"html"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/mail/outgoing"
	"watchpost/internal/words"
)

// newest returns the last mail to an address.
func (p *postbox) newest(address string) outgoing.Mail {
	mails := p.to(address)
	return mails[len(mails)-1]
}

// TestMailsInTheLanguageOfThePage: a mail that a page asks for is in the language of the page,
// and one to a member in the language of the member: the first one of a browser, until the
// member chooses another.
func TestMailsInTheLanguageOfThePage(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Readers", "growth")
	in := func(language string, m outgoing.Mail, subject string) {
		t.Helper()
		require.Equal(t, []string{language, words.Of(language).Text(subject)}, []string{m.Language, m.Subject})
	}
	ask := func(language string) {
		t.Helper()
		require.Equal(t, 200, h.browser().send("/app/sign-in", url.Values{"email": {m.email}}, "Accept-Language", language).status)
	}
	ask("ar-EG")
	in("ar", h.mail.newest(m.email), "mail.code_subject")
	ask("pl")
	in("en", h.mail.newest(m.email), "mail.code_subject")

	german := h.browser()
	german.send("/app/language", url.Values{"language": {"de"}}) // without a member
	require.Equal(t, 200, german.send("/app/sign-in", url.Values{"email": {m.email}}, "Accept-Language", "fr").status)
	in("de", h.mail.newest(m.email), "mail.code_subject")
	require.Equal(t, 303, german.enter(m.email, h.mail.code(t, m.email)).status)

	// Another browser of the member reads French. The notice of it is in German.
	french := h.browser()
	french.follow(m)
	in("de", h.mail.newest(m.email), "mail.sign_in_subject")
	token := french.token()
	require.Equal(t, 200, french.send("/app/team", url.Values{"token": {token}, "do": {"mail-code"}}, "Accept-Language", "fr").status)
	in("fr", h.mail.newest(m.email), "mail.pairing_subject")
	require.Equal(t, 303, french.send("/app/team", url.Values{"token": {token}, "do": {"invite"}, "email": {"new@corp.example"}, "role": {"member"}}, "Accept-Language", "fr").status)
	in("de", h.mail.newest("new@corp.example"), "mail.invitation_subject")

	// A choice in the settings counts for mails, too; without one they are as the browser asks.
	require.Equal(t, 303, french.send("/app/language", url.Values{"language": {"ja"}}).status)
	device := french.addPasskey("Phone")
	in("ja", h.mail.newest(m.email), "mail.passkey_added_subject")
	require.Equal(t, 303, french.send("/app/language", url.Values{"language": {""}}, "Accept-Language", "fr-CA").status)
	id := formPasskey.FindStringSubmatch(french.do("GET", "/app/settings", "").raw)[1]
	require.Equal(t, 303, french.send("/app/settings", url.Values{"token": {french.token()}, "do": {"remove"}, "passkey": {id}}).status)
	in("fr", h.mail.newest(m.email), "mail.passkey_removed_subject")
	require.NotNil(t, device)
	require.Equal(t, 400, french.send("/app/language", url.Values{"language": {"xx"}}).status)
	h.browser().follow(m)
	in("fr", h.mail.newest(m.email), "mail.sign_in_subject")
	require.Contains(t, html.UnescapeString(french.do("GET", "/app/settings", "").raw), words.English().Text("settings.of_the_pages_in_this_browser_and_of_mails"))
}

// TestMailsOfTheAPI: a code that a client asks for is in the language that it accepts.
func TestMailsOfTheAPI(t *testing.T) {
	t.Parallel()
	h := build(t)
	for address, c := range map[string]struct{ accepted, want string }{
		"a@example.com": {"", "en"}, "b@example.com": {"*", "en"}, "c@example.com": {"pt-PT,en;q=0.5", "pt-BR"}, "d@example.com": {"zh", "en"},
	} {
		require.Equal(t, 200, h.do("POST", sendOTP, `{"email":"`+address+`"}`, "Accept-Language", c.accepted).status)
		require.Equal(t, c.want, h.mail.newest(address).Language, c.accepted)
	}
	require.Equal(t, "Your Watchpost code", h.mail.newest("a@example.com").Subject)
}
