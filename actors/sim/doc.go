// Package sim plays whole lives of teams under a scheduler that it owns: a seed
// decides what runs next, when time passes, which writes of the store last and
// when the process or a browser ends. The code under test is the real one; only
// the mailboxes, the clock, the store and the sources of chance are replaced, and
// testing/synctest tells when nothing runs any more. A failure is played again
// from its seed, as often as it takes to understand it.
//
// # A life
//
// A life has two teams with two members each, one member with two browsers.
// Clients create, poll and list; browsers do tasks as the extension does: journal
// first, act second, report third. Operations come from a list that the seed
// draws beforehand: requests with and without Idempotency-Key, rules and what members
// decide of their actions, notification targets, deletions that are taken back,
// members who join and leave, keys that are replaced, teams that are deleted and founded again, connections
// that break, laptops that sleep, worker and journal that are lost, a network
// and a mailer that refuse or do not answer, commits that fail, a store that is full or away, restarts,
// crashes, backups and restores, midnights and Mondays. What happens between them
// is the scheduler's choice.
//
// # Checks
//
// The stand-in for the network counts what the browsers did there. On every
// batch that lasts, every frame and every answer:
//
//   - a task that was acknowledged is there, and its result is the acknowledged one;
//   - no write is done twice on the network;
//   - no account does more in a day or week than its allowance, by the network's
//     own count; each touch was paid for, and the ledger is the sum of the debits;
//   - what a task says of itself is true: completed means done, and a failure
//     that may be repeated means not done;
//   - a waiting task has a reason; when all browsers are there for some days,
//     none waits any more.
//
// README.md has the whole list, each with the sentence that it serves. Package planted
// measures what the checks find.
//
// # Playing a failure again
//
// A failure prints its seed, the commit, the hash of its trace and a command:
//
//	make sim SEED=4711
//
// plays that life once more. A seed means the same for one commit only. Before it
// is printed, a failure is made shorter: operations are left out while it still
// fails. The list that is left is printed in words.
package sim
