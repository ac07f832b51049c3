package fakenetwork

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// Faults are the faults of the network for an account, or for all. The zero
// value has none.
type Faults struct {
	// Slow delays every page and write, in real time.
	Slow time.Duration
	// SignedOut treats the account as signed out and refuses to sign it in.
	SignedOut bool
	// Challenge shows a human check instead of any page.
	Challenge bool
	// LayoutChanged shows pages with an unknown layout.
	LayoutChanged bool
	// RateLimited answers everything with 429.
	RateLimited bool
	// LoseAnswers is the number of next writes whose connection closes after
	// the write was applied; negative means all.
	LoseAnswers int
	// LoseWrites is the number of next writes whose connection closes before
	// the write is applied; negative means all.
	LoseWrites int
}

// faultsJSON is the form of Faults at the control endpoint: Slow as "1.5s".
type faultsJSON struct {
	Slow          string `json:"slow,omitempty"`
	SignedOut     bool   `json:"signed_out,omitempty"`
	Challenge     bool   `json:"challenge,omitempty"`
	LayoutChanged bool   `json:"layout_changed,omitempty"`
	RateLimited   bool   `json:"rate_limited,omitempty"`
	LoseAnswers   int    `json:"lose_answers,omitempty"`
	LoseWrites    int    `json:"lose_writes,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (f Faults) MarshalJSON() ([]byte, error) {
	out := faultsJSON{
		SignedOut: f.SignedOut, Challenge: f.Challenge, LayoutChanged: f.LayoutChanged,
		RateLimited: f.RateLimited, LoseAnswers: f.LoseAnswers, LoseWrites: f.LoseWrites,
	}
	if f.Slow > 0 {
		out.Slow = f.Slow.String()
	}
	return json.Marshal(out)
}

// UnmarshalJSON implements json.Unmarshaler.
func (f *Faults) UnmarshalJSON(b []byte) error {
	var in faultsJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	*f = Faults{
		SignedOut: in.SignedOut, Challenge: in.Challenge, LayoutChanged: in.LayoutChanged,
		RateLimited: in.RateLimited, LoseAnswers: in.LoseAnswers, LoseWrites: in.LoseWrites,
	}
	if in.Slow == "" {
		return nil
	}
	slow, err := time.ParseDuration(in.Slow)
	if err != nil || slow < 0 {
		return fmt.Errorf("slow: %q is no duration", in.Slow)
	}
	f.Slow = slow
	return nil
}

// SetFaults replaces the faults of an account (its slug), or those of all
// accounts when account is empty. Both apply to an account.
func (s *Site) SetFaults(account string, f Faults) { s.faults.set(account, f) }

// ClearFaults ends all faults.
func (s *Site) ClearFaults() { s.faults.clear() }

// faultTable holds the faults by account; "" means all.
type faultTable struct {
	mu sync.Mutex
	of map[string]Faults
}

func (t *faultTable) set(account string, f Faults) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of == nil {
		t.of = make(map[string]Faults)
	}
	t.of[account] = f
	if f == (Faults{}) {
		delete(t.of, account)
	}
}

func (t *faultTable) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.of)
}

// all returns a copy of the table.
func (t *faultTable) all() map[string]Faults {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make(map[string]Faults, len(t.of))
	for account, f := range t.of {
		out[account] = f
	}
	return out
}

// meet returns the faults that apply to an account.
func (t *faultTable) meet(account string) Faults {
	t.mu.Lock()
	defer t.mu.Unlock()
	own, every := t.of[account], t.of[""]
	return Faults{
		Slow:          max(own.Slow, every.Slow),
		SignedOut:     own.SignedOut || every.SignedOut,
		Challenge:     own.Challenge || every.Challenge,
		LayoutChanged: own.LayoutChanged || every.LayoutChanged,
		RateLimited:   own.RateLimited || every.RateLimited,
	}
}

// loss is the fault of a write.
type loss int

const (
	lossNone   loss = iota
	lossAnswer      // applied, not answered
	lossWrite       // neither applied nor answered
)

// takeLoss returns the fault of the next write of an account and counts it.
func (t *faultTable) takeLoss(account string) loss {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, key := range []string{account, ""} {
		f, ok := t.of[key]
		switch {
		case !ok:
		case f.LoseWrites != 0:
			f.LoseWrites = countDown(f.LoseWrites)
			t.of[key] = f
			return lossWrite
		case f.LoseAnswers != 0:
			f.LoseAnswers = countDown(f.LoseAnswers)
			t.of[key] = f
			return lossAnswer
		}
	}
	return lossNone
}

func countDown(n int) int {
	if n > 0 {
		return n - 1
	}
	return n
}
