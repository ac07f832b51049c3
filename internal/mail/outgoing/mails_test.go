package outgoing_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/bidi"

	"watchpost/internal/mail/outgoing"
	"watchpost/internal/words"
)

const to = "ada@example.com"

var at = time.Date(2030, 11, 8, 9, 5, 7, 0, time.FixedZone("", 3600))

// mails are all mails of the service but notifications: how each is made, its texts in
// English, which do not change, and what it has to say in each language.
var mails = map[string]struct {
	make          func(outgoing.Recipient) outgoing.Mail
	subject, body string
	says          []string
	code          bool
}{
	"code": {
		func(r outgoing.Recipient) outgoing.Mail { return outgoing.Code(r, "123456") },
		"Your Watchpost code", "Your sign-in code is 123456.\n\nIt can be used once, within ten minutes. If you did not ask for it, ignore this mail.\n",
		[]string{"123456"}, true,
	},
	"invitation": {
		func(r outgoing.Recipient) outgoing.Mail {
			return outgoing.Invitation(r, "bob@example.com", "Acme", "https://watch.example", at)
		},
		"You are invited to a team on Watchpost",
		"bob@example.com invites you to \"Acme\" on Watchpost.\n\nTo accept, open https://watch.example/app/sign-in and ask for a one-time code there with ada@example.com: at the sign-in you are asked. You can decline there, too, and block further invitations. The invitation expires on 8 November 2030.\n",
		[]string{"bob@example.com", "Acme", "https://watch.example/app/sign-in", to, "2030"}, false,
	},
	"invitation of the operator": {
		func(r outgoing.Recipient) outgoing.Mail { return outgoing.Invitation(r, "", "Acme", "", at) },
		"You are invited to a team on Watchpost",
		"The operator of the service invites you to \"Acme\" on Watchpost.\n\nTo accept, ask for a one-time code with ada@example.com: at the sign-in you are asked. You can decline there, too, and block further invitations. The invitation expires on 8 November 2030.\n",
		[]string{"Acme", to, "2030"}, false,
	},
	"added": {
		func(r outgoing.Recipient) outgoing.Mail { return outgoing.Added(r, "Acme") },
		"You were added to a team on Watchpost",
		"You are now a member of \"Acme\" on Watchpost.\n\nTo sign in, ask for a one-time code with this address: it is mailed to you. If this is a mistake, ignore this mail, or leave the team on its page.\n",
		[]string{"Acme"}, false,
	},
	"added to a team without a name": {
		func(r outgoing.Recipient) outgoing.Mail { return outgoing.Added(r, "") },
		"You were added to a team on Watchpost",
		"You are now a member of \"a team\" on Watchpost.\n\nTo sign in, ask for a one-time code with this address: it is mailed to you. If this is a mistake, ignore this mail, or leave the team on its page.\n",
		nil, false,
	},
	"pairing": {
		func(r outgoing.Recipient) outgoing.Mail {
			return outgoing.PairingLink(r, "https://watch.example/app/pair#K", at)
		},
		"Pair a browser with Watchpost",
		"Open this link in the browser that is to work for you:\n\nhttps://watch.example/app/pair#K\n\nThe extension there asks you first. The link can be used once, until 08:05 UTC. If you did not ask for it, ignore this mail.\n",
		[]string{"\n\nhttps://watch.example/app/pair#K\n\n", "08:05 UTC"}, true,
	},
	"sign-in": {
		func(r outgoing.Recipient) outgoing.Mail {
			return outgoing.NewSignIn(r, at, "Firefox, Linux", "192.0.2.1")
		},
		"New sign-in to Watchpost",
		"Somebody has signed in to the dashboard of Watchpost as you, with a browser that did not do so before.\n\nWhen: Fri, 08 Nov 2030 08:05:07 UTC\nBrowser: Firefox, Linux\nAddress: 192.0.2.1\n\nIf it was you, there is nothing to do. If not, sign in and choose \"Sign out everywhere\" on the page Team, and tell the admins of your team: who signed in may have seen its API key.\n",
		[]string{"Firefox, Linux\n", "192.0.2.1\n", "2030", "08:05:07 UTC\n"}, false,
	},
	"sign-in of an unknown browser": {
		func(r outgoing.Recipient) outgoing.Mail { return outgoing.NewSignIn(r, at, "", "") },
		"New sign-in to Watchpost",
		"Somebody has signed in to the dashboard of Watchpost as you, with a browser that did not do so before.\n\nWhen: Fri, 08 Nov 2030 08:05:07 UTC\nBrowser: unknown\nAddress: unknown\n\nIf it was you, there is nothing to do. If not, sign in and choose \"Sign out everywhere\" on the page Team, and tell the admins of your team: who signed in may have seen its API key.\n",
		nil, false,
	},
	"passkey added": {
		func(r outgoing.Recipient) outgoing.Mail { return outgoing.PasskeyAdded(r, "My phone") },
		"A passkey was added to your sign-in on Watchpost",
		"The passkey \"My phone\" now signs in as you on Watchpost, without a code.\n\nIf that was not you, sign in with a code, remove the passkey under Settings, sign out everywhere, and tell your operator.\n",
		[]string{"My phone"}, false,
	},
	"passkey removed": {
		func(r outgoing.Recipient) outgoing.Mail { return outgoing.PasskeyRemoved(r, "My phone") },
		"A passkey was removed from your sign-in on Watchpost",
		"The passkey \"My phone\" does not sign in as you on Watchpost any more.\n\nIf that was not you, sign in with a code, sign out everywhere, and tell your operator.\n",
		[]string{"My phone"}, false,
	},
	"passkey refused": {
		func(r outgoing.Recipient) outgoing.Mail { return outgoing.PasskeyRefused(r, "My phone") },
		"A passkey was refused at your sign-in on Watchpost",
		"A sign-in with your passkey My phone was refused: its counter went back, as happens when a key was copied.\n\nSign in with a code, and remove the passkey under Settings. If you do not know of the sign-in, tell your operator.\n",
		[]string{"My phone"}, false,
	},
}

