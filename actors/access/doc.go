// Package access is how members get in to a team: browsers that are signed in to the
// dashboard and links to sign in.
//
// Browsers is a component of a team: it runs in the team's mailbox, adds its writes to the
// team's batches, and answers
//
//	RequireFresh    whether a browser has just signed in, and whose it is
//	EndAll, Forget  nothing; the member is removed
//
// Host has the questions that it asks of the team. Browsing sends it requests from outside
// the mailboxes, and reads the directory past them. Mails hands mails to members and to
// strangers to the mailer.
package access
