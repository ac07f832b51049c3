package actors

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"watchpost"
	"watchpost/internal/protocol"
	"watchpost/persistence"
)

// Keys of a team's space. Ids are UUID strings of 36 bytes, so a prefix and an
// id need no separator.
//
//	key                            value
//	T                              teamRecord
//	m <member>                     memberRecord
//	l <member>                     time of the last sign of life
//	s <session>                    sessionRecord
//	a <period> NUL <account> NUL <action>   ledgerRecord
//	k <task>                       taskRecord, open or final
//	o <task>                       of a task that is not final: []watchpost.Debit
//	                               of its hand-outs
//	b <task>                       the same of a task whose outcome is unknown
//	w <watchlist>                  watchlistRecord
//	W                              which watchlist was created or deleted last
//	L <list>                       watchpost.List
//	e <watchlist or list> <entry>  scanRecord
//	g <watchlist> <change>         empty; its posts are yet to be classified again
//	g                              the same of all posts; never stored
//	G                              empty; every tag says which watchlist gave it
//	x <watchlist>                  empty; deleted, its posts not yet purged
//	q <account urn>                accountRecord of an account that a member has claimed
//	c <time> <hash>                empty; a pairing code by its end, to purge it
//	r <member>                     empty; removed, its waiting writes not yet ended
//	B <member>                     bindingRecord, the account that the member works as
//	y <week> <watchlist>           watchpost.WeeklyCounter; <week> is its Monday
//	z <week> <watchlist> l <hash>  empty; this author is a potential lead of the week
//	z <week> <watchlist> d <hash>  empty; this post was dropped in the week
//	i <name>                       idempotencyRecord of a creating request
//	j <time> <name>                empty; the same by age, to purge them
//	f <hash of an effect>          effectRecord of a like or an invitation
//	d <post key>                   engagementFlags: what was done to a post
//	n <task>                       watchpost.Interaction
//	N                              engagementState: how often these and deedsRecords have changed
//	p …                            posts: package postindex
//
// Kinds of the directory, which all teams share:
//
//	team       <team>            teamEntry, for the operator's list
//	email      <email>           ownerEntry of the member
//	key        <keyed hash>      ownerEntry of the team
//	token      <keyed hash>      ownerEntry of the session
//	pairing    <keyed hash>      ownerEntry of the member, with an end
//	watchlist  <watchlist>       ownerEntry
//	list       <list>            ownerEntry
//	account    <account urn>     claimEntry
const (
	keyTeam                = "T"
	keyMember              = "m"
	keyLiveness            = "l"
	keySession             = "s"
	keyLedger              = "a"
	keyTask                = "k"
	keyOpen                = "o"
	keyDebits              = "b"
	keyWatchlist           = "w"
	keyLastWatchlistChange = "W"
	keyList                = "L"
	keyScan                = "e"
	keyDeleted             = "x"
	keyRetag               = "g"
	keyTagged              = "G"
	keyAccount             = "q"
	keyPairing             = "c"
	keyRemoval             = "r"
	keyBinding             = "B"
	keyWeeklyCounter       = "y"
	keyQuotaMark           = "z"
	keyIdempotency         = "i"
	keyIdempotencyTime     = "j"
	keyEffect              = "f"
	keyEngagementFlags     = "d"
	keyInteraction         = "n"
	keyEngagementState     = "N"

	dirTeam      = "team"
	dirEmail     = "email"
	dirKey       = "key"
	dirToken     = "token"
	dirPairing   = "pairing"
	dirWatchlist = "watchlist"
	dirList      = "list"
	dirAccount   = "account"
)

func key[T ~string](prefix string, id T) []byte { return append([]byte(prefix), id...) }

// teamRecord is the team itself; members have records of their own.
type teamRecord struct {
	ID        watchpost.TeamID `json:"id"`
	Name      string           `json:"name"`
	Plan      watchpost.Plan   `json:"plan"`
	CreatedAt time.Time        `json:"created_at"`
	SealedKey []byte           `json:"sealed_key"`
	KeyHash   string           `json:"key_hash"`
	// SignedInAt is when a person last signed in.
	SignedInAt time.Time `json:"signed_in_at,omitzero"`
	// PlanExpiresAt is when the plan becomes free; zero: never.
	PlanExpiresAt time.Time `json:"plan_expires_at,omitzero"`
}

// teamEntry is the directory's line on a team.
type teamEntry struct {
	Name      string         `json:"name"`
	Plan      watchpost.Plan `json:"plan"`
	CreatedAt time.Time      `json:"created_at"`

	PlanExpiresAt time.Time `json:"plan_expires_at,omitzero"`
}

