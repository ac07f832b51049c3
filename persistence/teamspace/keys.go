package teamspace

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"watchpost/persistence"
	"watchpost/watchpost"
)

// Keys of a team's space. Ids are UUID strings of 36 bytes, so a prefix and an
// id need no separator.
//
//	key                                    value
//	T                                      TeamRecord
//	m <member>                             watchpost.Member
//	I <invitation>                         watchpost.Invitation that is pending, or expired not long ago
//	M <domain>                             empty; the mail domain is the team's
//	V <email>                              empty; removed, or has left: joins by its domain no more
//	l <member>                             time of the last sign of life
//	s <session>                            SessionRecord
//	a <period> NUL <account> NUL <action>  LedgerRecord
//	k <task>                               watchpost.Task, open or final
//	o <task>                               []watchpost.Debit of the leases of an open task; null before the first
//	O <task>                               WaitingRecord of an open task that was never leased
//	b <task>                               []watchpost.Debit of a task with an unknown outcome
//	D <inverted task>                      watchpost.JournalEntry of a caller's task, newest first
//	H <inverted number>                    watchpost.JournalEntry as it was once: the chain of the journal, newest first
//	w <watchlist>                          watchpost.Watchlist
//	W                                      the watchlist created or deleted last
//	Wd <watchlist, rule or target>         DeletionRecord of what is to be deleted later
//	L <list>                               watchpost.List
//	e <watchlist or list> <entry>          ScanRecord
//	g <watchlist> <change>                 empty; the posts of a changed watchlist await classification
//	G                                      of earlier builds; nothing reads it
//	x <watchlist>                          empty; deleted, its posts are not yet purged
//	q <account urn>                        AccountRecord of a claimed account
//	Q <account urn>                        empty; the team's claim on the account has ended
//	c <time> <hash>                        empty; a pairing code by its end, to purge it
//	u <hash>                               WebSessionRecord, a browser signed in to the dashboard, or a link to sign in
//	P <hash>                               PasskeyRecord of a member
//	U <member>                             BrowsersRecord, the browsers with which the member signed in
//	r <member>                             empty; removed, its waiting writes have not ended yet
//	B <member>                             BindingRecord, the account that the member works as
//	S                                      watchpost.PresentHours
//	y <week> <watchlist>                   watchpost.WeeklyCounter; <week> is its Monday
//	Yc <watchlist> <entry>                 CoveredRecord
//	Yp <day> <watchlist>                   PostDay
//	Ys <day> <watchlist or list>           ScanDay
//	z <week> <watchlist> l <hash>          empty; this author is a potential lead of the week
//	z <week> <watchlist> d <hash>          empty; this post was dropped in the week
//	i <name>                               IdempotencyRecord of a creating request
//	j <time> <name>                        empty; the same by age, to purge it
//	f <hash of an effect>                  EffectRecord of a like or an invitation
//	X <hash of a reference>                FetchedRecord, the newest fetch of a profile or a company
//	d <post key>                           EngagementFlags of a post
//	n <task>                               watchpost.Interaction
//	N                                      of earlier builds, which do not know J; every change of d and n wrote it
//	J                                      EngagementIndex, the state of what follows: package engagementindex
//	Jc <watchlist> <hash of author> <day>  EngagementCount
//	Ji <hash of post key> <task>           EngagementEntry, an interaction and the watchlists that list it
//	Jp <hash of urn> <hash of post key>    a post key by which a stored post was engaged with
//	Jq <hash of post key>                  EngagementTodo, its interactions are not listed everywhere yet
//	Jt <watchlist> <inverted time> <task>  EngagementMoment, an interaction on a post of the watchlist, newest first
//	Rr <rule>                              watchpost.EngagementRule
//	Ra <action>                            watchpost.RuleAction that is open
//	Rj <action>                            watchpost.RuleAction that has ended
//	Rp <hash of a post key>                empty; a rule has acted on the post
//	Rw <week> <hash of an author>          empty; a rule has acted on a post of the author in the week
//	Rm <member>                            watchpost.Pace of the member's account
//	Rs                                     StoppedRecord; all rules are stopped
//	RS                                     the time of the restore after which the rules were stopped
//	tt <target>                            watchpost.NotificationTarget
//	ts <target>                            TargetState
//	tq <target> <number>                   watchpost.PostID that waits to be delivered; <number> orders them
//	tl <target> <delivery>                 watchpost.Delivery that was tried
//	tn                                     watchpost.HourlyCount of tests and repetitions of all targets
//	A <inverted number>                    watchpost.AuditEntry, newest first
//	K                                      watchpost.KeyUse of the team's API key
//	Kk <key>                               ScopedKeyRecord of a key with scopes
//	Ku <key>                               watchpost.KeyUse of a key with scopes
//	Kc <key>                               watchpost.KeyCount of a key with scopes
//	E <hash of a post and step>            RefusedPost
//	C                                      PeopleProgress, the tasks of earlier builds that were looked at for what follows
//	Cc <person>                            PersonRecord; the team sent the person a message or an invitation
//	Cn <person>                            PersonRecord; a member is connected to the person
//	Cs <person>                            PersonRecord, another key of the same person
//	v <post> <watchlist>                   empty; new to the watchlist, rules and notifications have not seen it
//	F <number>                             ChangesRecord, what a batch has changed, by the number of its last change
//	Fn                                     NewestChange
//	Fw <watchlist>                         empty; deleted, and a change tells it still
//	Z <view>                               watchpost.SavedView
//	ht <member>                            TriageRecord
//	hv <member>                            watchpost.Visits
//	hm <member> <post>                     TriageMark
//	ha <post>                              watchpost.PostAssignment
//	p …                                    posts: package postindex
//
// Kinds of the directory, which all teams share:
//
//	team       <team>        TeamEntry, for the operator's list
//	email      <email>       OwnerEntry of the member
//	invitation <email> SPACE <invitation>  InvitationEntry
//	domain     <domain>      OwnerEntry of the team
//	key        <keyed hash>  OwnerEntry of the team
//	scoped     <keyed hash>  ScopedKeyEntry
//	token      <keyed hash>  OwnerEntry of the session
//	pairing    <keyed hash>  OwnerEntry of the member, with an end
//	outbox     <team>        empty; notifications of the team wait to be delivered, or watchlists to be deleted
//	web        <keyed hash>  OwnerEntry of the member, with an end: a web session
//	link       <keyed hash>  the same of a sign-in link
//	passkey    <keyed hash>  OwnerEntry of the member
//	watchlist  <watchlist>   OwnerEntry
//	list       <list>        OwnerEntry
//	account    <account urn> ClaimEntry
//	mail       <id>          MailEntry of a mail that is not sent yet
//	deleting   <team>        empty; the team is being deleted
//	noted      claims        empty; every ended claim is noted in the space of its team
//
// Keys of the sign-in spaces:
//
//	a <email>   AddressRecord
//	b <email>   watchpost.InvitationBlocks
//	c <client>  ClientRecord
//
// Keys of the space of mails to strangers:
//
//	<day> <keyed hash of an email>  how many were sent on the day
//
// Key of the keyring's space:
//
//	fingerprint  KeyFingerprint
const (
	KeyTeam                = "T"
	KeyMember              = "m"
	KeyInvitation          = "I"
	KeyDomain              = "M"
	KeyUninvited           = "V"
	KeyLiveness            = "l"
	KeySession             = "s"
	KeyLedger              = "a"
	KeyTask                = "k"
	KeyOpen                = "o"
	KeyWaiting             = "O"
	KeyDebits              = "b"
	KeyJournal             = "D"
	KeyJournalChain        = "H"
	KeyWatchlist           = "w"
	KeyLastWatchlistChange = "W"
	KeyDeletion            = "Wd"
	KeyList                = "L"
	KeyScan                = "e"
	KeyDeleted             = "x"
	KeyRetag               = "g"
	KeyAccount             = "q"
	KeyEndedClaim          = "Q"
	KeyPairing             = "c"
	KeyWebSession          = "u"
	KeyPasskey             = "P"
	KeyBrowsers            = "U"
	KeyRemoval             = "r"
	KeyBinding             = "B"
	KeyWeeklyCounter       = "y"
	KeyQuotaMark           = "z"
	KeyPresentHours        = "S"
	KeyCovered             = "Yc"
	KeyPostDay             = "Yp"
	KeyScanDay             = "Ys"
	KeyFetched             = "X"
	KeyIdempotency         = "i"
	KeyIdempotencyTime     = "j"
	keyEffect              = "f"
	keyEngagementFlags     = "d"
	KeyInteraction         = "n"
	KeyEarlierEngagements  = "N"
	KeyEngagements         = "J"
	KeyEngagementCount     = "Jc"
	KeyEngagementEntry     = "Ji"
	KeyEngagementLink      = "Jp"
	KeyEngagementTodo      = "Jq"
	KeyEngagementMoment    = "Jt"
	KeyRule                = "Rr"
	KeyRuleAction          = "Ra"
	KeyRuleJournal         = "Rj"
	keyRulePost            = "Rp"
	KeyRuleAuthor          = "Rw"
	KeyRulePace            = "Rm"
	KeyRulesStopped        = "Rs"
	KeyRulesRestored       = "RS"
	KeyArrival             = "v"
	KeyTarget              = "tt"
	KeyTargetState         = "ts"
	KeyTargetQueue         = "tq"
	KeyTargetLog           = "tl"
	KeyTargetSends         = "tn"
	KeyAudit               = "A"
	KeyKeyUse              = "K"
	KeyScopedKey           = "Kk"
	KeyScopedKeyUse        = "Ku"
	KeyScopedKeyCount      = "Kc"
	KeyRefused             = "E"
	KeyPeopleProgress      = "C"
	KeyContacted           = "Cc"
	KeyConnected           = "Cn"
	KeySamePerson          = "Cs"
	KeyChanges             = "F"
	KeyNewestChange        = "Fn"
	KeyDeletedWatchlist    = "Fw"
	KeySavedView           = "Z"
	KeyTriage              = "ht"
	KeyVisits              = "hv"
	KeyTriageMark          = "hm"
	KeyAssignment          = "ha"

	DirTeam       = "team"
	DirOutbox     = "outbox"
	DirEmail      = "email"
	DirInvitation = "invitation"
	DirDomain     = "domain"
	DirKey        = "key"
	DirScopedKey  = "scoped"
	DirToken      = "token"
	DirPairing    = "pairing"
	DirWebSession = "web"
	DirSignInLink = "link"
	DirPasskey    = "passkey"
	DirWatchlist  = "watchlist"
	DirList       = "list"
	DirAccount    = "account"
	DirDeleting   = "deleting"
	DirMail       = "mail"
	DirNoted      = "noted"

	KeyAddress = "a"
	KeyBlocks  = "b"
	KeyClient  = "c"
)

