package watchpost

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"time"
)

// Scope is a part of what the team's key may do.
type Scope string

// The scopes. Each route of the API that takes a key needs one of them.
const (
	ScopeRead          Scope = "read"
	ScopeWatchlists    Scope = "watchlists"
	ScopeTasks         Scope = "tasks"   // reads on the network
	ScopeEngage        Scope = "engage"  // likes and comments
	ScopeContact       Scope = "contact" // messages and invitations
	ScopeRules         Scope = "rules"
	ScopeNotifications Scope = "notifications"
	ScopeKeys          Scope = "keys"
)

// Scopes returns all scopes, in the order in which they are shown.
func Scopes() []Scope {
	return []Scope{ScopeRead, ScopeWatchlists, ScopeTasks, ScopeEngage, ScopeContact, ScopeRules, ScopeNotifications, ScopeKeys}
}

// Known reports whether s is a scope.
func (s Scope) Known() bool { return slices.Contains(Scopes(), s) }

// TaskScopes are the scopes that tasks need: each type one of them.
func TaskScopes() []Scope { return []Scope{ScopeTasks, ScopeEngage, ScopeContact} }

// Scope returns the scope that a key needs to create or cancel a task of this type.
func (t TaskType) Scope() Scope {
	switch {
	case t.OnPost():
		return ScopeEngage
	case t.Writes():
		return ScopeContact
	}
	return ScopeTasks
}

// KeyID names a key with scopes.
type KeyID string

// ScopedKey is a key that may do a part of what the team's key may. Its secret is not
// stored.
type ScopedKey struct {
	ID        KeyID
	Name      string
	Scopes    []Scope   // in the order of Scopes
	ExpiresAt time.Time `json:",omitzero"` // zero: never
	// DailyLimits bounds the units of an action that tasks of the key may need on a UTC
	// day; an action that is missing is not bounded.
	DailyLimits map[Action]int `json:",omitempty"`
	// Networks are the addresses that may use the key; empty: all.
	Networks  []netip.Prefix `json:",omitempty"`
	CreatedAt time.Time
	// Makers are the key with scopes that made it, and the makers of that one, as far as
	// they existed then; empty when a member or the team's key made it. What the key uses
	// of a daily limit counts for its makers, too.
	Makers []KeyID `json:",omitempty"`
}

// Bounds of keys.
const (
	MaxScopedKeys  = 50 // of a team
	MaxKeyNetworks = 20
	MaxDailyLimit  = 100_000
)

// Texts of errors about keys.
const (
	TextKeyNotFound   = "Key not found"
	TextKeyAddress    = "This key may not be used from this address"
	TextInvalidScopes = "Invalid 'scopes': use read, watchlists, tasks, engage, contact, rules, notifications or keys"
	TextInvalidLimits = "Invalid 'daily_limits': use people_scan, company_scan, profile_fetch, company_fetch, profile_search, message, like, comment or invitation"
	TextKeyPast       = "Invalid 'expires_at': it is not in the future"
	TextGivesLonger   = "Invalid 'expires_at': a key cannot give more than it has"
	TextGivesLimits   = "Invalid 'daily_limits': a key cannot give more than it has"
	TextGivesNetworks = "Invalid 'networks': a key cannot give more than it has"
)

// KeyActions returns the actions that a key can be limited in: those that tasks of
// callers need an allowance for, in the order of Allowances.
func KeyActions() (actions []Action) {
	for _, a := range Allowances {
		if slices.ContainsFunc(JournalTypes(), func(t TaskType) bool { return t.Action() == a.Action }) {
			actions = append(actions, a.Action)
		}
	}
	return actions
}

// Clean returns the key in canonical form. The error names the first field that is
// invalid, as the API does. With the zero time, the key may have expired.
func (k ScopedKey) Clean(now time.Time) (ScopedKey, error) {
	var err error
	if k.Name, err = CleanName(k.Name); err != nil {
		return k, Errorf(Invalid, "Invalid 'name'")
	}
	if len(k.Scopes) == 0 || slices.ContainsFunc(k.Scopes, func(s Scope) bool { return !s.Known() }) {
		return k, Errorf(Invalid, TextInvalidScopes)
	}
	given := k.Scopes
	k.Scopes = slices.DeleteFunc(Scopes(), func(s Scope) bool { return !slices.Contains(given, s) })
	if !k.ExpiresAt.IsZero() && !k.ExpiresAt.After(now) {
		return k, Errorf(Invalid, TextKeyPast)
	}
	allowed := KeyActions()
	for action, limit := range k.DailyLimits {
		if !slices.Contains(allowed, action) || limit < 0 || limit > MaxDailyLimit {
			return k, Errorf(Invalid, TextInvalidLimits)
		}
	}
	if len(k.Networks) > MaxKeyNetworks {
		return k, Errorf(Invalid, "Invalid 'networks': at most %d", MaxKeyNetworks)
	}
	return k, nil
}

// TextNeedsScope is the error of a key that has not the scope, or none of TaskScopes.
func TextNeedsScope(scopes ...Scope) string {
	if len(scopes) == 1 {
		return fmt.Sprintf("This key may not do this: it needs the scope '%s'", scopes[0])
	}
	return fmt.Sprintf("This key may not do this: it needs the scope '%s', '%s' or '%s'", scopes[0], scopes[1], scopes[2])
}