// TestEnglishMails: the texts in English are those that mails had before they were in the
// catalogue, also for a language that it does not have.
func TestEnglishMails(t *testing.T) {
	t.Parallel()
	for name, c := range mails {
		for _, language := range []string{"en", "", "xx"} {
			require.Equal(t, outgoing.Mail{To: to, Language: "en", Subject: c.subject, Body: c.body, Code: c.code},
				c.make(outgoing.Recipient{Address: to, Language: language}), name)
		}
	}
}

// TestMailsInEachLanguage: each language has each mail, which says all that the English one
// says and names no one in its subject.
func TestMailsInEachLanguage(t *testing.T) {
	t.Parallel()
	for name, c := range mails {
		for _, l := range words.All() {
			m := c.make(outgoing.Recipient{Address: to, Language: l.Code})
			require.Equal(t, []any{to, l.Code, c.code}, []any{m.To, m.Language, m.Code}, name)
			for _, part := range c.says {
				assert.Contains(t, m.Body, part, "%s in %s", name, l.Code)
				assert.NotContains(t, m.Subject, part, "%s in %s", name, l.Code)
			}
			assert.True(t, strings.HasSuffix(m.Body, "\n") && !strings.HasSuffix(m.Body, "\n\n"), "%s in %s", name, l.Code)
			assert.NotContains(t, m.Subject+m.Body, "{", "%s in %s: an argument is missing", name, l.Code)
			assert.NotRegexp(t, `\bmail\.[a-z]`, m.Subject+m.Body, "%s in %s: a text is missing", name, l.Code)
			assert.Equal(t, strings.Count(c.body, "\n\n"), strings.Count(m.Body, "\n\n"), "paragraphs of %s in %s", name, l.Code)
			if l.Code != "en" {
				assert.NotEqual(t, c.subject, m.Subject, "%s in %s", name, l.Code)
				assert.NotEqual(t, c.body, m.Body, "%s in %s", name, l.Code)
			}
			requireDirection(t, l, m)
		}
	}
	code := regexp.MustCompile(`[0-9]{6,}`)
	for _, l := range words.All() {
		body := mails["code"].make(outgoing.Recipient{Address: to, Language: l.Code}).Body
		require.Equal(t, []string{"123456"}, code.FindAllString(body, -1), "the only run of digits in %s is the code", l.Code)
	}
}

// TestDatesInMails: dates are written as the language does.
func TestDatesInMails(t *testing.T) {
	t.Parallel()
	for language, want := range map[string][2]string{
		"de": {"8. November 2030", "Fr. 8. Nov. 2030, 08:05:07 UTC"}, "ja": {"2030年11月8日", "2030年11月8日（金）08:05:07 UTC"}, "ar": {"8 نوفمبر 2030", "8 نوفمبر 2030، 08:05:07 UTC"},
		"es": {"8 de noviembre de 2030", "vie., 8 nov. 2030, 08:05:07 UTC"},
	} {
		to := outgoing.Recipient{Address: to, Language: language}
		require.Contains(t, mails["invitation"].make(to).Body, want[0])
		require.Contains(t, mails["sign-in"].make(to).Body, want[1])
	}
}

// requireDirection checks that the subject and each line with words of a language have its
// direction: programs for mail show a line from the side of its first letter.
func requireDirection(t *testing.T, l *words.Language, m outgoing.Mail) {
	t.Helper()
	rtl := func(s string) bool {
		return slices.ContainsFunc([]rune(s), func(r rune) bool { return class(r) == bidi.R || class(r) == bidi.AL })
	}
	for _, line := range append(strings.Split(m.Body, "\n"), m.Subject) {
		assert.Equal(t, l.Dir == "rtl" && rtl(line), fromTheRight(line), "the direction of %q in %s", line, l.Code)
	}
}

func class(r rune) bidi.Class {
	p, _ := bidi.LookupRune(r)
	return p.Class()
}

// fromTheRight reports whether a paragraph is shown from the right: by its first letter that is
// not in an isolate (Unicode Standard Annex 9, rule P2).
func fromTheRight(line string) bool {
	isolates := 0
	for _, r := range line {
		switch c := class(r); {
		case c == bidi.FSI || c == bidi.LRI || c == bidi.RLI:
			isolates++
		case c == bidi.PDI:
			isolates--
		case isolates > 0:
		case c == bidi.L:
			return false
		case c == bidi.R || c == bidi.AL:
			return true
		}
	}
	return false
}