// Key returns the key of an id under a prefix.
func Key[T ~string](prefix string, id T) []byte { return append([]byte(prefix), id...) }

// ScanKey is the key of the scan record of an entry.
func ScanKey[Owner watchpost.WatchlistID | watchpost.ListID](owner Owner, e watchpost.EntryID) []byte {
	return Key(KeyScan, string(owner)+string(e))
}

// TriageMarkKey is the key of a member's mark of a post.
func TriageMarkKey(member watchpost.MemberID, post watchpost.PostID) []byte {
	return Key(KeyTriageMark, string(member)+string(post))
}

// EffectKey is the key of an effect. It hashes the effect's own key, which may be
// longer than the store's keys.
func EffectKey(e watchpost.Effect) []byte {
	hash := sha256.Sum256([]byte(e.Key()))
	return Key(keyEffect, hex.EncodeToString(hash[:]))
}

// FetchedKey is the key of what a reference names (watchpost.FetchedKeys).
func FetchedKey(of string) []byte { return Key(KeyFetched, shortHash(of)) }

// JournalKey is the key of a task's entry in the journal. It inverts the digits of
// the id, so that the newest come first.
func JournalKey(id watchpost.TaskID) []byte {
	return append([]byte(KeyJournal), invertDigits([]byte(id))...)
}

