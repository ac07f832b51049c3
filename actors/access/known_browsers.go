package access

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Browser is where a member signs in to the dashboard.
type Browser struct {
	// Nonce is that of its sign-ins. It names the browser, also after a sign-in.
	Nonce string
	Agent string // its User-Agent
	// Name is what the User-Agent says in words of ours; "" when it says nothing known.
	Name string
}

// browsersKept bounds the browsers that are known of a member: the ones that signed in
// last.
const browsersKept = 20

// meet notes that a member signs in with a browser. It reports whether the browser is
// new, which it is not for a member who never signed in before.
func (bs *Browsers) meet(batch *persistence.Batch, member watchpost.MemberID, b Browser) (isNew bool) {
	bare, _, _ := strings.Cut(b.Nonce, ".")
	hash := bs.Env.Keyring.Hash("browser "+string(member), bare)
	known := slices.Clone(bs.known[member].Known)
	isNew = len(known) > 0
	if i := slices.Index(known, hash); i >= 0 {
		isNew, known = false, slices.Delete(known, i, i+1)
	}
	known = append(known, hash)
	r := teamspace.BrowsersRecord{Known: known[max(0, len(known)-browsersKept):]}
	bs.known[member] = r
	batch.Put(teamspace.Key(teamspace.KeyBrowsers, member), teamspace.Encode(r))
	return isNew
}

// Forget forgets the browsers of a member who is removed.
func (bs *Browsers) Forget(batch *persistence.Batch, member watchpost.MemberID) {
	delete(bs.known, member)
	batch.Delete(teamspace.Key(teamspace.KeyBrowsers, member))
}

// tellOfBrowser mails a member after a sign-in with a new browser. The mail has no
// words of the browser: it may be a stranger's.
func (r *Browsing) tellOfBrowser(ctx context.Context, opened WebSessionOpened, b Browser) {
	if !opened.newBrowser {
		return
	}
	from, _ := root.OriginOf(ctx)
	r.mails.Mail(ctx, opened.Member, "New sign-in to Watchpost",
		"Somebody has signed in to the dashboard of Watchpost as you, with a browser that did not do so before.\n\n"+
			"When: "+r.env.Clock.Now().UTC().Format(time.RFC1123)+"\n"+
			"Browser: "+cmp.Or(b.Name, "unknown")+"\n"+
			"Address: "+cmp.Or(from.Client, "unknown")+"\n\n"+
			"If it was you, there is nothing to do. If not, sign in and choose \"Sign out everywhere\" on the page Team, "+
			"and tell the admins of your team: who signed in may have seen its API key.\n")
}
