package fakenetwork

import (
	"encoding/json"
	"net/http"
	"sort"
	"time"
)

// controlRoutes opens what tests steer the site with. Bodies are JSON.
//
//	GET    /_control/          a page that does the same for a person
//	GET    /_control/clock     {"now"}
//	POST   /_control/clock     {"advance":"24h"} or {"set":"2030-01-07T00:00:00Z"}, where the Clock can be set (--test-clock)
//	GET    /_control/writes    {"total", "counts":[{account, kind, target, count}], "writes":[…]}; ?account= &kind= &target= filter
//	GET    /_control/lists     {"lists":[…]}: the newest 2,000 pages of lists of posts that were shown
//	GET    /_control/faults    {"<account, or empty for all>": {…}}
//	POST   /_control/faults    {"account", "faults":{…}}: replaces those of the account
//	DELETE /_control/faults    ends all faults
//	POST   /_control/sign-out  {"account"}: ends its sign-ins
func (s *Site) controlRoutes() {
	s.mux.HandleFunc("GET /_control/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if err := templates.ExecuteTemplate(w, "control", nil); err != nil {
			s.opts.Logger.Error("network: control page not rendered", "error", err)
		}
	})
	s.mux.HandleFunc("GET /_control/clock", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]time.Time{"now": s.now()})
	})
	if clock, ok := s.opts.Clock.(settable); ok {
		s.mux.HandleFunc("POST /_control/clock", func(w http.ResponseWriter, r *http.Request) { s.setClock(w, r, clock) })
	}
	s.mux.HandleFunc("GET /_control/writes", s.controlWrites)
	s.mux.HandleFunc("GET /_control/lists", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string][]List{"lists": s.Lists()})
	})
	s.mux.HandleFunc("GET /_control/faults", func(w http.ResponseWriter, _ *http.Request) { reply(w, s.faults.all()) })
	s.mux.HandleFunc("POST /_control/faults", func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Account string `json:"account"`
			Faults  Faults `json:"faults"`
		}
		if read(w, r, &in) {
			s.SetFaults(in.Account, in.Faults)
			reply(w, s.faults.all())
		}
	})
	s.mux.HandleFunc("DELETE /_control/faults", func(w http.ResponseWriter, _ *http.Request) {
		s.ClearFaults()
		reply(w, s.faults.all())
	})
	s.mux.HandleFunc("POST /_control/sign-out", func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Account string `json:"account"`
		}
		if read(w, r, &in) {
			s.SignOut(in.Account)
			reply(w, struct{}{})
		}
	})
}

// settable is a Clock that can be set forward, like testclock.Clock.
type settable interface {
	Advance(d time.Duration) error
	Set(t time.Time) error
}

// setClock sets the clock forward.
func (s *Site) setClock(w http.ResponseWriter, r *http.Request, clock settable) {
	var in struct {
		Advance string    `json:"advance"`
		Set     time.Time `json:"set"`
	}
	if !read(w, r, &in) {
		return
	}
	var err error
	if in.Advance != "" {
		var d time.Duration
		if d, err = time.ParseDuration(in.Advance); err == nil {
			err = clock.Advance(d)
		}
	} else {
		err = clock.Set(in.Set)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	reply(w, map[string]time.Time{"now": s.now()})
}

// WriteCount is the number of writes of one kind by an account to one target.
type WriteCount struct {
	Account string    `json:"account"`
	Kind    WriteKind `json:"kind"`
	Target  string    `json:"target"`
	Count   int       `json:"count"`
}

// CountWrites counts writes per account, kind and target, in that order.
func CountWrites(writes []Write) []WriteCount {
	counts := make(map[WriteCount]int)
	for _, w := range writes {
		counts[WriteCount{Account: w.Account, Kind: w.Kind, Target: w.Target}]++
	}
	out := make([]WriteCount, 0, len(counts))
	for c, n := range counts {
		c.Count = n
		out = append(out, c)
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := out[i], out[j]
		if a.Account != b.Account {
			return a.Account < b.Account
		}
		if a.Kind != b.Kind {
			return a.Kind < b.Kind
		}
		return a.Target < b.Target
	})
	return out
}

func (s *Site) controlWrites(w http.ResponseWriter, r *http.Request) {
	account, kind, target := r.FormValue("account"), WriteKind(r.FormValue("kind")), r.FormValue("target")
	writes := []Write{}
	for _, one := range s.Writes() {
		if (account == "" || one.Account == account) && (kind == "" || one.Kind == kind) && (target == "" || one.Target == target) {
			writes = append(writes, one)
		}
	}
	reply(w, struct {
		Total  int          `json:"total"`
		Counts []WriteCount `json:"counts"`
		Writes []Write      `json:"writes"`
	}{len(writes), CountWrites(writes), writes})
}

// read decodes a body; when it returns false it has answered the request.
func read(w http.ResponseWriter, r *http.Request, into any) bool {
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<10)).Decode(into); err != nil {
		http.Error(w, "invalid body: "+err.Error(), http.StatusBadRequest)
		return false
	}
	return true
}

func reply(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(body)
}