// invertDigits inverts the order of ids, in place.
func invertDigits(id []byte) []byte {
	const digits = "0123456789abcdef"
	for i := range id {
		if at := strings.IndexByte(digits, id[i]); at >= 0 {
			id[i] = digits[len(digits)-1-at]
		}
	}
	return id
}

// JournalTask returns the task of a key of the journal; inverting twice gives the id.
func JournalTask(key []byte) watchpost.TaskID {
	return watchpost.TaskID(JournalKey(watchpost.TaskID(key[len(KeyJournal):]))[len(KeyJournal):])
}

// JournalChainKey is the key of a record of the journal's chain, newest first.
func JournalChainKey(number uint64) []byte {
	return fmt.Appendf(nil, "%s%016x", KeyJournalChain, ^number)
}

// JournalNumber returns the number of a record by its key.
func JournalNumber(key []byte) uint64 {
	inverted, err := strconv.ParseUint(string(key[len(KeyJournalChain):]), 16, 64)
	if err != nil {
		return 0 // no record has it
	}
	return ^inverted
}

// AuditKey is the key of the entry of a number. It inverts the number, so that the
// newest come first.
func AuditKey(number uint64) []byte { return fmt.Appendf(nil, "%s%016x", KeyAudit, ^number) }

// RulePostKey is the mark of a post that a rule has acted on.
func RulePostKey(postKey string) []byte { return Key(keyRulePost, shortHash(postKey)) }

