// Package access is how members get in to a team: browsers that are signed in to the
// dashboard and links to sign in.
//
// Browsers and Passkeys are components of a team: they run in the team's mailbox, and add
// their writes to the team's batches. They answer
//
//	Browsers.RequireFresh    has a browser just signed in, and whose is it
//	Passkeys.Use             does a passkey that proves an address still count
//
// and are told of a member who is removed: Browsers.EndAll and Forget, Passkeys.RemoveAll.
// Host has the questions that they ask of the team. Passkeys asks Browsers for RequireFresh.
//
// Browsing and Ceremonies send them requests from outside the mailboxes, and read the
// directory past them. Mails hands mails to members and to strangers to the mailer.
package access