// TextDailyLimit is the error of a task over a daily limit of its key.
func TextDailyLimit(limit int, action Action) string {
	return fmt.Sprintf("Daily limit of this key reached: %d of '%s'. It resets at 00:00 UTC.", limit, action)
}

// ParseNetwork reads an address range (CIDR), or an address alone. It drops the bits
// behind the range.
func ParseNetwork(s string) (netip.Prefix, bool) {
	network, err := netip.ParsePrefix(s)
	if err != nil {
		addr, err := netip.ParseAddr(s)
		if err != nil || addr.Zone() != "" {
			return netip.Prefix{}, false
		}
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), true
	}
	return network.Masked(), !network.Addr().Is4In6()
}

// Gives returns an error unless k has everything that the other key would have: a key
// cannot make or change a key that may do more than it.
func (k *ScopedKey) Gives(other *ScopedKey) error {
	for _, scope := range other.Scopes {
		if err := k.Allows(scope); err != nil {
			return err
		}
	}
	if !k.ExpiresAt.IsZero() && (other.ExpiresAt.IsZero() || other.ExpiresAt.After(k.ExpiresAt)) {
		return Errorf(Invalid, TextGivesLonger)
	}
	for action, limit := range k.DailyLimits {
		if theirs, limited := other.DailyLimits[action]; !limited || theirs > limit {
			return Errorf(Invalid, TextGivesLimits)
		}
	}
	wider := func(n netip.Prefix) bool {
		return !slices.ContainsFunc(k.Networks, func(own netip.Prefix) bool { return own.Contains(n.Addr()) && own.Bits() <= n.Bits() })
	}
	if len(k.Networks) > 0 && (len(other.Networks) == 0 || slices.ContainsFunc(other.Networks, wider)) {
		return Errorf(Invalid, TextGivesNetworks)
	}
	return nil
}

// Allows returns a Forbidden error unless the key has one of the scopes. Nil is the team's
// key, which has every right.
func (k *ScopedKey) Allows(anyOf ...Scope) error {
	if k == nil || slices.ContainsFunc(anyOf, func(s Scope) bool { return slices.Contains(k.Scopes, s) }) {
		return nil
	}
	return Errorf(Forbidden, "%s", TextNeedsScope(anyOf...))
}

// AllowsFrom returns a Forbidden error unless the key may be used from an address; the
// zero Addr is one that is not known. Nil is the team's key.
func (k *ScopedKey) AllowsFrom(addr netip.Addr) error {
	if k == nil || len(k.Networks) == 0 {
		return nil
	}
	addr = addr.WithZone("")
	if slices.ContainsFunc(k.Networks, func(n netip.Prefix) bool { return n.Contains(addr) }) {
		return nil
	}
	return Errorf(Forbidden, TextKeyAddress)
}

// Expired reports whether the key has expired.
func (k *ScopedKey) Expired(now time.Time) bool {
	return k != nil && !k.ExpiresAt.IsZero() && !now.Before(k.ExpiresAt)
}

// KeyPatch changes the fields of a key that are not nil.
type KeyPatch struct {
	Name        *string
	Scopes      *[]Scope
	ExpiresAt   *time.Time // zero: never
	DailyLimits *map[Action]int
	Networks    *[]netip.Prefix
}

// Apply returns the changed key, not yet cleaned.
func (p *KeyPatch) Apply(k ScopedKey) ScopedKey {
	set(&k.Name, p.Name)
	set(&k.Scopes, p.Scopes)
	set(&k.ExpiresAt, p.ExpiresAt)
	set(&k.DailyLimits, p.DailyLimits)
	set(&k.Networks, p.Networks)
	return k
}

// KeyCount is what tasks of a key needed on a UTC day, in units of each action that is
// limited.
type KeyCount struct {
	Day  string         `json:"day"`
	Used map[Action]int `json:"used"`
}

// On returns the count on the day of now.
func (c KeyCount) On(now time.Time) KeyCount {
	if day := Daily.Key(now); c.Day != day {
		return KeyCount{Day: day}
	}
	return c
}

// Limits reports whether a task with these costs counts for a daily limit of the key.
func (k *ScopedKey) Limits(costs map[Action]int) bool {
	for action := range k.DailyLimits {
		if costs[action] > 0 {
			return true
		}
	}
	return false
}

// Add returns the count with the costs of one more task of the key, on the day of now
// (PlanLimit when that exceeds a daily limit of the key).
func (c KeyCount) Add(k *ScopedKey, costs map[Action]int, now time.Time) (KeyCount, error) {
	c = c.On(now)
	used := maps.Clone(c.Used)
	if used == nil {
		used = map[Action]int{}
	}
	c.Used = used
	for _, action := range KeyActions() {
		limit, limited := k.DailyLimits[action]
		if !limited || costs[action] == 0 {
			continue
		}
		if used[action] += costs[action]; used[action] > limit {
			return c, Errorf(PlanLimit, "%s", TextDailyLimit(limit, action))
		}
	}
	return c, nil
}

// Costs returns the actions that a new task needs, and the units of each.
func (t *Task) Costs() map[Action]int {
	action := t.Type.Action()
	if all, people := t.references(); len(all) > 0 {
		return map[Action]int{action: people, TaskCompanyPosts.Action(): len(all) - people}
	}
	return map[Action]int{action: 1}
}
