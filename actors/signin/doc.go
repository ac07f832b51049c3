// Package signin proves addresses: by one-time codes, which it makes and checks, and by
// ceremonies of passkeys, which it keeps until the browser answers. It also keeps whose
// invitations an address blocks.
//
// Addresses and clients are spread over shards, which are root actors. The package knows
// no teams: what a proof is worth, the others decide. Shards has the questions that it
// answers; Blocks and Failures read a snapshot past the actors.
package signin