// RuleAuthorKey is the key of a watchpost.AuthorMark.
func RuleAuthorKey(mark string) []byte { return Key(KeyRuleAuthor, mark) }

// shortHash makes a text of any length a part of a key.
func shortHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}

// RefusedKey is the key of a post that was refused in a step of the work on it.
func RefusedKey(urn, step string) []byte { return Key(KeyRefused, shortHash(step+" "+urn)) }

// ArrivalKey notes that a post is new to a watchlist.
func ArrivalKey(post watchpost.PostID, w watchpost.WatchlistID) []byte {
	return Key(KeyArrival, string(post)+string(w))
}

// IdempotencyTimeLen is the length of a moment in a key: seconds in hexadecimal.
const IdempotencyTimeLen = 10

// IdempotencyTimeKey is the key of a kept reply by its age.
func IdempotencyTimeKey(at time.Time, name string) []byte {
	return fmt.Appendf(nil, "%s%0*x%s", KeyIdempotencyTime, IdempotencyTimeLen, at.Unix(), name)
}

// WeeklyCounterKey is the key of a watchlist's counter of a week.
func WeeklyCounterKey(week string, id watchpost.WatchlistID) []byte {
	return []byte(KeyWeeklyCounter + week + string(id))
}

// PostDayKey is the key of what a day (watchpost.Daily.Key) has brought to a watchlist.
func PostDayKey(day string, id watchpost.WatchlistID) []byte {
	return []byte(KeyPostDay + day + string(id))
}

// ScanDayKey is the key of the scans of a day of a watchlist or list.
func ScanDayKey[Of ~string](day string, of Of) []byte { return []byte(KeyScanDay + day + string(of)) }

// CoveredKey is the key of what scans of an entry have covered for a watchlist.
func CoveredKey(id watchpost.WatchlistID, e watchpost.EntryID) []byte {
	return []byte(KeyCovered + string(id) + string(e))
}

// QuotaMarkKey is the key of a mark. It hashes the name, which has any length.
func QuotaMarkKey(week string, id watchpost.WatchlistID, mark, name string) string {
	sum := sha256.Sum256([]byte(name))
	return KeyQuotaMark + week + string(id) + mark + hex.EncodeToString(sum[:16])
}

// Marks of a week: an author that is a potential lead, a post that was dropped.
const (
	QuotaMarkLead    = "l"
	QuotaMarkDropped = "d"
)

// pairingEndLen is the length of a code's end in its key.
const pairingEndLen = 10

// PairingKey is the key of a code by its end, in seconds in hexadecimal.
func PairingKey(ends time.Time, hash string) []byte {
	return fmt.Appendf(nil, "%s%0*x%s", KeyPairing, pairingEndLen, ends.Unix(), hash)
}

// maxTarget keeps the key of a post's flags within the store's limit.
const maxTarget = 500

// EngagementFlagsKey is the key of the flags of a post.
func EngagementFlagsKey(target string) []byte {
	n := min(len(target), maxTarget)
	for n < len(target) && n > 0 && !utf8.RuneStart(target[n]) {
		n--
	}
	return Key(keyEngagementFlags, target[:n])
}

// KeyringSpace holds the fingerprint of the master key that the store's secrets
// are written with. Team ids are UUIDs, so no team has this name.
const KeyringSpace persistence.Space = "keyring"

// StrangersSpace counts the mails to addresses that never signed in.
const StrangersSpace persistence.Space = "strangers"

// StrangerKey is the key of the mails of a day to an address.
func StrangerKey(day, hash string) []byte { return []byte(day + " " + hash) }

// FingerprintKey is the key of the master key's fingerprint.
var FingerprintKey = []byte("fingerprint")

// IDLength is the length of an id in a key.
const IDLength = 36