// ownerEntry says whose something is.
type ownerEntry struct {
	Team    watchpost.TeamID    `json:"team"`
	Member  watchpost.MemberID  `json:"member,omitempty"`
	Session watchpost.SessionID `json:"session,omitempty"`
	Ends    time.Time           `json:"ends,omitzero"`
}

// claimEntry says which member works with an account of the network.
type claimEntry struct {
	Team    watchpost.TeamID   `json:"team"`
	Member  watchpost.MemberID `json:"member"`
	HelloAt time.Time          `json:"hello_at"` // to the day
	// From is when the account's allowances begin to count for this claim; set
	// when it was taken over from another.
	From       time.Time `json:"from,omitzero"`
	FromWeekly time.Time `json:"from_weekly,omitzero"`
	// Ended is set when the member was removed or has no session any more.
	Ended bool `json:"ended,omitempty"`
}

type sessionRecord struct {
	ID        watchpost.SessionID `json:"id"`
	Member    watchpost.MemberID  `json:"member"`
	CreatedAt time.Time           `json:"created_at"`
	TokenHash string              `json:"token_hash"`
	// Account is the one that the session reported last, and since when.
	Account   watchpost.AccountURN `json:"account,omitempty"`
	Slug      string               `json:"slug,omitempty"`
	AccountAt time.Time            `json:"account_at,omitzero"`
	// Version and Browser are what the last hello said of where it runs, SeenAt
	// is the last sign of it.
	Version string           `json:"version,omitempty"`
	Browser protocol.Browser `json:"browser,omitzero"`
	SeenAt  time.Time        `json:"seen_at,omitzero"`
}

// scanRecord is how far the scans of one entry have come.
type scanRecord struct {
	FinishedAt time.Time `json:"finished_at"`
	// Newest is the publication time of the newest post seen by a scan that
	// was exhausted; zero before the first.
	Newest time.Time `json:"newest"`
}

// recordVersion is the first byte of every record. A change of a record's
// meaning takes the next number, and decode learns to read the old one.
const recordVersion = 1

func encode(record any) []byte {
	b, err := json.Marshal(record)
	if err != nil {
		panic(fmt.Sprintf("encode %T: %v", record, err)) // our own types: a bug
	}
	return append([]byte{recordVersion}, b...)
}

func decode(value []byte, record any) error {
	if len(value) == 0 || value[0] != recordVersion {
		return fmt.Errorf("record %T: unknown version", record)
	}
	return json.Unmarshal(value[1:], record)
}

// load decodes the record at a key; persistence.ErrNotFound when there is none.
func load[R any](view persistence.View, space persistence.Space, key []byte) (R, error) {
	var record R
	value, err := view.Get(space, key)
	if err != nil {
		return record, err
	}
	return record, decode(value, &record)
}

// loadAll calls yield with the id and the record of every key with the prefix.
func loadAll[R any](view persistence.View, space persistence.Space, prefix string, yield func(id string, record R)) error {
	var failure error
	err := view.Scan(space, []byte(prefix), persistence.PrefixEnd([]byte(prefix)), func(k, v []byte) bool {
		var record R
		if failure = decode(v, &record); failure != nil {
			return false
		}
		yield(string(k[len(prefix):]), record)
		return true
	})
	if err != nil {
		return err
	}
	return failure
}

// lookup decodes a directory entry; persistence.ErrNotFound when there is none.
func lookup[R any](view persistence.View, kind, name string) (R, error) {
	record, _, err := lookupStored[R](view, kind, name)
	return record, err
}

// lookupStored is lookup, and returns the entry as it is stored too. A
// compare-and-set expects the stored bytes: a record that is encoded again lacks
// the fields that this build does not know.
func lookupStored[R any](view persistence.View, kind, name string) (record R, stored []byte, err error) {
	value, err := view.Lookup(persistence.DirectoryKey{Kind: kind, Name: name})
	if err != nil {
		return record, nil, err
	}
	return record, bytes.Clone(value), decode(value, &record)
}

// readDirectory looks up a directory entry in a view of its own.
func readDirectory[R any](env *environment, kind, name string) (R, error) {
	record, _, err := readStored[R](env, kind, name)
	return record, err
}

// readStored is lookupStored in a view of its own.
func readStored[R any](env *environment, kind, name string) (record R, stored []byte, err error) {
	view, err := env.store.View(context.Background())
	if err != nil {
		return record, nil, err
	}
	defer view.Close()
	return lookupStored[R](view, kind, name)
}
