// Package access is how people get in to a team: by invitations, domains, one-time codes,
// passkeys, and browsers that stay signed in to the dashboard.
//
// Invitations, Domains, Browsers and Passkeys are components of a team: they run in the
// team's mailbox, and add their writes to the team's batches. The other components ask
//
//	Invitations.All, Of     the pending invitations, or the one of an address
//	Domains.List, Take      the domains, and whether an address joins by one of them
//	Browsers.RequireFresh   has a browser just signed in, and whose is it
//	Passkeys.Use            does a passkey that proves an address still count
//
// and tell them of a member who joins (Invitations.Drop and DropOf, Domains.WelcomeAgain) or
// is removed (Domains.Uninvite, Browsers.EndAll and Forget, Passkeys.RemoveAll). Host has the
// questions that the components ask of the team. The team decides about SignInMember,
// JoinByDomain and AcceptInvitation, which make members and answer with its key.
//
// Parts are outside the mailboxes. They ask teams and the shards of package signin one after
// the other, read the directory past the actors, and mail: SigningIn, Inviting, Ceremonies of
// passkeys, Browsing and Mails.
package access
